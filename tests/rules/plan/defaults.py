"""Plans with the sizes that memproc.toml has."""

from dataclasses import replace

from daemon.config.settings import Config
from rules.conversation.memory_size import SHIPPED_QUESTIONS, expected_tokens
from rules.plan.chat_plan import ChatPlan
from rules.plan.chunks import Spoken, form_chunks
from rules.plan.foresight import Coming, Foresight
from rules.plan.work import plan_chunks
from tests.rules.plan.test_chat_plan import history
from tests.rules.plan.test_chat_plan import planned as small

NONE = small(history(4), [5, 5, 5, 5])
"""A plan with nothing to do."""


def at_the_defaults(messages: int, tokens_each: int, window: int | None = None) -> ChatPlan:
    """The plan for a conversation of so many messages, by an agent whose window is known or not."""
    limits = Config().limits
    limits = replace(limits, fold=replace(limits.fold, window=window))
    spoken = [Spoken(("user", "assistant")[at % 2], tokens_each, False) for at in range(messages)]
    found = form_chunks(spoken, 0, limits.chunk, limits.tail).chunks
    runs = dict(enumerate(found, 1))
    coming = [Coming(expected_tokens(run.tokens, SHIPPED_QUESTIONS), run.tokens) for run in found]
    sizes = Foresight("chat", (), coming, limits.fold)
    row = plan_chunks(
        runs, [tokens_each] * messages, limits.tail, limits.step, sizes, SHIPPED_QUESTIONS
    )
    return replace(NONE, chunks=tuple(row), fixed_tokens=3000)
