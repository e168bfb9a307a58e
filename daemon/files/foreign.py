"""Read what ChatGPT, Claude and DeepSeek export: a JSON text, a ZIP, or a folder of such parts.

Everything is recognized by its shape, never by its name. An export is walked over block by block,
with one conversation at a time in memory: a gigabyte may hold thousands.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO

from daemon.files.candidates import exports_in
from daemon.files.packing import (
    BLOCK_BYTES,
    DAMAGE,
    ZIP_SIGNS,
    damaged_zip,
    open_export,
    open_package,
    program_of,
)
from daemon.files.read import fingerprint_of
from rules.arrival import Sighting
from rules.bring.chatgpt import SUMMARY_KEYS as OF_CHATGPT
from rules.bring.chatgpt import read_chatgpt, summarize_chatgpt
from rules.bring.claude_ai import CHAT_MESSAGES, project_instructions, read_claude, summarize_claude
from rules.bring.claude_ai import SUMMARY_KEYS as OF_CLAUDE
from rules.bring.conversation import MAPPING, Conversation, Reader, Source, Summary
from rules.bring.deepseek import SUMMARY_KEYS as OF_DEEPSEEK
from rules.bring.deepseek import is_deepseek, read_deepseek, summarize_deepseek
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind import spans
from rules.typingmind.foreign_files import Foreign
from rules.typingmind.spans import (
    LONGEST_TEXT,
    BadJson,
    Reel,
    Span,
    TooDeep,
    TooLarge,
    refuse_large_value,
)
from rules.wording import counted

_MOST_BYTES = 8 << 30
"""The most bytes of a JSON text, or of all texts of a ZIP."""
_LARGEST_VALUE = 64 << 20
"""The most bytes of a conversation."""
_MOST_ENTRIES = 1_000_000
_MOST_NAMES = 64 << 20
"""The most letters of all titles, ids and instructions together."""
_LONGEST_LIST_OF_LINKS = 1 << 20
_MOST_REMEMBERED = 64
_MOST_KEYS = 8
"""The most keys that are shown of an entry of unknown shape."""
_BYTE_ORDER_MARK = "\xef\xbb\xbf"
_LINK = re.compile(rb'"https://[^"\\]+"')
_NEVER = datetime.min.replace(tzinfo=UTC)
_LISTS = ("conversations",)
"""Fields of an export's root that hold conversations, where the root is no list itself."""
_PROJECT = "prompt_template"
_NOTED = frozenset({*OF_CHATGPT, *OF_CLAUDE, *OF_DEEPSEEK, _PROJECT})
_DOWNLOAD_AGAIN = "Load the export again from the program that made it, and bring it as it is."


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation of an export, with its place: file, entry of a ZIP (or ""), bytes in it."""

    summary: Summary
    path: Path
    entry: str
    span: Span


@dataclass(frozen=True, slots=True)
class ForeignExport:
    """All conversations of an export, newest first, and what else of it is used."""

    name: str
    conversations: tuple[ListedConversation, ...]
    projects: Mapping[str, str]
    """The instructions of Claude's projects, by their names."""
    unknown: int
    """The number of entries whose shape memproc does not know."""
    fingerprints: Mapping[Path, Sighting | None]
    zone: tzinfo
    """The time zone of the days that are shown."""

    def read(self, listed: ListedConversation, branch: int = 1) -> tuple[Conversation, bytes]:
        """Return a conversation, and its own bytes. Raises FileTrouble where the file changed."""
        if fingerprint_of(listed.path) != self.fingerprints[listed.path]:
            raise FileTrouble(f"{listed.path.name} was changed meanwhile.", "Say it again.")
        span = listed.span
        with _texts(listed.path) as texts, texts[listed.entry]() as file:
            file.seek(span.start)
            raw = file.read(span.stop - span.start)
        try:
            text = raw.decode()
            refuse_large_value(text, _LARGEST_VALUE, span.start)
            fields, _ = spans.value(text, 0)
        except TooLarge as fault:
            raise _refused(_called(listed.path, listed.entry), fault) from fault
        except UnicodeDecodeError as fault:
            name = _called(listed.path, listed.entry)
            at = span.start + fault.start
            raise NotAnExport(
                f"{name} is not UTF-8 text near byte {at:,}.", _DOWNLOAD_AGAIN
            ) from fault
        reader = _READERS[listed.summary.source]
        return reader.read(fields if isinstance(fields, dict) else {}, branch), raw


