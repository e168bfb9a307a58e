"""List the tools by name, and call them. Each is a class: its purpose, its arguments, its look-up.

The Model Context Protocol's server and TypingMind's connector both list and call them from here, in
the protocol's own JSON; neither the listing nor a call needs the protocol's package.

One tool stores a proposal of the persona to keep words, and nothing else. It is checked first that
the words were really said. A proposal waits on the page and in `memproc status` until the person
says yes; before that, none of it reaches an export.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, ValidationError

from daemon.archive.archive import Archive
from daemon.archive.keeping import kept_passages, store_passages
from daemon.chat.kept import mark
from daemon.files.clock import now
from daemon.files.reasons import describe
from daemon.recall.finding import RecallSearch
from daemon.recall.library import ChatName, Library, Recalled, Tool, as_error, find_reach
from daemon.recall.records import make_plain, named
from daemon.recall.tools import RecallCoreMemory, RecallFacts, RecallTimeline
from daemon.recall.whole_record import RecallOpen
from rules.errors import MemprocError, NotFound, RefusedArguments
from rules.typingmind.content import make_printable

_LONGEST_SHOWN = 60  # characters of a value that is refused
_READS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
_PROPOSES = {**_READS, "readOnlyHint": False}
MOST_WAITING = 20
"""The most proposals of a chat that may wait for the person at once."""
_WAITS = "The person sees it, and it is kept if they say yes. Nothing has been kept yet."


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
        """Store a proposal to keep these words.

        Raise NotFound where they were never said like this, were proposed before, or too many wait.
        """
        with Archive.open(library.state) as archive, archive.transaction():
            known = library.chat(archive, self.chat)
            before = kept_passages(archive, known.chat_id)
            new = mark(archive, known.chat_id, self.words, by="persona")
            if covering := next((old for old in before if old.covers(new)), None):
                states = {"offered": "is proposed already", "released": "was let go by the person"}
                state = states.get(covering.state, "is kept already")
                raise NotFound(f"This {state}.", "Leave it at that.")
            waiting = sum(old.by == "persona" and old.state == "offered" for old in before)
            if waiting >= MOST_WAITING:
                raise NotFound(
                    f"{MOST_WAITING} proposals wait for the person already.",
                    "Propose no more for now.",
                )
            proposal = replace(new, state="offered", reason=self.why)
            store_passages(archive, known.chat_id, [*before, proposal], now())
            head = find_reach(archive, known)
        return Recalled(_WAITS, {**head.data, "proposed": True})


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
