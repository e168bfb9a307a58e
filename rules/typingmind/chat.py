"""One chat of an export: where its fields and messages stand in the file's own bytes, and what it says of itself."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rules.errors import ChatSkipped
from rules.typingmind import spans
from rules.typingmind.message import (
    Message,
    is_incomplete,
    parts,
    printable,
    read_message,
    summarised_until,
)
from rules.typingmind.spans import LONGEST_TEXT, Member, Reel, Span, Walker

# What would steer a terminal, break a line, or turn the rest of it round.
_UNSEEMLY = dict.fromkeys(
    [*range(32), *range(127, 160), *map(ord, "\u2028\u2029\u202d\u202e")], " "
)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat in a text (read as latin-1: an index is a byte's offset), which is all of its document or its own."""

    text: str
    span: Span
    members: tuple[Member, ...]
    messages: tuple[Span, ...]

    def member(self, key: str) -> Member | None:
        """The member of that name, where the chat has one."""
        return next((member for member in self.members if member.key == key), None)

    def text_field(self, key: str) -> str:
        """A field that holds text, fit to be stored and shown; empty where it is absent or something else."""
        return printable(spans.text(self.field(key)))

    def field(self, key: str) -> object:
        """The parsed value of one field (numbers as their own text), or None where it is absent."""
        member = self.member(key)
        return (
            None if member is None else spans.value(self.slice(member.value).decode("utf-8"), 0)[0]
        )

    def slice(self, span: Span) -> bytes:
        """The file's own bytes of that span."""
        return self.text[span.start : span.stop].encode("latin-1")

    @property
    def sha256(self) -> str:
        """SHA-256 of the chat's own bytes, which names the state that it is in."""
        return hashlib.sha256(self.slice(self.span)).hexdigest()

    @property
    def id_if_any(self) -> str:
        """The id under which TypingMind stores the chat; empty where it names none."""
        return self.text_field("chatID") or self.text_field("id")

    @property
    def chat_id(self) -> str:
        """The id under which TypingMind stores the chat. Raises ChatSkipped where it has none."""
        if chat_id := self.id_if_any:
            return chat_id
        raise ChatSkipped(
            f'The chat "{self.title}" has neither `chatID` nor `id`, so TypingMind could not store it.',
            "Export the chat again from TypingMind.",
        )

    @property
    def title(self) -> str:
        """The title that the person sees, as one line that any terminal can show; "Untitled" where there is none."""
        return self.text_field("chatTitle").translate(_UNSEEMLY).strip() or "Untitled"

    @property
    def updated_at(self) -> str:
        """The date of its last change according to itself; TypingMind does not always move it."""
        return self.text_field("updatedAt")

    @property
    def folder_id(self) -> str | None:
        """TypingMind's id of the folder that holds the chat."""
        return self.text_field("folderID") or None

    @property
    def model_names(self) -> tuple[str, ...]:
        """The chat's names for its model: the id in `modelInfo` first, then `model`, which may be an internal uuid."""
        info = self.field("modelInfo")
        names = (info.get("id") if isinstance(info, dict) else None, self.field("model"))
        return tuple(printable(name) for name in map(spans.text, names) if name)

    @property
    def deleted(self) -> bool:
        """The chat lies in TypingMind's bin."""
        return bool(self.field("deletedAt"))

    @property
    def system_message(self) -> str:
        """The chat's own system message: its parameters', else its agent's, else none (empty)."""
        for key, inner in (("chatParams", "systemMessage"), ("character", "instruction")):
            holder = self.field(key)
            text = spans.text(holder.get(inner)) if isinstance(holder, dict) else ""
            if text.strip():
                return printable(text)
        return ""


def read_messages(chat: Chat) -> tuple[Message, ...]:
    """Every message of the chat, in order. Raises ChatSkipped where they are no list, or one of them is no object."""
    member = chat.member("messages")
    if member is not None and chat.text[member.value.start] != "[":
        raise ChatSkipped(
            f'The `messages` of the chat "{chat.title}" are no list.', "Export the chat again."
        )
    messages = []
    for number, span in enumerate(chat.messages, 1):
        try:
            if span.stop - span.start > LONGEST_TEXT:
                _refuse_endless(chat, number, span)
            messages.append(read_message(chat.slice(span)))
        except spans.BadJson as fault:
            raise ChatSkipped(
                f'Message {number} of the chat "{chat.title}" is not a message: {fault.reason}.',
                "Export the chat again from TypingMind; if it stays so, delete that message there.",
            ) from fault
    return tuple(messages)


def _refuse_endless(chat: Chat, number: int, span: Span) -> None:
    """Raise ChatSkipped for a message with more words than any model reads. Images and files are no words."""
    size = span.stop - span.start
    fields, _ = spans.value(chat.text, span.start)  # as latin-1, which is enough to measure it
    if isinstance(fields, dict) and sum(len(part.text) for part in parts(fields)) > LONGEST_TEXT:
        raise ChatSkipped(
            f'Message {number} of the chat "{chat.title}" is a text of {size / (1 << 20):,.0f} MiB: '
            "no model reads that much, and no memory could be made of it.",
            "Delete or shorten that message in TypingMind, then export the chat again; this export stays as it is.",
        )


