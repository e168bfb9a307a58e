"""Find invented names and numbers: those in an answer that its writer was nowhere shown.

Names are capitalized words within a sentence, compared by their beginnings, since many languages
inflect them; in German, which capitalizes every noun, those that follow a word for a person. A
number is not invented where it is written in words, or can be computed from two numbers of the
passage: ages, prices and lengths of time follow from what was said, as do the weeks of a year; and
of two numbers that follow from each other only one is new. Small numbers count things, so they are
invented only along with a large one; days of a month do not count.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, groupby, pairwise

from rules.checks.words import DAYS_AND_FEASTS, PERSONS
from rules.conversation.answer import in_own_words, is_everyday
from rules.extract.languages import MONTHS, TONGUES, UNKNOWN, find_tongue_of
from rules.extract.sentences import find_prose_sentences
from rules.extract.words import split_terms

_FEWEST_INVENTED = 2
"""The fewest names or numbers that count as invented; one may be a figure of speech, or a slip."""
_GERMAN = TONGUES[1]
_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,' ]\d{3}(?!\d))*(?=[^\W\d_]{0,3}(?!\w))")
_SMALL = 12
_LONGEST_MONTH = 31
_YEARS = range(1900, 2101)
_CALENDAR_NUMBERS = frozenset({24, 26, 52, 60, 365, 366})
"""Hours of a day, fortnights and weeks of a year, seconds and minutes, days of a year."""
_MOST_FIGURES = 24
"""The most figures of a message that are added and subtracted.

Sums and differences of more could be any number.
"""
_SCORE = 20
_HUNDRED = 100
_INITIALS = 2
_BEGINNING = 4
_UNITS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
    | ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    sechzehn siebzehn achtzehn neunzehn
    | un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize
    dix-sept dix-huit dix-neuf
    | uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
    diecisiete dieciocho diecinueve
    | um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis
    dezessete dezoito dezenove
    | uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici
    quindici sedici diciassette diciotto diciannove
    | один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать
    четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать"""
_TENS = """
    twenty thirty forty fifty sixty seventy eighty ninety hundred
    | zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert
    | vingt trente quarante cinquante soixante septante octante nonante cent
    | veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien
    | vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem
    | venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento
    | двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто"""
_OTHERS = {
    12: "dozen dutzend douzaine docena dúzia dozzina дюжина",
    15: "quarter viertel quart cuarto quarto четверть",
    30: "half halb halbe demi demie media meia mezza половина",
    100: "cents ciento hundreds",
    1000: "thousand grand tausend tsd mille mil mila тысяча тысяч тысячи тыс",
}
"""Other words for numbers, in the same seven languages."""
_IN_GERMAN = 1
"""The index of German in `_UNITS` and `_TENS`."""


def are_invented(answer: str, passage: Sequence[str], seen: Sequence[str]) -> bool:
    """Return whether an answer has two numbers, or two names, that its writer was nowhere shown.

    `passage` are the messages that it is about, `seen` all other texts that its writer was shown.
    """
    own = in_own_words(answer)
    tongue = find_tongue_of(passage)
    names = set() if tongue is UNKNOWN else set(_names(own, after_noun=tongue is _GERMAN))
    numbers = set(_read_numbers(own))
    if len(names) < _FEWEST_INVENTED and len(numbers) < _FEWEST_INVENTED:
        return False
    in_view = "\n".join((*passage, *seen)).casefold()
    unknown_names = [name for name in names if not _is_in_view(name, in_view)]
    if len(unknown_names) >= _FEWEST_INVENTED:
        return True
    known = {int(digits) for digits in re.findall(r"\d+", in_view) if len(digits) < 19}
    known |= {value for _, value in _figures(in_view)} | _CALENDAR_NUMBERS
    unknown = [
        number
        for number in numbers - known
        if number <= _SMALL or not _follows(number, known, passage)
    ]
    return len(_independent(unknown, known)) >= _FEWEST_INVENTED and max(unknown) > _SMALL


def _names(text: str, *, after_noun: bool) -> Iterator[str]:
    """Yield the names within the sentences of a text, casefolded; each may have several words.

    With `after_noun`, for a language that capitalizes all nouns, a name is what follows a noun for
    a person, or several capitalized words in a row.
    """
    for sentence in find_prose_sentences(text):
        for has_capitals, run in groupby(sentence.split(), key=_has_capital):
            words = list(run)
            is_first = sentence.startswith(words[0])
            if is_first and (not after_noun or is_everyday(words[0].casefold())):
                words = words[1:]
            if after_noun:
                is_person = bool(words) and words[0].casefold() in PERSONS
                words = words[is_person:] if is_person or len(words) > 1 else []
            name = [
                word
                for word in split_terms(" ".join(words))
                if not (is_everyday(word) or word in MONTHS or word in DAYS_AND_FEASTS)
            ]
            if has_capitals and name:
                yield " ".join(name)