@dataclass(slots=True)
class _Noted:
    """What a walk over an export has found so far."""

    conversations: dict[tuple[str, str], ListedConversation] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)
    unknown: int = 0
    first_unknown: str = ""
    entries: int = 0
    names: int = 0
    """The letters of all titles, ids and instructions."""

    def count_names(self, at: int, *names: str) -> None:
        """Count the letters of names, which are at byte `at`. Raises TooLarge for too many."""
        self.names += sum(map(len, names))
        if self.names > _MOST_NAMES:
            raise TooLarge(f"all names have more than {_MOST_NAMES >> 20} MiB", at)

    def keep_project(self, at: int, instructions: Mapping[str, str]) -> None:
        """Keep the instructions of a project, which is at byte `at`. Raises TooLarge."""
        self.count_names(at, *instructions, *instructions.values())
        self.projects |= instructions

    def keep_unknown(self, entry: str, keys: Sequence[str]) -> None:
        """Count an entry of unknown shape, and describe the first one."""
        self.unknown += 1
        if not self.first_unknown:
            listed = ", ".join(f"`{key}`" for key in keys[:_MOST_KEYS])
            self.first_unknown = f"{entry} has {listed}"


_READERS: Mapping[Source, Reader] = {
    "chatgpt": Reader(summarize_chatgpt, read_chatgpt),
    "claude": Reader(summarize_claude, read_claude),
    "deepseek": Reader(summarize_deepseek, read_deepseek),
}
_Open = Callable[[], BinaryIO]


def read_foreign(path: Path, zone: tzinfo = UTC) -> ForeignExport:
    """List the conversations of an export, or of a folder of parts, keeping none in memory.

    Raises FileTrouble where a file cannot be read, NotAnExport where there is no conversation.
    """
    noted = _Noted()
    # A folder in this one may be an unpacked ZIP, which has parts itself.
    paths = tuple(part for place in exports_in(path) for part in exports_in(place))
    fingerprints = {part: fingerprint_of(part) for part in paths}
    for part in paths:
        with _texts(part) as texts:
            for entry, open_text in texts.items():
                with open_text() as text:
                    _walk(noted, part, entry, text)
    if not noted.conversations:
        raise _without_conversations(path.name, noted, sum(map(_count_links, paths)))
    newest_first = sorted(noted.conversations.values(), key=_ended, reverse=True)
    return ForeignExport(
        path.name,
        tuple(newest_first),
        noted.projects,
        noted.unknown,
        fingerprints,
        zone,
    )


def _ended(listed: ListedConversation) -> datetime:
    """Return when a conversation ended; one without dates counts as the oldest."""
    return listed.summary.ended or _NEVER


def program_at(path: Path) -> Foreign | None:
    """Return the program whose export a file is, by how its texts begin; None for any other.

    The answer is cached until the file changes, since opening a large ZIP takes seconds.
    """
    fingerprint = fingerprint_of(path)
    return _program_at(path, fingerprint) if fingerprint else None


@lru_cache(_MOST_REMEMBERED)
def _program_at(path: Path, _: Sighting) -> Foreign | None:
    """Return the program whose export a file is; cached by the file's fingerprint."""
    try:
        with open_export(path) as file:
            return program_of(path.name, file)
    except (FileTrouble, NotAnExport):
        return None


