"""Shorten the quotes of folds where there are too many.

In an export each becomes one sentence, and none disappears. Models read only some of a fold's
quotes, as prompts would otherwise grow without end.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rules.conversation.memory import Count, Edition, Memory, Quote, quotes_answer, six_of

_MOST_WORDS_OF_SHORT = 4
QUOTE_TOKENS = 8_000
"""The tokens that all quotes of an export may take before those of its oldest folds are cut."""
MOST_QUOTES = 2
"""The most quotes of a fold that prompts have."""


def one_sentence(quote: str) -> str:
    """Return a quote's first sentence of more than four words, verbatim; else its longest one."""
    from rules.extract.sentences import find_prose_sentences
    from rules.extract.words import length

    pieces = find_prose_sentences(quote)
    for piece in pieces:
        if length(piece) > _MOST_WORDS_OF_SHORT:
            return piece
    return max(pieces, key=length, default=quote)


def with_short_quotes(edition: Edition) -> Edition:
    """Return a fold's edition with each quote cut to one sentence.

    Return it unchanged where the quotes are short already, the person wrote it, or its answer is
    not just its quotes.
    """
    quotes = tuple(
        replace(quote, text=one_sentence(quote.text), tokens=0) for quote in edition.quotes
    )
    short = _with_quotes(edition, quotes)
    return replace(short, is_short=True) if short else edition


def with_fewer_quotes(edition: Edition) -> Edition:
    """Return the edition of a fold as models read it: with only some of its quotes."""
    fewer = _with_quotes(edition, choose_quotes(edition.quotes))
    if fewer is None:
        return edition
    return replace(fewer, tokens=edition.tokens - edition.quote_tokens + fewer.quote_tokens)


def _with_quotes(edition: Edition, quotes: tuple[Quote, ...]) -> Edition | None:
    """Return an edition with these other quotes in place of its own, or None if it has them.

    Return None also where the person wrote it, or where its answer is not just its quotes.
    """
    question, answer, *others = edition.texts
    is_only_quotes = edition.kind != "person" and answer == quotes_answer(edition.quotes)
    if quotes == edition.quotes or not is_only_quotes:
        return None
    return replace(edition, texts=six_of([question, quotes_answer(quotes), *others]), quotes=quotes)


def choose_quotes(quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return the first and the middle quote, or all if there are at most two."""
    return quotes if len(quotes) <= MOST_QUOTES else (quotes[0], quotes[len(quotes) // 2])


def export_forms(memory: Memory, edition: Edition) -> tuple[Edition, ...]:
    """Return the forms of an edition in exports: as it is and, for a fold, with short quotes."""
    short = with_short_quotes(edition) if memory.is_fold else edition
    return (edition, short) if short.is_short else (edition,)


def quotes_within(shown: Sequence[Memory], count: Count) -> tuple[Memory, ...]:
    """Cut the quotes of folds until all quotes of an export fit `QUOTE_TOKENS`, if possible.

    `shown` and the result are oldest first. The oldest folds are cut first, each with all of its
    quotes. What the person has edited stays unchanged.
    """
    if _surely_few(shown):
        return tuple(shown)
    left = [_tokens_of(memory.edition.quotes, count) for memory in shown]
    cut = list(shown)
    for at, memory in enumerate(shown):
        if sum(left) <= QUOTE_TOKENS:
            break
        if memory.is_fold:
            short = with_short_quotes(memory.edition)
            quotes = tuple(replace(quote, tokens=count(quote.framed)) for quote in short.quotes)
            tokens = sum(quote.tokens for quote in quotes)
            edition = replace(short, quotes=quotes, tokens=short.tokens - left[at] + tokens)
            cut[at] = replace(memory, edition=edition)
            left[at] = tokens
    return tuple(cut)


def _tokens_of(quotes: Iterable[Quote], count: Count) -> int:
    return sum(count(quote.framed) for quote in quotes)


def describe_too_many(shown: Sequence[Memory], count: Count) -> str:
    """Return a clause saying that quotes exceed `QUOTE_TOKENS` even when cut; "" if they do not."""
    if _surely_few(shown):
        return ""
    quotes: list[Quote] = []
    for memory in quotes_within(shown, count):
        quotes += memory.edition.quotes
    tokens = _tokens_of(quotes, count)
    if tokens <= QUOTE_TOKENS:
        return ""
    return (
        f"its {len(quotes):,} quotes take {tokens:,} tokens, {tokens - QUOTE_TOKENS:,} more than "
        f"the {QUOTE_TOKENS:,} meant for them, though those of folds are cut to a sentence each: "
        "none of them is dropped"
    )


def _surely_few(shown: Sequence[Memory]) -> bool:
    """Return whether the quotes fit by their bytes: a text has at most as many tokens as bytes."""
    size = 0
    for memory in shown:
        size += sum(len(quote.framed.encode()) for quote in memory.edition.quotes)
    return size <= QUOTE_TOKENS
