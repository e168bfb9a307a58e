"""The engine's own words in each language, which it puts around sentences that it quotes."""

from dataclasses import dataclass
from typing import Final

from rules.extract.patterns import split_at_bars

_LAST_SPACED = "\u2fff"
"""After a lead that ends with a later character, the script has no space."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The engine's own words in a language."""

    day: str
    """Before `told` and `answered`, with the day in the place of {}."""
    told: str
    answered: str
    person: str
    persona: str
    nothing: str
    """The persona's sentence where it said nothing about itself."""
    nothing_more: str
    """The same where the memory's quote already has what it said about itself."""
    said: str
    """Before a quote of the person's words."""
    advised: str
    promised: str
    corrected: str
    asked: str
    """Before questions and requests of the person, in an analysis."""
    questioned: str
    """Before a question of the persona that the person answers in a word."""
    heard: str
    """Before an analysis that is kept in place of the persona's own memory."""
    date: str
    """A day in words, with {day} and {month}."""
    year: str
    """The same with its year, with {date} and {year}."""
    months: str
    """The months in the form that dates have, in order, separated by spaces."""

    def in_words(self, day: str, before: str = "") -> str:
        """Return an ISO day as the language writes it; any other text as it is.

        The year is left out where the day named `before` is of the same year.
        """
        parts = day.split("-")
        if len(parts) != 3:
            return day
        year, month, number = map(int, parts)
        date = self.date.format(day=number, month=self.months.split()[month - 1])
        is_same_year = before.startswith(f"{parts[0]}-")
        return date if is_same_year else self.year.format(date=date, year=year)


