"""Choose the subjects of memories: two to four words that tell a passage from earlier ones.

The names of the two speakers are never chosen. The words come only from the raw messages of the
passage and those before it, so that a subject never depends on when rounds happened. A word is
worth more the more messages of the passage have it, above all the person's, and the fewer messages
before the passage do. Names are worth most, then nouns, as far as their positions in sentences show
them; other words are chosen only where there are too few of these.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, permutations
from math import log
from typing import Literal

from rules.conversation.answer import in_own_words, is_everyday
from rules.extract.languages import MONTHS
from rules.extract.names import find_called_names
from rules.extract.words import has_digit, listed_words

_WORD = re.compile(
    r"[\u30a1-\u30fa\u30fc]{2,12}"  # katakana
    r"|[\u4e00-\u9fff\u3005]{2,6}"  # a run of Han
    r"|[\uac00-\ud7af]{2,8}"  # Hangul
    r"|(?:(?![_\u0e00-\u10ff\u1780-\u17ff\u3005-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
    r"[\w\u0900-\u0dff])++(?!['’]t\b)"  # no part of "didn't"
)
_CACHED_WORDS = 16_384
"""Words for which it is cached whether they name something."""
_LEAST_LETTERS = 4
_MOST_LETTERS = 18
_IS_CROWDED = re.compile(r"[\u3005-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_STEM = 5
_LEAST_WORDS, _MOST_WORDS = 2, 4
_ROOM = 26
_ROOM_OF_TWO = 34
"""The most letters of a subject, and of one of two words: so the questions of a memory stay within
their 60 tokens."""
_PERSON_WEIGHT, _SHORT_WEIGHT = 2.0, 0.7
_KIND_WEIGHTS = {"name": 1.5, "noun": 1.0, "word": 0.7}
_RARITY_EXPONENT = 1.5
"""The exponent of a word's rarity before the passage: common words distinguish no passage."""
_LONG_WORD = 6
"""A word of fewer letters is short and weighs less."""
_SHARE_OF_BEST = 0.3
"""A word that is worth less than this part of the first says little."""
_IS_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_BEGINS_SENTENCE = re.compile(r"(?:\A|[.!?:*#>\"“(-])\W*\Z")
_TITLE = re.compile(
    r"\s*(?:\#+ .*|(?:[-*+•]|\d{1,3}[.)])?\s*\*\*[^*]+\*\*|(?:[-*+•]|\d{1,3}[.)]).{0,60}\Z|[^.!?…。]{1,60}\Z)"
)
"""A heading, a bold label, or a short line without a stop: its capital letters show no names."""

_DETERMINERS = listed_words("a an the my your our their his its this these those each another")
_PREPOSITIONS = listed_words("of in about with into without between through against during")
"""English words after which a noun follows, or an adjective and a noun."""
_AFTER_NOUN = listed_words(
    """
    is are was were has have had will would can could should may might must and or but of in on at
    to for from with without by as that which who where when if than so because while about into
    during after before through between over under i we you they he she it not also only does did
    """
)
"""English words that may follow a noun, but not an adjective before a noun."""
_ARTICLES = listed_words(
    """
    le la les un une du mon ma mes ton ta tes notre nos votre vos leur leurs ce cette ces
    el los las unos unas del mi mis tu tus su sus nuestro nuestra
    os um uma uns umas da dos das na meu minha seu sua
    il lo gli uno della dello dei degli delle nel nella mio mia suo
    der die das den dem ein eine einen einem einer mein meine dein deine
    """
)
"""Articles of languages that put most adjectives after the noun, or capitalize nouns."""
_NO_NOUN = re.compile(
    r".*(?:ing|ться|тся|ешь|ишь|[аиеяую]ть|ый|ая|ое|ые|ого|ому|ыми|ых|ую|[аеїю]є|[ае]ти|ować|owy|owa|owe"
    r"|\w{3,}(?:ала|яла|ила|лась|лся|лись|лося|али|яли|или|ули|ався|ився))\Z"
)
"""Endings of words that are no nouns, unless an article precedes them."""
_GENERAL_NOUNS = listed_words(
    """
    name names type types value values task tasks goal goals plan plans lot bunch piece choice
    choices decision decisions solution solutions situation situations concern concerns reason
    reasons factor factors aspect aspects benefit benefits advantage advantages challenge challenges
    strategy strategies method methods technique techniques practice practices guideline guidelines
    requirement requirements feature features function functions operation operations focus purpose
    impact effect effort efforts progress success quality level levels amount total range scope
    beginning middle future moment date dates deadline deadlines schedule timeline message messages
    response responses request requests input output content section sections structure format style
    version versions update updates information context environment experience experiences
    opportunity opportunities role roles user users code file files page pages error errors problem
    problems ability balance setup insight insights idea ideas thought potential interest system
    systems app apps tool tools data test tests stuff
    lösung entscheidung situation möglichkeit grund gründe ziel ziele plan aufgabe problem teil art
    weise wort worte satz tage woche leben
    décision choix raison objectif problème partie façon manière jour jours
    solución decisión situación opción razón objetivo problema manera forma días
    solução decisão situação opção razão objetivo maneira dias
    soluzione decisione situazione scelta ragione obiettivo modo giorni
    решение ситуация вариант причина цель план задача проблема способ
    """
)
"""Nouns of any conversation, which say nothing about a passage's subject."""

