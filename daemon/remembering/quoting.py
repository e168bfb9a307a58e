"""The first of the four calls: a direct quote that is verbatim, whoever has to choose it.

the agent's                 if it stands in one raw message, character for character
the agent's, asked again    with the reason why the first one does not
the nearest passage         to what the agent has said, in the raw message's own characters
the engine's choice         marked so
"""

from collections.abc import Sequence
from dataclasses import replace

from daemon.remembering.question import Desk, Question, put
from primer import prompt
from primer.prompt import restore
from primer.reply import Answered, Refused
from primer.request import ENGINE
from rules.conversation.history import Entry
from rules.conversation.memory import Quote
from rules.conversation.quote import NotVerbatim, Verbatim, find_quote, nearest_passage

QUOTE_WORDS = 60
"""About how long a quote may be."""


def choose_quote(desk: Desk, question: Question, chunk: Sequence[Entry]) -> Quote | None:
    """The quote of a chunk; None where not even the engine finds words that can be quoted."""
    engine = replace(question, request=replace(question.request, model=ENGINE))
    if question.request.model != ENGINE:
        found = _of_the_agent(desk, question, chunk)
        if isinstance(found, Quote):
            return found
        desk.note("quote chosen by the engine")
    answer = put(desk, engine)
    chosen = find_quote(answer.text, chunk) if isinstance(answer, Answered) else None
    return Quote(chosen.text, chosen.source, "engine") if isinstance(chosen, Verbatim) else None


def _of_the_agent(desk: Desk, question: Question, chunk: Sequence[Entry]) -> Quote | NotVerbatim | Refused:
    """What the agent has quoted, at the first or the second try, or what comes nearest to it."""
    first = put(desk, question)
    if isinstance(first, Refused):
        return first
    found = find_quote(restore(first.text), chunk)
    if isinstance(found, Verbatim):
        return Quote(found.text, found.source, "agent")
    desk.note("not verbatim")
    second = put(desk, _once_more(desk, question, first, found))
    if isinstance(second, Refused):
        return _nearest(desk, [first], chunk)
    found = find_quote(restore(second.text), chunk)
    if isinstance(found, Verbatim):
        desk.note("quote verbatim at the second try")
        return Quote(found.text, found.source, "agent")
    desk.note("not verbatim")
    return _nearest(desk, [second, first], chunk)


def _once_more(desk: Desk, question: Question, said: Answered, why: NotVerbatim) -> Question:
    """The question again, behind the answer that is no quote."""
    posed = question.posed(desk.texts)
    turns = (*posed.turns, prompt.answer(said.text))
    return replace(
        question,
        request=replace(question.request, turns=turns),
        text=prompt.ask_quote_again(desk.texts, why.reason),
    )


def _nearest(desk: Desk, answers: Sequence[Answered], chunk: Sequence[Entry]) -> Quote | NotVerbatim:
    for answer in answers:
        found = nearest_passage(restore(answer.text), chunk)
        if isinstance(found, Verbatim):
            desk.note("nearest passage taken as the quote")
            return Quote(found.text, found.source, "aligned")
    return NotVerbatim("No passage comes near to what the agent has quoted.")
