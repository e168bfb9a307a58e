"""The work on core memory and facts that is due after a chat's memories."""

from collections.abc import Sequence

from daemon.archive.archive import Archive
from daemon.archive.layers import Layer, due_steps, has_step, last_step
from daemon.chat.opening import ShownChat, core_now, facts_now
from daemon.models.roles import Roles
from daemon.models.tokens import count
from primer.models import ENGINE
from rules.conversation.memory import Memory
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import NO_LAYERS, Layers, choose_chunks

_TOKENS_A_FACT = 40
"""The tokens of a fact as it is shown for comparison, with its number and day."""


def layers_due(
    archive: Archive, plan: ChatPlan, roles: Roles, chat: ShownChat, adopted: Sequence[Memory]
) -> Layers:
    """Plan core memory and facts after the memories made now, and what an interrupted run has left.

    The engine has neither. `adopted` are the memories that a fork takes over and writes once more.
    """
    config = chat.config
    edits = taken = frozenset[int]()
    if config.core.enabled and chat.layout.sections and roles.agent != ENGINE:
        edits = _due(archive, plan, "core", adopted)
    if config.facts.enabled and roles.context_manager != ENGINE:
        taken = _due(archive, plan, "facts", adopted)
    if not edits and not taken:
        return NO_LAYERS
    rows = plan.made + plan.chunks
    known = len(facts_now(archive, plan.chat_id)) + len(plan.chunks)
    shown_tokens = min(config.facts.compare, known) * _TOKENS_A_FACT
    return Layers(
        core=choose_chunks(rows, edits),
        facts=choose_chunks(rows, taken),
        core_tokens=_core_tokens(archive, plan.chat_id, chat) if edits else 0,
        facts_tokens=count(chat.texts.facts) + count(chat.texts.fact_keeper) + shown_tokens,
        shown_tokens=shown_tokens,
        embeds=roles.embedding is not None,
    )


def _core_tokens(archive: Archive, chat_id: str, chat: ShownChat) -> int:
    """Return the tokens of the question about core memory, with all sections in it."""
    sections = core_now(archive, chat_id, chat.layout)
    texts = (text for section in sections for text in (section.description, section.rendered))
    return count(chat.texts.core) + sum(map(count, texts))


def _due(
    archive: Archive, plan: ChatPlan, layer: Layer, adopted: Sequence[Memory]
) -> frozenset[int]:
    """Return the numbers of the memories after which the layer has a step.

    The agent edits its core memory in the order of what has happened, so memories made before the
    layer was switched on, or by the engine before ones that a model wrote, get no step. Nor do
    those that a fork has adopted, where the chat it came from has had these steps.
    """
    own = [memory for memory in adopted if not memory.is_fold]
    followed = [memory.number for memory in own if has_step(archive, memory.origins, layer)]
    last = max([last_step(archive, plan.chat_id, layer), *followed])
    made = (chunk.number for chunk in plan.again + plan.chunks if chunk.number > last)
    return frozenset([*due_steps(archive, plan.chat_id, layer), *made])