@dataclass(frozen=True, slots=True)
class Outline:
    """The offsets of a chat, of its members and of its messages, counted from the document's beginning."""

    span: Span
    members: tuple[Member, ...]
    messages: tuple[Span, ...]
    chat_id: str
    """The chat's id, as `Chat.chat_id` has it; empty where the chat names none."""

    def chat(self, data: bytes) -> Chat:
        """The chat itself; `data` are the bytes of its span."""
        text, start = data.decode("latin-1"), self.span.start
        members = tuple(
            Member(it.key, it.start - start, _moved(it.value, start)) for it in self.members
        )
        return Chat(
            text, Span(0, len(text)), members, tuple(_moved(span, start) for span in self.messages)
        )


def read_chat(chat: bytes) -> Chat:
    """A chat by itself, in its own bytes. Raises BadJson where they are none."""
    outlines: list[Outline] = []
    reel = Reel(chat.decode("latin-1"))
    if reel.sign(0) != "{":
        raise spans.BadJson("a chat is a JSON object, and this is none", 0)
    walk_chat(outlines.append)(reel, 0)
    return outlines[0].chat(chat[: outlines[0].span.stop])


def walk_chat(keep: Callable[[Outline], object]) -> Walker:
    """A walker that notes each chat it passes over. It raises BadJson where the text is no JSON."""

    def walker(reel: Reel, at: int) -> int:
        if reel.sign(at) != "{":  # it names no chat id, so it is skipped later
            stop = reel.value(at)[1]
            keep(Outline(Span(at, stop), (), (), ""))
            return stop
        messages: list[Span] = []
        names: dict[str, str] = {}

        def note_messages(reel: Reel, at: int) -> int:
            if reel.sign(at) != "[":
                return reel.value(at)[1]
            entries, stop = spans.items(reel, at)
            messages.extend(entries)
            return stop

        def note_name(key: str) -> Walker:
            def note(reel: Reel, at: int) -> int:
                stop = reel.value(at)[1]
                names[key] = printable(spans.text(Reel(reel.seen(at, stop)).value(0)[0]))
                return stop

            return note

        def walk_sync(reel: Reel, at: int) -> int:
            # Walked rather than skipped, because we add to it: each of its keys must stand there once.
            return spans.members(reel, at)[1] if reel.sign(at) == "{" else reel.value(at)[1]

        walkers: dict[str, Walker] = {"messages": note_messages, "syncMetadata": walk_sync}
        walkers |= {key: note_name(key) for key in ("chatID", "id")}
        members, stop = spans.members(reel, at, walkers)
        chat_id = names.get("chatID") or names.get("id", "")
        keep(Outline(Span(at, stop), tuple(members), tuple(messages), chat_id))
        return stop

    return walker


def _moved(span: Span, start: int) -> Span:
    return Span(span.start - start, span.stop - start)


_COUNT = re.compile(r"0*[1-9][0-9]{0,8}(\.[0-9]+)?")
_SYNC_LIMIT_BYTES = 3_145_728
_KEPT_FREE = 2_000
_SUMMARY_IN_FORCE = (
    "TypingMind's own Context Summary stands for everything before a message that is still in the chat, so "
    'memories before that message are not sent. Turn off "Auto summarize long conversations" in TypingMind\'s '
    "settings, under Internal prompts, and delete the summary from the chat."
)
_SUMMARY_WAS_ON = (
    "TypingMind's own Context Summary was on for this chat: the next summary would stand in the place of the "
    'memories. Turn off "Auto summarize long conversations" in TypingMind\'s settings, under Internal prompts.'
)


def warnings(chat: Chat, messages: Sequence[Message]) -> tuple[str, ...]:
    """One sentence for each thing that the person should change in TypingMind."""
    sentences: list[str] = []
    parameters = chat.field("chatParams")
    limit = parameters.get("contextLimit") if isinstance(parameters, dict) else None
    if isinstance(limit, str) and _COUNT.fullmatch(
        limit
    ):  # the client writes a number, or its digits as text
        sentences.append(
            f"The chat's context limit is {limit} messages, so memories at its beginning are never sent. "
            "Set the limit to 0 in the chat's model settings."
        )
    if summarised := {
        summarised_until(message) for message in messages if message.type == "tm_context_summary"
    }:
        # A summary that names no message of this chat is not sent.
        in_force = summarised & {message.uuid for message in messages if message.uuid}
        sentences.append(_SUMMARY_IN_FORCE if in_force else _SUMMARY_WAS_ON)
    if chat.field("savedControllerState") or (messages and is_incomplete(messages[-1])):
        sentences.append(
            "The chat was exported while an answer was being written. Export it again when the answer is complete."
        )
    size = chat.span.stop - chat.span.start
    if size > _SYNC_LIMIT_BYTES:
        sentences.append(
            f"The chat has {size / 1_048_576:.1f} MiB; TypingMind's cloud sync skips chats above 3 MiB. "
            "Do not rely on sync for it until it is compressed."
        )
    return tuple(sentences)


def beyond_window(system_message: int, memories: int, live: int, window: int) -> str:
    """Warn where the finished chat is more than TypingMind sends to a model whose window holds `window` tokens.

    It keeps 2,000 tokens free, or a fifth of the window where that is less, and leaves out what is oldest without a
    word: the memories first. The three parts are all that it sends, in the model's tokens; `memories` are with opening
    and closing. Empty where all of it fits.
    """
    room = window - min(window // 5, _KEPT_FREE)
    needed = system_message + memories + live
    if needed <= room:
        return ""
    return (
        f"With its memories, the chat has about {needed:,} tokens as its model counts them (system message "
        f"{system_message:,}, memories {memories:,}, messages {live:,}): {needed - room:,} more than TypingMind sends "
        f"to a window of {window:,}, and the memories are what it leaves out. "
        "Lower tail.tokens or fold.budget in memproc.toml, or choose a model with a larger window."
    )
