"""What a sentence says yes or no to, whatever its language: of these its weight as a wish is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from rules.extract.phrase_tree import Word
from rules.extract.words import length

_PARTS = frozenset(",;:.!?…—–()，；：。！？、،؛؟।")
_COLONS = frozenset(":：")
_QUOTES = frozenset('"“”„«»「」')
_QUESTION = frozenset("?？؟")
_CRY = frozenset("!！")
_PASSED = frozenset(("lead", "please", "always", "me", "once", "later", "case", "you"))
"""What may come before the word that opens a clause."""
_REQUESTS = frozenset(("ask", "want", "name", "hide", "end"))
_OPENING = frozenset(("order", "act", "ban", "want", "talk", "style", "ask", "hide", "name", "end"))
_TOLD = frozenset(("i", "you", "other", "told", "past", "unreal", "idle"))
_ANYWHERE = frozenset(
    (
        "please",
        "ban",
        "say",
        "talk",
        "style",
        "always",
        "case",
        "once",
        "later",
        "me",
        "want",
        "ask",
        "name",
        "hide",
        "end",
        "order",
    )
)
_TALK = frozenset(("say", "talk", "style", "order"))
_LASTING = frozenset(("asks", "asks talk", "names", "asks style"))
_FAR, _NEAR = 10, 4
"""Where so many words of a sentence without marks come before a request, as many count as said before it."""
_SHORT, _LONG = 7.0, 25.0


@dataclass(frozen=True, slots=True)
class _Clause:
    """What a clause says."""

    found: frozenset[str]
    before: tuple[frozenset[str], ...]
    """What each of its words says that comes before the request."""
    request: int | None
    """Where its request begins."""


def features_of(
    sentence: str, words: Sequence[Word], *, is_placed: bool
) -> tuple[frozenset[str], int]:
    """Return what a sentence says yes to, and where in it the request begins.

    `is_placed`: in its language an order is told by its place alone.
    """
    clauses = _clauses_of(words)
    found: set[str] = set(_marks(sentence, words, clauses))
    before: list[frozenset[str]] = []
    request: int | None = None
    for clause in clauses:
        if _is_case(clause) and clause is not clauses[-1]:
            found.add("case")
            continue
        read = _read(clause, is_placed=is_placed)
        found |= read.found
        if request is None:
            before += read.before
            request = read.request
    nearest = before[-_NEAR:] if len(clauses) == 1 and len(before) > _FAR else before
    found |= {f"{kind} before" for kinds in nearest for kind in kinds}
    if found & {"always", "case", "ban"}:
        found |= {f"{part}, lasts" for part in found & _LASTING}
    return frozenset(found), request or 0


def _read(clause: Sequence[Word], *, is_placed: bool) -> _Clause:
    """Return what a clause says."""
    opener = _opener(clause)
    kinds = frozenset[str]().union(*(word.kinds for word in clause))
    opens = {f"{kind} opens" for kind in opener & _OPENING}
    last = _last_place(clause, is_placed=is_placed)
    opens |= {f"{kind} bare" for word in clause[:last] for kind in word.kinds & {"order", "act"}}
    request = next(
        (at for at, word in enumerate(clause) if _requests(word, opener, may_order=at < last)), None
    )
    found = opens | (kinds & _ANYWHERE) | set(_joined(kinds, opens))
    if any("ban" in word.kinds and after.is_name for word, after in pairwise(clause)):
        found.add("bans name")
    before = tuple(word.kinds & _TOLD for word in clause[:request])
    return _Clause(frozenset(found), before, None if request is None else clause[request].start)


def _requests(word: Word, opener: frozenset[str], *, may_order: bool) -> bool:
    """Return whether a word begins a request: by itself, as an order, or as what opens the clause."""
    if word.kinds & _REQUESTS or (may_order and "order" in word.kinds):
        return True
    return word.kinds is opener and bool(opener & {"act", "ban", "talk", "style"})


def _last_place(clause: Sequence[Word], *, is_placed: bool) -> int:
    """Return the place in a clause from which on no word is an order any more.

    After somebody who does something none is, and where orders are told by their place, nor after any other word.
    """
    passed = _PASSED | {"ask", "want", "ban", "idle"}
    for at, word in enumerate(clause):
        if word.kinds & {"i", "other"} or (is_placed and not word.kinds & passed):
            return at + 1
    return len(clause)


def _joined(kinds: frozenset[str], opens: set[str]) -> Iterator[str]:
    """Yield what a clause says by several words: that something is asked for, is about talk, or is but named."""
    is_asked = bool(kinds & {"ask", "want"} or opens & {"order bare", "act opens", "ban opens"})
    if is_asked:
        yield "asks"
        if "style" in kinds:
            yield "asks style"
        if "want" in kinds and kinds & {"talk", "style"}:
            yield "wants talk"
        if kinds & _TALK:
            yield "asks talk"
    elif kinds & _TALK and not kinds & {"i", "other", "past", "told"}:
        yield "names"
    if "ban" in kinds and kinds & _TALK and not kinds & {"i", "other", "past", "told"}:
        yield "bans talk"


def _clauses_of(words: Sequence[Word]) -> list[list[Word]]:
    """Return the words between two marks that part clauses."""
    parted = groupby(words, key=lambda word: word.text in _PARTS)
    return [list(clause) for is_mark, clause in parted if not is_mark]


def _opener(clause: Sequence[Word]) -> frozenset[str]:
    """Return what the word does that opens a clause."""
    return next(
        (word.kinds for word in clause if not word.kinds & _PASSED or word.kinds - _PASSED),
        frozenset(),
    )


def _is_case(clause: Sequence[Word]) -> bool:
    """Return whether a clause tells a case in which something holds."""
    return "case" in clause[-1].kinds or any("case" in word.kinds for word in clause[:2])


def _marks(
    sentence: str, words: Sequence[Word], clauses: Sequence[Sequence[Word]]
) -> Iterator[str]:
    """Yield what the marks of a sentence and its length say."""
    if any(word.text in _QUOTES for word in words):
        yield "quotes"
    last = next((word.text for word in reversed(words) if word.text in _PARTS or word.kinds), "")
    is_tag = clauses and all(word.kinds & {"please", "lead"} for word in clauses[-1])
    if last in _QUESTION and not is_tag:
        yield "question"
    if last in _CRY or sentence.isupper():
        yield "cry"
    if any(word.text in _COLONS for word in words[:-1]):
        yield "colon"
    size = length(sentence)
    if size <= _SHORT:
        yield "short"
    if size > _LONG:
        yield "long"
