"""A difference as lines that a person can read, for `memproc diff` and `memproc restore`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from rules.conversation.memory import Memory, called, dates
from rules.layers.opening_edits import OpeningEdits
from rules.output.difference import Difference, MemoryChange, MessageChange

_ENDS = 4
_IN_A_LINE = 16

Mark = Literal["+", "-", "~", " "]
"""In the second export alone, in the first alone, in both and different, neither."""

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
    """A line; one without a mark says what stands below it."""

    mark: Mark
    text: str


def readable(found: Difference, known: Sequence[Memory]) -> Iterator[DifferenceLine]:
    """The difference in words; `known` are the memories and folds that the archive has of the chat."""
    names = {memory.memory_id: memory for memory in known}
    for one in found.memories:
        yield DifferenceLine(_MARKS.get(one.how, "~"), _of_memory(one, names))
    for how in _GROUPS:
        mine = [one for one in found.raw if one.how == how]
        for memory, group in groupby(mine, key=lambda one: one.memory if "{memory}" in _GROUPS[one.how] else ""):
            yield from _of_messages(how, names.get(memory), list(group))
    if found.reordered:
        yield DifferenceLine("~", "messages that stand in both stand in another order")
    for kind in found.canned:
        yield DifferenceLine("~", f"the {kind} reads otherwise")
    yield from _in_opening(found.layers)
    for how in ("changed", "new", "gone"):
        if fields := [field.name for field in found.fields if field.how == how]:
            yield DifferenceLine("~", f"{how} fields of the chat: {', '.join(fields)}")


def _in_opening(layers: OpeningEdits) -> Iterator[DifferenceLine]:
    """What the core memory and the facts say otherwise."""
    for name, text in layers.sections.items():
        yield DifferenceLine("~", f'the section "{name}" says now: {" ".join(text.split()) or "nothing"}')
    for old, new in layers.changed:
        yield DifferenceLine("-", f"  fact of {old.day or 'some day'}: {old.text}")
        yield DifferenceLine("+", f"  fact of {new.day or 'some day'}: {new.text}")
    yield from (DifferenceLine("-", f"  fact of {one.day or 'some day'}: {one.text}") for one in layers.removed)
    yield from (DifferenceLine("+", f"  fact of {one.day or 'some day'}: {one.text}") for one in layers.added)


def _of_memory(one: MemoryChange, names: Mapping[str, Memory]) -> str:
    memory = names.get(one.memory)
    name = f"{called(memory)}, {dates(memory)}" if memory else one.memory
    fold = called(names[one.fold]) if one.fold else ""
    said = {
        "new": f"new, in edition {one.after}",
        "gone": "forgotten" if memory and memory.forgotten else "gone",
        "renewed": f"edition {one.before} -> {one.after}",
        "edited": "its text was edited",
        "completed": "messages of it that were missing are back",
        "incomplete": "messages of it are missing",
        "folded": f"folded into {fold}",
        "unfolded": f"unfolded from {fold}",
    }
    return f"{name}: {said[one.how]}"


def _of_messages(how: str, memory: Memory | None, group: Sequence[MessageChange]) -> Iterator[DifferenceLine]:
    """A group under its heading; the middle of a long one is only counted."""
    heading = _GROUPS[how].format(memory=called(memory) if memory else "a memory")
    yield DifferenceLine(" ", f"{heading}, {len(group):,} {'message' if len(group) == 1 else 'messages'}:")
    hidden = len(group) - 2 * _ENDS
    for at, one in enumerate(group):
        if hidden <= 1 or at < _ENDS or at >= len(group) - _ENDS:
            yield from _of_message(one)
        elif at == _ENDS:
            yield DifferenceLine(" ", f"  ... {hidden:,} more ...")


def _of_message(one: MessageChange) -> Iterator[DifferenceLine]:
    head = f"{one.date[:_IN_A_LINE].replace('T', ' ') or 'no date'} {one.role or 'no role'}: "
    if one.how == "edited" and one.was != one.begins:
        yield DifferenceLine("-", f"  {head}{one.was}")
        yield DifferenceLine("+", f"  {head}{one.begins}")
        return
    others = "further on" if one.how == "edited" else ", ".join(one.fields)
    yield DifferenceLine(_MARKS.get(one.how, "~"), f"  {head}{one.begins}{f' ({others})' if others else ''}")
