"""Match words by which an answer misses the question: openings, disclaimers and the like.

The words are of 14 languages. Every pattern is for text in small letters with straight apostrophes.
Each matches what a good answer does not need; where a good answer may begin with the same word
("Sure of herself ..."), the pattern requires the punctuation mark that follows the word.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from rules.extract.frames import ENGLISH, FRENCH, GERMAN, Frames
from rules.extract.patterns import at_start, join_alternatives, listed
from rules.extract.words import listed_words

_LABELS = join_alternatives(
    r"""
    (?:the |a )?(?:my |own |final |refined |revised |new |direct |first |short |independent )*(?:memor(?:y|ies)|\
        perspective|analysis|summary|quote|refinement|reflection|answer|response|recollection|view)\
        (?: (?:that )?i want to keep)?
    (?:die |der |das |mein |meine |eigene |direktes )*(?:erinnerung(?:en)?|perspektive|sicht|analyse|\
        zusammenfassung|zitat|antwort|rückblick|verfeinerung)
    (?:mon |ma |mes |le |la |l['’])*(?:souvenirs?|mémoire|perspective|analyse|résumé|citation|réponse|regard)
    (?:mi |mis |el |la )*(?:recuerdos?|memoria|perspectiva|análisis|resumen|cita|respuesta|visión)
    (?:a |o |minha |meu |as |os )*(?:memórias?|lembrança|recordação|perspe[ct]tiva|análise|resumo|citação|\
        resposta|visão)
    (?:la |il |mia |mio |l['’])*(?:memoria|ricordo|prospettiva|analisi|riassunto|sintesi|citazione|risposta)
    (?:мо[йяё] |итоговое |итоговый )*(?:воспоминание|память|взгляд|анализ|резюме|изложение|цитата|ответ)
    (?:мі?ій |моя |моє )*(?:спогад|пам['’ʼ]ять|погляд|аналіз|підсумок|резюме|цитата|відповідь)
    (?:mój |moja |moje )*(?:wspomnienie|pamięć|perspektywa|analiza|podsumowanie|cytat|odpowiedź)
    (?:benim )?(?:anı(?:m|larım)?|hatıra(?:m)?|bakış açı(?:m|sı)|analiz|özet|alıntı|cevap|yanıt(?:ım)?)
    (?:ذكراي|ذاكرتي|ذكرى|الذكرى|منظوري|وجهة نظري|التحليل|تحليل|الملخص|ملخص|الاقتباس|اقتباس|الإجابة|إجابتي)
    (?:मेरी |मेरा )?(?:याद(?:ें)?|स्मृति|दृष्टिकोण|विश्लेषण|सारांश|उद्धरण|उत्तर)
    (?:我的)?(?:最终)?(?:记忆|回忆|视角|看法|分析|总结|摘要|引用|引文|回答|答案)
    (?:私の)?(?:記憶|思い出|視点|見方|分析|要約|まとめ|引用|回答|答え)
    """
)
_SMALL = "a-zà-öø-ÿа-яёіїєґ"
LABEL = re.compile(
    rf"(?:(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}(?:{_LABELS})(?: \d{{1,4}})?"
    r"(?:[ \t]*[:：][*_]{0,3}(?:[ \t]*\n|(?<=[*_：]))|[*_]{0,3}[ \t]*(?:[:：][*_]{0,3})?[ \t]*\n|[*_]{1,3}[ \t]*[:：][ \t])"
    rf"|(?-i:(?![{_SMALL}]))(?:{_LABELS})(?: \d{{1,4}})?[ \t]*:[ \t]+(?-i:(?![{_SMALL}\s])))(?=\s*\S)",
    re.IGNORECASE,
)
"""A title that an answer gives itself: "**My memory:**"; matched at the start."""

_WORDS = (
    r"words?|wörter[n]?|worte[n]?|mots?|palabras?|palavras?|parol[ae]|слов[ао]?|слів|słow[ao]?|słów|wyraz(?:y|ów)"
    r"|kelime|sözcük|كلم(?:ة|ات)|शब्द|个?字|個字|词|文字|語|tokens?|characters?"
)
_COUNTED = (
    r"(?:word count|(?:number of |total )?words|length|wort(?:an)?zahl|wörter|nombre de mots|(?:número|recuento) de "
    r"palabras|(?:número|contagem) de palavras|(?:numero|conteggio) di parole|(?:количество|число) слов"
    r"|кількість слів|liczba słów|kelime sayısı|عدد الكلمات|शब्द संख्या|字数|文字数)[*_]*\s?[:：=][*_\s]*"
)
_NUMBER = (
    r"(?:(?:about|around|approx(?:imately|\.)?|exactly|roughly|total:?|etwa|ca\.?|rund|genau|environ|unos|cerca de"
    r"|circa|около|ровно|близько|około|yaklaşık|约|約|共|全)\s?)?[~≈]?\d{1,4}(?:\s?/\s?\d{1,4})?"
)
_LENGTH = rf"(?:{_COUNTED}{_NUMBER}(?:\s?(?:{_WORDS}))?|{_NUMBER}\s?(?:{_WORDS}))"
NUMBER_OF_WORDS = re.compile(
    rf"(?:\n\s*(?:[-–—*_]{{3,}}\s*\n\s*)?[*_(\[（【~–—-]*|(?<=[.!?…。！？।؟\"'”’»*_`)])[ \t]*[*_]{{0,3}}[(\[（【])"
    rf"[ \t]*{_LENGTH}[.。]?[ \t]*[)\]）】]?[.。*_~–—-]*\Z",
    re.IGNORECASE,
)
"""An answer's own length at its end: "(38 words)"; in brackets, or on a line of its own."""

OPENING = at_start(
    join_alternatives(
        r"""
        (?:sure|understood|got it|no problem)(?: thing)?\s?[,!.:]
        (?:certainly|absolutely|of course)\s?(?:!|[,.:] (?:here|let me|let's|i'll|i can))
        (?:okay|ok|alright|all right)\s?(?:!|[,.:] (?:so\b|here|let me|let's|i'll|this is|the))
        (?:here|below) (?:is|are) (?:a|an|the|my|your|some) (?:\w+ ){0,3}(?:\w+)[^.!?]{0,80}:
        here's (?:a|an|the|my|your|some) (?:\w+ ){0,3}(?:\w+)[^.!?]{0,80}:
        (?:great|good|excellent) question
        (?:yes, )?(?:that is|that's|this is|you are|you're) (?:correct|right|accurate)[,.!]
        (?:thank you|thanks) for (?:sharing|the|your|providing)
        (?:natürlich|klar|gerne?|selbstverständlich|alles klar|verstanden)\s?(?:!|[,.:] hier)
        hier (?:ist|sind) (?:die|der|das|eine?|meine?|deine?|ihre?) [^.!?]{0,80}:
        (?:ja, )?das (?:ist|stimmt)(?: so)?(?: richtig| korrekt)?[.!]
        (?:bien sûr|certainement|d'accord|entendu|avec plaisir)\s?(?:!|[,.:] voici)
        voici (?:la|le|les|ma|mon|mes|un|une|votre|ta|ton) [^.!?]{0,80}:
        (?:¡?claro(?: que sí)?|¡?por supuesto|¡?desde luego|vale|entendido)\s?(?:!|[,.:] aquí)
        aquí (?:está|tienes|tiene|va|están) [^.!?]{0,80}:
        (?:claro|com certeza|certo|entendido)\s?(?:!|[,.:] aqui)
        aqui (?:está|estão|vai) [^.!?]{0,80}:
        (?:certo|certamente|va bene|ecco)\s?(?:!|[,.:] ecco)
        ecco (?:la|il|le|i|una?|un') [^.!?]{0,80}:
        (?:конечно|хорошо|разумеется|понял|понятно)\s?(?:!|[,.:] вот)
        вот (?:мой|моя|мои|моё|краткое|анализ|воспоминание|резюме)[^.!?]{0,80}:
        (?:звісно|звичайно|добре)\s?(?:!|[,.:] ось)
        ось (?:мій|моя|мої|моє|короткий|аналіз)[^.!?]{0,80}:
        (?:oczywiście|jasne|dobrze)\s?(?:!|[,.:] oto)
        oto (?:mój|moja|moje|krótkie|podsumowanie|analiza)[^.!?]{0,80}:
        (?:tabii(?: ki)?|elbette|peki|tamam)\s?(?:!|[,.:] işte)
        işte [^.!?]{0,80}:
        (?:بالطبع|بالتأكيد|حسنا|حسنًا)\s?(?:!|[،,:.] (?:إليك|هذه|هذا))
        إليك [^.!?]{0,80}:
        (?:ज़रूर|जरूर|बिल्कुल|ठीक है)\s?(?:!|[,।:] (?:यह|यहाँ))
        यहाँ [^.!?।]{0,80}(?:है|हैं)\s?:
        (?:当然可以|好的|没问题|明白了)[!！,，。:：]
        当然(?:[!！]|[,，。:：](?:以下|这是))
        以下(?:是|为)[^。！？]{0,40}[:：]
        もちろん(?:[!！]|です[!！、。])
        (?:承知(?:いた)?しました|かしこまりました|はい、わかりました|了解(?:です|しました))[!！、。]
        以下(?:は|に|が)[^。！？]{0,40}[:：。]
        """
    )
)
"""A preface that only says that the answer is about to come."""

_AI = (
    r"(?:an? )?(?:ai|a\.i\.|artificial intelligence|(?:large )?language model)(?: language)?"
    r"(?: (?:model|assistant|system))?"
)
_DISCLAIMERS = join_alternatives(
    rf"""
        (?:as|being) {_AI}\b[^.!?]{{0,60}}\b(?:don't|do not|can't|cannot|can not|am not|\
            unable|lack|have no|without|not able|not have)\b
        (?:since |because |but |and )?i(?:'m| am)(?: (?:just|only))? {_AI}\b[^.!?]{{0,60}}\
            \b(?:lack|without|have no|(?:don't|do not|can't|cannot) (?:have|feel|form|store))\b
        i(?:'m| am) sorry,? (?:but )?(?:as an ai\b|i (?:can't|cannot|can not|am unable|\
            am not able|won't)\b)
        i (?:can't|cannot|am unable to|am not able to) (?:assist|comply|fulfil|provide|\
            help (?:you|with (?:that|this))|answer (?:this|that|your|the (?:question|request))|\
            engage (?:in|with)|continue (?:this|with))\b
        i (?:don't|do not) (?:actually )?have (?:any )?(?:personal (?:feelings|opinions|\
            memories|experiences|views|beliefs|perspectives?)|access to (?:previous|past|\
            earlier)|the ability to (?:remember|recall|feel|form|store))
        """,
    r"""
        (?:als|da ich) (?:eine? |ein )?(?:ki\b|künstliche intelligenz|sprachmodell|\
            ki-)[^.!?]{0,60}\b(?:kein\w*|nicht)\b
        ich bin (?:nur )?(?:eine? |ein )(?:ki\b|künstliche intelligenz|sprachmodell|\
            ki-)[^.!?]{0,60}\b(?:kein\w*|nicht)\b
        (?:es )?tut mir leid,? (?:aber )?(?:ich kann|das kann ich|als ki)
        en tant qu(?:'|e )(?:une? )?(?:ia\b|intelligence artificielle|assistante? ia|\
            modèle de langage|assistant virtuel)[^.!?]{0,60}\b(?:ne|n'|pas|aucun)
        je suis désolée?,? (?:mais )?je ne (?:peux|suis)
        como (?:una? )?(?:ia\b|inteligencia artificial|modelo de lenguaje|asistente (?:de ia|\
            virtual))[^.!?]{0,60}\bno\b
        lo siento,? (?:pero )?no puedo
        como (?:uma? )?(?:ia\b|inteligência artificial|modelo de linguagem|\
            assistente (?:de ia|virtual))[^.!?]{0,60}\bnão\b
        (?:desculpe|lamento|sinto muito),? (?:mas )?não posso
        (?:come|in quanto) (?:una? |un')?(?:ia\b|intelligenza artificiale|\
            modello (?:linguistico|di linguaggio)|assistente (?:ia|virtuale))[^.!?]{0,60}\bnon\b
        mi dispiace,? (?:ma )?non posso
        (?:как|будучи|я всего лишь|я —) (?:ии\b|ии-|искусственн|языков|\
            ассистент)[^.!?]{0,60}\bне\b
        (?:извините|к сожалению),? (?:но )?я не могу
        (?:як|будучи) (?:ші\b|штучн|мовн)[^.!?]{0,60}\bне\b
        (?:jako|będąc) (?:ai\b|sztuczn|model językowy|asystent)[^.!?]{0,60}\bnie\b
        (?:bir )?(?:yapay zek|dil modeli)[^.!?]{0,80}(?:yok|değil|m[ae]m|m[ae]z|m[ıiuü]yor)
        (?:كنموذج|بصفتي|بما أنني|كذكاء)[^.!?]{0,60}(?:لا|ليس)
        (?:एक )?(?:एआई|ai|भाषा मॉडल|कृत्रिम)[^.!?।]{0,30}(?:के रूप में|के नाते|हूँ)[^.!?।]{0,80}नहीं
        (?:作为|身为)(?:一个|一名|一款)?(?:ai|人工智能|(?:大型)?语言模型)[^。！？]{0,60}(?:没有|不能|无法|不会|不具)
        (?:私は)?(?:ai|人工知能|(?:大規模)?言語モデル)(?:として|なので|であり|ですので|のため|である)[^。！？]{0,80}(?:ません|ない|できず)
        """,
)
DISCLAIMER = at_start(rf"(?:\w+, )?(?:{_DISCLAIMERS})")
"""A sentence that says what a machine does not have or will not do, instead of an answer."""

CLOSING = re.compile(
    join_alternatives(
        r"""
        \A\W*(?:please |just |so |and )?(?:let me know|feel free to)\b
        \bif (?:you|there)\b[^.!?]*, (?:please |just )?(?:let me know|feel free to)\b
        \b(?:would|do) you (?:like|want) (?:me )?(?:to\b|help\b|more\b)[^.!?]*\?
        \bshall (?:i|we) (?:go on|continue|start|begin|book|write)\b[^.!?]*\?
        \bhope (?:this|that) helps\b
        \bi(?:'m| am|'d be| would be)(?: always)? (?:happy|glad|here) to (?:help|assist)\
            (?: you\b|\W*\Z| (?:if|with any)\b)
        \bis there anything else\b[^.!?]*\?
        \bhow (?:can|may) i (?:help|assist) you\b
        \bif you (?:have any|need any|need further|'d like me|would like me)\b
        \A\W*(?:sag|sagen sie|gib|geben sie) (?:mir )?(?:einfach |gern )?bescheid\b
        \b(?:möchtest du|möchten sie|soll ich (?:dir|ihnen))\b[^.!?]*\?
        \bkann ich (?:dir|ihnen) (?:sonst|noch|weiter)
        (?<!je )(?<!il )(?<!elle )(?<!on )\bn'hésite[sz]? pas\b
        \b(?:veux-tu|voulez-vous|souhaites-tu|souhaitez-vous)\b
        \b(?:fais|faites|dis|dites)-(?:le-)?moi (?:savoir|si)\b
        \b(?:avísame|házmelo saber|no dudes en|no dude en)\b
        ¿(?:quieres|te gustaría|deseas|le gustaría)\s
        \A\W*(?:por favor,? )?(?:me avise|avise-me|fique à vontade)\b
        \bposso ajudar em mais\b
        \A\W*(?:fammi sapere|non esitare)\b
        \b(?:vuoi che|posso aiutarti)\b[^.!?]*\?
        \b(?:дай(?:те)? (?:мне )?знать|обращай(?:ся|тесь)|хотите, (?:я|чтобы)|хочешь, я)
        \b(?:дай(?:те)? (?:мені )?знати|звертай(?:ся|теся))
        \b(?:daj (?:mi )?znać|czy chcesz)\b
        \b(?:çekinme(?:yin)?|yardımcı olabilir miyim|ister misin)
        (?:أخبرني (?:إذا|إن)|لا تتردد|هل تريد|هل ترغب)
        (?:बेझिझक|क्या आप चाहते|मुझे बताएं)
        (?:请告诉我|请随时|需要我[^。！？]*吗|希望(?:这|对你)[^。！？]*帮助|你想让我)
        (?:教えてください|お知らせください|しましょうか|いかがでしょうか)[ね。？?！!]*\Z
        お気軽に
        """
    )
)
"""An offer to the person, as at the end of a message in the conversation, but not of a memory."""

GREETING = at_start(
    join_alternatives(
        r"""
        (?:hi|hello|hey|dear|good (?:morning|evening|afternoon))(?: there| \w+)?\s?[,!]
        (?:hallo|guten (?:morgen|tag|abend))(?: \w+)?\s?[,!]
        liebe[rs]? \w+(?:!|,\n)
        (?:bonjour|salut|bonsoir)(?: \w+)?\s?[,!]
        ¡?(?:hola|buenos días|buenas tardes)(?: \w+)?\s?[,!]
        (?:olá|oi|bom dia|ciao|buongiorno)(?: \w+)?\s?[,!]
        (?:привет|здравствуй(?:те)?|добрый день|привіт|cześć|merhaba|مرحبا|\
            नमस्ते)(?: \w+)?\s?[,!،]
        (?:你好|您好)[,，!！]
        (?:こんにちは|こんばんは|おはよう)[、!！。]
        """
    )
)
"""A greeting of the person."""

SCRIPT = re.compile(
    r"^[*_\s]*(?:user|human|assistant|ai|system|context[ _]manager|nutzer|assistent|\
        utilisateur|usuario|asistente"
    r"|пользователь|ассистент|用户|助手|ユーザー|アシスタント)[*_]*\s?[:：]",
    re.MULTILINE,
)
"""A line of a dialogue with the name of its role."""

ROLE = re.compile(r"[*_\s]*(?-i:[^\W\d_a-zß-öø-ÿа-яё])[\w .'’-]{0,24}[*_]*\s?[:：][*_]*\s")
"""The beginning of a line that names who speaks, as in a scene."""

AS_THIRD = re.compile(
    join_alternatives(
        r"""
        (?:[^,;:]{0,60}, )?(?:the|an|this|our) (?:ai (?:assistant|model|persona)|assistant|ai|\
            chatbot|user|persona)(?: and the \w+)? (?:is|was|has|had|did|does|then|also|later|\
            now|first|\w+ed|\w+s|told|said|gave|felt|spoke|began|wrote|thought|made|found|\
            kept|took|went|came|left|got|knew|saw|ran|put|set|let|held|lost|met|sent|kept|\
            read|stood|understood|can|could|will|would|should|may|might|must)\b
        (?:[^,;:]{0,60}, )?(?:der|die|das) (?:ki|assistentin|assistent|nutzerin|nutzer|\
            benutzerin|benutzer|anwender|persona) \w+
        (?:[^,;:]{0,60}, )?l'(?:ia|assistante?|utilisateur|utilisatrice) \w+
        (?:[^,;:]{0,60}, )?(?:el|la) (?:ia|asistente|usuario|usuaria) \w+
        (?:[^,;:]{0,60}, )?(?:o|a) (?:ia|assistente|usuário|usuária|utilizador|utilizadora) \w+
        (?:[^,;:]{0,60}, )?(?:l'(?:ia|assistente|utente)) \w+
        (?:[^,;:]{0,60}, )?(?:пользователь(?:ница)?|ассистент|помощник|ии) \w+
        (?:[^,;:]{0,60}, )?(?:користувач(?:ка)?|асистент|помічник|ші) \w+
        (?:[^,;:]{0,60}, )?(?:użytkownik|użytkowniczka|asystent) \w+
        (?:[^,;:]{0,60}, )?(?:kullanıcı|asistan|yapay zeka) \w+
        (?:المستخدم|المساعد|الذكاء الاصطناعي) \w+
        (?:उपयोगकर्ता|सहायक|एआई) (?:ने )?\w+
        (?:这个|该|这位)?(?:用户|助手|人工智能)\w+
        (?:ユーザー|アシスタント|ai)(?:は|が)\w+
        """
    )
)
"""A sentence whose subject is the assistant, or the person as "the user"."""
THIRD_NAMES = listed_words(
    """
    user assistant chatbot persona nutzer nutzerin benutzer assistent utilisateur utilisatrice
    usuario usuaria asistente usuário usuária utilizador utente assistente пользователь ассистент
    помощник користувач асистент użytkownik asystent kullanıcı asistan المستخدم المساعد उपयोगकर्ता
    सहायक 用户 助手 人工 ユー ーザ アシ ai ki ia ии ші yapay الذكاء एआई
    """
)
"""These names as words: where the passage itself has them, they may well be the subject."""

WE: Mapping[Frames, frozenset[str]] = MappingProxyType(
    {
        ENGLISH: listed_words("we us our ours ourselves let"),
        GERMAN: listed_words("wir uns unser unsere unserem unserer unseren"),
        FRENCH: listed_words("nous notre nos on"),
    }
)
"""The words for "we", by the frames of the languages that need a pronoun."""

THIRD_PERSON = listed_words(
    """
    she her hers he him his they them their theirs she's he's they're sie er ihr ihre ihrem ihren
    ihrer ihn ihm elle il elles ils lui leur leurs ella él ellas ellos ela ele elas eles dela dele
    lei loro gli она он они её ее ей его ему им их него неё нее нему вона він вони йому її їх ona on
    oni jej jego im onun ona onlar
    """
)
"""Pronouns of the third person."""
STANCE = listed(
    """
    remember* recall* keep keeps kept keeping hold holds held holding want wants wanted ask asks
    asked asking promis* know knows knew hear hears heard notic* see sees saw seen think thinks
    thought say says said tell tells told answer* suggest* advis* correct* note noted noting wonder*
    worr* hope* hoping listen* learn* understand* understood read rereading feel feels felt glad
    touched struck grateful carry carries carried sense sensed sensing imagin* pictur* record* wrote
    write regret*
    perspective view views opinion memory words
    reassur* encourag* urge* offer* mention* realiz* realis* sorry admire* respect* care* must
    should
    erinner* behalt* behielt* merk* halte hielt weiß wusste hör* gehört sehe sah gesehen denk*
    dachte sagte gesagt frag* versprech* versproch* versprach* glaub* hoff* wünsch* fühl* verstand*
    versteh* rate riet möchte will soll* notier* erzähl* gesagt anvertrau* gestand* gestehen
    bericht* find* fand vermut*
    told suppose* guess* reckon* suspect* believe* find finds confid* admit* confess*
    racont* confi* avou* trouv* suppos* soupçonn*
    contó contado contaba cuenta confes* confió sospech* supon* supus* parec* encontr*
    рассказ* призна* подел* счита* полага* подозрева* кажется показал*
    souvien* souvenir* retien* retenir garde* gardé* veux voudrais demand* promis* promet* sais
    savais entend* vois vu pens* cro* dis dit répond* conseil* espèr* ressen* sens compr* not* dois
    recuerd* recordar* guard* quier* pregunt* promet* prometí sé sabía escuch* oí veo vi pens*
    pienso creo dije dij* respond* aconsej* esper* sient* sentí entend* entiend* debo anot*
    lembr* guard* quero pergunt* promet* sei sabia ouç* ouvi vejo disse respond* aconselh* esper*
    sint*
    senti entend* devo anot* ricord* tengo tenere voglio chied* chies* promett* promess* so sapevo
    sent* vedo visto pens* cred* detto dissi rispond* rispost* consigli* sper* capi* devo annot*
    помн* запомн* хранить храню хочу спро* спрош* обещ* знаю знал* слыш* услыш* виж* видел* дума*
    言う 言っ 言い 聞い 聞く 待つ 待ち 待っ 思う 思い 覚え 忘れ 約束 尋ね 伝え 願う 记得 记住 知道 答应 提醒 听到
    听说 告诉 问他 问她
    сказал* говор* ответил* совет* наде* чувств* понима* понял* должн* записа*
    """
)
"""Words for what "I" does with what somebody else has experienced: knowing, saying and wishing."""
AUXILIARIES = listed_words("hab hatt hätt werd würd wär könnt möcht müsst sollt wollt konnt durft")
"""German auxiliary verbs in colloquial spelling, without their last letter."""

TIMES = listed_words(
    """
    today tomorrow yesterday tonight morning evening afternoon heute morgen gestern abend nachmittag
    aujourd demain hier matin soir après hoy mañana ayer noche tarde hoje amanhã ontem domani oggi
    ieri сегодня завтра вчера утром вечером 今天 明天 昨天 今日 明日 昨日
    """
)
"""Words for times."""

PERSONS = listed_words(
    """
    frau herr herrn tante onkel bruder schwester sohn tochter enkel enkelin neffe nichte mann
    freund freundin kollege kollegin nachbar nachbarin mutter vater oma opa cousin cousine chef
    chefin doktor dr pfarrer lehrer lehrerin familie
    """
)
"""German nouns that come before a person's name."""

DAYS_AND_FEASTS = listed_words(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays mon tue wed thu fri sat sun spring summer autumn winter easter
    christmas lent eve noël pâques navidad natal natale pasqua páscoa english german french spanish
    italian portuguese russian ukrainian polish turkish arabic hindi chinese japanese latin greek
    europe god internet dad mum mom mama papa grandma grandpa granny father mother sir doctor
    whatsapp
    """
)
"""Capitalized words that an answer may have although nobody said them."""
