"""What an older version asked is known: by its replies, and by batches that are still open."""

from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.journal import (
    FormerAnswers,
    SentRequest,
    begin_batch,
    close_batch,
    former_answers,
    record,
)
from tests.daemon.archive.test_archive import reply

UNTIL = "2026-03-01T00:00:00.000Z"
SENT = SentRequest("in a batch", "chat", "model", "quote", {}, 10, None)


def test_a_request_is_known_by_its_reply_or_while_its_batch_is_open() -> None:
    with Archive.memory() as archive:
        former = FormerAnswers(archive, UNTIL)
        record(archive, reply("answered"), "chat", {})
        batch = begin_batch(archive, [SENT], "", UNTIL)
        assert former.has("answered")
        assert former.has("in a batch")
        assert not former.has("never asked")
        close_batch(archive, batch, UNTIL)
        assert not former.has("in a batch"), "nothing came of it: it is asked in today's words"


def test_an_archive_that_no_older_version_has_written_has_no_former_answers(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "state") as archive:
        record(archive, reply("answered"), "chat", {})
        assert former_answers(archive).until == ""
        assert not former_answers(archive).has("answered")