ENGLISH: Final = Frames(
    *split_at_bars("""On {}|you told me:|I answered:|the person said:|the persona said:
    |I did not speak of myself here.|I said no more about myself here.|You said:
    |I advised you:|I promised you:|I corrected:|the person asked:
    |I asked:|I was told:|{day} {month}|{date} {year}
    |January February March April May June July August September October November December""")
)
GERMAN: Final = Frames(
    *split_at_bars("""{}:|du hast mir gesagt:|ich habe geantwortet:|die Person sagte:
    |die Persona sagte:|Von mir selbst habe ich hier nicht gesprochen.
    |Mehr habe ich hier nicht von mir gesagt.|Du hast gesagt:|Ich habe dir geraten:
    |Ich habe dir versprochen:|Ich habe berichtigt:|die Person fragte:
    |ich fragte:|Mir wurde gesagt:|{day}. {month}|{date} {year}
    |Januar Februar März April Mai Juni Juli August September Oktober November Dezember""")
)
FRENCH: Final = Frames(
    *split_at_bars("""{} :|tu m’as dit :|j’ai répondu :|la personne a dit :
    |la persona a dit :|Je n’ai pas parlé de moi ici.|Je n’ai rien dit de plus de moi ici.
    |Tu as dit :|Je t’ai conseillé :|Je t’ai promis :|J’ai corrigé :
    |la personne a demandé :
    |j’ai demandé :|On m’a dit :|{day} {month}|{date} {year}
    |janvier février mars avril mai juin juillet août septembre octobre novembre décembre""")
)
SPANISH: Final = Frames(
    *split_at_bars("""{}:|me dijiste:|respondí:|la persona usuaria dijo:
    |el personaje dijo:|Aquí no hablé de mí.|Aquí no dije nada más de mí.|Dijiste:
    |Te aconsejé:|Te prometí:|Corregí:|la persona usuaria preguntó:
    |pregunté:|Me contaron:|{day} de {month}|{date} de {year}
    |enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre""")
)
PORTUGUESE: Final = Frames(
    *split_at_bars("""{}:|você me disse:|respondi:|a pessoa disse:|a persona disse:
    |Aqui não falei de mim.|Aqui não disse mais nada de mim.|Você disse:
    |Aconselhei a você:|Prometi a você:|Corrigi:|a pessoa perguntou:
    |perguntei:|Contaram-me:|{day} de {month}|{date} de {year}
    |janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro""")
)
ITALIAN: Final = Frames(
    *split_at_bars("""{}:|mi hai detto:|ho risposto:|la persona ha detto:
    |il personaggio ha detto:|Qui non ho parlato di me.|Qui non ho detto altro di me.|Hai detto:
    |Ti ho consigliato:|Ti ho promesso:|Ho corretto:|la persona ha chiesto:
    |ho chiesto:|Mi hanno detto:|{day} {month}|{date} {year}
    |gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre""")
)
RUSSIAN: Final = Frames(
    *split_at_bars("""{}:|твои слова:|мой ответ:|слова человека:|слова персоны:
    |О себе я здесь не говорю.|Больше я о себе здесь не говорю.|Твои слова:
    |Мой совет тебе:|Моё обещание тебе:|Моя поправка:|вопрос человека:
    |мой вопрос:|Мне рассказали:|{day} {month}|{date} {year}
    |января февраля марта апреля мая июня июля августа сентября октября ноября декабря""")
)
UKRAINIAN: Final = Frames(
    *split_at_bars("""{}:|твої слова:|моя відповідь:|слова людини:|слова персони:
    |Про себе я тут не говорю.|Більше я про себе тут не говорю.|Твої слова:
    |Моя порада тобі:|Моя обіцянка тобі:|Моя поправка:|запитання людини:
    |моє запитання:|Мені розповіли:|{day} {month}|{date} {year}
    |січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня""")
)
POLISH: Final = Frames(
    *split_at_bars("""{}:|twoje słowa:|moja odpowiedź:|słowa osoby:|słowa persony:
    |O sobie tu nie mówię.|Więcej o sobie tu nie mówię.|Twoje słowa:
    |Moja rada dla ciebie:|Moja obietnica dla ciebie:|Moja poprawka:|pytanie osoby:
    |moje pytanie:|Powiedziano mi:|{day} {month}|{date} {year}
    |stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia""")
)
TURKISH: Final = Frames(
    *split_at_bars("""{}:|bana söylediğin:|cevabım:|kişinin sözleri:|personanın sözleri:
    |Burada kendimden söz etmedim.|Burada kendimden daha fazla söz etmedim.|Söylediğin:
    |Sana tavsiyem:|Sana sözüm:|Düzeltmem:|kişinin sorusu:
    |sorum:|Bana anlatılan:|{day} {month}|{date} {year}
    |Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık""")
)
ARABIC: Final = Frames(
    *split_at_bars("""{}:|قلت لي:|أجبت:|قال الشخص:|قالت الشخصية:|لم أتحدث هنا عن نفسي.
    |لم أقل هنا عن نفسي أكثر من ذلك.|قلت:|نصحتك:|وعدتك:|صححت:|سأل الشخص:
    |سألت:|قيل لي:|{day} {month}|{date} {year}
    |يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر""")
)
HINDI: Final = Frames(
    *split_at_bars("""{}:|तुमने मुझसे कहा:|मेरा उत्तर:|व्यक्ति ने कहा:|पर्सोना ने कहा:
    |यहाँ मैंने अपने बारे में कुछ नहीं कहा।|यहाँ मैंने अपने बारे में और कुछ नहीं कहा।|तुमने कहा:
    |मेरी सलाह:|मेरा वादा:|मेरा सुधार:|व्यक्ति ने पूछा:
    |मेरा प्रश्न:|मुझे बताया गया:|{day} {month}|{date} {year}
    |जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर""")
)
CHINESE: Final = Frames(
    *split_at_bars(
        """{}，|你对我说：|我回答：|对方说：|角色说：|在这里我没有谈到自己。|除此之外，我在这里没有谈到自己。|你说：|我建议你：|我答应你：|我更正：|对方问：
    |我问：|我被告知：|{month}月{day}日|{year}年{date}
    |1 2 3 4 5 6 7 8 9 10 11 12"""
    )
)
JAPANESE: Final = Frames(
    *split_at_bars("""{}、|あなたは私に言った：|私の答え：|相手の言葉：|ペルソナの言葉：
    |ここでは自分のことは話していない。|ここではこれ以上自分のことは話していない。
    |あなたの言葉：|私の助言：|私の約束：|私の訂正：|相手の問い：
    |私の問い：|私はこう聞いた：|{month}月{day}日|{year}年{date}
    |1 2 3 4 5 6 7 8 9 10 11 12""")
)


def spaced(lead: str) -> str:
    """Return a lead with a space after it, where its script has one."""
    return f"{lead} " if lead and lead[-1] <= _LAST_SPACED else lead
