"""Run memproc in this process, with real files, a real archive, and a model that may be cut off in the middle."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from daemon.archive import choices
from daemon.archive.archive import Archive
from daemon.archive.chats import accept_state, find_chat, waiting_state
from daemon.archive.keeping import kept_passages, store_passages
from daemon.archive.layers import core_events, keep_core_events, keep_fact_events, next_fact
from daemon.archive.memories import find_memory
from daemon.archive.outputs import RESTORED, last_output, let_go_of_restored
from daemon.archive.sent import ChatJob
from daemon.bridge.chat_jobs import give_job, only_chat
from daemon.bridge.devices import Device
from daemon.chat.kept import covered_by, mark
from daemon.chat.opening import as_value, core_now
from daemon.chat.outcome import ExportWritten, Outcome, event_of
from daemon.cli.run_record import RunRecord
from daemon.config.loading import core_layout, load_texts
from daemon.config.settings import Config
from daemon.events import ignore_event
from daemon.files.backup import versions_of
from daemon.files.paths import Folders
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.page.app import Desk
from daemon.page.bridge_jobs import result
from daemon.recovery.restore import find_version, prepare_restore, restore
from daemon.trip import go_round, run_export
from primer.models import EXTRACTIVE
from primer.prompt import closing, opening
from primer.reply import Request
from rules.layers.core import CoreEvent, undo_newest
from rules.layers.core_layout import Layout
from rules.layers.facts import FactEvent
from rules.layers.kept_passages import KeptPassage, admit_waiting
from tests.chats import START, date
from tests.lives.keeper import SECTIONS
from tests.lives.model import LivelyModel
from tests.nokeys import no_keys

TEXTS = {
    "opening": "This is what I remember.",
    "layers": "And this I have noted.",
    "quote": "A quote of {quote_words} words, please.",
    "perspective": "Your view in {words} words?",
    "perspective_hindsight": "Your view from today in {words} words?",
    "refinement": "It goes: {analysis} And in the end, in {words} words?",
    "fold_quotes": "The quotes, please.",
    "fold_perspective": "Your view of it all in {words} words?",
    "core": "Your sections:\n\n{sections}\n\n>>>\nEdit them?",
    "core_json": "In JSON:\n\n{functions}\n\nLike this:\n\n{example}",
    "core_results": "This became of them:\n\n{results}",
    "fact_keeper": "You keep the facts.",
    "facts": "Known:\n<<<\n{facts}\n>>>\nWhat is to be done? Answer like this: {form}",
}
"""Short texts for models: memories of small chunks save tokens only if their questions and opening are short."""
_SETTINGS: dict[str, dict[str, Any]] = {
    "models": {"agent": "test/agent", "context_manager": "test/small"},
    "budget": {"unpriced": True},
    "tail": {"tokens": 2000, "step": 500},
    "chunk": {"tokens": 600, "bounds": "size"},
    "fold": {"budget": 900},
    "memory": {"hindsight": 2},
    "core": {"sections": SECTIONS},
    "facts": {"budget": 300},
    "keep": {"budget": 600},
}

_BROWSER = Device("browser", "Chrome on Linux", "https://www.typingmind.com", "2026-01-01", "")


class Killed(BaseException):
    """Raised where the process is killed: nothing after it is carried out."""


class Memproc:
    """The folders and settings of memproc during one life."""

    def __init__(self, home: Path, mode: str) -> None:
        self.model, self.now = LivelyModel(), START
        self.folders = Folders(*(home / name for name in ("inbox", "updated", "backups", "state")))
        texts = home / "texts"
        for name in ("inbox", "updated", "backups", "state", "texts"):
            (home / name).mkdir(parents=True)
        for name, text in TEXTS.items():
            (texts / f"{name}.md").write_text(text)
        self._settings = {**_SETTINGS, "texts": {"folder": str(texts)}, "output": {"mode": mode}}
        self._steps_left: int | None = None
        self.canned = opening(load_texts(texts)), closing(load_texts(texts))
        self.archive = self._opened()

    @property
    def mode(self) -> str:
        """Return `output.mode`."""
        return str(self._settings["output"]["mode"])

    @property
    def budget(self) -> int:
        """Return `fold.budget`, in tokens."""
        return int(self._settings["fold"]["budget"])

    def set(self, table: str, **values: object) -> None:
        """Change settings of a table of memproc.toml."""
        self._settings[table] = {**self._settings[table], **values}

    @property
    def layers(self) -> frozenset[str]:
        """Return those of "core" and "facts" that are switched on."""
        return frozenset(
            layer for layer in ("core", "facts") if self._settings[layer].get("enabled", True)
        )

    @property
    def layers_asked(self) -> frozenset[str]:
        """Return those of the layers that a model is asked about; the engine has neither."""
        models = self._settings["models"]
        by = {"core": models["agent"], "facts": models["context_manager"]}
        return frozenset(layer for layer in self.layers if by[layer] != EXTRACTIVE)

    @property
    def fact_budget(self) -> int:
        """Return `facts.budget`, in tokens."""
        return int(self._settings["facts"]["budget"])

    def run(self, path: Path, killed_after: int | None = None) -> list[Outcome]:
        """Run `memproc run PATH`. Raises Killed after `killed_after` model calls and looks at the clock."""
        self._steps_left = killed_after
        try:
            return list(go_round(self._context, path, run_export))
        except Killed:
            self.archive.close()
            self.archive = self._opened()
            raise
        finally:
            self._steps_left = None

    def sent_by_bridge(self, export: bytes) -> ChatJob:
        """Give an export to memproc as the extension of a paired browser does; return its job."""
        chat = only_chat(export)
        return give_job(self.archive, self.folders, _BROWSER.id, chat, export, date(self.now))

    def result_of(self, job: ChatJob, outcome: ExportWritten) -> bytes:
        """Return what the extension gets back after a run with this outcome."""
        record = RunRecord(self.archive)
        for done in record.on(Path(job.path), [outcome]):
            record.hear(event_of(done))
        config = Config.model_validate(self._settings)
        export = result(Desk(config, self.folders, None), _BROWSER, job.id)
        assert export is not None, "the bridge knows nothing of its own job"
        return export

    def accept(self, chat_id: str) -> bool:
        """Run `memproc accept CHAT`. Return whether something of it waited."""
        waiting, last = waiting_state(self.archive, chat_id), last_output(self.archive, chat_id)
        restored_at = (
            last.written_at if last is not None and last.messages_sha256 == RESTORED else ""
        )
        if waiting is not None and waiting.said_at > restored_at:
            accept_state(self.archive, chat_id, waiting.sha256, date(self.now))
        else:
            let_go_of_restored(self.archive, chat_id)
        return waiting is not None and waiting.said_at > restored_at

    def restore(self, chat_id: str, which: int) -> bool:
        """Run `memproc restore CHAT VERSION`. Return whether the chat has any version."""
        kept = versions_of(self.folders.backups, chat_id)
        if kept:
            chat = find_chat(self.archive, chat_id)
            version = find_version(self.folders, chat, kept[which % len(kept)].number)
            restore(self._context, chat, prepare_restore(self.archive, self.folders, chat, version))
        return bool(kept)

    def pin(self, memory: str) -> None:
        """Run `memproc pin MEMORY`."""
        choices.pin(self.archive, find_memory(self.archive, memory)[1])

    def use(self, memory: str, edition: int) -> None:
        """Run `memproc use MEMORY EDITION`."""
        choices.choose_edition(self.archive, find_memory(self.archive, memory)[1], edition)

    def recall(self, memory: str) -> None:
        """Run `memproc recall MEMORY`."""
        choices.bring_back(self.archive, find_memory(self.archive, memory)[1])

    def set_section(self, chat_id: str, which: int, text: str) -> None:
        """Run `memproc core CHAT set SECTION TEXT`."""
        section = self._layout.sections[which % len(self._layout.sections)]
        event = CoreEvent(
            section.name, as_value(section, text), held=True, by="person", function="set"
        )
        keep_core_events(self.archive, chat_id, [event], date(self.now))

    def release_sections(self, chat_id: str) -> None:
        """Run `memproc core CHAT release SECTION` for each section that the person keeps."""
        sections = core_now(self.archive, chat_id, self._layout)
        held = [section for section in sections if section.held or section.held_lines]
        events = [
            CoreEvent(one.name, one.value, held=False, by="person", function="release")
            for one in held
        ]
        keep_core_events(self.archive, chat_id, events, date(self.now))

    def keep_words(self, chat_id: str, key: str) -> None:
        """Run `memproc keep CHAT --message UUID`."""
        before = kept_passages(self.archive, chat_id)
        new = mark(self.archive, chat_id, "", key)
        if not covered_by(before, new):
            self._store(chat_id, [*before, new])

    def release_words(self, chat_id: str, number: int) -> None:
        """Run `memproc release CHAT NUMBER`."""
        before = kept_passages(self.archive, chat_id)
        self._store(
            chat_id,
            [replace(one, state="released") if one.number == number else one for one in before],
        )

    def _store(self, chat_id: str, after: Sequence[KeptPassage]) -> None:
        budget = Config.model_validate(self._settings).keep.budget
        store_passages(self.archive, chat_id, admit_waiting(after, budget), date(self.now))

    def undo(self, chat_id: str) -> None:
        """Run `memproc core CHAT undo`."""
        event = undo_newest(self._layout.sections, core_events(self.archive, chat_id))
        keep_core_events(self.archive, chat_id, [event] if event else [], date(self.now))

    def add_fact(self, chat_id: str, text: str) -> None:
        """Run `memproc facts CHAT add TEXT`."""
        when = date(self.now)
        event = FactEvent(next_fact(self.archive, chat_id), "ADD", text, when, "", "person")
        keep_fact_events(self.archive, chat_id, [event], when)

    def forget_fact(self, chat_id: str, number: int) -> None:
        """Run `memproc facts CHAT forget ID`."""
        keep_fact_events(
            self.archive,
            chat_id,
            [FactEvent(number, "FORGET", "", "", "", "person")],
            date(self.now),
        )

    @property
    def _context(self) -> Context:
        config = Config.model_validate(self._settings)
        return Context(
            config, self.folders, self.archive, self._complete, no_keys, self._clock, ignore_event
        )

    @property
    def _layout(self) -> Layout:
        return core_layout(Config.model_validate(self._settings).core)

    def _opened(self) -> Archive:
        archive = Archive.open(self.folders.state)
        archive.run(
            "PRAGMA synchronous = OFF"
        )  # no power cut happens here, and flushing takes half the time
        return archive

    def _complete(self, request: Request) -> Completion:
        self._step()
        return self.model(request)

    def _clock(self) -> str:
        self._step()
        return date(self.now)

    def _step(self) -> None:
        if self._steps_left is not None:
            self._steps_left -= 1
            if self._steps_left < 0:
                raise Killed
