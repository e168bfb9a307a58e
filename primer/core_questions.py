"""Ask about core memory, and read the answer.

    context, six texts   the exact bytes of the memory's own requests, for the provider's cache
    question             in <context_manager>: the sections as they are, and what to do
    its calls            with the result of each, where one was refused; then it may call again

Edits of core memory are tool calls, or JSON in a fenced block.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from primer.prompt import ToolCall, Turn, answer, define_tool, question
from primer.wording import Texts, fill, keep_inert, make_tags_inert, restore_tags
from rules.conversation.memory import Six
from rules.layers.core import CoreMemory, Refusal, Section, lines_of
from rules.layers.core_layout import CoreEdit, Layout, Offer, describe_function
from rules.typingmind.content import make_printable
from rules.typingmind.spans import Fields

_FENCE = "```"
_NO_BLOCK = Refusal("The answer has no fenced block of JSON at its end.", "unreadable")
_NO_LIST = Refusal("The fenced block is no JSON list that can be read.", "unreadable")
_NO_OBJECT = Refusal("The arguments are no JSON object that can be read.", "unreadable")
_NO_CALL = Refusal(
    'An entry of the list is no object with a "function" and its "arguments".', "unreadable"
)

_EMPTY = "[empty]"
_KEPT = " The person keeps this section themselves: it cannot be edited."
_KEPT_LINES = " The person wrote {} of it themselves: no edit can change or remove that."


def read_edits(
    text: str, calls: Sequence[ToolCall], native: bool
) -> tuple[CoreEdit | Refusal, ...]:
    """Return the edits of an answer, in order: its calls, else those in its last fenced block.

    An edit that cannot be read becomes a Refusal. An answer with neither calls nor a block asks for
    nothing where the agent has tools (`native`), and otherwise is refused.
    """
    if calls:
        given = [(call.name, parse_written(call.arguments)) for call in calls]
        return tuple(
            CoreEdit(name, _as_meant(arguments)) if isinstance(arguments, dict) else _NO_OBJECT
            for name, arguments in given
        )
    block = _last_block(text)
    if block is None:
        return () if native else (_NO_BLOCK,)
    answer = parse_written(block)
    entries = [answer] if isinstance(answer, dict) else answer
    return tuple(map(_read_entry, entries)) if isinstance(entries, list) else (_NO_LIST,)


def parse_written(written: str) -> Any:
    """Parse JSON that a model has written; return None where it cannot be read, or is null."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


def _read_entry(entry: Any) -> CoreEdit | Refusal:
    """Read an entry of the block; its arguments are an object, or next to the function's name."""
    if not isinstance(entry, dict) or not isinstance(entry.get("function"), str):
        return _NO_CALL
    arguments = entry.get("arguments")
    if not isinstance(arguments, dict):
        arguments = {name: value for name, value in entry.items() if name != "function"}
    return CoreEdit(entry["function"], _as_meant(arguments))


def _as_meant(arguments: Fields) -> dict[str, object]:
    """Return the arguments with inert tags restored, without characters that no file can have."""
    return {
        name: restore_tags(make_printable(value)) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _last_block(text: str) -> str | None:
    """Return the text between the last two fences, if they enclose a block of JSON; else None."""
    lines = [line.strip() for line in text.split("\n")]
    fences = [at for at, line in enumerate(lines) if line.startswith(_FENCE)]
    if len(fences) < 2:
        return None
    begin, end = fences[-2:]
    opened = lines[begin].removeprefix(_FENCE).strip().lower()
    if opened not in ("", "json") or lines[end] != _FENCE:
        return None
    return "\n".join(lines[begin + 1 : end])


def tools_of(layout: Layout) -> tuple[dict[str, object], ...]:
    """Return the layout's functions as tools, for models that call them."""
    offers = map(describe_function, layout.functions)
    return tuple(define_tool(offer.name, offer.description, offer.parameters) for offer in offers)


def ask_core(texts: Texts, memory: CoreMemory, layout: Layout, native: bool) -> str:
    """Return the question without its tag; without tools (not `native`) with the JSON to use."""
    asked = fill(texts.core, sections=make_tags_inert("\n\n".join(map(_shown, memory))))
    if native:
        return asked
    offers = [describe_function(function) for function in layout.functions]
    functions = "\n\n".join(map(_described, offers))
    example = _block([(offer.name, dict.fromkeys(offer.parameters, "...")) for offer in offers[:1]])
    return f"{asked}\n\n{fill(texts.core_json, functions=functions, example=example)}"


def after_memory(before: Sequence[Turn], six: Six, asked: str) -> tuple[Turn, ...]:
    """Return the context in which a memory was written, its as-of edition, and the question."""
    dialogue = [
        Turn("user", text) if slot % 2 == 0 else answer(text) for slot, text in enumerate(six)
    ]
    return (*before, *dialogue, question(asked))


def tell_results(
    texts: Texts, reply: str, calls: Sequence[ToolCall], outcomes: Sequence[CoreMemory | Refusal]
) -> tuple[Turn, ...]:
    """Return the turns with the agent's answer and the outcomes of its edits.

    Each call has a turn for its outcome; without calls the outcomes are one list.
    """
    lines = [
        make_tags_inert(f"Not done. {outcome.reason}" if isinstance(outcome, Refusal) else "Done.")
        for outcome in outcomes
    ]
    if not calls:
        listed = "\n".join(f"- {line}" for line in lines)
        return answer(reply), question(fill(texts.core_results, results=listed))
    sent: list[ToolCall] = []
    for number, call in enumerate(calls, 1):
        # Some servers give no ids, and LiteLLM accepts no broken JSON.
        arguments = parse_written(call.arguments)
        written = _written(arguments if isinstance(arguments, dict) else {})
        sent.append(replace(call, call_id=call.call_id or f"call_{number}", arguments=written))
    turns = [Turn("assistant", keep_inert(reply), calls=tuple(sent))]
    for call, line in zip(sent, lines, strict=True):
        turns.append(Turn("tool", line, answers=call.call_id))
    return tuple(turns)


def results_in_words(reply: str, calls: Sequence[ToolCall]) -> str:
    """Return an answer with its calls written out as text.

    A model that thinks accepts its own calls only together with its thoughts, which are not kept.
    """
    written = _block([(call.name, parse_written(call.arguments)) for call in calls])
    return f"{reply}\n\n{written}" if reply else written


def _shown(section: Section) -> str:
    rendered = section.rendered
    # Of a section that can be edited, some lines may be the person's.
    kept = _KEPT if section.held else ""
    held = [at for at, line in enumerate(lines_of(section.value), 1) if line in section.held_lines]
    if held and not section.held:
        named = ", ".join(map(str, held))
        kept = _KEPT_LINES.format(f"line {named}" if len(held) == 1 else f"lines {named}")
    filled = f"{len(rendered)} of {section.limit} characters.{kept}"
    head = f"## {section.name}\n{section.description}".strip()
    return f"{head}\n({filled})\n\n{rendered or _EMPTY}"


def _described(offer: Offer) -> str:
    parameters = [f"- {name}: {description}" for name, description in offer.parameters.items()]
    return "\n".join([f"{offer.name}: {offer.description}", *parameters])


def _block(calls: Sequence[tuple[str, object]]) -> str:
    listed = [{"function": name, "arguments": arguments} for name, arguments in calls]
    return f"```json\n{_written(listed)}\n```"


def _written(value: object) -> str:
    """Return a value as JSON, without halves of surrogate pairs.

    A model may write such halves as escapes, and they cannot be sent.
    """
    return make_printable(json.dumps(value, ensure_ascii=False))
