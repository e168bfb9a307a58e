"""The forms of standing wishes by language: what an order that holds for good looks like, and what only looks so.

Each pattern is read without line breaks, and without regard to case.
"""

from dataclasses import dataclass
from typing import Final

from rules.extract.patterns import any_case, join_lines


@dataclass(frozen=True, slots=True)
class WishForms:
    """The forms of wishes in one language, as regular expressions, and the engine's words before them."""

    asked: str
    """Introduces the wishes in a memory."""
    start: str
    """An order, right at the beginning of a sentence."""
    within: str
    """An order anywhere in a sentence."""
    preference: str
    """A preference in the first person, which counts in a question too."""


_ENGLISH_LEAD = r"""
    (?:(?:and|also|but|so|ok|okay|oh|well|btw|by the way|hey|hi|one (?:more|last) thing|just|then|plus|remember|note
    |reminder|important|ps|p\.s\.)[,:;!.]? +|(?:and )?please,? +|kindly +|you (?:should|must|can|may) +
    |i(?: want| need|'d like| would like) you to +|(?:make sure|be sure|remember|try)(?: to| that you| you)? +){0,4}"""
_NO_ORDER = r"""
    (?!\S*(?<!ne)(?<!fe)(?<!emb)(?<!spe)(?<!proce)(?<!exce)ed\b|\w+ing\b|(?:mind|again|been|had|has|have i|knew|known
    |thought|saw|seen|heard|said|felt|met|got|gotten|went|gone|done|did|took|even|really|once|before|quite|a|an|the|this
    |that|these|those|in|on|at|for|to|with|good|great|nice|happy|glad|fun|sad|was|is|were|are|would|will|could|i|i've
    |i'm|he|she|we|they|it|you|my|his|her|our|their|too|so|more|less|one|some|any|as|such|not|told|made|came|found
    |lost|left|love|loves|enough|there|true|sure)\b)"""
_NOT_A_CALL = r"""
    (?!when|if|later|back|on\b|at\b|in\b|once|after|before|today|tomorrow|tonight|a\b|an\b|the\b|crazy|old|out|up|any)"""

