"""Compare an answer with its passage: its language, and what it repeats.

The language shows by the script, then by the everyday words of the fourteen languages that
rules/extract knows; libraries that know more languages are larger than memproc. A false alarm costs
a call, so in doubt the answer is accepted.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

from rules.extract.languages import TONGUES
from rules.extract.words import length, listed_words, split_terms

_FOREIGN = "The answer is in another language than the conversation."

_FEWEST_WORDS = 5.0
"""A shorter text does not show its language."""
_FEWEST_LETTERS = 30
"""Fewer letters do not show a script."""
_FEWEST_PASSAGE_WORDS = 40
"""Fewer words of a passage do not show its languages."""
_FAIR_SHARE = 0.2
_SCRIPT_SHARE = 0.7
"""An answer is in a script where it has at least this share of the letters."""
_SURE_RATE, _TRACE = 0.11, 0.25
"""The share of everyday words that makes a language sure; and the part of the answer's share that
is a trace of it."""
_FEWEST_EVERYDAY = 4
_RIVAL = 0.8
"""Two languages cannot be told apart where one has at least this part of the other's share."""
_FAMILIAR = 0.4
"""An answer that shares more of its words with the passage is in a language of the passage."""
_KANA_SHARE = 0.05
"""Han with a larger share of kana is Japanese."""

# A quotation's length is limited, or each opening mark would have the whole text searched.
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+"
    r"|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|„[^“”\n]{0,400}[“”]|«[^»\n]{0,400}»|»[^«\n]{0,400}«|「[^」\n]{0,400}」"
    r"|『[^』\n]{0,400}』|‘(?:[^‘’\n]|(?<=\w)’(?=\w)){0,400}’",
    re.DOTALL,
)
_JAPANESE = {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}
_LETTERS_PER_CHARACTER = {"CJK": 3, "HIRAGANA": 2, "KATAKANA": 2, "HANGUL": 2}
_MOST_NEW = 0.2
"""An answer that restates the question has at most this share of other words."""
_EDGE_WORDS = 12
"""The words of a question's beginning and end that an answer may restate."""
_EDGE_SHARE = 0.75
"""The share of these words that the answer must have to restate them."""

_EVERYDAY = listed_words(
    """
    about above actually after again against almost along already also although always among another
    answer answered anything around asked asking away because become been before began begin behind
    being believe best better between both cannot care changed chat clear come comes could deep
    deeply does doing done down during each else enough even every everything example exactly feel
    feeling feelings felt find first from full further gave general get give given goes going good
    great happened happy have having help helped helpful here herself himself hope how however human
    idea important including inside instead into itself just keep kept kind knew know known later
    learned least left less like little long look looked made make making many matter maybe mean
    means meant memory might mind moment more most much must need never next nothing notice noticed
    nice often only open other others over part passage people perhaps person perspective place
    point possible question questions quite rather read really remember right said same saying says
    seem seemed seems sense several shall share shared should show showed simply since some someone
    something sometimes soon state still such summary sure talk talked talking tell than thank that
    their them themselves then there these they thing things think this those though thought through
    time times today together told topic topics toward trying under understand understanding until
    upon used useful user using very view want wanted ways well went were what when where whether
    which while whole whose will with within without word words work would write writing wrong
    yesterday your yourself conversation discussion discussed conversations assistant analysis
    analyzed three four five seven eight nine dozen hundred second third number numbers minute
    minutes hour hours days weeks month months year years morning evening tonight tomorrow monday
    tuesday wednesday thursday friday saturday sunday line lines list lists item items side sides
    case cases examples detail details result results issue issues large small high higher short
    longer quick quickly easy easily hard create created creating provide provided providing ensure
    ensures allow allows allowed improve improved correct correctly check checked currently various
    specific specifically related based across implement implementation approach approaches consider
    considering following follow follows add added adding call called change changes changing hello
    okay suggest suggestion suggestions recommend step steps tips options option start started
    starting stay week please certain effective effectively appears access request available
    different difference complete completed handle handling current review explanation template
    personal project manage managing support process needed achieve achieved especially indicates
    indicate properly occur occurs occurred fourteen fifteen twenty thirty welcome thanks actual
    simple main aber alles allem alle andere anders antwort auch beim bisher dabei dafür damit
    danach dann daran darauf darin darum darüber dass dein deine denn deshalb diese diesem diesen
    dieser dieses doch dort durch eigen eigene einem einen einer eines einfach einige einmal ersten
    etwas frage fragen ganz gefühl gegen gemacht genau gerade gesagt gespräch gesprochen gewesen
    gibt haben habe hatte hatten heute hier hinter ihnen ihre ihrem ihren ihrer immer jetzt jeder
    kann kein keine können könnte konnte machen macht mehr mein meine meinem meinen meiner mensch
    menschen muss nach nichts noch nicht nur ohne oder schon sehr sein seine seinem seinen seiner
    selbst sich sind sollte sondern thema themen über unter viel viele vielleicht vom vor wann waren
    warum weil weiß welche wenig wenn werde werden wieder wird wirklich wissen worden wollte wurde
    wurden wäre würde zeit zusammen zwischen ainsi alors après aucun aussi autre autres avant avait
    avoir beaucoup bien car cela cette celui ceux chaque chose choses comme comment dans depuis deux
    dire dont elle elles encore entre était étaient être fait faire fois jamais leur leurs lorsque
    mais même moins monde notre nous parce parler parlé pendant personne peut plus pour pourquoi
    pouvoir presque puis quand quelque rien sans sera seulement sont sous souvent sujet sujets temps
    tous tout toute toutes toujours très trop votre vous vraiment ahora algo alguien algún alguna
    alguno antes aquel aquella aquello aquí así aunque cada casi como cómo conversación cosa cosas
    cual cuando cuál desde después donde dónde durante ella ellas ellos entonces eran eres esta está
    estaba están estar este esto estos fueron había habían haber hablado hablar hacer hace hacia
    hasta hemos hizo incluso luego mejor menos mientras misma mismo momento mucha mucho muchas
    muchos nada nadie nosotros nuestra nuestro nunca otra otro otras otros para parte persona pero
    poco podía poder porque pregunta primero puede pues quien qué sería siempre sino sobre solo
    somos también tanto tema temas tener tenía tiempo tiene toda todas todo todos usted vamos verdad
    """
)
"""Words of English, German, French and Spanish, in addition to each language's everyday words."""

