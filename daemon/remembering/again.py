"""Which memories that the built-in engine made can be asked of a model now: a later run replaces them.

Where the journal holds the answer to every question of the whole ladder already, asking again would change
nothing, so it is not planned. A new model, a new fallback or a new wording makes new questions.
"""

from collections.abc import Iterator, Sequence

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, recall
from daemon.models.roles import Roles
from daemon.models.tokens import count
from daemon.remembering.compress import make_memory
from daemon.remembering.dialogue import Passage
from daemon.remembering.question import Desk
from primer.request import ENGINE, Request
from primer.texts import Texts
from rules.conversation.memory import EXTRACTED, WRITTEN, Memory, is_enough_for_a_model


class _NotAsked(Exception):
    """The journal does not know this request."""


def worth_asking(
    archive: Archive, passages: Sequence[Passage], memories: Sequence[Memory], roles: Roles, texts: Texts
) -> Iterator[int]:
    """Numbers of the extracted memories that a model could write now. `passages` are those of `memories`."""
    if roles.agent == ENGINE:
        return
    desk = Desk(lambda request: _known(archive, request), lambda _: None, texts)
    for passage, memory in zip(passages, memories, strict=True):
        if memory.told.made != EXTRACTED or not is_enough_for_a_model(passage.tokens):
            continue
        try:
            rehearsed = make_memory(desk, passage, roles, count, memory.told.written_at)
        except _NotAsked:
            yield memory.number
        else:
            if rehearsed.told.made == WRITTEN:
                yield memory.number


def _known(archive: Archive, request: Request) -> Reply:
    reply = recall(archive, request.key)
    if reply is None:
        raise _NotAsked
    return reply
