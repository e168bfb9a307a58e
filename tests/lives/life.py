"""Live one random life of a person with memproc; after each run, check everything that must hold."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from itertools import chain
from pathlib import Path

from daemon.chat.outcome import ExportWritten, Outcome, Skipped
from rules.plan.chat_plan import Unchanged
from tests.chats import Json
from tests.lives.hand import prove_hand
from tests.lives.layers import prove_layers
from tests.lives.memproc import Killed, Memproc
from tests.lives.ours import said
from tests.lives.passages import prove_passages
from tests.lives.person import Person
from tests.lives.proof import prove_archive, prove_chat, prove_sent
from tests.lives.trip import Trip, kind
from tests.lives.witness import Account, Witness
from tests.typingmind import TypingMind
from tests.typingmind.shapes import Build
from tests.typingmind.wire import copied, read_chats

_EXPORTING = timedelta(seconds=1)
_Raw = dict[str, str]
"""The texts of a chat's raw messages, by uuid."""


class Life:
    """A person's devices, memproc's files, and what the proofs have to remember."""

    def __init__(self, home: Path, build: Build, mode: str) -> None:
        self.memproc = Memproc(home, mode)
        self.person = Person(build, self.memproc.canned[1])
        self._witness = Witness(self.memproc.folders.state / "archive.sqlite3")
        self._updated: dict[str, list[bytes]] = {}
        """The updated exports of each chat, oldest first."""
        self._unanswered: set[str] = set()
        """The chats with news that no updated export knows, since memproc skipped them, held them or was killed."""
        self._in_place: dict[Path, bytes] = {}
        self._accepted: dict[str, _Raw] = {}
        self._recalled: set[str] = set()
        self._chooses = False
        self._exports = 0

    def close(self) -> None:
        """Close the archive."""
        self.memproc.archive.close()

    def import_newest(self) -> None:
        """Import the newest updated export of the person's chat."""
        self.import_older(0)

    def import_older(self, back: int) -> None:
        """Import an earlier updated export of the chat, `back` versions before the newest."""
        if exports := self._updated.get(self.person.chat_id):
            export = exports[-1 - back % len(exports)]
            chat_id, written_at = _chat_and_date(export)
            # With `new-chat`, the exports of one chat came of two.
            every = map(_chat_and_date, chain.from_iterable(self._updated.values()))
            newest = max(date for chat, date in every if chat == chat_id)
            is_newest = written_at == newest and self.person.chat_id not in self._unanswered
            self.person.bring_in(export, is_newest=is_newest)

    def run(self, *, accepted: bool = False) -> None:
        """Export the chat and run memproc on it; then run it once more without any news."""
        path, given = self._export()
        self._run(path, given, accepted=accepted)

    def run_by_bridge(self) -> None:
        """Send the chat to memproc through the bridge, and put the result into TypingMind."""
        export, given = self._exported()
        job = self.memproc.sent_by_bridge(export)
        outcome = self._run(Path(job.path), given)
        if isinstance(outcome, ExportWritten):
            self.person.bring_in(self.memproc.result_of(job, outcome))

    def _run(self, path: Path, given: Json, *, accepted: bool = False) -> Outcome:
        before, files = self.person.archive, self._files()
        outcome = self._ran(path)
        prove_archive(before, self.person.archive)
        note = set.add if isinstance(outcome, Skipped) or _is_held(outcome) else set.discard
        note(self._unanswered, self.person.chat_id)
        if isinstance(outcome, Skipped):
            assert not accepted, f"skipped, though the person has accepted it: {outcome.reason}"
            self._prove_skipped(outcome, given)
            assert self.person.archive == before, "a chat that is skipped leaves a trace"
            return outcome
        if _is_held(outcome):
            assert self._files() == files, "a restored chat is not left alone"
        elif self._account().memories:
            stands = isinstance(outcome, ExportWritten) or "in its place already" in outcome.reason
            newest = self._updated.get(self.person.chat_id, [b""])[-1]
            self._prove(given, read_chats(newest)[0] if stands else given, before)
            self._accepted[self.person.chat_id] = self._raw_of(given)
        self._run_without_news(path)
        return outcome

    def run_and_accept(self) -> None:
        """Run; where the chat is skipped, accept it and run again, on the same export."""
        self.run()
        self.run(accepted=self.memproc.accept(self.person.chat_id))

    def restore_version(self, which: int) -> None:
        """Run `memproc restore CHAT VERSION`, and check that the chat then waits for `memproc accept CHAT`."""
        self.run()
        if self.memproc.restore(self.person.chat_id, which):
            self._look()
            path, _ = self._export()
            files, outcome = self._files(), self._ran(path)
            assert _is_held(outcome), f"a restored chat is not left alone: {outcome}"
            assert self._files() == files, "a restored chat is not left alone"

    def run_and_be_killed(self, after: int) -> None:
        """Export the chat, and kill memproc at its work after so many steps, if it has as many."""
        path, given = self._export()
        before = self.person.archive
        try:
            self._ran(path, killed_after=after)
        except Killed:
            self._unanswered.add(self.person.chat_id)
            self._look()
        prove_archive(before, self.person.archive)
        # Whether it came to noting what the export shows, only the archive can tell.
        memories = self._account().memories
        self._recalled -= {name for name, memory in memories.items() if not memory.recalled}
        self._accepted[self.person.chat_id] = self._accepted.get(
            self.person.chat_id, {}
        ) | self._raw_of(given)

    def pin_memory(self, which: int) -> None:
        """Run `memproc pin MEMORY`."""
        if names := sorted(self._account().memories):
            self.memproc.pin(names[which % len(names)])
            self._look()

    def use_edition(self, which: int, number: int) -> None:
        """Run `memproc use MEMORY EDITION`."""
        if names := sorted(self._account().memories):
            memory = self._account().memories[names[which % len(names)]]
            self.memproc.use(memory.name, memory.editions[number % len(memory.editions)].number)
            self._chooses = True
            self._look()

    def recall(self, which: int) -> None:
        """Run `memproc recall MEMORY` for a forgotten memory."""
        account = self._account()
        if names := sorted(account.chunks.keys() - account.standing):
            self.memproc.recall(names[which % len(names)])
            self._recalled.add(names[which % len(names)])
            self._look()

    def switch(self, layer: str, *, on: bool) -> None:
        """Switch a layer on or off in memproc.toml."""
        self.memproc.set(layer, enabled=on)

    def set_section(self, which: int) -> None:
        """Run `memproc core CHAT set SECTION TEXT`."""
        if self._account().memories:
            self.memproc.set_section(self.person.chat_id, which, self.person.section_words())
            self._look()

    def release_sections(self) -> None:
        """Run `memproc core CHAT release SECTION` for each section."""
        if self._account().memories:
            self.memproc.release_sections(self.person.chat_id)
            self._look()

    def keep_words(self, which: int) -> None:
        """Run `memproc keep CHAT --message UUID` for any message that was ever said."""
        known = [raw for raw in self._account().raw.values() if raw.texts[-1].strip()]
        if known and self._account().memories:
            self.memproc.keep_words(self.person.chat_id, known[which % len(known)].key)
            self._look()

    def release_words(self, which: int) -> None:
        """Run `memproc release CHAT NUMBER`."""
        rows = [row for row in self._account().ledger.passages if row.state != "released"]
        if rows:
            row = rows[which % len(rows)]
            self.person.released.add(row.text)
            self.memproc.release_words(self.person.chat_id, row.number)
            self._look()

    def undo(self) -> None:
        """Run `memproc core CHAT undo`."""
        if self._account().memories:
            self.memproc.undo(self.person.chat_id)
            self._look()

    def add_fact(self) -> None:
        """Run `memproc facts CHAT add TEXT`."""
        if self._account().memories:
            self.memproc.add_fact(self.person.chat_id, self.person.section_words())
            self._look()

    def forget_fact(self, which: int) -> None:
        """Run `memproc facts CHAT forget ID`."""
        if live := self._account().ledger.live:
            self.memproc.forget_fact(self.person.chat_id, live[which % len(live)].fact)
            self._look()

    def _run_without_news(self, path: Path) -> None:
        files, asked, before = self._files(), self.memproc.model.asked, self.person.archive
        outcome = self._ran(path)
        assert not isinstance(outcome, ExportWritten | Skipped), (
            f"a second run without news: {outcome}"
        )
        assert self.memproc.model.asked == asked, "a second run without news asks a model"
        assert self._files() == files, "a second run without news changes a file"
        assert self.person.archive == before, "a second run without news changes the archive"

    def _ran(self, path: Path, killed_after: int | None = None) -> Outcome:
        self.memproc.model.answered = (
            self._witness.answered() if self.person.archive else frozenset()
        )
        (outcome,) = self.memproc.run(path, killed_after)
        self._look()
        return outcome

    def _look(self) -> None:
        """Read what the archive and the updated exports hold now."""
        self.person.archive = self._witness.chats()
        for path in self.memproc.folders.updated.glob("*.json"):
            export = path.read_bytes()
            if self._in_place.get(path) != export:
                self._in_place[path] = export
                self._updated.setdefault(self.person.chat_id, []).append(export)

    def _prove(self, given: Json, finished: Json, before: Mapping[str, Account]) -> None:
        trip = Trip(
            chat_id=self.person.chat_id,
            given=given,
            finished=finished,
            archive_before=before,
            archive=self.person.archive,
            ours=self.person.ours,
            budget=self.memproc.budget,
            keeps_originals=self.memproc.mode == "keep-originals",
            recalled=frozenset(self._recalled),
            chooses=self._chooses,
            canned=self.memproc.canned[0],
            layers=self.memproc.layers,
            layers_asked=self.memproc.layers_asked,
            fact_budget=self.memproc.fact_budget,
            renewed=self.person.renewed,
            words=frozenset(self.person.words),
            crossed_out=frozenset(self.person.crossed_out.pop(self.person.chat_id, ())),
            taken_out=frozenset(self.person.taken_out.pop(self.person.chat_id, ())),
            released=frozenset(self.person.released),
            unpinned=frozenset(self.person.unpinned),
        )
        prove_chat(trip)
        prove_layers(trip)
        prove_passages(trip)
        prove_hand(trip)
        importing = TypingMind(0, self.person.device.build)
        importing.chats[trip.chat_id] = finished
        prove_sent(trip, importing.what_is_sent(trip.chat_id))
        self._recalled -= trip.told

    def _prove_skipped(self, outcome: Skipped, given: Json) -> None:
        """Check that the chat was skipped for a reason.

        Reasons are missing messages that the person has not deleted, more than eight missing ones, and the lack of most
        memories. Messages under a memory count, too, if the export has others of them: the chat may go on from before
        the memory was made.
        """
        assert "faults" not in outcome.reason, outcome.reason
        deleted = set((given.get("syncMetadata") or {}).get("deletedMessageUUIDs") or [])
        here = self._raw_of(given)
        shown = {said(message) for message in given["messages"] if kind(message) != "original"}
        account = self._account()
        expected = self._accepted.get(self.person.chat_id, {}) | account.begun(shown)
        missing = {
            uuid
            for uuid, text in expected.items()
            if uuid not in here and text not in here.values()
        }
        hidden = account.standing - account.told_of(shown)
        most_are_hidden = len(hidden) * 2 > len(account.standing - account.folded(shown))
        is_reason = missing - deleted or len(missing) > 8 or most_are_hidden
        assert is_reason, f"skipped without a reason: {outcome.reason}"

    def _raw_of(self, chat: Json) -> _Raw:
        return {
            message["uuid"]: said(message) for message in self.person.ours.others(chat["messages"])
        }

    def _account(self) -> Account:
        return self.person.archive.get(self.person.chat_id, Account())

    def _export(self) -> tuple[Path, Json]:
        self._exports += 1
        path = self.memproc.folders.inbox / f"{self._exports}.json"
        export, given = self._exported()
        path.write_bytes(export)
        return path, given

    def _exported(self) -> tuple[bytes, Json]:
        self.person.device.now += _EXPORTING  # no two exports may have the same time
        export = self.person.device.export(self.person.chat_id)
        self.memproc.now = self.person.device.now
        return export, copied(self.person.device.chat(self.person.chat_id))

    def _files(self) -> dict[Path, str]:
        folders = (self.memproc.folders.updated, self.memproc.folders.backups)
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _chat_and_date(export: bytes) -> tuple[str, str]:
    """Return the id of the chat that an updated export holds, and when it was written."""
    (chat,) = read_chats(export)
    return chat["chatID"], chat.get("updatedAt") or ""


def _is_held(outcome: Outcome) -> bool:
    """Return whether the chat was restored, and waits until the person accepts it or a newer export comes."""
    return isinstance(outcome, Unchanged) and "it was restored on" in outcome.reason