_LISTS = [words for tongue in TONGUES for words in (tongue.common, tongue.me, tongue.you)]
_WHOLE = _EVERYDAY.union(*(words.whole for words in _LISTS))
_WITH_FORMS = [words for words in _LISTS if words.beginnings]


def why_foreign(answer: str, passage: Sequence[str]) -> str | None:
    """Return why an answer about these messages is in a wrong language; None if it is not.

    The reason is a sentence for the agent. Every language with a fair share of the passage is
    right: a fifth of its messages or of its words. None is also returned where the language cannot
    be told: with fewer than five words, in code, quotations and addresses, between languages that
    are much alike, and in unknown languages.
    """
    # Code, addresses and quotations may be in any language.
    answer, passage = in_own_words(answer), [in_own_words(text) for text in passage]
    words = list(split_terms(answer))
    vocabulary = {word for text in passage for word in split_terms(text)}
    is_familiar = sum(word in vocabulary for word in words) > _FAMILIAR * len(words)
    if length(answer) < _FEWEST_WORDS or is_familiar:
        return None
    return (
        _FOREIGN
        if _is_foreign_script(answer, passage) or _is_foreign_tongue(answer, passage)
        else None
    )


def in_own_words(text: str) -> str:
    """Return the text without code, addresses and quotations."""
    return _QUOTED.sub(" ", text)


def _is_foreign_script(answer: str, passage: Sequence[str]) -> bool:
    """Return whether most of the answer is in a script without a fair share of the passage."""
    own = _scripts(answer)
    script = max(own, key=lambda script: own[script], default="")
    if own[script] < max(_SCRIPT_SHARE * own.total(), _FEWEST_LETTERS):
        return False
    counts = [count for text in passage if (count := _scripts(text))]
    return not _is_fair(
        [(count[script] / count.total(), count.total()) for count in counts], _FEWEST_LETTERS
    )


def _scripts(text: str) -> Counter[str]:
    """Count the text's letters by script; a character that stands for several counts as several."""
    counts: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if script := _script(character):
            counts[script] += times * _LETTERS_PER_CHARACTER.get(script, 1)
    kana = sum(counts.pop(script, 0) for script in _JAPANESE)
    if kana > _KANA_SHARE * (kana + counts["CJK"]):
        kana += counts.pop("CJK", 0)
    return counts + Counter({"KANA": kana})


