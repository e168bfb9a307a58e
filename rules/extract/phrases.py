"""Match the phrases that say nothing, and those that a persona answers for.

All languages that the engine knows are searched at once, since a persona may answer in another
language than the person speaks.
"""

from typing import Final

from rules.extract.patterns import any_phrase

COURTESY: Final = any_phrase(r"""
    \b(?:(?:feel free|let(?: me|'s| us) (?:know|dive|get started|go through|walk through)
    |hesitate|good luck|best of luck|hope (?:this|that|it|these) helps?|(?:happy|glad|here|love
    |pleased) to (?:help|assist|hear|support|guide)|you(?:'re| are) (?:very |most )?welcome
    |no problem|my pleasure|great (?:question|to hear)|sounds (?:good|great)|(?:any|more|further
    |other|specific|additional) (?:\w+ ){0,3}(?:questions?|assistance|help|concerns|issues
    |details)|by following th\w+|this should (?:give|help|provide) you|anything else
    |need (?:some )?(?:help|assistance|clarification)|would you like|want me to
    |shall (?:i|we)|let's see\b|sums? (?:it|that|this) up
    |looking forward to|(?:do|did|does) (?:you|this|that) (?:want|need|have|help|work|sound|look)
    |thanks?|congratulations|i(?: can|'ll| will|'d be able to) (?:\w+ )?(?:help|assist
    |guide|walk)|welcome back|happy \w+ing|melde? dich|sag(?:en sie)? (?:mir )?(?:gern|bescheid)
    |lass(?:en sie)? (?:es )?mich wissen|(?:weitere|noch) fragen|viel (?:erfolg|glück|spaß)
    |gerne? (?:geschehen|helfen|weiter)|(?:helfe|unterstütze) (?:ich )?(?:dir |ihnen )?gern
    |möchte(?:st du|n sie)|soll ich|danke|vielen dank|n'hésite\w*|fais-moi savoir
    |faites-moi savoir|bonne chance|de rien|avec plaisir|je (?:peux|suis là pour) (?:vous |t')?aider
    |d'autres questions|veux-tu|voulez-vous|souhaite[sz]|merci|no dud(?:es|e)|avísame
    |házmelo saber|hágamelo saber|buena suerte|con gusto|puedo ayudar|encantad[oa] de|de nada
    |(?:alguna|más|otra) pregunta|quieres que|te gustaría|le gustaría|gracias|fique à vontade
    |boa sorte|posso ajudar|alguma dúvida|obrigad[oa]|non esitare|fammi sapere|buona fortuna
    |grazie|(?:обраща|спрашива|пиши)(?:й|те)\w*|дай(?:те)? (?:мне )?знать|удачи|рада? помочь
    |(?:я )?могу (?:ещё |еще )?помочь|хотите|спасибо|пожалуйста|звертай\w*|дай знати|дякую
    |daj (?:mi )?znać|powodzenia|dziękuję|teşekkür\w*|çekinme\w*|धन्यवाद|बेझिझक|لا تتردد|أخبرني
    |أعلمني|بالتوفيق|يسعدني|هل تريد|هل ترغب|شكرا)\b|(?:by
    |with) (?:\w+ly )?\w+ing (?:\w+ ){0,2}(?:these|this|those|the (?:steps|strategies|tips
    |suggestions|guidelines))\b)
    |^(?:(?:(?:this|that|the|your|these|those)(?: \w+)?|it|they|everything) (?:all )?(?:looks?
    |sounds?|seems?|is|are) (?:like )?(?:an? )?(?:really |very |so |absolutely )?(?:great|good
    |perfect|solid|fantastic|wonderful|excellent|amazing|helpful|awesome|comprehensive
    |lovely)\b[^,;:]{0,40}$|(?:enjoy|have (?:a|an|fun)|take care|stay|welcome|hello|hi|hey
    |good (?:morning|evening|night)|see you|bye)\b[^,;]{0,50}[!.]$
    |(?:(?:certainly|sure
    |of course|absolutely|definitely|understood)\b[,.!:]|(?:great|perfect|yes|okay|alright
    |got it|gerne?|natürlich|klar|selbstverständlich|bien sûr|certainement|absolument|claro
    |por supuesto|cert[oa](?:mente)?|конечно|oczywiście|tabii|بالطبع
    |بالتأكيد)\b[^.]{0,60}(?:[!:]|$)|当然|好的|没问题|もちろん|承知))
    |随时|请?告诉我|请问|祝[你您]|希望(?:这|对|能)|很高兴[为能帮]|需要(?:我|帮|更多|进一步)
    |不客气|谢谢|如果[你您][有需还]|お気軽|教えてください|お知らせ|幸いです|頑張って|お手伝い
    |どういたしまして|ありがとう|しましょうか|ご質問|いかがでしょう|glad [^.!?]{0,40}help|(?:das
    |es|dein \w+) (?:klingt|sieht) [^.!?]{0,20}(?:gut|toll|super|großartig|perfekt)\b
    |viel (?:vergnügen|freude)|wenn (?:du|sie) (?:diese|dies|das) [^.!?]{0,60}(?:kannst|können)
    |indem (?:du|sie) (?:diese|dies)|(?:ça|cela) (?:a l'air|semble|sonne) |en (?:suivant
    |appliquant|utilisant) (?:ces|cette|ce)\b|profite[sz]? bien|suena (?:bien|genial|perfecto)
    |(?:siguiendo|aplicando|implementando) est[aeo]s?\b|que (?:disfrutes|te vaya)
    |parece (?:ótimo|bom|perfeito)|(?:seguindo|aplicando|implementando) (?:est|ess)[aeo]s?\b
    |aproveite|(?:sembra|suona) (?:ottimo|bene|perfetto)|(?:seguendo|applicando) quest[aeoi]\b
    |buon divertimento|звучит (?:отлично|хорошо|здорово)|(?:следуя|применяя|выполняя) эт(?:им|и
    |ому)|звучить (?:чудово|добре)|(?:дотримуючись|застосовуючи) (?:цих|ці)|brzmi (?:świetnie
    |dobrze)|(?:stosując|wykonując) te\b|baw się dobrze|harika görünüyor|kulağa (?:hoş|harika)
    |bu (?:adımları|önerileri) (?:izleyerek|uygulayarak)|iyi eğlenceler|听起来(?:不错|很好|很棒)
    |通过(?:遵循|实施|采用|这些)|按照这些|祝.{0,6}愉快|なりますように|楽しんで|素晴らしいですね
    |いいですね|استمتع|يبدو (?:رائعا|جيدا)|باتباع هذه|शानदार लग|इन (?:कदमों|सुझावों)""")
