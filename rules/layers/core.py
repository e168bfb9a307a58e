"""Core memory: sections of bounded size, the events that their values are made of, and the layouts that offer edits.

A layout says which sections there are, and with which functions the agent edits them. A developer adds one as a small
class, and registers it as an entry point of the group `memproc.core_memory`.
"""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

Value = str | tuple[str, ...]
"""A text, or a list of texts."""


def rendered(value: Value) -> str:
    """A value as it is shown: the text itself, or a line for each entry of the list."""
    return value if isinstance(value, str) else "\n".join(f"- {entry}" for entry in value)


def lines_of(value: Value) -> tuple[str, ...]:
    """The lines of a text, or the entries of a list."""
    return tuple(value.split("\n")) if isinstance(value, str) else value


class OverLimit(ValueError):
    """A value that is longer than its section may be; it never comes to be one."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section. Raises OverLimit where its value, as it is shown, has more characters than its limit."""

    name: str
    description: str
    limit: int
    """Characters of the rendered value."""
    value: Value = ""
    held: bool = False
    """The person has set it by hand: the agent may not edit it until they release it."""
    held_lines: tuple[str, ...] = ()
    """Lines that the person has written in it: no edit of the agent's may change or remove them."""

    def __post_init__(self) -> None:
        if len(self.rendered) > self.limit:
            raise OverLimit(
                f'The section "{self.name}" would have {len(self.rendered)} of {self.limit} characters.'
            )

    @property
    def rendered(self) -> str:
        """The value as it is shown; the limit is on its characters."""
        return rendered(self.value)

    def with_value(self, value: Value) -> Self:
        """The same section with another value. Raises OverLimit."""
        return replace(self, value=value)


Kind = Literal[
    "unknown section",
    "kept by the person",
    "not found",
    "no content",
    "over the limit",
    "already there",
    "unknown function",
    "wrong arguments",
    "unreadable",
    "sections changed",
    "the person's name",
    "other",
]
"""The ways in which an edit fails, as they are counted."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an edit cannot be made, as a sentence that the agent reads; nothing has changed."""

    reason: str
    kind: Kind = "other"
    """Counted in the place of the reason, which may hold what was said."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """The sections, in the order in which they are shown. Raises ValueError where two have the same name."""

    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        if len({section.name for section in self.sections}) < len(self.sections):
            raise ValueError("two sections have the same name")

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def find(self, name: str) -> Section | None:
        """The section of that name, or None."""
        return next((section for section in self.sections if section.name == name), None)

    def with_value(self, name: str, value: Value) -> Self:
        """The same memory with another value in one section. Raises OverLimit, and KeyError for an unknown name."""
        if self.find(name) is None:
            raise KeyError(name)
        return type(self)(
            tuple(
                section.with_value(value) if section.name == name else section
                for section in self.sections
            )
        )


def editable(memory: CoreMemory, name: str) -> Section | Refusal:
    """The section of that name, or why the agent may not edit it."""
    section = memory.find(name)
    if section is None:
        names = ", ".join(f'"{known.name}"' for known in memory)
        return Refusal(
            f"There is no section of that name; the sections are {names}.", "unknown section"
        )
    if section.held:
        return Refusal(
            f'The person keeps the section "{name}" themselves; it cannot be edited until they release it.',
            "kept by the person",
        )
    return section


def written(memory: CoreMemory, name: str, value: Value) -> CoreMemory | Refusal:
    """The memory with this value in the section; it is not shortened where it is over the limit, but refused."""
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    value = _without_repeats(section.value, value)
    if value == section.value:
        return Refusal(
            f'The section "{name}" says that already, so nothing was changed.', "already there"
        )
    would_have = len(rendered(value))
    if would_have > section.limit:
        return Refusal(
            f'The section "{name}" has {len(section.rendered)} characters, may have {section.limit}, and would have '
            f"{would_have}.",
            "over the limit",
        )
    return memory.with_value(name, value)


def _without_repeats(before: Value, after: Value) -> Value:
    """Return `after` without the lines that an edit has repeated: a model writes what is there again and again.

    Lines that were there several times before stay, and so do empty ones.
    """
    had, seen, kept = Counter(lines_of(before)), Counter[str](), list[str]()
    for line in lines_of(after):
        seen[line] += 1
        if not line.strip() or seen[line] <= max(1, had[line]):
            kept.append(line)
    return tuple(kept) if isinstance(after, tuple) else "\n".join(kept)


By = Literal["agent", "person"]


@dataclass(frozen=True, slots=True)
class CoreEvent:
    """Something that was written into a section. Events are only added: the newest of a section is its value."""

    section: str
    value: Value
    held: bool
    """The person has set it: the agent does not edit it until they release it."""
    by: By
    function: str
    """The function that the agent called, or what the person did: set, release, undo, edited in TypingMind."""
    memory: int = 0
    """Number of the memory after which the agent did it; 0: it was the person."""
    edition: int = 0
    """The edition of that memory."""
    number: int = 0
    """Its own, in the order in which they happened; 0: it is not kept yet."""
    undoes: int = 0
    """Number of the event that this one takes back; 0: none."""
    at: str = ""
    held_lines: tuple[str, ...] = ()
    """Lines of the value that the person has written, and the agent leaves as they are until they release them."""


def core_after(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreMemory:
    """The sections with what was written into them last; those that nobody has touched have their first values.

    Raises OverLimit where a value that was written under a higher limit no longer fits.
    """
    newest = {event.section: event for event in events}
    after: list[Section] = []
    for section in sections:
        event = newest.get(section.name)
        if event is not None:
            section = replace(
                section, value=event.value, held=event.held, held_lines=event.held_lines
            )
        after.append(section)
    return CoreMemory(tuple(after))


def corrected(section: Section, value: Value, function: str) -> CoreEvent:
    """The event of a section in which the person has edited lines: those that are new are theirs from now on."""
    before = {line.rstrip() for line in lines_of(section.value)}
    lines = dict.fromkeys(line for line in lines_of(value) if line.strip())
    own = tuple(line for line in lines if line in section.held_lines or line.rstrip() not in before)
    return CoreEvent(section.name, value, section.held, "person", function, held_lines=own)


def taken_back(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreEvent | None:
    """The event that takes back the newest one that has not been taken back; None where there is none.

    What was written into sections that are not there any more stays as it is.
    """
    first = {section.name: section.value for section in sections}
    undone = {event.undoes for event in events}
    able = [
        event
        for event in events
        if event.section in first and not event.undoes and event.number not in undone
    ]
    if not able:
        return None
    last = able[-1]
    begins = CoreEvent(last.section, first[last.section], held=False, by="person", function="undo")
    before = [begins, *(event for event in able[:-1] if event.section == last.section)][-1]
    return replace(
        before,
        by="person",
        function="undo",
        memory=0,
        edition=0,
        number=0,
        undoes=last.number,
        at="",
    )


EditingFunction = Callable[..., CoreMemory | Refusal]
"""Takes the memory and texts by name, and returns the edited memory, or why it cannot be edited so.

