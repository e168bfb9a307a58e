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
from collections.abc import Sequence
from dataclasses import replace

from primer.core_edits import parsed
from primer.prompt import ToolCall, Turn, answer, question, tool
from primer.tags import keep_inert, make_tags_inert
from primer.wording import Texts, fill
from rules.conversation.memory import Six
from rules.layers.core import CoreMemory, Refusal, Section, lines_of
from rules.layers.core_editing import Layout, Offer, describe_function
from rules.typingmind.content import printable

_EMPTY = "[empty]"
_KEPT = " The person keeps this section themselves: it cannot be edited."
_KEPT_LINES = " The person wrote {} of it themselves: no edit can change or remove that."


def tools_of(layout: Layout) -> tuple[dict[str, object], ...]:
    """Return the layout's functions as tools, for models that call them."""
    offers = map(describe_function, layout.functions)
    return tuple(tool(offer.name, offer.description, offer.parameters) for offer in offers)


def ask_core(texts: Texts, memory: CoreMemory, layout: Layout, native: bool) -> str:
    """Return the question without its tag; for an agent without tools (`native` is false), with the form in JSON."""
    asked = fill(texts.core, sections=make_tags_inert("\n\n".join(map(_shown, memory))))
    return (
        asked
        if native
        else f"{asked}\n\n{_in_json(texts, [describe_function(function) for function in layout.functions])}"
    )


def after_memory(before: Sequence[Turn], six: Six, asked: str) -> tuple[Turn, ...]:
    """Return the context that a memory was written in, its as-of edition, and the question."""
    dialogue = [
        Turn("user", text) if slot % 2 == 0 else answer(text) for slot, text in enumerate(six)
    ]
    return (*before, *dialogue, question(asked))


def tell_results(
    texts: Texts, reply: str, calls: Sequence[ToolCall], outcomes: Sequence[CoreMemory | Refusal]
) -> tuple[Turn, ...]:
    """Return the agent's answer and the outcomes of its edits: a turn for each call, or one list without calls."""
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


def results_in_words(reply: str, calls: Sequence[ToolCall]) -> str:
    """Return an answer with its calls written out.

    A model that thinks takes its calls back only with its thoughts, which are not kept.
    """
    return "\n\n".join(
        [
            *([reply] if reply else []),
            _block([(call.name, parsed(call.arguments)) for call in calls]),
        ]
    )


def _again(call: ToolCall, number: int) -> ToolCall:
    """Return a call as it can be sent back: some servers give no ids, and LiteLLM takes no broken JSON."""
    arguments = parsed(call.arguments)
    written = _written(arguments if isinstance(arguments, dict) else {})
    return replace(call, call_id=call.call_id or f"call_{number}", arguments=written)


def _shown(section: Section) -> str:
    filled = f"{len(section.rendered)} of {section.limit} characters.{_kept(section)}"
    head = f"## {section.name}\n{section.description}".strip()
    return f"{head}\n({filled})\n\n{section.rendered or _EMPTY}"


def _kept(section: Section) -> str:
    """Describe the part of the section that cannot be edited: all of it, or some lines, by their numbers."""
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
