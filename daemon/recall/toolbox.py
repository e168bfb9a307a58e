"""Define the tools, each once: its name, its purpose, its bounded arguments, and its look-up.

The Model Context Protocol's server and TypingMind's connector both list and call them from here, in
the protocol's own JSON; neither the listing nor a call needs the protocol's package.

One tool stores a proposal of the persona to keep words, and nothing else. It is checked first that
the words were really said. A proposal waits on the page and in `memproc status` until the person
says yes; before that, none of it reaches an export.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from daemon.archive.archive import Archive
from daemon.archive.keeping import kept_passages, store_passages
from daemon.chat.kept import mark
from daemon.files.clock import now
from daemon.files.reasons import describe
from daemon.recall import tools
from daemon.recall.finding import Among, Wanted, find_text
from daemon.recall.library import Library, Recalled, as_error, find_reach
from daemon.recall.records import make_plain, named
from daemon.recall.whole_record import What, open_record
from rules.errors import MemprocError, NotFound, RefusedArguments
from rules.typingmind.content import make_printable

_DAY = r"^(\d{4}-\d{2}-\d{2})?$"
_LONGEST_SHOWN = 60  # characters of a value that is refused
_READS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
_PROPOSES = {**_READS, "readOnlyHint": False}
ChatName = Annotated[
    str,
    Field(
        max_length=200,
        description="Title or id of the chat, of up to 200 characters; "
        "needed if there are several.",
    ),
]
Day = Annotated[str, Field(pattern=_DAY, description="A day as YYYY-MM-DD; empty for no bound.")]

MOST_WAITING = 20
"""The most proposals of a chat that may wait for the person at once."""
_WAITS = "The person sees it, and it is kept if they say yes. Nothing has been kept yet."


class Tool(BaseModel):
    """A call of a tool with its arguments; the docstring of each is what a model reads of it."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    @field_validator("since", "until", "date", check_fields=False)
    @classmethod
    def _is_in_the_calendar(cls, day: str) -> str:
        if day:
            date.fromisoformat(day)
        return day

    @field_validator("limit", "page", mode="before", check_fields=False)
    @classmethod
    def _is_no_truth_value(cls, number: object) -> object:
        """Raise for true and false, which Python counts as 1 and 0."""
        if isinstance(number, bool):
            raise PydanticCustomError("number", "a number is expected")
        return number

    def look_up(self, library: Library) -> Recalled:
        """Return the answer. Raise MemprocError where there can be none."""
        raise NotImplementedError


class RecallSearch(Tool):
    """Find what was said, remembered or known, by its words. Gives excerpts with dates and ids."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=300, description="Words to look for, 1 to 300 characters."),
    ]
    among: Annotated[
        Among, Field(description="raw (what was said, word for word), memories, facts, or all.")
    ] = "raw"
    since: Day = ""
    until: Day = ""
    limit: Annotated[int, Field(ge=1, le=10, description="How many places to give, 1 to 10.")] = 5
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return the places that have most of the words."""
        wanted = Wanted(self.query, self.among, self.since, self.until, self.limit)
        return find_text(library, wanted, self.chat)


class RecallOpen(Tool):
    """Read a memory, the messages under it, or one message with its neighbours, in full."""

    record: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Id or number of a memory, or id of a message.",
        ),
    ]
    what: Annotated[
        What,
        Field(
            description="memory, raw (the messages that a memory stands for), as-of, or hindsight."
        ),
    ] = "memory"
    page: Annotated[int, Field(ge=1, le=10_000, description="Which page, from 1 on.")] = 1
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return one page of the record."""
        return open_record(library, self.record, self.what, self.page, self.chat)


class RecallTimeline(Tool):
    """List the memories in order, one line each, with their days."""

    chat: ChatName = ""
    fold: Annotated[
        str, Field(max_length=200, description="Id of a fold, to see what it stands for.")
    ] = ""
    since: Day = ""
    until: Day = ""

    def look_up(self, library: Library) -> Recalled:
        """Return the memories of these days."""
        return tools.timeline(library, self.chat, self.fold, self.since, self.until)


class RecallCoreMemory(Tool):
    """Read your core memory as it is kept now."""

    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return all of its sections."""
        return tools.core_memory(library, self.chat)


class RecallFacts(Tool):
    """List dated facts that have these words; with a date, those that held then."""

    words: Annotated[
        str,
        Field(max_length=300, description="Words to look for, up to 300 characters; empty: all."),
    ] = ""
    date: Day = ""
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return the facts, the best match first."""
        return tools.facts(library, self.chat, self.words, self.date)


class KeepThis(Tool):
    """Propose words of this conversation to be kept word for word; the person decides."""

    words: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4_000,
            description="The exact words, copied from one message, up to 4,000 characters.",
        ),
    ]
    why: Annotated[
        str, Field(max_length=500, description="Why they are to be kept, up to 500 characters.")
    ] = ""
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Store the proposal, if the words were said so."""
        return propose(library, self.words, self.why, self.chat)