FORMS: Final = (
    WishForms(  # English
        "You asked me:",
        rf"""{_ENGLISH_LEAD}(?:(?:always|never|never ever|don't ever|do not ever) +{_NO_ORDER}\w
        |(?:from (?:now|here|this point|today) (?:on|onwards?|forward)(?: out)?|going forward|henceforth
        |(?:in|for) (?:the |all )?future(?: replies| answers| messages)?,)\b
        |(?:don't|do not|stop) .*\b(?:ever|again|anymore|any more|from now on)\b
        |(?:call|address) me (?:as |by )?{_NOT_A_CALL}\w
        |keep (?:your|all|the|my) (?:answers|replies|responses|messages|explanations)\b
        |(?:whenever|every time|each time|any time) i (?:ask|say|mention|write|tell|send|share|talk|paste|post)\b
        [^,]*,(?: then)? (?!he\b|she\b|they\b|it\b|it's|we\b|i\b|i'm|i've|my\b|the\b|people|everyone|that\b|there\b)\w)""",
        r"""(?:\b(?:always|never)\b.*\bwhen(?:ever)? i (?:ask|say|mention|write|talk|request)
        |\bplease\b[^.!?]{0,60}\b(?:always|never)\b(?! +(?:been|had|mind)\b)
        |\bplease (?:don't|do not|stop) (?:call|us|say|mention|remind|apologi|add|includ|writ|end|start|begin)\w*\b
        |\bi(?: want| need|'d like| would like) you to (?:always|never|stop|call me|address me)\b
        |\byou (?:should|must|have to|need to) (?:always|never)\b|\bfrom now on\b.*\b(?:you|please|i want|i'd like)\b
        |\b(?:you|please|i want you to|i'd like you to|rules?|requests?)\b.*\bfrom now on\b
        |\b(?:when|if) i (?:ask|say|mention)\b[^,]*, (?:please|always|never|you should|i want you|i'd like)\b)""",
        r"""(?<!should )(?<!do )(?<!did )(?<!would )(?<!can )(?<!must )(?<!why )
        \bi(?:'d| would)? (?:really |much |strongly |generally |usually |always )?prefer\b|\bi(?:'d| would) rather you\b""",
    ),
    WishForms(  # German
        "Du hast mich gebeten:",
        r"""(?:(?:und|also|ach|übrigens|noch etwas|außerdem|ok|okay|nein|ja)[,:]? +|bitte,? +|denk daran,? +){0,3}
        (?:(?:ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun) an|in zukunft|künftig|zukünftig|fortan)\b
        |(?:immer|stets|niemals|nie) (?!wieder\b|mehr\b|schon\b|noch\b|war|hab|hatte|ich\b|er\b|sie\b|wir\b|so\b|gut)\w.*en\b
        |(?:nenn|sag|schreib|antworte?|verwend|benutz|nutz|gib|zeig|formatier|frag|erinner|sprich|halt|mach|nimm|erklär
        |füg|lass|duz|siez|erwähn|achte?|beginn)(?:e|en sie)?\b.*\b(?:immer|stets|niemals|nie|nie wieder|nicht mehr)\b
        |(?:nenn|nenne|nennen sie) mich\b)""",
        r"""(?:\bbitte\b.*\b(?:immer|stets|niemals|nie|nicht mehr)\b|\b(?:du sollst|sie sollen|ich möchte, dass du|ich will,
        dass du)\b.*\b(?:immer|stets|niemals|nie)\b|^(?!.*\bich\b.*\b(?:immer|nie)).*\b(?:immer|stets|niemals|nie)\b.*
        \bwenn ich\b.*\b(?:frage|bitte|schreibe|sage|erwähne)\b|\bwenn ich\b[^,]*\b(?:frage|bitte|sage|erwähne),
        (?: dann)?.*\b(?:immer|stets|nie|niemals|bitte)\b)""",
        r"\bich bevorzuge\b|\bich (?:hätte|mag|möchte) (?:\w+ ){0,3}lieber\b|\bmir (?:ist|wäre) (?:\w+ ){0,3}lieber\b",
    ),
    WishForms(  # French
        "Tu m’as demandé :",
        r"""(?:(?:et|aussi|alors|au fait|ok)[,:]? +|s'il (?:te|vous) plaît,? +|merci de +){0,3}
        (?:(?:à partir de maintenant|désormais|dorénavant|à l'avenir)\b|toujours \w+(?:er|ir|re)\b|ne jamais \w
        |ne (?:\S+ ){1,3}(?:plus )?jamais\b|n'\S+ (?:plus )?jamais\b|appelle(?:z)?-moi\b
        |(?:utilise|réponds|écris|donne|mets|ajoute|montre|indique|inclus|rappelle|formate|garde|parle|dis|fais|explique
        |répondez|écrivez|mettez|dites|faites)z?\b.*\b(?:toujours|jamais|systématiquement)\b)""",
        r"""(?:\b(?:s'il (?:te|vous) plaît|merci de)\b.*\b(?:toujours|jamais|ne plus)\b
        |^(?!.*\bj['e] .*\b(?:toujours|jamais)).*\b(?:toujours|jamais)\b.*
        \bquand je (?:te |vous )?(?:demande|pose|parle)\b)""",
        r"\bje (?:préfère|préférerais)\b|\bj'aimerais mieux que tu\b",
    ),
    WishForms(  # Spanish
        "Me pediste:",
        r"""(?:(?:y|también|además|oye|ok)[,:]? +|por favor,? +|recuerda,? +){0,3}
        (?:(?:a partir de ahora|de ahora en adelante|en adelante|desde ahora)\b|ll[áa]m(?:ame|eme)\b
        |siempre (?!he\b|ha\b|había|fui|fue|era|me\b|yo\b|que\b|lo mismo|es\b|está|hay)\w
        |nunca (?:me )?\w+(?:es|as)\b|no (?:me )?\w+(?:es|as) (?:nunca|más)\b
        |(?:usa|responde|escribe|da|dame|pon|añade|muestra|incluye|recuerda|formatea|habla|di|haz|explica)\b.*
        \b(?:siempre|nunca)\b)""",
        r"""(?:\bpor favor\b.*\b(?:siempre|nunca|no vuelvas)\b|\b(?:siempre|nunca)\b.*\bcuando (?:te |le )?
        (?:pregunte|pregunto|pida|pido|hable)\b|\bquiero que (?:siempre|nunca)\b)""",
        r"\b(?:yo )?(?:prefiero|preferiría)\b",
    ),
    WishForms(  # Portuguese
        "Você me pediu:",
        r"""(?:(?:e|também|além disso|ok)[,:]? +|por favor,? +|lembre-se[,:]? +){0,3}
        (?:(?:a partir de agora|de agora em diante|daqui em diante|daqui para a frente|doravante)\b
        |me cham[ea]\b|chame-me\b|sempre (?!fui|foi|era|tive|quis|que\b|eu\b|o mesmo|é\b|há\b)\w
        |nunca (?!he\b|ha\b|fue\b|era\b)(?:me )?\w+[ea]\b
        |(?:use|responda|escreva|dê|coloque|adicione|mostre|inclua|lembre|formate|fale|diga|faça|explique)\b.*
        \b(?:sempre|nunca)\b)""",
        r"""(?:\bpor favor\b.*\b(?:sempre|nunca)\b|\b(?:sempre|nunca)\b.*\bquando eu (?:te |lhe )?
        (?:perguntar|pergunto|pedir|peço|falar)\b|\bquero que (?:você )?(?:sempre|nunca)\b)""",
        r"\b(?:eu )?(?:prefiro|preferiria)\b",
    ),
    WishForms(  # Italian
        "Mi hai chiesto:",
        r"""(?:(?:e|anche|inoltre|ok)[,:]? +|per favore,? +|ricorda[,:]? +){0,3}
        (?:(?:d'ora in (?:poi|avanti)|da ora in poi|da adesso in poi|in futuro)\b|(?:chiamami|mi chiami)\b
        |sempre \w+(?:re|rsi)\b|non \w+(?:re|rmi|rti|armi)? ?mai\b|mai più \w
        |(?:usa|rispondi|scrivi|dai|dammi|metti|aggiungi|mostra|includi|ricorda|formatta|parla|dì|fai|spiega)\b.*
        \b(?:sempre|mai)\b)""",
        r"""(?:\bper favore\b.*\b(?:sempre|mai)\b|\b(?:sempre|mai)\b.*\bquando (?:ti |le )?(?:chiedo|domando|parlo)\b
        |\bvoglio che (?:tu )?(?:sempre|mai)\b)""",
        r"\b(?:io )?(?:preferisco|preferirei)\b",
    ),
    WishForms(  # Russian
        "Твои просьбы:",
        r"""(?:(?:и|а|ещё|еще|кстати|также|ок)[,:]? +|пожалуйста,? +|помни[,:]? +){0,3}
        (?:(?:отныне|впредь|в дальнейшем|с этого момента|с этих пор|теперь всегда|на будущее)\b
        |(?:зови|называй)(?:те)? меня\b|всегда (?!я\b|он\b|она\b|был|так\b|\S+л[аои]?\b|\S+лс[яь]\b)\w
        |никогда (?:больше )?не \S+(?:й|йте|и|ите|ь|ьте)\b
        |(?:больше )?не \S+(?:й|йте|и|ите) (?:мне |меня )?(?:больше|никогда)\b
        |больше не \S+(?:й|йте|и|ите)\b)""",
        r"""(?:\bпожалуйста\b.*\b(?:всегда|никогда|больше не)\b|\b(?:всегда|никогда)\b.*\bкогда я (?:тебя |вас )?
        (?:спрашиваю|спрошу|прошу|попрошу)\b)""",
        r"\bя (?:бы )?(?:предпочитаю|предпочёл|предпочел|предпочла)\b|^предпочитаю\b",
    ),
    WishForms(  # Ukrainian
        "Твої прохання:",
        r"""(?:(?:і|й|а|ще|до речі|також|ок)[,:]? +|будь ласка,? +|пам'ятай[,:]? +){0,3}
        (?:(?:відтепер|віднині|надалі|з цього моменту|на майбутнє)\b|(?:називай|клич)(?:те)? мене\b
        |завжди (?!я\b|він\b|вона\b|був|так\b|\S+(?:в|ла|ли|ло)\b)\w|ніколи (?:більше )?не \S+(?:й|йте|и|іть|ь)\b
        |більше не \S+(?:й|йте|и|іть)\b)""",
        r"""(?:\bбудь ласка\b.*\b(?:завжди|ніколи|більше не)\b|\b(?:завжди|ніколи)\b.*\bколи я (?:тебе |вас )?
        (?:питаю|запитую|запитаю|прошу)\b)""",
        r"\bя (?:волію|надаю перевагу|віддаю перевагу)\b",
    ),
    WishForms(  # Polish
        "Twoje prośby:",
        r"""(?:(?:i|a|też|także|przy okazji|ok)[,:]? +|proszę,? +|pamiętaj[,:]? +){0,3}
        (?:(?:od teraz|od tej pory|od dziś|odtąd|na przyszłość|w przyszłości)\b|(?:mów (?:mi|do mnie)|nazywaj mnie)\b
        |zawsze (?!\S+(?:łem|łam|ł|ła|li|ły)\b|ja\b|tak\b|jest\b)\w|nigdy (?:więcej )?nie \S+(?:j|uj|aj|ij|sz|cie|ż|w|z)\b
        |nie \S+(?:j|uj|aj|ij|w|z) (?:już )?(?:nigdy|więcej)\b)""",
        r"""(?:\bproszę\b.*\b(?:zawsze|nigdy)\b|\b(?:zawsze|nigdy)\b.*\b(?:kiedy|gdy) (?:cię |o to )?
        (?:pytam|zapytam|proszę|poproszę)\b)""",
        r"\b(?:wolę|wolałbym|wolałabym|preferuję)\b",
    ),
    WishForms(  # Turkish
        "Benden istediklerin:",
        r"""(?:(?:ve|ayrıca|bu arada|tamam)[,:]? +|lütfen,? +){0,3}
        (?:bundan (?:sonra|böyle)\b|(?:her zaman|daima|asla|hiçbir zaman)\s+
        (?!.*(?:[dt][ıiuü]m|[ıiuü]yorum|[ae]r[ıi]m|[ıi]r[ıi]m|[dt][ıiuü]k)[.!]*$)\w|bana \S+ (?:de|diye hitap et)\b)""",
        r"""(?:\blütfen\b.*\b(?:her zaman|daima|asla|bir daha)\b|\b(?:her zaman|daima|asla)\b.*\b(?:sorduğumda|sorarsam
        |istediğimde)\b|\b(?:sorduğumda|sorarsam)\b.*\b(?:her zaman|daima|asla)\b)""",
        r"\btercih eder(?:im|dim)\b|\btercih ediyorum\b",
    ),
    WishForms(  # Arabic
        "طلبت مني:",
        r"""(?:(?:و|أيضا|أيضًا|كذلك)[,،:]? *|من فضلك،? +|رجاء،? +){0,3}
        (?:من الآن (?:فصاعدا|فصاعدًا|فصاعداً)?|من اليوم فصاعدا|(?:دائما|دائمًا|دائماً|دوما|دومًا) (?!كنت|كان|ما )\w
        |لا \S+ (?:\S+ ){0,6}(?:أبدا|أبدًا|أبداً|مرة أخرى)|نادني|ناديني|سمني)""",
        r"""(?:(?:دائما|دائمًا|دائماً|أبدا|أبدًا).*(?:عندما|حين|كلما) (?:أسأل|سألت|أطلب)
        |(?:من فضلك|رجاء).*(?:دائما|دائمًا|أبدا|أبدًا))""",
        r"أفضّل|\bأفضل (?:أن|استخدام|الإجابات|الردود)",
    ),
    WishForms(  # Hindi
        "तुमने मुझसे कहा है:",
        r"""(?:(?:और|साथ ही|कृपया),? +){0,3}(?:(?:अब से|आगे से|आज से|आज के बाद)\s
        |हमेशा .*(?:ो|ें|एं|इए|िए|िएगा|ना|करो|दो)[।.!]*$|.*कभी (?:भी )?(?:मत|न) .*(?:ो|ें|िए|ना)[।.!]*$
        |मुझे \S+ (?:कहकर|कह कर|नाम से) (?:बुला|पुकार))""",
        r"(?:जब (?:भी )?मैं .*(?:पूछूँ|पूछूं|पूछूंगा|कहूँ|कहूं).*(?:हमेशा|कभी)|हमेशा.*जब (?:भी )?मैं .*(?:पूछ|कह)|कृपया.*(?:हमेशा|कभी (?:मत|न)))",
        r"मुझे .*(?:ज़्यादा|ज्यादा|अधिक) पसंद (?:है|हैं)",
    ),
    WishForms(  # Chinese
        "你要求我：",
        r"""(?:另外|还有|对了|而且|好的|那么)?[，,：:]?(?:从现在(?:起|开始)|从今(?:天|往后|以后)(?:起|开始)?
        |(?:以后|今后|往后)(?:请|都|不要|别|每次|要|你|，)|请?(?:总是|始终|一直|务必|永远)(?!是|在|有|没|很)
        |请?(?:永远|绝对|千万)?(?:不要|别)再|请?(?:永远|千万|绝对)(?:不要|别)|请?(?:你)?(?:叫我|称呼我)
        |请?每(?:次|当)我(?:问|说|提|发))""",
        r"(?:(?:当|每次|每当|如果)我(?:问|说|提到|发).*(?:请|总是|始终|一定|永远|都要)|请.*(?:总是|始终|永远|每次都)|(?:总是|始终|永远).*(?:当|每次)我(?:问|说|提))",
        r"我(?:更喜欢|比较喜欢|偏好|更愿意|宁愿|倾向于)",
    ),
    WishForms(  # Japanese
        "あなたの頼み：",
        r"""(?:あと|それと|また|では|じゃあ)?[、,]?(?:これから(?:は|も)|今後(?:は|も)|以後(?:は)?
        |(?:いつも|常に|必ず|毎回).*(?:ください|下さい|て(?:ね|よ)?[。！!]*$|こと[。！!]*$|ほしい|欲しい|しろ|せよ)
        |(?:決して|絶対に|二度と|もう).*(?:ないで|しないこと))""",
        r"(?:(?:いつも|常に|必ず|毎回).*(?:ください|下さい|ほしい|欲しい)|(?:聞い|尋ね|質問し)た(?:ら|とき|時|場合)(?:は|に)?.*(?:ください|下さい|ほしい|欲しい)|(?:と|って)呼んで)",
        r"(?:方|ほう)が(?:好き|いい|良い)(?:です|な|だ|と)|好みます",
    ),
)
"""The forms by language, in the order of TONGUES."""


