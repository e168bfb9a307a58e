"""A memory's verbatim parts, whoever writes the rest: quote, person's wishes, persona's promises.

The quote is chosen by the first of these that succeeds:

    the agent's                 if one raw message has it, character for character; of a long
                                one the best part
    the agent's, asked again    with the reason why the first one was not verbatim
    the nearest passage         to what the agent said, in the raw message's own characters
    the engine's choice         marked so
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo

from daemon.chat.passage import Passage
from daemon.models.scheduler import Noted, Steps
from daemon.models.tokens import count
from daemon.remember.engine import Material, chunk_material
from daemon.remember.question import Question, Worksheet, ask_question
from primer import prompt
from primer.reply import Answered, Refused
from primer.wording import fill, keep_inert, restore_tags
from rules.conversation.history import Entry
from rules.conversation.kept_wishes import find_wishes, with_wishes
from rules.conversation.memory import Edition, Quote, Wish
from rules.conversation.quote import (
    MOST_QUOTE_WORDS,
    QUOTE_WORDS,
    Verbatim,
    cut_best_run,
    find_quote,
    nearest_passage,
)
from rules.extract.prose import PERSONA
from rules.extract.quoting import said_lead
from rules.extract.spoken_languages import language_of
from rules.typingmind.dates import in_zone


def stated_in(chunk: Iterable[Entry], zone: tzinfo) -> tuple[Wish, ...]:
    """Return the wishes and promises in a chunk, except those whose text spells out a tag of ours.

    Each is dated by its day in `zone`.
    """
    return find_wishes(
        chunk,
        lambda text: keep_inert(text) == text,
        lambda entry: in_zone(entry.message.created_at, zone)[:10],
    )


def with_stated(edition: Edition, wishes: Sequence[Wish], spoken: Iterable[str]) -> Edition:
    """Return the edition with the wishes after its refinement.

    They are introduced in the language of `spoken`.
    """
    return with_wishes(edition, wishes, language_of(spoken), count) if wishes else edition


def choose_quote(sheet: Worksheet, question: Question, passage: Passage) -> Steps[Quote | None]:
    """Return the quote of a chunk; None where not even the engine finds words that can be quoted.

    If the person said it, its lead says so.
    """
    quote = yield from _ask_agent(sheet, question, passage.chunk)
    if quote is not None:
        return replace(quote, lead=_lead(quote, passage.chunk))
    yield Noted("quote chosen by the engine")
    return extract_quote(chunk_material(passage, question.request.turns), passage.chunk)


def extract_quote(material: Material, chunk: Sequence[Entry]) -> Quote | None:
    """Return the engine's quote of a chunk; None where it finds no words that can be quoted."""
    chosen = find_quote(material.quote(QUOTE_WORDS), chunk)
    if not isinstance(chosen, Verbatim):
        return None
    quote = Quote(chosen.text, chosen.source, "engine")
    return replace(quote, lead=_lead(quote, chunk))


def _lead(quote: Quote, chunk: Sequence[Entry]) -> str:
    """Return the words that introduce a quote of the person; empty if the persona said it."""
    source = next(entry.message for entry in chunk if entry.key == quote.source)
    if source.speaker == PERSONA:
        return ""
    return said_lead([entry.message.words for entry in chunk])


def _ask_agent(sheet: Worksheet, question: Question, chunk: Sequence[Entry]) -> Steps[Quote | None]:
    """Return the agent's quote, of its first or second answer, or the nearest passage; or None."""
    answers: list[Answered] = []
    for is_first in (True, False):
        answer = yield from ask_question(sheet, question)
        if isinstance(answer, Refused):
            break
        quote = find_quote(restore_tags(answer.text), chunk)
        if isinstance(quote, Verbatim):
            if not is_first:
                yield Noted("quote verbatim at the second try")
            text = cut_best_run(quote.text, MOST_QUOTE_WORDS)
            return Quote(text, quote.source, "agent")
        yield Noted("not verbatim")
        answers.insert(0, answer)
        turns = (*question.posed(sheet.texts).turns, prompt.answer(answer.text))
        text = fill(sheet.texts.quote_again, reason=quote.reason)
        question = replace(question, request=replace(question.request, turns=turns), text=text)
    for answer in answers:
        nearest = nearest_passage(restore_tags(answer.text), chunk)
        if isinstance(nearest, Verbatim):
            yield Noted("nearest passage taken as the quote")
            text = cut_best_run(nearest.text, MOST_QUOTE_WORDS)
            return Quote(text, nearest.source, "aligned")
    return None
