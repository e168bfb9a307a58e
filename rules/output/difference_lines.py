"""Describe the difference between two exports: a line for each change, under headings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from rules.conversation.memory import Memory, memories_by_id
from rules.conversation.memory_title import describe_dates, name_in_sentences
from rules.output.difference import Difference, MemoryChange, MessageChange
from rules.wording import counted

_SHOWN_AT_ENDS = 4
"""The changes that are shown at each end of a long group."""
_DATE_CHARACTERS = 16
Mark = Literal["+", "-", "~", " "]
"""The mark of a line: only in the second export, only in the first, different, or a heading."""
_GROUPS = {
    "compressed": "Compressed into {memory}",
    "come back": "Come back from under {memory}",
    "edited": "Edited",
    "changed": "Changed, with the same words",
    "new": "New",
    "gone": "Gone",
}
_MARKS: Mapping[str, Mark] = {
    "compressed": "-", "gone": "-", "folded": "-", "come back": "+", "new": "+", "unfolded": "+",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """A line; one without a mark is a heading."""

    mark: Mark
    text: str


def describe_difference(
    difference: Difference, known: Sequence[Memory], persona: str
) -> Iterator[DifferenceLine]:
    """Yield the difference in words; `known` are the chat's memories and folds in the archive."""
    names, speakers = memories_by_id(known), {"user": "you", "assistant": persona}
    raw = [
        replace(change, role=speakers.get(change.role, change.role)) for change in difference.raw
    ]
    for change in difference.memories:
        yield DifferenceLine(_MARKS.get(change.how, "~"), _of_memory(change, names))
    for how in _GROUPS:  # changes of a kind and a memory are under one heading
        changes = [change for change in raw if change.how == how]
        for memory, group in groupby(changes, key=_memory_in_heading):
            yield from _of_messages(how, names.get(memory), list(group))
    if difference.reordered:
        yield DifferenceLine("~", "the order of messages differs")
    for kind in difference.canned:
        yield DifferenceLine("~", f"the {kind} has changed")
    for how in ("changed", "new", "gone"):
        fields = [field.name for field in difference.fields if field.how == how]
        if fields:
            yield DifferenceLine("~", f"{how} fields of the chat: {', '.join(fields)}")


def _memory_in_heading(change: MessageChange) -> str:
    """Return the id of the memory that a change's heading names; "" where it names none."""
    return change.memory if "{memory}" in _GROUPS[change.how] else ""


def _of_memory(change: MemoryChange, names: Mapping[str, Memory]) -> str:
    memory = names.get(change.memory)
    name = f"{name_in_sentences(memory)}, {describe_dates(memory)}" if memory else change.memory
    fold = name_in_sentences(names[change.fold]) if change.fold else ""
    words = {
        "new": f"new, in edition {change.after}",
        "gone": "forgotten" if memory and memory.forgotten else "gone",
        "renewed": f"from edition {change.before} to {change.after}",
        "edited": "its text was edited",
        "completed": "messages of it that were missing are back",
        "incomplete": "messages of it are missing",
        "folded": f"folded into {fold}",
        "unfolded": f"unfolded from {fold}",
    }
    return f"{name}: {words[change.how]}"


def _of_messages(
    how: str, memory: Memory | None, group: Sequence[MessageChange]
) -> Iterator[DifferenceLine]:
    """Yield the lines of a group under its heading; the middle of a long one is only counted."""
    heading = _GROUPS[how].format(memory=name_in_sentences(memory) if memory else "a memory")
    yield DifferenceLine(" ", f"{heading}, {counted(len(group), 'message')}:")
    hidden = len(group) - 2 * _SHOWN_AT_ENDS
    if hidden < 2:
        yield from _of_each(group)
        return
    yield from _of_each(group[:_SHOWN_AT_ENDS])
    yield DifferenceLine(" ", f"  ... {hidden:,} more ...")
    yield from _of_each(group[-_SHOWN_AT_ENDS:])


def _of_each(changes: Iterable[MessageChange]) -> Iterator[DifferenceLine]:
    """Yield a line for each change; two lines for an edit of the first words."""
    for change in changes:
        date = change.date[:_DATE_CHARACTERS].replace("T", " ") or "no date"
        head = f"  {date} {change.role or 'no role'}: "
        is_edit = change.how == "edited"
        if is_edit and change.was != change.begins:
            yield DifferenceLine("-", f"{head}{change.was}")
            yield DifferenceLine("+", f"{head}{change.begins}")
            continue
        others = "further on" if is_edit else ", ".join(change.fields)
        more = f" ({others})" if others else ""
        yield DifferenceLine(_MARKS.get(change.how, "~"), f"{head}{change.begins}{more}")