"""Courtesies of either side, which say nothing about this conversation."""

FORMULA: Final = any_phrase(r"""
    \b(?:(?:is|are|will be|would be|sounds like
    |seems like) (?:an? )?(?:\w+ )?(?:great|good|excellent|fantastic|wonderful|solid|smart
    |valuable|effective|powerful|crucial|essential|key) (?:way|step|idea|approach|opportunity
    |choice|start|plan|strategy|decision|move|goal)\b|(?:is|are|it's) (?:crucial|essential
    |important|key|vital)\b|can (?:be|feel) (?:\w+ ){0,3}(?:challenging|tricky|daunting
    |overwhelming|rewarding|beneficial|helpful|powerful)\b|keep up|reach out|(?:ist|sind) (?:ein[e]? )?(?:gute
    |tolle|großartige|wichtige|entscheidende)\w* (?:idee|schritt|weg|möglichkeit|plan)|(?:est
    |sont) (?:une? )?(?:bonne|excellente?|bon) (?:idée|moyen|façon|approche|choix)
    |est (?:essentiel|crucial)|es (?:una? )?(?:buena|gran|excelente|buen) (?:idea|manera|forma
    |opción|paso)|es (?:fundamental|crucial|esencial)|é (?:uma? )?(?:boa|ótim[ao]|excelente
    |bom) (?:ideia|maneira|forma|opção|passo)|è (?:un[a']? ?)?(?:buona|ottim[ao]|buon) (?:idea
    |modo|scelta|passo))
    |^(?:(?:remember|in (?:conclusion
    |summary|short)|overall|ultimately),|by (?:\w+ly )?\w+ing\b.*\b(?:you|we)(?:'ll| will| can)\b
    |indem (?:du|sie)\b.*\b(?:kannst|können|wirst|werden)\b|en \w+ant\b.*\b(?:vous
    |tu) (?:pou[rv]\w+|peux)\b|al \w+[aei]r\b.*\b(?:podrás|puedes|podrá|puede)\b
    |ao \w+[aei]r\b.*\bpode(?:rá)?\b|\w+ndo\b.*\b(?:puoi|potrai|può)\b)""")
