"""The questions about core memory and facts, and how their answers are read.

context, six texts      the very bytes of the memory's own requests, so that a provider's cache is read
question                in <context_manager>: the sections as they are, and what to do
its calls               with the result of each, where one was refused; then it may call once more

What the context manager is shown and asked so that it keeps the facts.

system     who it is
user       the passage: raw messages, each with its role, date and a number from 1; never memories
user       the facts to compare with, numbered afresh from 0, and the question
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ValidationError

from primer.prompt import ToolCall, Turn, answer, question, to_remember, tool
from primer.tags import keep_inert, make_tags_inert, restore_tags
from primer.texts import Texts, fill
from rules.conversation.history import Entry
from rules.conversation.memory import Six
from rules.layers.core import (
    CoreEdit,
    CoreMemory,
    Layout,
    Offer,
    Refusal,
    Section,
    lines_of,
    offered,
)
from rules.layers.facts import Fact, Operation
from rules.typingmind.content import printable
from rules.typingmind.dates import parse_date

_EMPTY = "[empty]"
_KEPT = " The person keeps this section themselves: it cannot be edited."
_KEPT_LINES = " The person wrote {} of it themselves: no edit can change or remove that."


def tools_of(layout: Layout) -> tuple[dict[str, object], ...]:
    """The layout's functions as tools, for models that call them."""
    offers = map(offered, layout.functions)
    return tuple(tool(offer.name, offer.description, offer.parameters) for offer in offers)


def ask(texts: Texts, memory: CoreMemory, layout: Layout, native: bool) -> str:
    """The question, without its tag; where the agent has no tools (`native` is false), with the form in JSON."""
    asked = fill(texts.core, sections=make_tags_inert("\n\n".join(map(_shown, memory))))
    return (
        asked
        if native
        else f"{asked}\n\n{_in_json(texts, [offered(function) for function in layout.functions])}"
    )


def after_memory(before: Sequence[Turn], six: Six, asked: str) -> tuple[Turn, ...]:
    """The context that a memory was written in, its as-of edition, and the question behind it."""
    dialogue = [
        Turn("user", text) if slot % 2 == 0 else answer(text) for slot, text in enumerate(six)
    ]
    return (*before, *dialogue, question(asked))


def results(
    texts: Texts, reply: str, calls: Sequence[ToolCall], outcomes: Sequence[CoreMemory | Refusal]
) -> tuple[Turn, ...]:
    """The agent's answer, and what became of its edits: a turn for each call, or a list where there are no calls."""
    lines = [
        make_tags_inert(f"Not done. {outcome.reason}" if isinstance(outcome, Refusal) else "Done.")
        for outcome in outcomes
    ]
    if not calls:
        listed = "\n".join(f"- {line}" for line in lines)
        return answer(reply), question(fill(texts.core_results, results=listed))
    sent = tuple(_again(call, number) for number, call in enumerate(calls, 1))
    each = (
        Turn("tool", line, answers=call.call_id) for call, line in zip(sent, lines, strict=True)
    )
    return Turn("assistant", keep_inert(reply), calls=sent), *each


def in_words(reply: str, calls: Sequence[ToolCall]) -> str:
    """An answer with its calls written out.

    A model that thinks takes its calls back only with its thoughts, which are not kept.
    """
    return "\n\n".join(
        [
            *([reply] if reply else []),
            _block([(call.name, parsed(call.arguments)) for call in calls]),
        ]
    )


def _again(call: ToolCall, number: int) -> ToolCall:
    """A call as it can be sent back: some servers name their calls by nothing, and LiteLLM takes no broken JSON."""
    arguments = parsed(call.arguments)
    written = _written(arguments if isinstance(arguments, dict) else {})
    return replace(call, call_id=call.call_id or f"call_{number}", arguments=written)


def _shown(section: Section) -> str:
    filled = f"{len(section.rendered)} of {section.limit} characters.{_kept(section)}"
    head = f"## {section.name}\n{section.description}".strip()
    return f"{head}\n({filled})\n\n{section.rendered or _EMPTY}"


def _kept(section: Section) -> str:
    """The part of the section that cannot be edited, in words: all of it, or some lines, by their numbers."""
    if section.held:
        return _KEPT
    numbers = [
        str(at) for at, line in enumerate(lines_of(section.value), 1) if line in section.held_lines
    ]
    if not numbers:
        return ""
    return _KEPT_LINES.format(
        f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(numbers)}"
    )


def _in_json(texts: Texts, offers: Sequence[Offer]) -> str:
    example = _block([(offer.name, dict.fromkeys(offer.parameters, "...")) for offer in offers[:1]])
    return fill(texts.core_json, functions="\n\n".join(map(_described, offers)), example=example)


def _described(offer: Offer) -> str:
    parameters = [f"- {name}: {description}" for name, description in offer.parameters.items()]
    return "\n".join([f"{offer.name}: {offer.description}", *parameters])


def _block(calls: Sequence[tuple[str, object]]) -> str:
    listed = [{"function": name, "arguments": arguments} for name, arguments in calls]
    return f"```json\n{_written(listed)}\n```"


def _written(value: object) -> str:
    """JSON that can be sent: half a surrogate pair, which a model may write as an escape, cannot."""
    return printable(json.dumps(value, ensure_ascii=False))


_FENCE = "```"
_NO_BLOCK = Refusal("The answer has no fenced block of JSON at its end.", "unreadable")
_NO_LIST = Refusal("The fenced block is no JSON list that can be read.", "unreadable")
_NO_OBJECT = Refusal("The arguments are no JSON object that can be read.", "unreadable")
_NO_CALL = Refusal(
    'An entry of the list is no object with a "function" and its "arguments".', "unreadable"
)


