"""The forms of wishes in the languages of which plain orders alone are known."""

from typing import Final

from rules.extract.wish_forms.forms import NONE, WishForms

UKRAINIAN: Final = WishForms(
    NONE,
    r"""(?:(?:і|й|а|ще|до речі|також|ок)[,:]? +|будь ласка,? +|пам'ятай[,:]? +){0,3}
    (?:(?:відтепер|віднині|надалі|з цього моменту|на майбутнє)\b|(?:називай|клич)(?:те)? мене\b
    |завжди (?!я\b|він\b|вона\b|був|так\b|\S+(?:в|ла|ли|ло)\b)\w|ніколи (?:більше )?не \S+(?:й|йте|и|іть|ь)\b
    |більше не \S+(?:й|йте|и|іть)\b)""",
    r"""(?:\bбудь ласка\b.*\b(?:завжди|ніколи|більше не)\b|\b(?:завжди|ніколи)\b.*\bколи я (?:тебе |вас )?
    (?:питаю|запитую|запитаю|прошу)\b)""",
)

POLISH: Final = WishForms(
    NONE,
    r"""(?:(?:i|a|też|także|przy okazji|ok)[,:]? +|proszę,? +|pamiętaj[,:]? +){0,3}
    (?:(?:od teraz|od tej pory|od dziś|odtąd|na przyszłość|w przyszłości)\b|(?:mów (?:mi|do mnie)|nazywaj mnie)\b
    |zawsze (?!\S+(?:łem|łam|ł|ła|li|ły)\b|ja\b|tak\b|jest\b)\w|nigdy (?:więcej )?nie \S+(?:j|uj|aj|ij|sz|cie|ż|w|z)\b
    |nie \S+(?:j|uj|aj|ij|w|z) (?:już )?(?:nigdy|więcej)\b)""",
    r"""(?:\bproszę\b.*\b(?:zawsze|nigdy)\b|\b(?:zawsze|nigdy)\b.*\b(?:kiedy|gdy) (?:cię |o to )?
    (?:pytam|zapytam|proszę|poproszę)\b)""",
)

TURKISH: Final = WishForms(
    NONE,
    r"""(?:(?:ve|ayrıca|bu arada|tamam)[,:]? +|lütfen,? +){0,3}
    (?:bundan (?:sonra|böyle)\b|(?:her zaman|daima|asla|hiçbir zaman)\s+
    (?!.*(?:[dt][ıiuü]m|[ıiuü]yorum|[ae]r[ıi]m|[ıi]r[ıi]m|[dt][ıiuü]k)[.!]*$)\w|bana \S+ (?:de|diye hitap et)\b)""",
    r"""(?:\blütfen\b.*\b(?:her zaman|daima|asla|bir daha)\b|\b(?:her zaman|daima|asla)\b.*\b(?:sorduğumda|sorarsam
    |istediğimde)\b|\b(?:sorduğumda|sorarsam)\b.*\b(?:her zaman|daima|asla)\b)""",
)

ARABIC: Final = WishForms(
    NONE,
    r"""(?:(?:و|أيضا|أيضًا|كذلك)[,،:]? *|من فضلك،? +|رجاء،? +){0,3}
    (?:من الآن (?:فصاعدا|فصاعدًا|فصاعداً)?|من اليوم فصاعدا|(?:دائما|دائمًا|دائماً|دوما|دومًا) (?!كنت|كان|ما )\w
    |لا \S+ (?:\S+ ){0,6}(?:أبدا|أبدًا|أبداً|مرة أخرى)|نادني|ناديني|سمني)""",
    r"""(?:(?:دائما|دائمًا|دائماً|أبدا|أبدًا).*(?:عندما|حين|كلما) (?:أسأل|سألت|أطلب)
    |(?:من فضلك|رجاء).*(?:دائما|دائمًا|أبدا|أبدًا))""",
)

HINDI: Final = WishForms(
    NONE,
    r"""(?:(?:और|साथ ही|कृपया),? +){0,3}(?:(?:अब से|आगे से|आज से|आज के बाद)\s
    |हमेशा .*(?:ो|ें|एं|इए|िए|िएगा|ना|करो|दो)[।.!]*$|.*कभी (?:भी )?(?:मत|न) .*(?:ो|ें|िए|ना)[।.!]*$
    |मुझे \S+ (?:कहकर|कह कर|नाम से) (?:बुला|पुकार))""",
    r"(?:जब (?:भी )?मैं .*(?:पूछूँ|पूछूं|पूछूंगा|कहूँ|कहूं).*(?:हमेशा|कभी)|हमेशा.*जब (?:भी )?मैं .*(?:पूछ|कह)|कृपया.*(?:हमेशा|कभी (?:मत|न)))",
)