def _has_capital(word: str) -> bool:
    letters = word.lstrip("\"'“‘«(")
    return len(letters) > _INITIALS and letters[0].isupper()


def _is_in_view(name: str, in_view: str) -> bool:
    """Return whether a word of a name begins like a word in view."""
    return any(re.search(rf"\b{re.escape(word[:_BEGINNING])}", in_view) for word in name.split())


def _read_numbers(text: str) -> Iterator[int]:
    """Yield the numbers that a text has in figures, without days of a month."""
    for match in _NUMBER.finditer(text):
        value = int(re.sub(r"\D", "", match[0]))
        # A day of a month has the month, or the rest of a date in figures, next to it.
        around = text[max(0, match.start() - 14) : match.end() + 14]
        is_dated = any(term in MONTHS for term in split_terms(around)) or re.search(
            r"\d[-./]\d{1,2}[-./]|\d{4}-\d\d|月|日", around
        )
        if value > _LONGEST_MONTH or not is_dated:
            yield value


def _independent(numbers: Sequence[int], known: set[int]) -> list[int]:
    """Return the numbers without those that are a larger one minus a known number above 12."""
    independent: list[int] = []
    for number in sorted(numbers, reverse=True):
        if not any(_SMALL < more - number in known - _CALENDAR_NUMBERS for more in independent):
            independent.append(number)
    return independent


def _follows(number: int, known: set[int], passage: Sequence[str]) -> bool:
    """Return whether a number can be computed from those of one message, or from years."""
    years = [year for year in known if year in _YEARS]
    if any(abs(first - second) == number for first, second in combinations(years, 2)):
        return True
    if number in _YEARS and any(
        abs(number - year) <= 1 or year - number in known for year in years
    ):
        return True
    return any(number in _compute(text) for text in passage)


@lru_cache(256)
def _compute(text: str) -> frozenset[int]:
    """Return what can be computed from a message's figures: sums of two, halves and doubles."""
    figures = sorted({value for _, value in _figures(text.casefold())})[:_MOST_FIGURES]
    results = {sum(figures), *(value // 2 for value in figures), *(value * 2 for value in figures)}
    for less, more in combinations(figures, 2):
        results |= {more - less, more + less, more * less}
        results |= {100 * less // more} if more else set()
    return frozenset(results)


@lru_cache(512)
def _figures(text: str) -> tuple[tuple[int, int], ...]:
    """Return the numbers of a casefolded text, in figures and in words, each with its position."""
    figures = [
        (match.start(), int(re.sub(r"\D", "", match[0])))
        for match in _NUMBER.finditer(text)
        if len(match[0]) < 19
    ]
    words = tuple(split_terms(text))
    worth = _number_words()
    spelled = [(at, worth[word]) for at, word in enumerate(words) if word in worth]
    figures += spelled
    for at, (count, unit) in enumerate(pairwise(words)):
        if count.isdecimal() and worth.get(unit, 0) >= _HUNDRED and len(count) < 19:
            figures.append((at, int(count) * worth[unit]))  # "9 grand"
    for (at, first), (next_at, second) in pairwise(spelled):
        if next_at - at > 2:
            continue
        if first > second:  # "twenty-five", "dos mil y cien"
            figures.append((at, first + second))
        elif first < second and second >= _SCORE:  # "five hundred", "quatre-vingt"
            figures.append((at, first * second))
    return tuple(figures)


@cache
def _number_words() -> dict[str, int]:
    """Return the values of words for numbers; a half and a quarter count as minutes."""
    worth = {word: value for value, words in _OTHERS.items() for word in words.split()}
    units, tens = ([row.split() for row in table.split("|")] for table in (_UNITS, _TENS))
    for ten, in_tens in enumerate(tens[_IN_GERMAN][:8], 2):
        for unit, in_units in enumerate(units[_IN_GERMAN][:9], 1):
            worth[f"{in_units}und{in_tens}"] = 10 * ten + unit  # one word, ones before tens
    worth |= {word: value for row in units for value, word in enumerate(row, 1)}
    return worth | {word: 10 * ten for row in tens for ten, word in enumerate(row, 2)}