def read_edits(
    text: str, calls: Sequence[ToolCall], native: bool
) -> tuple[CoreEdit | Refusal, ...]:
    """The edits of one answer, in order: its calls, else the last fenced block of its text.

    What cannot be read is a Refusal in its place; there is one for each call. An answer with neither calls nor a
    block asks for nothing where the agent has tools (`native`); else it should have had a block.
    """
    if calls:
        return tuple(_called(call) for call in calls)
    block = _last_block(text)
    if block is None:
        return () if native else (_NO_BLOCK,)
    answer = parsed(block)
    entries = [answer] if isinstance(answer, dict) else answer
    return tuple(map(_listed, entries)) if isinstance(entries, list) else (_NO_LIST,)


def parsed(written: str) -> Any:
    """Parse the JSON that a model has written; None where it cannot be read, or says nothing."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


def _called(call: ToolCall) -> CoreEdit | Refusal:
    arguments = parsed(call.arguments)
    return CoreEdit(call.name, _as_meant(arguments)) if isinstance(arguments, dict) else _NO_OBJECT


def _listed(entry: Any) -> CoreEdit | Refusal:
    """An entry of the block; its arguments stand in an object of their own, or beside the function's name."""
    if not isinstance(entry, dict) or not isinstance(entry.get("function"), str):
        return _NO_CALL
    beside = {name: value for name, value in entry.items() if name != "function"}
    inside = entry.get("arguments")
    return CoreEdit(entry["function"], _as_meant(inside if isinstance(inside, dict) else beside))


def _as_meant(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments with tags that were shown inert as they are kept, and without what no file takes."""
    return {
        name: restore_tags(printable(value)) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _last_block(text: str) -> str | None:
    """The text between the last two fences, if they are those of a block of JSON."""
    lines = [line.strip() for line in text.split("\n")]
    fences = [at for at, line in enumerate(lines) if line.startswith(_FENCE)]
    if len(fences) < 2:
        return None
    begin, end = fences[-2:]
    opened = lines[begin].removeprefix(_FENCE).strip().lower()
    return (
        "\n".join(lines[begin + 1 : end])
        if opened in ("", "json") and lines[end] == _FENCE
        else None
    )


_FORM = """\
{"memory": [
{"event": "ADD", "text": "...", "message": 1},
{"event": "UPDATE", "id": "...", "old_memory": "...", "text": "...", "message": 3},
{"event": "DELETE", "id": "...", "old_memory": "...", "message": 3},
{"event": "NONE", "id": "...", "message": 4}
]}"""


def numbered_passage(texts: Texts, chunk: Sequence[Entry]) -> tuple[Turn, ...]:
    """The turns before the question: the chunk and nothing else, each message with its number."""
    passage = "\n".join(
        to_remember(entry.message, entry.message.speaker, message=str(number))
        for number, entry in enumerate(chunk, 1)
    )
    return Turn("system", texts.fact_keeper), Turn("user", passage)


def ask_facts(texts: Texts, shown: Sequence[Fact]) -> str:
    """The question, with the facts to compare with. The id of each is its place here, so that none can be made up."""
    listed = ",\n".join(
        json.dumps(_as_shown(number, fact), ensure_ascii=False) for number, fact in enumerate(shown)
    )
    return fill(texts.facts, facts=f"[{listed}]", form=_FORM)


def _as_shown(number: int, fact: Fact) -> dict[str, str]:
    dated = {"date": fact.said_at[:10]} if parse_date(fact.said_at) else {}
    return {"id": str(number), "text": keep_inert(fact.text)} | dated


_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Operations:
    """The operations that an answer asks for, in its order."""

    read: tuple[Operation, ...]
    malformed: int
    """The number of entries of its list that are no operations."""


def _shouted(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _number(value: object) -> int | None:
    """A message's number, if it is one: what names no message is no reason to refuse the rest."""
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len("1000000") else None


def _line(value: object) -> str:
    """A text on one line, with the tags that were made inert for the model as people wrote them."""
    return restore_tags(" ".join(value.split())) if isinstance(value, str) else ""


class _OperationEntry(BaseModel):
    event: Annotated[Literal["ADD", "UPDATE", "DELETE", "NONE"], BeforeValidator(_shouted)]
    id: str | int | None = None
    text: Annotated[str, BeforeValidator(_line)] = ""
    old_memory: Annotated[str, BeforeValidator(_line)] = ""
    message: Annotated[int | None, BeforeValidator(_number)] = None


def read_operations(answer: str) -> Operations | None:
    """The operations that an answer holds: as an object with a list `memory`, or as a bare list of objects."""
    values = list(_values(answer))
    named = (
        value["memory"]
        for value in values
        if isinstance(value, dict) and isinstance(value.get("memory"), list)
    )
    bare = (
        value
        for value in values
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
    )
    listed = next(named, None)
    listed = next(bare, None) if listed is None else listed
    if listed is None:
        return None
    read = [_operation(entry) for entry in listed]
    kept = tuple(value for value in read if value is not None)
    return Operations(kept, len(read) - len(kept))


def _values(answer: str) -> Iterator[object]:
    """Every JSON value in the answer that begins with a bracket, wherever it begins."""
    for at, character in enumerate(answer):
        if character in "{[":
            try:
                yield _DECODER.raw_decode(answer, at)[0]
            except (
                ValueError,
                RecursionError,
            ):  # brackets of prose, or more of them than Python follows
                continue


def _operation(entry: object) -> Operation | None:
    try:
        read = _OperationEntry.model_validate(entry)
    except ValidationError:
        return None
    fact_id = "" if read.id is None else str(read.id).strip()
    return Operation(read.event, fact_id, read.text, read.old_memory, read.message)
