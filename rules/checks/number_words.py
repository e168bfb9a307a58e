"""Words for numbers in seven languages, and what they are worth."""

from collections.abc import Iterator
from types import MappingProxyType

_UNITS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
    | ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
    siebzehn achtzehn neunzehn
    | un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
    dix-huit dix-neuf
    | uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
    diecisiete dieciocho diecinueve
    | um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis
    dezessete dezoito dezenove
    | uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici
    sedici diciassette diciotto diciannove
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
_IN_GERMAN = 1


def _rows(table: str, first: int, step: int) -> Iterator[tuple[str, int]]:
    """Yield the words of each language's row, with what they are worth."""
    for row in table.split("|"):
        for at, word in enumerate(row.split(), first):
            yield word, at * step


def _of_others() -> Iterator[tuple[str, int]]:
    for value, words in _OTHERS.items():
        for word in words.split():
            yield word, value


def _german_pairs() -> Iterator[tuple[str, int]]:
    """Yield what German writes in one word, ones before tens: "fünfundzwanzig"."""
    units, tens = (table.split("|")[_IN_GERMAN].split() for table in (_UNITS, _TENS))
    for ten, in_tens in enumerate(tens[:8], 2):
        for unit, in_units in enumerate(units[:9], 1):
            yield f"{in_units}und{in_tens}", 10 * ten + unit


NUMBER_WORDS = MappingProxyType(
    dict([*_of_others(), *_german_pairs(), *_rows(_UNITS, 1, 1), *_rows(_TENS, 2, 10)])
)
"""What words for numbers are worth; those of a clock's halves and quarters are minutes."""