"""Stock sentences of assistants, which say something only where they name a subject: "Inviting
Mason is a great idea"."""

PROMISE: Final = any_phrase(r"""
    \b(?:i(?:'ll| will| shall| promise)\b|i(?:'ve| have) promised\b|ich (?:werde|verspreche
    |merke mir)|werde ich\b|je (?:te |vous )?promets|je (?:vais|m'en souviendrai|garderai
    |ferai)\b|(?:te |se )?(?:lo )?prometo\b|(?:recordaré|guardaré|haré|voy a)\b|(?:vou|lembrarei
    |farei)\b|(?:ti )?prometto\b|(?:ricorderò|farò)\b|обещаю|я (?:буду|запомню|сделаю|напомню)
    |обіцяю|я (?:запам'ятаю|зроблю|нагадаю)|obiecuję|(?:zapamiętam|zrobię|przypomnę)\b
    |söz veriyorum|\w+(?:acağım|eceğim)\b)
    |वादा करत|करूँगी|करूँगा|याद रखूँग|أعدك|سأ\w+|我保证|我答应|我会(?:记|替|帮|把|在)|約束します
    |約束する|覚えておきます|しておきます""")
"""Promises of the speaker."""

ADVICE: Final = any_phrase(r"""
    \b(?:i(?:'d| would)? (?:strongly )?(?:suggest|recommend|advise|urge|propose)\b|my (?:advice
    |suggestion|recommendation)|(?:you|we) (?:should|could|ought|must|need to|might want
    |may want|can)\b|i(?:'d| would) (?:\w+ )?(?:start|keep|try|ask|wait|leave|take|go|avoid|use
    |begin)\b|(?:du|sie) (?:solltest|sollten|könntest|könnten|kannst)\b|(?:solltest du
    |ich (?:rate|empfehle|würde|schlage))\b|(?:tu|vous) (?:devrais|devriez|pourrais|pourriez)\b
    |je (?:te |vous )?(?:conseille|recommande|suggère|propose)|(?:deberías|debería|podrías
    |podría|te recomiendo|te aconsejo|le recomiendo|te sugiero)\b|(?:você|tu) (?:deveria|devia
    |poderia|pode)\b|(?:recomendo|aconselho|sugiro)\b|(?:dovresti|dovrebbe|potresti|potrebbe
    |ti consiglio|le consiglio|ti suggerisco)\b|(?:советую|рекомендую|предлагаю|стоит
    |вам следует|тебе следует|раджу|пропоную|варто|radzę|polecam|proponuję|powinieneś|powinnaś
    |warto|tavsiye ederim|öneririm|öneriyorum)\b)
    |^(?:don't|do not|never|avoid|consider|try|make sure|be sure)\b
    |सलाह|सुझाव|चाहिए|أنصحك|أقترح|عليك|ينبغي|建议|我劝|你可以|你应该|您可以|您应该|最好|おすすめ
    |お勧め|べきです|べきだ|ほうがいい|方がいい|た方が""")
"""Advice of the speaker to the other."""

ANNOUNCING: Final = any_phrase(r"""
    ^\W*(?:(?:\w+, +)?(?:here(?:'s| is| are)|let(?:'s| us)|(?:i|we)(?:'ll| will| can) (?:now |then |also )?
    (?:provide|give|show|outline|walk|break|explain|review|guide|start|go (?:over|through)|look at))\b
    |(?:below|above|attached) (?:is|are)|hier (?:ist|sind)|lass(?:en sie)? uns|schauen wir|voici\b
    |voyons|regardons|commençons|aquí (?:está|están|tienes|tiene|va)|veamos|vamos a|empecemos
    |aqui (?:está|estão|vai)|vamos|vejamos|ecco\b|vediamo|cominciamo|вот\b|давай(?:те)?\b|ось\b
    |oto\b|zobaczmy|przyjrzyjmy|zacznijmy|işte\b|hadi\b|gelin\b|إليك|دعنا|دعونا|لنبدأ|यह रह|आइए|चलिए
    |这是|以下|让我们|我们来|こちらが|以下|では、)""")
