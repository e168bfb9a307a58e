"""Why a message is left out is known as of the newest export."""

from daemon.archive.archive import Archive
from tests.daemon.archive.test_messages import LATER, TALK, WHEN, raws, see
from tests.entries import said


def reasons(archive: Archive) -> list[bool]:
    return [
        reason is not None
        for (reason,) in archive.run("SELECT left_out FROM message ORDER BY position")
    ]


def test_a_message_that_the_person_excludes_is_left_out_from_then_on_and_lived_again_when_they_take_it_back() -> (
    None
):
    excluded = said("user", TALK[2].words, 2, contextClearedAt=WHEN)
    with Archive.memory() as archive:
        see(archive, TALK)
        assert reasons(archive) == [False] * 6

        see(archive, [*TALK[:2], excluded, *TALK[3:]], LATER)
        assert reasons(archive) == [False, False, True, False, False, False]
        assert raws(archive)[2] == excluded.raw

        see(archive, TALK, LATER)
        assert reasons(archive) == [False] * 6
        assert raws(archive) == [message.raw for message in TALK]
        assert archive.one("SELECT count(*) FROM version") == (8,), (
            "each change is a version, going back is one too"
        )