@cache
def _script(character: str) -> str:
    """Return a letter's script, the first word of its Unicode name; "" for other characters."""
    return unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""


def _is_foreign_tongue(answer: str, passage: Sequence[str]) -> bool:
    """Return whether the answer is surely in a known language that is foreign to the passage.

    A foreign language does not have a fair share of it.
    """
    words = list(split_terms(answer))
    rates = _rates(words)
    rival, best = sorted(rates)[-2:]
    tongue = rates.index(best)
    everyday = {word for word in words if word in TONGUES[tongue].common}
    if best < _SURE_RATE or rival > _RIVAL * best or len(everyday) < _FEWEST_EVERYDAY:
        return False
    return not _is_fair(_shares(passage, tongue, best), _FEWEST_PASSAGE_WORDS)


def _shares(passage: Sequence[str], tongue: int, rate: float) -> list[tuple[float, int]]:
    """Return for each text whether it may be in the language (1 or 0), and how many words it has.

    Texts that are surely in no known language are judged together. `rate` is the share of the
    language's everyday words in the answer.
    """
    texts = [words for text in passage if len(words := list(split_terms(text))) >= _FEWEST_WORDS]
    rated = [(words, _rates(words)) for words in texts]
    unclear = [word for words, rates in rated if max(rates) < _SURE_RATE for word in words]
    may_be_unclear = len(unclear) < _FEWEST_PASSAGE_WORDS or _rates(unclear)[tongue] > _TRACE * rate
    shares: list[tuple[float, int]] = []
    for words, rates in rated:
        may_be = may_be_unclear if max(rates) < _SURE_RATE else rates[tongue] >= _RIVAL * max(rates)
        shares.append((float(may_be), len(words)))
    return shares


def _rates(words: Sequence[str]) -> list[float]:
    """Return for each known language the share of its everyday words among the words."""
    counts = Counter(words)
    return [
        sum(count for word, count in counts.items() if word in tongue.common) / max(1, len(words))
        for tongue in TONGUES
    ]


def _is_fair(shares: Sequence[tuple[float, int]], at_least: int) -> bool:
    """Return whether the shares are a fair part of the texts, or of all units.

    Each share comes with its text's units. Fewer than `at_least` units count as fair.
    """
    total = sum(units for _, units in shares)
    if total < at_least:
        return True
    of_texts = sum(share for share, _ in shares) / len(shares)
    of_units = sum(share * units for share, units in shares) / total
    return max(of_texts, of_units) >= _FAIR_SHARE


def is_restated(answer: str, question: str, given: str = "") -> bool:
    """Return whether the answer is the question, or its beginning or its end, and little else.

    A question may contain a text to work on, `given`; an answer that repeats only that does not
    restate the question.
    """
    words = list(split_terms(answer))
    shared = _in_order(words, list(split_terms(question)))
    if not words or len(words) - shared > _MOST_NEW * len(words):
        return False
    before, _, after = (
        question.partition(given) if given in question and given else (question, "", question)
    )
    begin, end = list(split_terms(before))[:_EDGE_WORDS], list(split_terms(after))[-_EDGE_WORDS:]
    begins = _in_order(words[: 2 * _EDGE_WORDS], begin) >= _EDGE_SHARE * len(begin)
    ends = _in_order(words[-2 * _EDGE_WORDS :], end) >= _EDGE_SHARE * len(end)
    return bool(begin and begins) or bool(end and ends)


def is_repeated(answer: str, earlier: str) -> bool:
    """Return whether both have the same words.

    Case, white space, punctuation and Markdown are ignored.
    """
    words: list[list[str]] = []
    for text in (answer, earlier):
        visible = "".join(
            mark
            for mark in unicodedata.normalize("NFKC", text)
            if unicodedata.category(mark) != "Cf"
        )
        words.append(list(split_terms(visible.replace("_", " "))))
    return bool(words[0]) and words[0] == words[1]


def _in_order(words: Sequence[str], among: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of words."""
    from rapidfuzz.distance import LCSseq  # late: a run with nothing new compares nothing

    return LCSseq.similarity(words, among)


def is_everyday(word: str) -> bool:
    """Return whether a casefolded word is an everyday one, which says nothing about a subject."""
    return word in _WHOLE or any(word in words for words in _WITH_FORMS)
