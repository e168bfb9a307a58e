"""The quotes of folds where there are too many.

In an export each becomes one sentence, and none disappears; what a model reads of a fold has some
of them alone, or its prompts would grow for ever.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rules.conversation.memory import Count, Edition, Memory, Quote, Six, quotes_answer, six_of

_A_FEW_WORDS = 4
QUOTE_TOKENS = 8_000
"""What all quotes of an export may take before those of its oldest folds shrink."""
MOST_QUOTES = 2
"""The most quotes of a fold that models read in their prompts."""


def one_sentence(quote: str) -> str:
    """Return the first sentence of a quote with more than a few words, verbatim.

    Else its longest one.
    """
    from rules.extract.sentences import prose_sentences
    from rules.extract.words import length

    pieces = prose_sentences(quote)
    for piece in pieces:
        if length(piece) > _A_FEW_WORDS:
            return piece
    return max(pieces, key=length, default=quote)


def with_short_quotes(edition: Edition) -> Edition:
    """Cut each quote of a fold's edition to one sentence.

    Return the edition itself if that changes nothing.

    It also stays where the person has written it, or where its answer is not just its quotes.
    """
    short = tuple(
        replace(quote, text=one_sentence(quote.text), tokens=0) for quote in edition.quotes
    )
    if not _may_have(edition, short):
        return edition
    return replace(edition, texts=_answering(edition, short), quotes=short, is_short=True)


def as_read(edition: Edition) -> Edition:
    """Return the edition of a fold as models read it: with some of its quotes."""
    some = some_of(edition.quotes)
    if not _may_have(edition, some):
        return edition
    tokens = edition.tokens - edition.quote_tokens + sum(quote.size for quote in some)
    return replace(edition, texts=_answering(edition, some), quotes=some, tokens=tokens)


def _may_have(edition: Edition, quotes: Sequence[Quote]) -> bool:
    """Return whether an edition can have these quotes in the place of its own.

    It cannot where the person has written it, or where its answer is not just its quotes.
    """
    if edition.kind == "person" or quotes == edition.quotes:
        return False
    return edition.texts[1] == quotes_answer(edition.quotes)


def _answering(edition: Edition, quotes: Iterable[Quote]) -> Six:
    """Return the texts of an edition with these quotes in the place of its own."""
    question, _, *others = edition.texts
    return six_of([question, quotes_answer(quotes), *others])


def some_of(quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return the first and the middle one, or all if there are no more than two."""
    return quotes if len(quotes) <= MOST_QUOTES else (quotes[0], quotes[len(quotes) // 2])


def forms(memory: Memory, edition: Edition) -> tuple[Edition, ...]:
    """Return the forms that an edition may have in an export.

    These are itself, and for a fold the one with short quotes.
    """
    short = with_short_quotes(edition) if memory.is_fold else edition
    return (edition, short) if short.is_short else (edition,)


def quotes_within(shown: Sequence[Memory], count: Count) -> tuple[Memory, ...]:
    """Shrink the folds of an export until its quotes fit into `QUOTE_TOKENS`, if they can.

    `shown` and the result are oldest first.

    The oldest folds shrink first, each with all of its quotes. What the person has edited stays.
    """
    if _surely_few(shown):
        return tuple(shown)
    left = [_tokens_of(memory.edition.quotes, count) for memory in shown]
    shrunk = list(shown)
    for at, memory in enumerate(shown):
        if sum(left) <= QUOTE_TOKENS:
            break
        if memory.is_fold:
            short = with_short_quotes(memory.edition)
            quotes = tuple(replace(quote, tokens=count(quote.framed)) for quote in short.quotes)
            tokens = sum(quote.tokens for quote in quotes)
            edition = replace(short, quotes=quotes, tokens=short.tokens - left[at] + tokens)
            shrunk[at] = replace(memory, edition=edition)
            left[at] = tokens
    return tuple(shrunk)


def _tokens_of(quotes: Iterable[Quote], count: Count) -> int:
    return sum(count(quote.framed) for quote in quotes)


def too_many(shown: Sequence[Memory], count: Count) -> str:
    """Return a clause saying that the memories' quotes exceed `QUOTE_TOKENS` though short.

    Empty if they do not.
    """
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
    """Return whether the quotes surely fit: a text has at most as many tokens as bytes."""
    size = 0
    for memory in shown:
        size += sum(len(quote.framed.encode()) for quote in memory.edition.quotes)
    return size <= QUOTE_TOKENS