Its name, its docstring and its parameters are what the agent is offered as a tool.
"""


class Layout(Protocol):
    """A class that an entry point of `memproc.core_memory` names; it is made without arguments."""

    @property
    def sections(self) -> Sequence[Section]:
        """The sections, with their first values."""

    @property
    def functions(self) -> Sequence[EditingFunction]:
        """The functions that the agent may call."""


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The names of functions that providers take."""
_PARAMETER = re.compile(r"^(\w+): (.+(?:\n[ \t]+\S.*)*)$", re.MULTILINE)
"""A line, with the indented lines below it."""


class Undocumented(ValueError):
    """A function that cannot be offered, since a model would not know how to call it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A function as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, str]
    """The names of the texts that it takes, in order, each with its description."""


def offered(function: EditingFunction) -> Offer:
    """The offer of `function` to the agent; its first parameter is the memory, and no concern of the agent's.

    Raises Undocumented for one without a name or docstring, or with a parameter that the docstring does not describe.
    """
    name = getattr(function, "__name__", "")
    if not _NAME.fullmatch(name):
        raise Undocumented(f'the function "{name}" has no name that a model could call')
    description, _, described = (inspect.getdoc(function) or "").partition("\n\n")
    if not description:
        raise Undocumented(f'the function "{name}" has no docstring')
    descriptions = {
        parameter: " ".join(text.split()) for parameter, text in _PARAMETER.findall(described)
    }
    names = list(inspect.signature(function).parameters)[1:]
    if undescribed := [parameter for parameter in names if parameter not in descriptions]:
        raise Undocumented(
            f'the docstring of "{name}" has no line "{undescribed[0]}: ..." about that parameter'
        )
    return Offer(
        name,
        " ".join(description.split()),
        {parameter: descriptions[parameter] for parameter in names},
    )


@dataclass(frozen=True, slots=True)
class CoreEdit:
    """A function and what it is to be called with, as the agent has named them."""

    function: str
    arguments: Mapping[str, object]


def apply(
    functions: Sequence[EditingFunction], memory: CoreMemory, edit: CoreEdit
) -> CoreMemory | Refusal:
    """The memory after the edit, or why it stays as it is."""
    function = next(
        (candidate for candidate in functions if offered(candidate).name == edit.function), None
    )
    if function is None:
        names = ", ".join(offered(candidate).name for candidate in functions)
        return Refusal(
            f"There is no function of that name; the functions are {names}.", "unknown function"
        )
    arguments = {name: text for name, text in edit.arguments.items() if isinstance(text, str)}
    parameters = offered(function).parameters
    if arguments.keys() != parameters.keys() or len(arguments) < len(edit.arguments):
        listed = f"{', '.join(parameters)}, each of them a text" if parameters else "no arguments"
        return Refusal(f"{edit.function} takes {listed}.", "wrong arguments")
    try:
        after = function(memory, **arguments)
    except OverLimit as fault:
        return Refusal(str(fault), "over the limit")
    return after if isinstance(after, Refusal) else _lawful(memory, after)


def _lawful(before: CoreMemory, after: CoreMemory) -> CoreMemory | Refusal:
    """The memory that an editing function has returned, unless it has changed more than values."""
    if not isinstance(after, CoreMemory):
        return Refusal("The function has returned no core memory, so nothing was changed.")
    kept = [section.with_value(section.value if section.held else ()) for section in before]
    if kept != [section.with_value(section.value if section.held else ()) for section in after]:
        return Refusal(
            "A section cannot be added, removed or renamed, its description and limit stay, and one that the person "
            "keeps cannot be edited.",
            "sections changed",
        )
    for was, now in zip(before, after, strict=True):
        for line in was.held_lines:
            if line not in lines_of(now.value):
                return Refusal(
                    f'The person has written this line of the section "{was.name}" themselves; it stays as it is until '
                    f"they release it: {line}",
                    "kept by the person",
                )
    return after


_LIMIT = 2_000


def core_memory_append(memory: CoreMemory, name: str, content: str) -> CoreMemory | Refusal:
    """Add something at the end of a section of your core memory, on a line of its own.

    name: The name of the section.
    content: The text to add, in the language of the conversation.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    if not content.strip():
        return Refusal("The content is empty, so there is nothing to append.", "no content")
    if isinstance(section.value, tuple):
        return written(memory, name, (*section.value, content))
    return written(memory, name, f"{section.value}\n{content}" if section.value else content)