_NUMBERS_AND_DAYS = listed_words(
    """
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred
    thousand today yesterday tomorrow tonight morning evening night weekend monday tuesday wednesday
    thursday friday saturday sunday
    eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend heute
    gestern morgen abend montag dienstag mittwoch donnerstag freitag samstag sonntag
    deux trois quatre cinq sept huit neuf onze douze vingt cent mille aujourd hier demain soir matin
    lundi mardi mercredi jeudi vendredi samedi dimanche
    dos tres cuatro cinco seis siete ocho nueve diez once doce veinte ciento ayer mañana tarde noche
    lunes martes miércoles jueves viernes sábado domingo dois três quatro sete oito nove dez doze
    vinte cem hoje ontem amanhã segunda terça quarta quinta sexta tre quattro cinque sei sette otto
    nove dieci undici dodici venti cento oggi ieri domani sera lunedì martedì mercoledì giovedì
    venerdì sabato domenica
    один одна два две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать
    двадцать тридцать сорок пятьдесят шестьдесят семьдесят сто тысяча сегодня вчера завтра утром
    вечером ночью понедельник вторник среда четверг пятница суббота воскресенье дві чотири шість сім
    вісім дев'ять десять сьогодні вчора завтра понеділок вівторок середа четвер субота неділя dwa
    trzy cztery pięć sześć siedem osiem dziewięć dziesięć dzisiaj wczoraj jutro poniedziałek wtorek
    środa czwartek piątek sobota niedziela iki üç dört beş altı yedi sekiz dokuz yirmi bugün dün
    yarın pazartesi salı çarşamba perşembe cuma cumartesi pazar
    واحد واحدة اثنان اثنين ثلاثة ثلاث أربعة أربع خمسة خمس ستة سبعة سبع ثمانية تسعة عشرة عشر عشرون
    عشرين ثلاثون ثلاثين أربعون أربعين خمسون خمسين ستون ستين سبعون سبعين ثمانون ثمانين تسعون تسعين
    مئة مائة ألف اليوم أمس غدا
    एक दो तीन चार पांच पाँच सात आठ नौ दस बीस आज कल परसों
    今日 昨日 明日 今朝 今夜 昨夜 毎日 今天 昨天 明天 今晚 早上 晚上 一人 二人 一つ 二つ 三つ 一个 两个 三个
    """
)
"""Words for numbers and days, which say when or how many, but not what."""

