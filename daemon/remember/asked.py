"""Put the person's standing wishes into what is remembered, whoever writes the rest."""

from collections.abc import Iterable, Sequence

from primer.tags import keep_inert
from rules.conversation.history import Entry
from rules.conversation.kept_wishes import Count, wishes_in, with_wishes
from rules.conversation.memory import Edition, Wish
from rules.extract.wishes import asked_frame


def stated_in(chunk: Iterable[Entry]) -> tuple[Wish, ...]:
    """Return the standing wishes of a chunk, but for those that spell out a tag of ours."""
    return wishes_in(chunk, lambda text: keep_inert(text) == text)


def with_stated(
    edition: Edition, wishes: Sequence[Wish], spoken: Iterable[str], count: Count
) -> Edition:
    """Return the edition with the wishes after its refinement, in the language of `spoken`."""
    return with_wishes(edition, wishes, asked_frame(spoken), count) if wishes else edition