def core_memory_replace(
    memory: CoreMemory, name: str, old_content: str, new_content: str
) -> CoreMemory | Refusal:
    """Replace a text in a section of your core memory, wherever it occurs there.

    name: The name of the section.
    old_content: The text that is to go, exactly as it stands in the section, character for character.
    new_content: The text that takes its place; empty to delete the old one.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    if not old_content:
        return Refusal(
            "The old content is empty; name the text that is to be replaced.", "no content"
        )
    value, listed = section.value, isinstance(section.value, tuple)
    if not any(old_content in entry for entry in (value if isinstance(value, tuple) else (value,))):
        within = ', within one entry and without the "- " before it' if listed else ""
        return Refusal(
            f'The old content does not occur in the section "{section.name}"; it must be copied character for '
            f"character{within}.",
            "not found",
        )
    if isinstance(value, str):
        return written(memory, name, value.replace(old_content, new_content))
    entries = [(entry, entry.replace(old_content, new_content)) for entry in value]
    # An entry of which nothing is left goes.
    return written(
        memory, name, tuple(after for entry, after in entries if after.strip() or after == entry)
    )


@dataclass(frozen=True, slots=True)
class ChatLayout:
    """`persona` and `human`, to append and to replace."""

    sections: Sequence[Section] = (
        Section(
            "persona",
            "You, who answer in this conversation: your character as it has grown, what you hold to, how you speak, "
            "what you have promised to be. Nothing of the person's own life.",
            _LIMIT,
        ),
        Section(
            "human",
            "The person, in the third person: their name, the people around them, what they care about and live with, "
            "how they wish to be spoken to, and what they want to hold from now on.",
            _LIMIT,
        ),
    )
    functions: Sequence[EditingFunction] = (core_memory_append, core_memory_replace)


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A change of one section; None: nothing is said, so that the layout's own holds."""

    description: str | None = None
    limit: int | None = None
    value: Value | None = None


def arranged(
    sections: Sequence[Section], changes: Mapping[str, SectionChange]
) -> tuple[Section, ...]:
    """The layout's sections in its order, then the further ones in theirs; one whose limit is 0 is left out.

    Raises OverLimit where a first value is longer than its section may be.
    """
    known = {section.name: section for section in sections}
    known |= {name: Section(name, "", 0) for name in changes if name not in known}
    after: list[Section] = []
    for name, section in known.items():
        change = changes.get(name, SectionChange())
        limit = section.limit if change.limit is None else change.limit
        if limit:
            description = section.description if change.description is None else change.description
            value = section.value if change.value is None else change.value
            after.append(replace(section, description=description, limit=limit, value=value))
    return tuple(after)