"""Announcements that something follows; they may look like advice."""

CORRECTION: Final = any_phrase(r"""
    \b(?:i (?:was (?:wrong|mistaken)|made a mistake|got (?:that|it) wrong|misread|misunderstood
    |misremembered|stand corrected|withdraw|am withdrawing|take (?:that|it) back|must correct)\b
    |my (?:mistake|error)\b|correction\b|that's not (?:right|quite right|true)\b
    |(?:ich (?:habe mich (?:geirrt|vertan|getäuscht)|lag falsch|korrigiere)|mein (?:fehler
    |irrtum))\b|(?:je me suis trompée?|j'ai eu tort|mon erreur|je corrige)\b|(?:me equivoqué
    |estaba equivocad[oa]|mi error|corrijo)\b|(?:me enganei|errei|meu erro)\b
    |(?:mi sono sbagliat[oa]|ho sbagliato|mio errore|correggo)\b|(?:я ошибся|я ошиблась
    |моя ошибка|поправлюсь|я помилився|я помилилася|моя помилка|pomyliłem|pomyliłam|mój błąd
    |yanılmışım|yanıldım|benim hatam|düzeltiyorum)\b)
    |मुझसे गलती|मैं गलत|मेरी गलती|أخطأت|كنت مخطئ|خطئي|أصحح|我错了|我弄错了|我的错|更正
    |間違えました|間違っていました|訂正します|私の誤り""")
"""Corrections: the speaker takes back or sets right what they said."""

ASKING: Final = any_phrase(r"""
    \b(?:(?:can|could|would|will) you\b|please\b|i(?:'d| would) (?:like|love|prefer)\b|i(?:'m
    | am) (?:trying|looking|hoping|planning)\b|i(?<!if i)(?<!whether i)(?<!because i) (?:want|need
    |wish)\b|help me\b|(?:kannst du
    |können sie|könntest|bitte|ich (?:möchte|will|brauche|suche))\b|(?:peux-tu|pouvez-vous
    |pourrais-tu|s'il (?:te|vous) plaît|je (?:veux|voudrais|cherche))\b|(?:puedes|podrías
    |por favor|quiero|quisiera|necesito|busco)\b|(?:você pode|poderia|quero|queria|preciso
    |procuro)\b|(?:puoi|potresti|per favore|voglio|vorrei|cerco|ho bisogno)\b|(?:можешь|можете
    |пожалуйста|хочу|хотел\w* бы|мне нужн\w+|можеш|будь ласка|мені потрібн\w+|możesz|proszę|chcę
    |potrzebuję|yapabilir misin|lütfen|istiyorum|lazım)\b)
    |[?？؟;]\W*$|कृपया|चाहता हूँ|चाहती हूँ|क्या आप|क्या तुम|هل يمكن|من فضلك|أريد|أحتاج|请|能不能
    |我想|我需要|吗[？?。]?$|してください|教えて|してほしい|たいです|ですか|ますか""")
"""Questions and requests of the speaker."""

_PRAISED = r"""(?:great|awesome|amazing|nice|cool|sweet|lovely|wonderful|fantastic|incredible|brilliant|perfect|excellent
    |beautiful|impressive|inspiring|terrific|superb|exciting|thoughtful|adorable|gorgeous|stunning|neat|rad|fun|brave
    |strong|talented|kind)"""