TOOLS: Mapping[str, type[Tool]] = {
    "recall_search": RecallSearch,
    "recall_open": RecallOpen,
    "recall_timeline": RecallTimeline,
    "recall_core_memory": RecallCoreMemory,
    "recall_facts": RecallFacts,
}
"""The tools that only read."""
_WITH_KEEP: Mapping[str, type[Tool]] = {**TOOLS, "keep_this": KeepThis}


def offered_tools(library: Library) -> Mapping[str, type[Tool]]:
    """Return the tools by name; the one that proposes is included if memproc.toml says so."""
    return _WITH_KEEP if library.config.recall.keep else TOOLS


def list_tools(library: Library) -> list[dict[str, Any]]:
    """Return the tools as the protocol lists them."""
    tools = []
    for name, tool in offered_tools(library).items():
        schema = tool.model_json_schema()
        # Titles, and the description a second time, would only cost tokens.
        for part in (schema, *schema["properties"].values()):
            part.pop("title", None)
        schema.pop("description", None)
        annotations = _READS if name in TOOLS else _PROPOSES
        tools.append(
            {
                "name": name,
                "description": tool.__doc__,
                "inputSchema": schema,
                "annotations": annotations,
            }
        )
    return tools


def with_whole_letters(text: str) -> str:
    """Return JSON with halves of surrogate pairs replaced, which escapes may hold.

    A text that is not JSON stays as it is.
    """
    if "\\ud" not in text.lower():
        return text
    try:
        return make_printable(json.dumps(json.loads(text), ensure_ascii=False))
    except (ValueError, RecursionError):
        return text


def call_tool(library: Library, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool in the protocol's form; an error is an answer, too.

    An argument of null counts as absent, since some programs send all arguments.
    """
    present = {key: value for key, value in arguments.items() if value is not None}
    try:
        recalled = _tool(offered_tools(library), name, present).look_up(library)
    except MemprocError as trouble:
        recalled = as_error(trouble)
    except Exception as fault:  # the boundary: the model gets a sentence, and the server goes on
        recalled = as_error(MemprocError(*describe(fault)))
    return {
        "content": [{"type": "text", "text": recalled.text}],
        "structuredContent": dict(recalled.data),
        "isError": recalled.is_error,
    }


def _tool(known: Mapping[str, type[Tool]], name: str, arguments: Mapping[str, Any]) -> Tool:
    """Return the tool of this name with its arguments. Raise NotFound or RefusedArguments."""
    if name not in known:
        raise NotFound(f"There is no tool {named(name)}.", f"There are {', '.join(known)}.")
    try:
        return known[name].model_validate(arguments)
    except ValidationError as fault:
        first, *_ = fault.errors(include_url=False)
        argument, fields = str(first["loc"][0]), known[name].model_fields
        if argument not in fields:
            reason = f"{name} has no argument {named(argument)}."
            raise RefusedArguments(reason, f"It takes {', '.join(fields)}.") from fault
        is_missing = first["type"] == "missing"
        wrong = "is missing" if is_missing else f"cannot be {_shown(first['input'])}"
        allowed = f"Allowed is: {fields[argument].description}"
        raise RefusedArguments(f"The argument `{argument}` {wrong}.", allowed) from fault


def _shown(value: object) -> str:
    """Return a refused value as a sentence shows it, or what kind of value it is."""
    if isinstance(value, str) and len(value) > _LONGEST_SHOWN:
        return f"a text of {len(value):,} characters"
    if isinstance(value, str):
        return f'"{make_plain(value.replace(chr(10), " "))}"'
    if isinstance(value, bool | int | float):
        number = json.dumps(value)
        return number if len(number) <= _LONGEST_SHOWN else "a huge number"
    return "a list" if isinstance(value, list) else "an object"


def propose(library: Library, words: str, why: str, chat: str) -> Recalled:
    """Store a proposal to keep these words.

    Raise NotFound where they were never said like this, were proposed before, or too many wait.
    """
    with Archive.open(library.state) as archive, archive.transaction():
        known = library.chat(archive, chat)
        before = kept_passages(archive, known.chat_id)
        new = mark(archive, known.chat_id, words, by="persona")
        if covering := next((old for old in before if old.covers(new)), None):
            states = {"offered": "is proposed already", "released": "was let go by the person"}
            state = states.get(covering.state, "is kept already")
            raise NotFound(f"This {state}.", "Leave it at that.")
        if sum(old.by == "persona" and old.state == "offered" for old in before) >= MOST_WAITING:
            raise NotFound(
                f"{MOST_WAITING} proposals wait for the person already.", "Propose no more for now."
            )
        proposal = replace(new, state="offered", reason=why)
        store_passages(archive, known.chat_id, [*before, proposal], now())
        head = find_reach(archive, known)
    return Recalled(_WAITS, {**head.data, "proposed": True})