@contextmanager
def _texts(path: Path) -> Iterator[Mapping[str, _Open]]:
    """Open a file, and yield its JSON texts by their names in the ZIP; a plain text's is ""."""
    with open_export(path) as file, ExitStack() as opened:
        is_zip = file.read(4) in ZIP_SIGNS
        file.seek(0)
        if not is_zip:
            yield {"": lambda: io.BufferedReader(io.FileIO(path, "rb"))}
            return
        package = opened.enter_context(open_package(path.name, file))
        entries = [entry for entry in package.infolist() if _is_text(entry.filename)]
        if any(entry.flag_bits & 1 for entry in entries):
            raise NotAnExport(f"{path.name} is an encrypted ZIP file.", "Unlock it first.")
        if sum(entry.file_size for entry in entries) > _MOST_BYTES:
            raise NotAnExport(
                f"{path.name}, unpacked, has more than {_MOST_BYTES >> 30} GiB of JSON.",
                "Unpack it, and bring the file that holds the conversation.",
            )
        try:
            yield {entry.filename: partial(_open_entry, package, entry) for entry in entries}
        except DAMAGE as fault:
            raise damaged_zip(path.name) from fault


def _is_text(name: str) -> bool:
    """Return whether an entry of a ZIP is a JSON text, and not one of macOS's hidden files."""
    _, _, last = name.casefold().rpartition("/")
    return last.endswith(".json") and not last.startswith(".")


def _open_entry(package: zipfile.ZipFile, entry: zipfile.ZipInfo) -> BinaryIO:
    return package.open(entry)  # type: ignore[return-value]  # it reads and seeks: that does


def _walk(noted: _Noted, path: Path, entry: str, text: BinaryIO) -> None:
    """Walk over a JSON text, and note what it holds. Raises NotAnExport where it is not JSON."""
    reel = Reel("", _pieces(text), _LARGEST_VALUE)
    reel.sign(0)
    has_mark = reel.seen(0, 3) == "\ufeff"
    start = reel.blank(len(_BYTE_ORDER_MARK) if has_mark else 0)
    if not entry and reel.sign(start) not in "[{":
        raise NotAnExport(f"{path.name} is neither a ZIP file nor JSON.", _DOWNLOAD_AGAIN)
    note = partial(_note_entry, noted, path, entry)
    try:
        stop = _note_list(note, reel, start) if reel.sign(start) == "[" else note(reel, start)
        spans.end(reel, stop)
    except RecursionError as fault:
        raise _refused(_called(path, entry), TooDeep("lists hold lists", 0)) from fault
    except (TooLarge, TooDeep) as fault:
        raise _refused(_called(path, entry), fault) from fault
    except BadJson as fault:
        name = _called(path, entry)
        raise NotAnExport(
            f"{name} is not proper JSON near byte {fault.at:,}: {fault.reason}.",
            "If it is still being loaded, wait. " + _DOWNLOAD_AGAIN,
        ) from fault


def _refused(name: str, fault: BadJson) -> NotAnExport:
    """Return the error for a text in which a value is larger or deeper than memproc reads."""
    return NotAnExport(
        f"{name} is not read: near byte {fault.at:,} {fault.reason}.",
        "No program exports conversations so. " + _DOWNLOAD_AGAIN,
    )


def _pieces(text: BinaryIO) -> Iterator[str]:
    """Yield a text in blocks, decoded as Latin-1, so that positions in the text are bytes."""
    while block := text.read(BLOCK_BYTES):
        yield block.decode("latin-1")