_MUCH = r"(?:(?:so|really|very|super|such|pretty|truly|absolutely|just|quite|totally|an?|the) )*"
REACTION: Final = any_phrase(rf"""
    ^\W*(?:(?:wo+w|who+a|woah|o+h|a+h|aw+|oo+|yay|ye+a+h?|yep|yup|hey+|hi|hello|(?:ha|he){{2,}}|ha
    |lol|omg|ugh|h+m+|phew|oops|yikes|hurray|hooray
    |congrat\w*|thanks|thank you|thx|bravo|kudos|welcome|well done|way to go|no way|same here|cheers
    |good (?:to|for you|job|luck|call|point|one|morning|night|evening|on you)
    |{_MUCH}{_PRAISED}|{_MUCH}(?:glad|happy|proud|thrilled|stoked|excited|pleased|sorry
    |delighted) (?:for|of|to|that|you)
    |i'?(?:m| am) {_MUCH}(?:glad|happy|proud|thrilled|stoked|excited|pleased|sorry
    |delighted) (?:for|of you|to (?:hear|see|know)|that you|you)
    |(?:that|it|this|those|these|they|you|everything)(?:'s|'re| is| are| must be| must have been
    | sounds?| looks?| seems?)(?: like)? {_MUCH}{_PRAISED}
    |(?:that|it|this|those) (?:was|were) {_MUCH}{_PRAISED}\W*$
    |(?:that|it|this) (?:sounds|looks) (?:like )?{_MUCH}\w+|sounds (?:like|good|fun)|looks (?:like
    |good|fun)|keep (?:it|up|going)|way to|can't wait
    |(?:i )?(?:really |totally )?(?:love (?:that|it|this|your|how you)|bet (?:it|that|you)|agree\b
    |admire|appreciate (?:your?|that|it)|can relate)
    |(?:what|how) (?:an? )?{_MUCH}{_PRAISED})
    |(?:oh je|ach|oje|hallo|hi|hey|na|mensch|glückwunsch|gratuliere|danke|super|toll|klasse|prima
    |schön|großartig|wunderbar|cool|gut gemacht
    |(?:das|es) (?:ist|klingt|freut) (?:ja |so |wirklich )*(?:super|toll|klasse|prima|schön
    |großartig|wunderbar|cool|gut|mich)|ich freue mich (?:für|so)|wie (?:schön|toll|süß))
    |(?:bravo|félicitations|merci|salut|bonjour|coucou|oh là là|ouah|waouh|super|génial|magnifique
    |formidable|chouette|c'est (?:super|génial|magnifique|formidable|chouette|merveilleux)
    |je suis (?:content|ravi|heureu|fièr|fier)\w* (?:pour|de t|que)|quelle? (?:belle|bonne|chance))
    |(?:¡?(?:guau|vaya|hola|felicidades|enhorabuena|gracias|genial|qué (?:bien|bueno|lindo|bonito
    |maravilla|alegría)|me alegr\w+|increíble|fantástico|estupendo))
    |(?:uau|nossa|oi|olá|parabéns|obrigad[oa]|que (?:legal|bom|lindo|maravilha|ótimo)|incrível
    |fantástico|fico feliz)
    |(?:wow|ciao|complimenti|congratulazioni|grazie|che (?:bello|bella|bravo|brava|meraviglia)
    |fantastico|bellissimo|sono felice (?:per|che))
    |(?:ого|ух ты|ура|привет|поздравляю|спасибо|здорово|круто|отлично|прекрасно|замечательно
    |как (?:здорово|мило|красиво)|рада? за)
    |(?:ого|ура|привіт|вітаю|дякую|чудово|круто|класно|як (?:чудово|гарно))
    |(?:o rany|wow|cześć|hej|gratulacje|gratuluję|dzięki|dziękuję|super|świetnie|cudownie|cieszę się)
    |(?:vay|merhaba|selam|tebrikler|teşekkürler|harika|süper|ne güzel))(?!\w)
    |^\W*(?:واو|مرحبا|مبروك|شكرا|رائع|ما أجمل|يا له|अरे वाह|वाह|नमस्ते|बधाई|शानदार|बहुत अच्छ|哇|你好
    |恭喜|谢谢|太好了|太棒|真棒|真好
    |わあ|わぁ|えっ|うわ|おめでとう|ありがとう|すごい|すてき|素敵|よかった|いいね)""")
"""Beginnings of sentences that only react to the other: an interjection, praise, or a greeting."""
