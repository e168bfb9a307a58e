"""Write the prompts for a memory, for hindsight, and for a fold.

system      the chat's own system message, and the primer
memories    opening, six messages a memory, closing                \\
tail        raw messages, as they were                              > cached: the same for
chunk       each message in <to_remember>, with its date           /  all three questions
question    in <context_manager>; the dialogue grows by answers

In hindsight, the raw messages that followed the chunk are between it and the questions,
announced in <context_manager>. A fold is asked for after its memories alone. Its context manager
reads their answers, each memory in a <to_remember> with its dates. The engine reads the raw
messages, or the same answers if these are no longer known.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from primer.wording import (
    ASKED,
    LENGTH,
    PLACEHOLDER,
    Texts,
    fill,
    keep_inert,
    make_tags_inert,
    wrap,
)
from rules.conversation.history import Entry
from rules.conversation.memory import Memory, Six
from rules.conversation.memory_title import TitlePair, with_shown_title, without_subject
from rules.plan.dialogues import Step, words_of
from rules.plan.folds import version_in_prompts
from rules.typingmind.dates import in_zone, parse_date
from rules.typingmind.message import Message

BEGINNING = "[The conversation begins with your own words.]"
"""The user's turn before a conversation begun by the assistant, which some providers refuse."""
EMPTY = "[empty message]"
ANSWERS = slice(1, None, 2)
"""The answers among the six texts of a memory."""
LAST_ANSWER = slice(5, 6)
_MOST_BREAKS = 2
"""Cache breakpoints in a tail, at most: two more follow tail and chunk; a request may have four."""
_CACHED_MEMORIES = 512
"""Memories whose turns are cached: each is in the prompts of many later ones."""
_QUESTION = re.compile(r"<context_manager>\n(.*)\n</context_manager>", re.DOTALL)
_TAG = "<to_remember "
_HEAD = re.compile(rf'{_TAG}(?:[a-z]+="[^"]*" ?)+>')
_DATED = re.compile(r' (date|until)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model wants to call."""

    call_id: str
    """The provider's id of this call, which its result is sent back with."""
    name: str
    arguments: str
    """The arguments as the model wrote them, which should be JSON."""


def define_tool(name: str, description: str, parameters: Mapping[str, str]) -> dict[str, object]:
    """Return the definition of a tool; its parameters, with descriptions, are required texts."""
    properties = {
        parameter: {"type": "string", "description": text} for parameter, text in parameters.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }


@dataclass(frozen=True)  # without slots, for its cached property
class Turn:
    """One message of a request: the role `system`, `user`, `assistant` or `tool`, and its text."""

    role: str
    content: str
    ends_prefix: bool = False
    """Whether later requests begin with the same turns up to here: a cache breakpoint follows."""
    calls: tuple[ToolCall, ...] = ()
    """The functions that the assistant called in this turn."""
    answers: str = ""
    """The call whose result it is, for a turn of the role `tool`."""

    @property
    def message(self) -> dict[str, Any]:
        """Return the turn as LiteLLM expects it."""
        message: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            # With empty content, LiteLLM would add words of its own.
            message["content"] = self.content or None
            message["tool_calls"] = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.calls
            ]
        if self.answers:
            message["tool_call_id"] = self.answers
        return message

    @cached_property
    def in_json(self) -> str:
        """Return the message as JSON; cached, as a memory's turns are in each later prompt."""
        return json.dumps(self.message, sort_keys=True)


