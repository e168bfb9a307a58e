"""What is due for core memory and facts, in a chat as it is planned: each memory is followed once."""

from collections.abc import Collection, Sequence

from daemon.archive.archive import Archive
from daemon.archive.layers import Layer, due_steps, has_step, last_step
from daemon.config import Config
from daemon.config.layers import FactSettings
from daemon.layers.standing import core_now, facts_now
from daemon.models.roles import Roles
from daemon.models.tokens import count
from primer.request import ENGINE
from primer.texts import Texts
from rules.conversation.memory import Memory
from rules.layers.layout import Layout
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import NO_LAYERS, Layers, chosen

_TOKENS_A_FACT = 40
"""As it is shown for comparison, with its number and day."""


def layers_planned(
    archive: Archive,
    plan: ChatPlan,
    roles: Roles,
    layout: Layout,
    config: Config,
    texts: Texts,
    adopted: Sequence[Memory] = (),
) -> Layers:
    """The steps after the memories that are made now, and those that an interrupted run has left; none by the engine.

    Memories that were made before a layer was switched on, or by the engine before ones that a model wrote, get none:
    the agent looks after its core memory in the order of what has happened. Nor do those that a fork has `adopted` and
    writes once more, where they have been followed in the chat it came from.
    """
    facts = config.facts
    has_core = config.core.enabled and layout.sections
    edits = _numbers(archive, plan, "core", adopted) if has_core and roles.agent != ENGINE else frozenset()
    has_facts = facts.enabled and roles.context_manager != ENGINE
    taken = _numbers(archive, plan, "facts", adopted) if has_facts else frozenset()
    if not edits and not taken:
        return NO_LAYERS
    rows = plan.made + plan.chunks
    shown = _shown_tokens(archive, plan, facts)
    return Layers(
        core=chosen(rows, edits),
        facts=chosen(rows, taken),
        core_tokens=_core_tokens(archive, plan.chat_id, layout, texts) if edits else 0,
        facts_tokens=count(texts.facts) + count(texts.fact_keeper) + shown,
        shown_tokens=shown,
        embeds=roles.embedding is not None,
    )


def _numbers(archive: Archive, plan: ChatPlan, layer: Layer, adopted: Sequence[Memory]) -> frozenset[int]:
    """Numbers of the memories after which the layer is looked after."""
    followed = (one.number for one in adopted if not one.is_fold and has_step(archive, one.origins, layer))
    last = max([last_step(archive, plan.chat_id, layer), *followed])
    made: Collection[int] = [chunk.number for chunk in plan.again + plan.chunks if chunk.number > last]
    return frozenset([*due_steps(archive, plan.chat_id, layer), *made])


def _core_tokens(archive: Archive, chat_id: str, layout: Layout, texts: Texts) -> int:
    stands = core_now(archive, chat_id, layout)
    return count(texts.core) + sum(count(section.description) + count(section.rendered) for section in stands)


def _shown_tokens(archive: Archive, plan: ChatPlan, facts: FactSettings) -> int:
    known = len(facts_now(archive, plan.chat_id)) + len(plan.chunks)
    return min(facts.compare, known) * _TOKENS_A_FACT