_Kind = Literal["name", "noun", "word"]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a message, as it is written there."""

    written: str
    kind: _Kind

    @property
    def weight(self) -> float:
        """Return its weight: names count most, and long words more than short ones."""
        is_short = len(self.written) < _LONG_WORD and not _IS_CROWDED.match(self.written)
        return _KIND_WEIGHTS[self.kind] * (
            _SHORT_WEIGHT if is_short and self.kind != "name" else 1.0
        )


@dataclass(frozen=True, slots=True)
class _Message:
    """The words of a message that may name a subject, as stems in order, and neighbouring pairs."""

    by_person: bool
    words: Mapping[str, _Word]
    neighbours: frozenset[tuple[str, str]]


def find_subjects(passages: Iterable[Sequence[tuple[bool, str]]]) -> Iterator[str]:
    """Yield the subject of each passage, in order; "" for one without words to choose from.

    A message is given as whether the person wrote it, and its text.
    """
    before, messages = Counter[str](), 0
    speakers: frozenset[str] = frozenset()
    for passage in passages:
        for is_person in (True, False):  # the names by which one of the two calls the other
            own = (text for by_person, text in passage if by_person is is_person)
            speakers |= find_called_names(own)
        of_messages: list[_Message] = []
        for by_person, text in passage:
            message = _read(by_person, text)
            words = {
                stem: word
                for stem, word in message.words.items()
                if word.written.casefold() not in speakers
            }
            of_messages.append(replace(message, words=words))
        messages += len(passage)
        shown = _choose(_worths(of_messages, before, messages), of_messages)
        yield ", ".join(_in_phrases(shown, of_messages))
        before.update(stem for message in of_messages for stem in message.words)


def shared_subject(of_each: Iterable[str]) -> str:
    """Return the common subject of several passages.

    It has the words that most of their subjects, `of_each`, have.
    """
    counts = Counter(word for subject in of_each for word in subject.split(", ") if word)
    shown: list[str] = []
    for word, _ in counts.most_common():
        if len(shown) < _MOST_WORDS and sum(map(_weight, (*shown, word))) <= _ROOM_OF_TWO:
            shown.append(word)
    return ", ".join(shown)


def _worths(
    of_messages: Sequence[_Message], before: Counter[str], messages: int
) -> dict[str, float]:
    """Return the worth of each word by its stem.

    `messages` is the number of messages up to the passage's end.
    """
    counts: dict[str, float] = {}
    for message in of_messages:
        for stem, word in message.words.items():
            weight = (_PERSON_WEIGHT if message.by_person else 1.0) * word.weight
            counts[stem] = counts.get(stem, 0.0) + weight
    return {
        stem: count * log(messages / (1 + before[stem]) + 1) ** _RARITY_EXPONENT
        for stem, count in counts.items()
    }


def _choose(worths: Mapping[str, float], of_messages: Sequence[_Message]) -> dict[str, str]:
    """Return the words to show by their stems, the best first, as many as there is room for."""
    shown: dict[str, str] = {}
    spent = 0
    for stem in _rank(worths, of_messages):
        word = _as_written(stem, of_messages)
        # Where one word begins with another, they are taken for forms of one.
        folded, others = word.casefold(), map(str.casefold, shown.values())
        if any(other.startswith(folded) or folded.startswith(other) for other in others):
            continue
        room = _ROOM if len(shown) >= _LEAST_WORDS else _ROOM_OF_TWO
        if spent + _weight(word) <= room:
            shown[stem] = word
            spent += _weight(word)
        elif len(shown) >= _LEAST_WORDS:
            break
        if len(shown) == _MOST_WORDS:
            break
    return shown if len(shown) >= _LEAST_WORDS else {}


def _rank(worths: Mapping[str, float], of_messages: Sequence[_Message]) -> list[str]:
    """Return the stems to choose from, the best first; of equal ones the earliest first.

    Where enough names and nouns are worth nearly as much as the best, only these are returned.
    """
    named = {
        stem
        for message in of_messages
        for stem, word in message.words.items()
        if word.kind != "word"
    }
    ranked = sorted(worths, key=lambda stem: (stem not in named, -worths[stem]))
    least = _SHARE_OF_BEST * worths[ranked[0]] if ranked else 0.0
    best = [stem for stem in ranked if stem in named and worths[stem] >= least]
    return best if len(best) >= _LEAST_WORDS else ranked


def _as_written(stem: str, of_messages: Sequence[_Message]) -> str:
    """Return a word as most messages have it; of equally frequent forms, one in small letters.

    Where the word is a name or a noun in some messages, only these count.
    """
    words = [message.words[stem] for message in of_messages if stem in message.words]
    named = [word for word in words if word.kind != "word"]
    forms = Counter(word.written for word in named or words)
    return max(forms, key=lambda form: (forms[form], form.islower()))


def _in_phrases(shown: Mapping[str, str], of_messages: Sequence[_Message]) -> list[str]:
    """Return the shown words, with those joined that mostly follow one another."""
    phrases = dict(shown)
    for first, second in permutations(shown, 2):
        if first not in phrases or second not in phrases:
            continue
        both = sum((first, second) in message.neighbours for message in of_messages)
        each = [sum(stem in message.words for message in of_messages) for stem in (first, second)]
        # At least half of the messages with either word have both in a row.
        if both > 0 and 2 * both >= max(each):
            phrases[first] = f"{phrases[first]} {phrases.pop(second)}"
    return list(phrases.values())


def _read(by_person: bool, text: str) -> _Message:
    words: dict[str, _Word] = {}
    neighbours: set[tuple[str, str]] = set()
    for line in in_own_words(text).splitlines():
        title = _TITLE.match(line)
        titled = title.end() if title else 0
        matches = list(_WORD.finditer(line))
        folded = ["", "", *(match.group().casefold() for match in matches), ""]
        neighbours.update(_in_a_row(line, matches))
        for at, match in enumerate(matches, start=2):
            stem = folded[at][:_STEM]
            earlier = words.get(stem)
            if not _may_name(folded[at]) or (earlier is not None and earlier.kind != "word"):
                continue
            if match.start() >= titled and _is_name(line, match):
                words[stem] = _Word(match.group(), "name")
            elif _is_noun(line, match, folded, at):
                words[stem] = _Word(match.group(), "noun")
            elif earlier is None:
                words[stem] = _Word(match.group(), "word")
    return _Message(by_person, words, frozenset(neighbours))


def _in_a_row(line: str, matches: Sequence[re.Match[str]]) -> Iterator[tuple[str, str]]:
    """Yield the stems of neighbouring words that may be one name or term, with a space between."""
    for first, second in pairwise(matches):
        is_alike = first.group()[0].isupper() is second.group()[0].isupper()
        if is_alike and line[first.end() : second.start()] == " ":
            yield first.group().casefold()[:_STEM], second.group().casefold()[:_STEM]


def _is_name(line: str, match: re.Match[str]) -> bool:
    """Return whether a word has a capital letter that is not the first one of a sentence."""
    if not match.group()[0].isupper():
        return False
    return not _BEGINS_SENTENCE.search(line, max(0, match.start() - 4), match.start())


def _is_noun(line: str, match: re.Match[str], folded: Sequence[str], at: int) -> bool:
    """Return whether word number `at` of a line is a noun, as far as its neighbours show."""
    if not _IS_LATIN.match(folded[at]):
        return not _NO_NOUN.match(folded[at])
    before, after = folded[at - 1], folded[at + 1]
    if before in _ARTICLES:
        return True
    is_last = line[match.end() : match.end() + 1] not in (" ", "-")
    if not is_last and after not in _AFTER_NOUN:
        return False
    if before in _DETERMINERS:
        return True
    is_adverb = folded[at].endswith("ly")
    is_late = folded[at - 2] in _DETERMINERS and not is_everyday(before) and not is_adverb
    return (is_late or before in _PREPOSITIONS) and not _NO_NOUN.match(folded[at])


@lru_cache(_CACHED_WORDS)
def _may_name(folded: str) -> bool:
    """Return whether a casefolded word may name a subject: no number, day, short or general one."""
    if has_digit(folded) or folded in MONTHS or folded in _GENERAL_NOUNS or is_everyday(folded):
        return False
    if folded in _NUMBERS_AND_DAYS or folded.removeprefix("و") in _NUMBERS_AND_DAYS:
        return False
    if _IS_CROWDED.match(folded):
        return True
    return _LEAST_LETTERS <= len(folded) <= _MOST_LETTERS


def _weight(word: str) -> int:
    """Return how much room a word takes, about in Latin letters."""
    return 2 + sum(
        1 if ord(letter) < 0x250 else 2 if ord(letter) < 0x2E80 else 4 for letter in word
    )