class Beginning(tuple[Turn, ...]):
    """The turns that several requests begin with, as a cache key.

    Only their number and the last one are hashed: hashing a thousand turns takes as long as reading
    them.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        last = self[-1].content if self else ""
        return hash((len(self), last))


def opening(texts: Texts) -> str:
    """Return the canned message before the memories, in its tag."""
    return wrap("system", texts.opening)


def closing(texts: Texts) -> str:
    """Return the canned message after the last memory, in its tag."""
    return wrap("system", texts.closing)


def agent_context(
    texts: Texts,
    system_message: str,
    memories: Sequence[Memory],
    tail: Sequence[Entry],
    chunk: Sequence[Entry],
    breaks: Sequence[int] = (),
) -> tuple[Turn, ...]:
    """Return the agent's context for one chunk, as real turns.

    It has at most four cache breakpoints: at the ends of the tail and of the chunk, and after each
    number of messages of the tail in `breaks`. Where fewer `breaks` are given, also after the
    folds, which the next move of the tail does not change, and after the memories.
    """
    before = raw_turns(tail)
    passage = [Turn(entry.message.speaker, wrap_message(entry.message)) for entry in chunk]
    speakers = [turn.role for turn in (*before, *passage)]
    first = next((at for at, memory in enumerate(memories) if not memory.is_fold), len(memories))
    folds, others = memories[:first], memories[first:]  # folds stay; later ones replace the others
    folded = _all_remembered(folds)
    if len(breaks) < _MOST_BREAKS:
        folded = mark_prefix_end(folded)
    remembered = _all_remembered(others) + ([Turn("user", closing(texts))] if memories else [])
    parts = (*_cut(remembered, before, breaks), passage)
    marked = [turn for part in parts for turn in mark_prefix_end(part)]
    return (*_beginning(texts, system_message, bool(memories), speakers), *folded, *marked)


def _beginning(
    texts: Texts, system_message: str, has_memories: bool, speakers: Sequence[str]
) -> Iterator[Turn]:
    """Yield the system's turn, and if needed the user's that a conversation has to begin with."""
    parts = (make_tags_inert(system_message), texts.primer)
    yield Turn("system", "\n\n".join(text for text in parts if text))
    if has_memories:
        yield Turn("user", opening(texts))
    elif list(speakers[:1]) == ["assistant"]:
        yield Turn("user", BEGINNING)


def _cut(remembered: list[Turn], before: list[Turn], breaks: Sequence[int]) -> Iterator[list[Turn]]:
    """Yield the memories' turns and the tail's, cut after each of `breaks` messages of the tail."""
    turns = remembered + before
    cuts = [0, *(len(remembered) + count for count in breaks or (0,)), len(turns)]
    for start, stop in pairwise(cuts):
        yield turns[start:stop]


def _all_remembered(memories: Sequence[Memory]) -> list[Turn]:
    """Return the turns of all memories, six each."""
    return [turn for memory in memories for turn in _six_turns(version_in_prompts(memory).texts)]


def raw_turns(entries: Sequence[Entry]) -> list[Turn]:
    """Return raw messages as they were said, without the tags of the passage to remember."""
    return [Turn(entry.message.speaker, _shown(entry.message)) for entry in entries]


def numbered_turns(entries: Sequence[Entry], numbers: Mapping[str, int]) -> list[Turn]:
    """Return a fold's raw messages, tagged with their memories' `numbers`, by message key."""
    return [
        Turn(entry.message.speaker, wrap_message(entry.message, memory=str(numbers[entry.key])))
        for entry in entries
    ]


def mark_prefix_end(part: Sequence[Turn]) -> list[Turn]:
    """Return the turns with a cache breakpoint after the last one."""
    return [*part[:-1], *(replace(last, ends_prefix=True) for last in part[-1:])]


def add_hindsight(texts: Texts, before: Sequence[Turn], after: Sequence[Entry]) -> tuple[Turn, ...]:
    """Return a chunk's context, followed by what was said after the chunk.

    The questions follow after that, so there is no cache breakpoint after the chunk: it would not
    be read again.
    """
    *begun, last = before
    return (
        *begun,
        replace(last, ends_prefix=False),
        question(texts.hindsight),
        *mark_prefix_end(raw_turns(after)),
    )


def fill_length(text: str, words: int) -> str:
    """Return a question with the length of its answer, where its text has a placeholder for it."""
    return fill(text, **_lengths(words))


def _lengths(words: int) -> dict[str, str]:
    return {"words": str(words), "quote_words": str(words)}


def pose_question(
    texts: Texts, step: Step, question: str, words: int, guidance: str = "", who: str = ""
) -> str:
    """Return a question as the agent is asked it, with the parts that a memory does not keep.

    These are how long the answer may be, unless the primer or the question says so, the sentence
    that says `who` is who, and the person's guidance. The primer gives the length of a
    quote first, and that of the other answers last; open answers have `words` each.
    """
    lengths, is_quote = LENGTH.findall(texts.primer), step == "quote"
    already_named = {*(lengths[:1] if is_quote else lengths[-1:]), *LENGTH.findall(question)}
    most = words_of(step, words)
    length = "" if str(most) in already_named else f"In at most {most} words."
    guided = fill(texts.guidance, guidance=make_tags_inert(guidance)) if guidance else ""
    parts = (question, "" if is_quote else who, length, guided)
    return "\n\n".join(filter(None, parts))


def pose_kept_question(texts: Texts, step: Step, text: str, words: int, who: str = "") -> str:
    """Return a memory's question, tagged, as the agent was asked it: its title has no subject."""
    kept = _QUESTION.fullmatch(text)
    if kept is None:
        return text
    wording, asked = getattr(texts, step), kept[1]
    pattern = "(.*)".join(map(re.escape, PLACEHOLDER.split(wording)[::2]))
    written = re.fullmatch(rf"((?:[^\n]*\.\s)?){pattern}", asked, re.DOTALL)
    if written is not None:  # otherwise it is not in our wording, and is asked as it is
        title, *values = written.groups()
        held = dict(zip(PLACEHOLDER.findall(wording), values, strict=True))
        lengths = _lengths(words_of(step, words))
        asked = without_subject(title) + fill(getattr(texts, f"{step}{ASKED}"), **lengths | held)
    return question(pose_question(texts, step, asked, words, who=who)).content


