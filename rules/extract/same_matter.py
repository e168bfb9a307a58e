"""Tell whether two wishes are about the same matter, and which earlier ones a later text ends."""

from collections.abc import Sequence
from functools import lru_cache

from rules.extract.languages import TONGUES
from rules.extract.patterns import any_case
from rules.extract.words import split_terms

_CACHED_WISHES, _CACHED_WORDS = 16_384, 16_384
_GENERAL = frozenset(
    split_terms(
        """
        always never please from now on going forward prefer i i'd would really much want you to
        your me my for and or the a an of in with as at by be is are use using include provide give
        show make do don't not any all ever when ask about have more longer anymore could can
        immer nie bitte ab jetzt und kannst darfst musst brauchst mehr wenn
        toujours jamais peux pouvez dois plus maintenant quand c'est
        siempre nunca puedes debes ya más ahora cuando sempre mai puoi devi più pode podes mais
        """
    )
)
"""Words that say nothing about a wish's subject, in addition to each language's everyday words."""
_CONDITION = any_case(r"""
    \b(?:when(?:ever)?|if|every time|each time) i (?:ask|say|mention|write|talk
        |request)\w*(?: you)?(?: about| for| of)? *
    |\bwenn ich (?:dich |sie )?(?:nach|über|um|von)? *|\bquand je (?:te |vous )?\w+ *
    |\bcuando (?:te |le )?\w+ *(?:por|sobre)? *
    |\bquando (?:eu |ti |le )?\w+ *(?:por|sobre|di)? *|\bкогда я (?:тебя |вас )?\w+ *(?:о|об|про)? *
    |\bколи я (?:тебе |вас )?\w+ *(?:про)? *|\b(?:kiedy|gdy) (?:cię )?\w+ *(?:o)? *|(?:عندما|كلما) أسأل\w* *(?:عن)? *
    |जब (?:भी )?मैं *|(?:当|每次|每当)我(?:问|说|提到|提|发)(?:到|起)? *""")
"""The words before a wish's case ("when I ask about X"), in the languages that are covered."""
_SAME_SHARE = 0.5
"""The part of the shorter wish's words that both share where they are about the same matter."""
_STEM = 4
"""Two words are taken for forms of one where their first characters, this many, agree."""


@lru_cache(_CACHED_WISHES)
def _matter(wish: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the subject words of what a wish asks for, and of its case ("when I ask about X")."""
    plain = wish.replace("’", "'")
    condition = _CONDITION.search(plain)
    asked, case = (
        (plain[: condition.start()], plain[condition.end() :]) if condition else (plain, "")
    )
    if condition and not asked.strip():
        case, _, asked = case.partition(",")
    return _subject_words(asked), _subject_words(case)


def _subject_words(text: str) -> frozenset[str]:
    return frozenset(term for term in split_terms(text) if not _is_general(term))


@lru_cache(_CACHED_WORDS)
def _is_general(term: str) -> bool:
    """Return whether a word says nothing about a wish's subject: "you", "ist", "peux"."""
    return term in _GENERAL or any(
        term in words for tongue in TONGUES for words in (*tongue.everyday, tongue.mine)
    )


def is_same_matter(wish: str, later: str) -> bool:
    """Return whether two wishes have the same case or, if neither has one, the same subject.

    The subject is the same if they share enough of their subject words.
    """
    (asked, case), (asked_later, case_later) = _matter(wish), _matter(later)
    if case or case_later:
        return bool(case) and case == case_later
    shared = len(asked & asked_later)
    return bool(shared) and shared >= _SAME_SHARE * min(len(asked), len(asked_later))


def find_ended(text: str, earlier: Sequence[str], *, is_done: bool) -> list[int]:
    """Return the indices of earlier texts that this one takes back or, with `is_done`, calls done.

    A text that takes back ends the newest of those that share most stems with it, and all that ask
    for the same. A text that says something is done ends those that share two stems with it, or one
    where it has no more.
    """
    stems = _stems(text)
    shared = [len(stems & _stems(other)) for other in earlier]
    if is_done:
        fewest = min(2, max(1, len(stems)))
        return [at for at, number in enumerate(shared) if number >= fewest]
    most = max(shared, default=0)
    if not most:
        return []
    newest = max(at for at, number in enumerate(shared) if number == most)
    return [
        at
        for at, other in enumerate(earlier)
        if at == newest or (shared[at] and is_same_matter(other, earlier[newest]))
    ]


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of a text's subject words."""
    return frozenset(term[:_STEM] for term in _subject_words(text.replace("’", "'")))
