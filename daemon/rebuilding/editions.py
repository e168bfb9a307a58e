"""The editions of a memory as the files show them, with the quotes that its raw messages prove."""

import re
from collections.abc import Callable, Collection, Sequence

from daemon.rebuilding.evidence import Seen
from primer.prompt import question, restore
from primer.texts import Texts
from rules.conversation.history import Entry
from rules.conversation.marker import Marker
from rules.conversation.memory import WRITTEN, Edition, Kind, Quote, Six
from rules.conversation.quote import Verbatim, find_quote

UNKNOWN = "unknown"
"""Who wrote a memory, and who chose its quote, stands in no file."""

_JOINER = "\u2060"


def hindsight_question(texts: Texts) -> re.Pattern[str]:
    """What the third message of a hindsight edition says: a marker does not tell of which kind an edition is."""
    around = question(texts.perspective_hindsight).content.split("{words}")
    return re.compile(r"\d+".join(map(re.escape, around)))


def editions_of(
    seen: Seen,
    chunk: Sequence[Entry],
    hindsight: re.Pattern[str],
    standing: Collection[tuple[str, ...]],
    count: Callable[[str], int],
) -> tuple[Edition, ...]:
    """All editions, oldest first; at least one is as-of.

    `chunk` are the raw messages that the memory stands for, as far as they are known. `standing` are the texts that
    the newest file shows: what the person made of them comes with that file's reading.
    """
    written = sorted(seen.editions.items()) or [(seen.marker.edition or 1, (seen.marker, *seen.edited[0]))]
    looks_back = [number for number, (_, texts, _) in written if hindsight.fullmatch(texts[2])]
    first_kinds: dict[int, Kind] = dict.fromkeys(looks_back if len(looks_back) < len(written) else (), "hindsight")

    def edition(number: int, kind: Kind, marker: Marker, texts: Six, when: str) -> Edition:
        return Edition(
            number=number,
            kind=kind,
            texts=texts,
            quotes=quotes_in(texts[1], chunk),
            made=marker.made or WRITTEN,
            agent=UNKNOWN,
            context_manager=UNKNOWN,
            requests=(),
            tokens=sum(count(text) for text in texts),
            written_at=when,
        )

    found = [edition(number, first_kinds.get(number, "as-of"), *one) for number, one in written]
    known = {*standing, *(one.texts for one in found)}
    for texts, when in seen.edited:
        if texts not in known:
            found.append(edition(1 + found[-1].number, "person", seen.marker, texts, when))
    return tuple(found)


def quotes_in(answer: str, chunk: Sequence[Entry]) -> tuple[Quote, ...]:
    """The quotes in a memory's second message, each searched word for word in the raw messages.

    In a fold they stand one after the other, as paragraphs. What is not found has no source.
    """
    paragraphs = restore(answer).split("\n\n")
    found: list[Quote] = []
    while paragraphs:
        for size in range(len(paragraphs), 0, -1):
            said = "\n\n".join(paragraphs[:size])
            verbatim = find_quote(said, chunk)
            if isinstance(verbatim, Verbatim) and _holds(answer, verbatim.text):
                found.append(Quote(verbatim.text, verbatim.source, UNKNOWN))
                break
        else:
            size, said = 1, paragraphs[0]
            found.append(Quote(said, "", UNKNOWN))
        paragraphs = paragraphs[size:]
    return tuple(found) if any(quote.source for quote in found) else (Quote(restore(answer), "", UNKNOWN),)


def _holds(answer: str, quote: str) -> bool:
    return quote.replace(_JOINER, "") in answer.replace(_JOINER, "")