def question(text: str) -> Turn:
    """Return a question as the agent reads it, in its tag."""
    return Turn("user", wrap("context_manager", text))


def passage_alone(texts: Texts, chunk: Sequence[Entry]) -> tuple[Turn, ...]:
    """Return the turns that the context manager reads: the chunk alone, for an independent view."""
    passage = "\n".join(wrap_message(entry.message, entry.message.speaker) for entry in chunk)
    return Turn("system", texts.analyst), Turn("user", passage)


def memories_alone(
    texts: Texts, memories: Sequence[Memory], slots: slice = ANSWERS
) -> tuple[Turn, ...]:
    """Return the turns of memories that become a fold, as the context manager reads them.

    It reads their answers in `slots` alone.
    """
    passages = "\n".join(_passage(memory, slots) for memory in memories)
    return Turn("system", texts.analyst), Turn("user", passages)


def agent_context_of_folds(
    texts: Texts, system_message: str, memories: Sequence[Memory]
) -> tuple[Turn, ...]:
    """Return the agent's context for a fold of folds: the last answers of the memories under it."""
    beginning = _beginning(texts, system_message, has_memories=False, speakers=())
    _, answers = memories_alone(texts, memories, LAST_ANSWER)
    return (*beginning, replace(answers, ends_prefix=True))


def told_texts(memory: Memory, slots: slice) -> Sequence[str]:
    """Return the texts in `slots` of a memory, as models read it."""
    return version_in_prompts(memory).texts[slots]


def _passage(member: Memory, slots: slice) -> str:
    """Return a memory's answers in a tag, as the agent's own words, with its dates."""
    dates = {"date": member.began_at, "until": member.ended_at}
    known = {name: date for name, date in dates.items() if date and parse_date(date)}
    return wrap(
        "to_remember", keep_inert("\n\n".join(told_texts(member, slots))), role="assistant", **known
    )


def wrap_message(message: Message, role: str = "", /, **numbered: str) -> str:
    """Return a raw message of the passage in its tag, with its date if it has one."""
    named = {"role": role} if role else {}
    dated = (
        {"date": message.created_at}
        if message.created_at and parse_date(message.created_at)
        else {}
    )
    return wrap("to_remember", _shown(message), **named, **dated, **numbered)


def localize_turn(turn: Turn, zone: tzinfo, title: TitlePair) -> Turn:
    """Return a turn with dates in this time zone: in the tags of the passage, and in the title."""

    def in_head(head: re.Match[str]) -> str:
        return _DATED.sub(in_date, head[0])

    def in_date(dated: re.Match[str]) -> str:
        date = in_zone(dated[2], zone)
        return f' {dated[1]}="{date}"' if date else ""

    content = with_shown_title(turn.content, title)
    if _TAG in content:
        content = _HEAD.sub(in_head, content)
    return turn if content == turn.content else replace(turn, content=content)


def answer(text: str) -> Turn:
    """Return the agent's answer as a turn of the dialogue."""
    return Turn("assistant", keep_inert(text))


@lru_cache(_CACHED_MEMORIES)
def _six_turns(texts: Six) -> tuple[Turn, ...]:
    return tuple(
        Turn("user", _asked(text)) if slot % 2 == 0 else answer(text)
        for slot, text in enumerate(texts)
    )


def _asked(text: str) -> str:
    """Return a memory's question as later prompts see it: only the tag around it is ours."""
    asked = _QUESTION.fullmatch(text)
    return wrap("context_manager", keep_inert(asked[1])) if asked else keep_inert(text)


def _shown(message: Message) -> str:
    return make_tags_inert(message.text).strip() or EMPTY
