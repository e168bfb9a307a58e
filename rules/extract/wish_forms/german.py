"""The forms of wishes in German."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

GERMAN: Final = WishForms(
    r"""(?:(?:und|also|ach|ach so|übrigens|noch etwas|noch was|außerdem|ok|okay|nein|ja|gut|so|nur|aber|denn|dann
        |wichtig|grundsätzlich|du|ich bitte dich|und bitte)[,:.]? +|bitte,? +|denk daran,? +|mit mir,? +|mir,? +)""",
    r"""(?:(?:ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun) an|in zukunft|künftig|zukünftig|fortan)\b(?! (?:mach
        |geh|will|werd)\w* ich\b)|(?:nenn|nenne|nennen sie) mich\b|sag(?:t)? (?:\w+ ){1,3}zu mir\b
    |(?:duz|duze|siez|sieze) mich\b|(?:immer|stets|niemals|nie) (?!wieder\b|mehr\b|schon\b|noch\b|war|hab|hatte|ich\b
        |er\b|sie\b|wir\b|so\b|gut|im\b)\w.*(?:antworten|schreiben|fragen|sagen|reden|erwähnen|nennen|benutzen
        |verwenden|angeben|erklären|sprechen)\b
    |(?:bitte )?(?:keine?n?|nie(?:mals)?|nicht|ohne|weniger|nichts|kein wort
        |schluss mit)(?: mehr| wieder)? (?:[\w-]+ ){0,4}(?:smileys?|emojis?|ausrufezeichen|listen|aufzählung\w*
        |stichpunkte|ratschläge\w*|tipps|witze|sprüche|floskeln
    |kosenamen|fachwörter|fremdwörter|anglizismen|predigten|vorträge|rückfragen|komplimente|ironie|lösungen|trost
        |romane|abkürzungen)\b
    |(?:du|duzen)[, ]+(?:bitte|nicht sie)|(?:ich heiße|mein name ist) (?:\w+ )?(?-i:[A-ZÄÖÜ])\w+,? nicht
        |für dich (?:bin ich |einfach |nur )*(?-i:[A-ZÄÖÜ])
        |du kannst (?:mich |ruhig |einfach )*(?-i:[A-ZÄÖÜ])\w+ (?:zu mir sagen|nennen)|(?-i:[A-ZÄÖÜ])\w+ (?:reicht
        |genügt)\b|(?-i:[A-ZÄÖÜ])\w+,? (?:bitte,? )?nicht (?-i:[A-ZÄÖÜ])\w+[.!]*$
    |sei (?:[\w]+ ){1,3}(?:mit|zu) mir\b|sei (?:ruhig|bitte|nicht so|nicht zu) \w+|red(?:e)? (?:bitte )?(?:klartext
        |mit mir wie)|(?:korrigier|verbesser|berichtig)\w* (?:mich|meine?\w?)\b|bloß keine?n? [^.!?]{2,40}|(?:lass
        |spar dir|verzichte auf|weg mit|schluss mit)\b.{0,20}\b(?:smileys?|emojis?|ausrufezeichen|listen|floskeln
        |sprüche|ratschläge\w*|tipps|witze|kosenamen|anglizismen|fragezeichen)\b|(?!(?:frag|lach|vergiss|lass|nerv
        |verlass|weck|mach|erzähl|sag|stör|versteh)\b)\w+[^\Wtn] (?:mich|mit mir) (?:bitte |ja |bloß )?nicht\b
        |wir (?:reden|sprechen|schreiben) (?-i:[A-ZÄÖÜ])|(?:(?:am|an) \w+ |\w+s )(?:reden|sprechen
        |schreiben) wir (?:nur )?(?-i:[A-ZÄÖÜ])|(?:mich nennen|alle nennen mich|alle sagen)\b.{0,30}\b(?:du|auch
        |mach)\b|(?:rezepte|preise|mengen|maße|temperaturen|uhrzeiten|daten|entfernungen|gewichte
        |antworten)\b[^.!?]{1,40}\b(?:immer|bitte|nie|nur)\b|sag (?:das|es) (?:bloß |bitte |ja )*(?:nicht|nich|nie)\b
        |(?:bitte )?(?:kürzer|einfacher|langsamer|kürzere|einfachere)\b[^.!?]{0,30}(?:bitte)?[.!]*$|(?:auf
        |in) (?-i:[A-ZÄÖÜ])\w+,? bitte\b|(?:bitte )in (?-i:[A-ZÄÖÜ])\w+
    |bitte (?:keine?n?|nicht|nie|ohne|nichts|weniger|kürzer|nur) (?!dass|wahr)[^.!?]{2,60}|(?:höchstens|maximal
        |nie mehr als) (?:\w+ ){1,2}(?:sätze|satz|zeilen|wörter|fragen|punkte|absätze)\b)""",
    r"""(?:\bbitte\b.*\b(?:immer|stets|niemals|nie)\b(?!.*\b(?:hab|habe|war) ich\b)|\b(?:du sollst|sie sollen
        |ich (?:möchte|will|wünsche mir|brauche|hätte gern),? dass du)\b(?!.*\b(?:heute|jetzt|morgen)\b)
    |^(?!.*\bich\b.*\b(?:immer|nie)\b).*\b(?:immer|stets|niemals|nie)\b.*\bwenn ich\b.*\b(?:frage|bitte|schreibe|sage
        |erwähne)\b|\bwenn ich\b[^,]*\b(?:frage|bitte|sage|erwähne),(?: dann)?.*\b(?:immer|stets|nie|niemals|bitte)\b
    |\b(?:höchstens|maximal) (?:\w+ ){1,2}(?:sätze|zeilen|wörter|fragen|absätze)\b.{0,20}\b(?:pro|je|antwort|bitte
        |wenn's)\b|\bab (?:jetzt|sofort) immer (?-i:[A-ZÄÖÜ])|\bbleibt? (?:bitte |alles |aber )?(?:unter uns
        |zwischen uns|geheim)|\bvon dir\b.*\b(?:möchte|will|wünsche|brauche|wäre mir)\b|\b(?:möchte|will|wünsche
        |brauche)\b.*\bvon dir\b(?=.*\b(?:immer|jede\w*|nie|werden)\b)|\bdu (?:darfst|kannst) (?:mir
        |mich) (?:\w+ )?(?:ruhig|gern\w*|jederzeit)\b|\bich (?:hasse|mag) es (?:nicht|gar nicht
        |überhaupt nicht)?,? wenn du\b|\b(?:darf|soll)\b.{0,30}\b(?:nichts|nicht)\b.{0,20}\b(?:wissen|erfahren
        |mitkriegen|merken|mitbekommen)\b|\b(?:ich fänd\w*|es wär\w*|ich wär\w*) (?:\w+ ){0,3}(?:schön|gut|nett|lieb
        |dankbar|froh|toll|super),? wenn du\b(?=.*\b(?:nicht|nie|immer|jede\w*|weniger|keine\w?|erst|zuerst)\b)
    |^(?:das )?(?:bitte )?(?:nur )?unter uns\b[^?]{0,30}$|\b(?:sag|erzähl
        |verrat)\w* (?:es |das |davon )?(?:\w+ ){0,2}(?:niemand\w*|keinem|keiner|nichts)\b|\b(?:sag|erzähl
        |verrat)\w* (?:\w+ ){1,3}(?:nichts|nix)\b|\b(?:nur für deine ohren|das weißt nur du|bleibt (?:in diesem
        |hier drin))\b|\b(?:einmal|zweimal) (?:die|pro|im|am) \w+\b.{0,20}\b(?:sollst|fragst|erinnerst|darfst) du\b
        |\b(?:sollst|darfst) du (?:mich|mir)\b(?=.*\b(?:immer|jede\w*|nie|einmal|abends|morgens)\b)
        |\bkein (?:sterbens)?wort (?:zu|davon|darüber|über|an)\b|\bbehalt\w* (?:das|es|dies)(?: bitte)? für dich
    |\b(?:davon|es|das|der \w+|die \w+) (?:darf|soll|muss)\b.{0,30}\b(?:niemand|keiner|geheim|nicht wissen
        |erfahren)\b|\berfährt (?:keiner|niemand)\b|\b(?:fragst|sagst|nennst|erinnerst|lässt|schreibst|erzählst
        |redest) du (?:mich|mir|bitte)\b(?=.*\b(?:immer|nie|jede\w*|abends|morgens|\w+tags)\b)
    |\b(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|abends|morgens) (?:fragst|sagst
        |erinnerst|schreibst) du)""",
    r"""\bmir (?:ist|wäre|ist's) (?:\w+ ){0,2}lieber,? (?:du|wenn du|dass du)\b|\bich (?:hätte|mag|fände|fänd|hab
        |habe) es (?:\w+ ){0,2}(?:lieber|gern|gut|besser),? (?:wenn|dass) du\b|\bich bevorzuge (?:\w+ )?(?:antworten
        |sätze)\b""",
    case=r"""(?:(?:immer )?(?:wenn|falls|sobald|sooft|bevor|jedes mal,? wenn)\b(?=[^,]*\b(?:ich|mir|mein\w*|du|er|sie
        |wir|jemand|es)\b)[^,.?!]{2,120},(?: dann)? *)""",
    at=r"""(?:(?:bei|mit|für|in|an) \w+(?: \w+)?,? )""",
    order=r"""(?:frag|sag|erzähl|erinner|erinnere|schreib|antworte?|red|rede|sprich|gib|zeig|erklär|nenn|benutz|nutz
        |verwend|nimm|stell|halt|bleib|mach|fang|warn|korrigier|verbesser|formatier|füg|begrüß|beginn|achte?
        |nummerier|rechne|schick|widersprich|lob|lass uns|lass|hör|unterbrich|setz)(?:e|en sie|t)?\b""",
    after=r"""(?:bitte |dann |einfach |lieber |ruhig |erst |erstmal )*(?!(?:bin|ist|hab|habe|hat|war|wird|werde|kann
        |muss|darf|soll|will|der|die|das|es|ich|wär|wäre)\b)(?:\w+[^\Wtn]\b|halt\b|antworte?\b
        |wart\b)(?<!te)(?! (?:ich|er|sie|es|wir|man|das|der|die|mein\w*|ihr|alle|jeder)\b)(?=[^.]*\b(?:mir|mich|bitte
        |nicht|keine?n?|lieber|einfach|ruhig|erst|nie)\b)""",
    less=r"""\b(?:nicht|weniger|keine?n?|ohne|aufhören|kürzer\w*|einfacher\w*|langsamer|nie|so viele?|weglassen
        |sparen|duzen)\b""",
    polite=r"""(?:könntest|kannst|würdest|magst|wärst) du\b|könnten sie\b|würden sie\b|(?:darf
        |kann) ich dich bitten\b""",
    ban=r"""(?:(?:frag|sag|erzähl|erinner|erinnere|schreib|antworte?|red|rede|sprich|gib mir|zeig mir|erklär|nenn
        |benutz|nutz|verwend|tröste?|schimpf|unterbrich|widersprich|lob|korrigier|verbesser|duz|siez|lenk|rat|urteil
        |erwähn|verrat|lach|scherz|mach (?:\w+ ){0,2}(?:witze|druck|vorwürfe)|fang (?:\w+ ){0,2}mit|komm mir
        |stell mir|sprich|gratulier|wünsch|beschönig|lüg|schick|stups|dräng|bewert)(?:e|en sie
        |t)?\b[^,;]{0,60}?\b(?:nie|niemals|nicht|keine?\w?|nichts|nie wieder)\b)""",
    holds=r"""\b(?:immer|stets|nie|niemals|nie wieder|jedes mal|jede[nrms]?|(?:mon|diens|mitt|donners|frei|sams
        |sonn)(?:tag|woch)s|mittwochs|abends|morgens|mittags|nachts|an wochenenden|am wochenende|grundsätzlich
        |generell|in zukunft|künftig|ab (?:jetzt|sofort)|von (?:jetzt|nun) an|sooft|wenn (?:ich|wir|er|sie)
        |bevor (?:du|wir|ich)|pro antwort|in der regel|normalerweise|erst .*\bdann)\b""",
    once=r"""\b(?:heute|heut|(?<!jeden )morgen|(?<!ab )jetzt|gleich|nachher|diesmal|dieses mal|für (?:heute|jetzt)
        |um (?:\d|halb|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)\w*|in (?:einer|zehn|fünf|\d+) (?:stunde
        |minuten?)\w*|(?:am|bis zum) \d+|nächste[nrs]? (?:woche|monat|mal)|noch schnell|achtzigsten|geburtstag)\b""",
    idle=r"""(?:(?:erzähl|sag) mir (?:bloß |jetzt |ja |doch )?nicht,? (?:dass|du|das|er|sie|jetzt)|sag bloß
        |frag (?:mich |lieber |bloß )?nicht,? (?:was|wie|warum|wo|wann)|frag (?:mich )?nicht\b[^,]{0,12}$
        |[^.]{0,80}, (?:sagte?|meinte|rief|pflegte|hat) (?:\w+ ){0,2}(?:oma|opa|mutter|vater|immer|meine?|er|sie)
        |frag lieber nicht|mach(?:'s)? (?:gut|dir|es|keine? (?:sorgen|quatsch|blödsinn|unsinn|stress))|lass (?:dich
        |dir|mich raten|es|das|mal|gut)|halt (?:dich|die|durch|mal)|bleib (?:gesund|wie|so|dran)|gib (?:dir|nicht auf
        |auf|acht)|komm gut|nimm (?:dir|es|das))""",
    ended=r"""\b(?:du (?:brauchst|musst|sollst)|(?:brauchst|musst|sollst) du)\b.*\b(?:nicht mehr|nimmer
        |nicht länger)\b|\b(?:das mit|die sache mit|meine bitte)\b.*\b(?:lassen|sein|vergessen|vergiss|erledigt
        |hinfällig|aufgehoben)\b|\b(?:regel|bitte|verbot|ansage)\b.{0,40}\b(?:erledigt|aufgehoben|hinfällig
        |gestrichen|vergiss)\b|\b(?:du (?:kannst|darfst)|(?:kannst|darfst) du)\b(?=.*\b(?:wieder|aufhören
        |jetzt doch)\b).*\b(?:fragen|sagen|reden|erwähnen|nennen|schreiben|erinnern|aufhören|sprechen|benutzen)\b
        |\b(?:vergiss|streich)\b.{0,20}\b(?:das mit|die regel|meine bitte|was ich)\b|\b(?:regel|bitte
        |verbot)\b.{0,20}\bgilt nicht mehr\b|\b(?:ist|sind) (?:ab jetzt |jetzt )?wieder erlaubt\b""",
    promise=r"""(?:^|[,:;] )(?:und |also |dann |gut[,.] |ja[,.] )*(?:ich (?:verspreche|werde (?:dich|dir|daran|es|das
        |nicht|niemand\w*|nie)|(?:frag|erinner|behalt|halt|merk|sag|verrat|schweig|warte|nenn|schimpf)\w* (?:dich|dir
        |mir|das (?!für)|es|niemand\w*|nicht|nichts|beide|nie|am|jeden))|(?:frage?|erinnere?|behalte|merke|halte|sage
        |denke|nenne) ich (?:dich|dir|mir|das|es|niemand\w*|daran|beide|nichts|nie))""",
    done=r"""(?:\b(?:erledigt|geschafft|abgehakt)\b|\b(?:hab|habe|haben|ist|sind)\b.*\b(?:abgegeben|eingereicht
        |bezahlt|gebucht|angerufen|abgeschickt|geschickt|gesagt|erzählt|unterschrieben|fertig|bestellt|abgeholt
        |gekündigt|verlängert|gemacht)\b)""",
)