def _note_entry(noted: _Noted, path: Path, entry: str, reel: Reel, at: int) -> int:
    """Note one entry of an export: a conversation, a project, or a list of them.

    Return where it ends.
    """
    noted.entries += 1
    if noted.entries > _MOST_ENTRIES:
        raise TooLarge(f"a list has more than {_MOST_ENTRIES:,} entries", at)
    if reel.sign(at) != "{":
        return reel.value(at)[1]
    fields: dict[str, object] = {}
    nested = partial(_note_list, partial(_note_entry, noted, path, entry))
    walkers = {key: partial(_note_field, fields, key) for key in _NOTED}
    walkers |= dict.fromkeys(_LISTS, nested)
    members, stop = spans.read_members(reel, at, walkers)
    keys = [member.key for member in members]
    source = _source_of(fields)
    if source:
        summary = _READERS[source].summarize(fields)
        _keep_newest(noted, ListedConversation(summary, path, entry, Span(at, stop)))
    elif spans.text(fields.get(_PROJECT)):
        noted.keep_project(at, project_instructions(fields))
    elif {"title", "name"} & fields.keys() and not set(_LISTS).intersection(keys):
        noted.keep_unknown(f"the entry at byte {at:,} of {_called(path, entry)}", keys)
    return stop


def _note_field(fields: dict[str, object], key: str, reel: Reel, at: int) -> int:
    """Note a field's value, and return where it ends.

    Texts inside objects and lists stay Latin-1.
    """
    value, stop = reel.value(at)
    if len(spans.text(value)) > LONGEST_TEXT:
        raise TooLarge(f"a name has more than {LONGEST_TEXT >> 20} MiB", at)
    if not spans.text(value).isascii():
        value, _ = Reel(reel.seen(at, stop)).value(0)
    fields[key] = value
    return stop


def _note_list(note: spans.Walker, reel: Reel, at: int) -> int:
    """Note every entry of a list, or skip a value of another kind. Return where it ends."""
    if reel.sign(at) == "[":
        return spans.walk_items(reel, at, note)
    _, stop = reel.value(at)
    return stop


def _source_of(fields: Mapping[str, object]) -> Source | None:
    """Return the program whose conversation this is, by the field that holds its messages."""
    if isinstance(fields.get(MAPPING), dict):
        return "deepseek" if is_deepseek(fields) else "chatgpt"
    return "claude" if isinstance(fields.get(CHAT_MESSAGES), list) else None


def _keep_newest(noted: _Noted, listed: ListedConversation) -> None:
    """Note a conversation; of two with the same id, keep the one that ended later.

    Raises TooLarge.
    """
    summary, span = listed.summary, listed.span
    noted.count_names(span.start, summary.title, summary.key)
    if span.stop - span.start > _LARGEST_VALUE:
        raise TooLarge(f"a conversation has more than {_LARGEST_VALUE >> 20} MiB", span.start)
    name = (summary.source, summary.key)
    noted_before = noted.conversations.get(name)
    if noted_before is None or _ended(listed) >= _ended(noted_before):
        noted.conversations[name] = listed


def _called(path: Path, entry: str) -> str:
    """Return the name of a text for a sentence: its file, and its entry if that is a ZIP."""
    return f"{path.name}:{entry}" if entry else path.name


def _count_links(path: Path) -> int:
    """Return the number of web addresses at the beginnings of a file's texts."""
    links = 0
    with _texts(path) as texts:
        for open_text in texts.values():
            with open_text() as text:
                links += len(_LINK.findall(text.read(_LONGEST_LIST_OF_LINKS)))
    return links


def _without_conversations(name: str, noted: _Noted, links: int) -> NotAnExport:
    """Return the error for a file that holds no conversation that memproc knows."""
    if links and not noted.first_unknown:
        return NotAnExport(
            f"{name} holds {counted(links, 'link')} and no conversation.",
            "Open the link that names the conversations in your browser while it is still good, "
            "and bring the file that it loads.",
        )
    if noted.first_unknown:
        return NotAnExport(
            f"{name} holds no conversation of a shape that memproc knows: {noted.first_unknown}, "
            "and neither a `mapping` of ChatGPT's or DeepSeek's nor `chat_messages` of Claude's.",
            "Nothing is lost. If the program has changed its export, please report these fields.",
        )
    return NotAnExport(
        f"{name} holds no conversation of ChatGPT, Claude or DeepSeek.",
        "Bring the ZIP file as the program made it. A TypingMind export goes into the inbox.",
    )