STARTS: Final = tuple(any_case(f"^(?:{join_lines(forms.start)})") for forms in FORMS)
WITHIN: Final = tuple(any_case(forms.within) for forms in FORMS)
PREFERENCES: Final = tuple(any_case(forms.preference) for forms in FORMS)
DRAFT: Final = any_case(r"""
    ^\W*(?:(?:dear|subject|re|sehr geehrte\w*|liebe[rs]?|betreff|cher|chère|objet|estimad[oa]s?|querid[oa]s?|asunto
    |prezad[oa]s?|assunto|gentile|egregio|oggetto|уважаем\w+|тема|шановн\w+|szanown\w+|temat|sayın|konu|عزيزي|الموضوع|प्रिय|विषय|尊敬的
    |主题|件名|拝啓)\b|(?:template|example|sample|draft|entwurf|vorlage|beispiel|brouillon|exemple|modèle|borrador|ejemplo
    |plantilla|rascunho|exemplo|modelo|bozza|esempio|черновик|пример|чернетка|приклад|szkic|przykład|taslak|örnek|مسودة|مثال
    |मसौदा|उदाहरण|草稿|例子|下書き|例)\b[^\n]{0,40}[:：])""")
"""A line with which a letter or a sample begins."""
ANNOUNCED: Final = any_case(r"""
    \b(?:drafts?|e-?mails?|letter|essay|post|paragraph|story|poem|bio|review|speech|article|text|script|caption|lyrics
    |says?|said|wrote|reads?|writes?|entwurf|brief|text|aufsatz|schreibt|schrieb|brouillon|lettre|texte|borrador|carta|texto
    |rascunho|bozza|lettera|testo|черновик|письмо|текст|лист|szkic|list|tekst|taslak|mektup|metin)\b[^:：]{0,60}[:：]\W*$""")
"""A line that announces somebody's text."""

CONDITION: Final = any_case(r"""
    \b(?:when(?:ever)?|if|every time|each time) i (?:ask|say|mention|write|talk|request)\w*(?: you)?(?: about| for| of)? *
    |\bwenn ich (?:dich |sie )?(?:nach|über|um|von)? *|\bquand je (?:te |vous )?\w+ *
    |\bcuando (?:te |le )?\w+ *(?:por|sobre)? *
    |\bquando (?:eu |ti |le )?\w+ *(?:por|sobre|di)? *|\bкогда я (?:тебя |вас )?\w+ *(?:о|об|про)? *
    |\bколи я (?:тебе |вас )?\w+ *(?:про)? *|\b(?:kiedy|gdy) (?:cię )?\w+ *(?:o)? *|(?:عندما|كلما) أسأل\w* *(?:عن)? *
    |जब (?:भी )?मैं *|(?:当|每次|每当)我(?:问|说|提到|提|发)(?:到|起)? *""")
