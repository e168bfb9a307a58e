"""The slots of wishes in German."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

GERMAN: Final = WishForms(
    lead=r"""(?:(?:und|also|ach|ach so|übrigens|noch etwas|noch was|außerdem|ok|okay|nein|ja|gut|so|nur|aber|denn
        |dann|wichtig|grundsätzlich|du|ich bitte dich|und bitte)[,:.]? +|bitte,? +|denk daran,? +|mit mir,? +
        |mir,? +)""",
    form=r"""(?:(?:bei|mit) mir,? (?:bitte )?(?:keine?n?|nicht|nur|immer|ohne|nie)\b|ich (?:brauche|bräuchte
        |hätte gern|möchte|bevorzuge) (?:\S+ ){0,2}(?:antworten|sätze|nachrichten|texte|absätze)
        |(?:\S+ )?(?:<talk>),? (?:<order>)|(?:eine?n?|ein paar) [^.?!]{3,80}(?:<holds>)[^.?!]{0,60}(?:bitte
        |wär\w*|würde mir|fänd\w*)|ab (?:jetzt|sofort|heute) (?:immer |nur |bitte )*(?-i:[A-ZÄÖÜ])
        |(?:ab (?:jetzt|sofort|heute|nun|morgen)|von (?:jetzt|nun|heute) an|in zukunft|zukünftig|künftig|fortan
        |von nun)\b(?! (?:mach|geh|will|werd|bin|hab|ess|trink|steh|leb)\w* ich\b)(?! (?:wird|ist
        |gibt)\b)(?=[^.?!]*\b(?:<say>|<talk>|bitte|mich|mir|du))|(?:bitte )?(?:keine?[nrs]?
        |nie(?:mals)?(?: mehr)?|nicht|ohne|weniger|mehr|nichts|nix|kein wort|schluss mit|genug|nur|bloß
        |höchstens|maximal|lieber|null|lass|spar dir|spar mir|verzichte auf|weg mit|hör auf mit|lass mal
        |verschon mich mit|erspar mir)(?: mehr| wieder| als)?(?: (?!(?:ich|er|sie|wir|ist|war|hab|habe
        |hat)\b)[^\s,.;!?]+){0,4}? (?:<talk>)(?! (?:war|ist|hab|hatte|waren|sind|mehr ge)\w*)
        |(?:bitte )?(?:keine?[nrs]?|nicht|nie|ohne|nichts|weniger|nur) [^.!?,]{2,50},? (?:bitte|ja|okay|ok
        |danke)\b|bitte (?:keine?n?|nicht|nie|ohne|nichts|weniger|kürzer|nur) (?!dass|wahr)[^.!?]{2,60}|
        (?:bitte )?(?:etwas |bisschen |ein bisschen |viel |ganz )?(?:kürz|einfach|langsam|knapp|kurz|direkt|leis
        |ruhig|sanft|streng)(?:er|ere|eren|eres)?\b(?! (?:gesagt|vor|nach|bevor|mal|weil
        |und gut)\b)[^.!?]{0,30}\b(?:bitte|antworte\w*|fassen|schreiben|halten|reden|mit mir|danke)[^,.!?]{0,10}
        |(?:red|rede|sprich|schreib|sei|bleib|behandel|behandle|geh|antworte|mach|halt)\b[^.,?!]{0,30}\b(?:mit
        |zu|bei) mir\b(?! (?:über|zu hause|daheim|ins|in die|auf den|auf die))[^.?!]{0,40}|(?:sei
        |bleib) (?:bitte |ruhig |einfach |nicht )?(?:so |zu |gern |etwas |ein bisschen )*(?:streng|ehrlich
        |direkt|knapp|frech|freundlich|förmlich|hart|sanft|sachlich|locker)\w*\b|(?:korrigier|verbesser
        |berichtig)\w* (?:mich|mir|meine?\w?)\b|(?:bitte )?(?:auf|in) (?:<talk>),? bitte|bitte (?:auf
        |in) (?:<talk>)|(?:duz|duze|siez|sieze|duzen sie|siezen sie) mich\b|(?:du|duzen)[, ]+(?:bitte|nicht sie)
        |(?!(?:frag|lach|vergiss|lass|nerv|verlass|weck|mach|erzähl|sag|stör|versteh)\b)\w+[^\Wtn] (?:mich
        |mit mir) (?:bitte |ja |bloß )?nicht\b|(?:(?:am|an) \w+ |\w+s |wir )?(?:reden|sprechen
        |schreiben) (?:wir )?(?:nur )?(?:auf )?(?:<talk>)|(?:[\wäöüß-]+ ){0,3}(?:<talk>)(?: (?!(?:hab|hatte|ist
        |war|sind|waren|mag|ess|find|haben) )[^\s.?!]+){0,6}? (?:immer|bitte|nie|nur|grundsätzlich|stets|mit mir
        |bei mir|für mich)\b(?! (?:noch|schon|wieder) )|(?:mich nennen|alle nennen mich
        |alle sagen)\b.{0,30}\b(?:du|auch|mach)\b|(?:immer|stets|niemals|nie) (?!wieder\b|mehr\b|schon\b|noch\b
        |war|hab|hatte|ich\b|er\b|sie\b|wir\b|so\b|gut|im\b)[^.?!]*\b(?:antworten|schreiben|fragen|sagen|reden
        |erwähnen|nennen|benutzen|verwenden|angeben|erklären|sprechen)\b)""",
    within=r"""(?:\b(?:du weißt|weißt du|weißte) (?:\w+ )?(?:von )?(?:nichts|nix)\b|\b(?:will|möchte|mag|kann
        |brauche)\b.{0,24}\b(?:nichts|nix|nicht|kein\w*)\b.{0,40}\b(?:hören|lesen|sehen|gebrauchen)\b
        |\b(?:sagen sie|sag) (?:\w+ ){0,2}(?-i:[A-ZÄÖÜ])\w+ zu mir|\b(?:alle|jeder|man)\b[^.?!]{0,40}(?:mach|tu
        |machen sie)\w* (?:du |das )*(?:auch|genauso)|\b(?:nenne?n?|ruf|rufe|nennst|sag|sage|sagt)(?: sie
        | du)? (?:mich|zu mir)\b(?! (?:nicht |kein\w* )?(?:an|wenn|auf|zurück|mal|später|heute|morgen|ob|was|wie
        |wo|wer|warum)\b)(?: (?!an\b|zurück)\w+)|\bsag(?:t|st)? (?:\w+ ){1,3}zu mir\b|\b(?:ich heiße?
        |mein name ist|ich bin|bin|heiß)(?: ich)? (?:(?:jetzt|nun|ab|heute|seit|für|dich|von|an|ab|sofort
        |einfach|nur|der|die|übrigens)[ ])*(?-i:[A-ZÄÖÜ])\w+(?: \w+)?,? (?:und )?(?:nicht|nimmer
        |kein)(?: mehr)? (?-i:[A-ZÄÖÜ])|\bfür dich (?:bin ich |einfach |nur |ab jetzt |jetzt )*(?-i:[A-ZÄÖÜ])\w+
        |\b(?:du|sie) (?:kannst|darfst|können|dürfen) (?:\w+ ){0,3}?(?-i:[A-ZÄÖÜ])\w+ (?:zu mir sagen|nennen)
        |^(?:einfach |nur )?(?-i:[A-ZÄÖÜ])\w+ (?:reicht|genügt|langt)\b|^
        (?-i:[A-ZÄÖÜ])\w+,? (?:bitte,? )?nicht (?-i:[A-ZÄÖÜ])\w+[.!]*$
        |\bmich (?:bitte |ab jetzt |von nun an |einfach |nur |künftig )*(?-i:[A-ZÄÖÜ])\w+ (?:nennen|nennst
        |rufen)\b|\bbleibt?(?: \w+){0,3} (?:unter uns|zwischen uns|geheim|bei dir|unter vier augen)|^
        (?:das |alles |nur |bitte |streng |und |aber )*unter uns\b[^?]{0,30}$|\b(?:muss|soll
        |sollte)\b.{0,20}\b(?:unter uns|geheim) bleiben|(?<!ich )(?<!ich's )\b(?:sag|erzähl|verrat|verrate
        |plauder|sage|erzähle|petz|erwähn|erwähne|quatsch|sprich|red|schreib)(?:'s|s|'|t)? (?!mir|mich|uns
        |bloß nicht, )(?:(?!mir |uns )[^\s,.?!]+ ){0,5}?(?:niemand\w*|keinem|keiner|nichts|nix|kein wort
        |nicht(?: weiter)?|nie)\b(?! (?:dass|was|ob|wie|aus|an|auf))|\bverrat\w* mich (?:bloß |ja |bitte )*nicht
        |\bkein (?:sterbens)?wort(?:chen)?\b(?! (?:verstanden|gesagt|rausgebracht|mehr gesagt|verstehe?|deutsch
        |englisch|raus|gesprochen|miteinander))|\bbehalt\w* (?:das|es|dies\w*|den \w+
        |die \w+)(?: \w+){0,2} (?:für dich|für uns)|\b(?:nur für deine ohren|das weißt nur du
        |bleibt (?:in diesem|hier drin|hier)|unser (?:kleines )?geheimnis|ist (?:noch |streng )?geheim|psst)\b
        |\b(?:darf|soll|dürfen|sollen|muss)\b(?! ich)[^.?!]{0,40}\b(?:nichts|nicht|niemand|keiner|nie
        |kein wort)\b.{0,30}\b(?:wissen|erfahren|mitkriegen|merken|mitbekommen|hören|sehen|ahnen)\b|\b(?:niemand
        |keiner|sonst keiner|keine seele)\b.{0,20}\b(?:darf|soll|muss)\b.{0,24}\b(?:wissen|erfahren|hören
        |mitkriegen)|\berfährt\b.{0,30}\b(?:keiner|niemand|nichts)\b|^(?!.*\bich\b.*\b(?:immer
        |nie)\b).*\b(?:immer|stets|niemals|nie)\b.*\bwenn ich\b.*\b(?:frage|bitte|schreibe|sage|erwähne)\b)""",
    say=r"""(?:an|auf|aus|ab|vor|zu|ein|nach|mit|weg|um|los|hin|her|durch|wieder|be)*(?:zu|ge)?(?:frag|sag|erzähl
        |erinner|schreib|antwort|red|sprich|sprech|gib|gieb|geb|zeig|erklär|nenn|ruf|benutz|nutz|verwend|stell
        |fang|anfang|warn|korrigier|verbesser|formatier|begrüß|grüß|verabschied|beginn|hör|aufhör|schick
        |widersprech|widersprich|lob|unterbrech|unterbrich|tröst|schimpf|fluch|duz|siez|lenk|rat|beurteil|urteil
        |erwähn|verrat|verrät|lach|scherz|gratulier|wünsch|beschönig|lüg|dräng|hetz|bewert|mach|melde?|weck
        |vorstell|vorles|lies|les|sing|übersetz|wiederhol|red|quatsch|labber|bring|nimm|nehm|sein\b|sei\b|bleib
        |klopf|stups|piesack|quäl|predig|belehr|bemutter|verhätschel|aufmunter|munter|kommentier|zitier
        |vergleich|analysier|ermahn|mahn|motz|mecker|stich|zieh|heiß|kling|klär|lass|schluss|beende|unterschreib
        |anred|ansprech|sprich|tu\b|setz|pack|behandel|halt|kürz|fass|rechne|umrechn)\w*\b""",
    talk=r"""(?:smileys?|emojis?|emoticons?|ausrufezeichen|fragezeichen|satzzeichen|listen?|aufzählung\w*
        |stichpunkte?n?|stichworte?n?|tabellen?|sternchen|überschriften?|fettdruck|fettschrift|ratschläge\w*
        |tipps|witze?n?|wortspiele?|scherze?n?|sprüche?n?|kalendersprüche?n?|floskeln?|phrasen|kosenamen?
        |spitznamen?|fachwörter\w*|fachbegriffe|fachchinesisch|fremdwörter\w*|anglizismen|predigten|vorträge?
        |rückfragen?|nachfragen?|gegenfragen?|fragen?|komplimente\w*|lob\w*|gelobe|gejubel|ironie|sarkasmus
        |lösungen|lösungsvorschläge\w*|vorschläge\w*|trost\w*|romane?|abkürzungen?|spoiler|metaphern|zitate?
        |schimpfwörter|antworte?n?|nachrichten|sätze?n?|satz|worte?n?|wörter\w*|zeilen?|absätze?n?|text(?:e
        |wände)?n?|ton(?:fall)?|stimme|(?:ruhig|streng|sanft|hart|härt|leis|sachlich|freundlich)er|sprache
        |rechtschreibung|slang|umgangssprache|hochdeutsch|klartext|dialekt|mundart|platt\w*|bayr?isch|schwäbisch
        |schwyzerdütsch|rezepte?n?|preise?n?|mengen?|mengenangaben|maße?|maßeinheiten|einheiten|temperaturen?
        |gradzahlen|uhrzeiten|zeiten|daten|datum|datumsangaben|entfernungen?|strecken|gewichte|zahlen|beträge
        |celsius|fahrenheit|gramm|kilo\w*|liter|meilen|metern?|euro|franken|absatz|schritte?n?|nummeriert|das du
        |das sie|per du|per sie|höflichkeits\w+|(?:englisch|deutsch|französisch|spanisch|italienisch|russisch
        |türkisch|polnisch|niederländisch|holländisch|schwedisch|dänisch|norwegisch|portugiesisch|griechisch
        |arabisch|chinesisch|japanisch|ukrainisch|kroatisch|serbisch|latein\w*|jiddisch|friesisch|ungarisch
        |tschechisch|rumänisch|finnisch|koreanisch|hebräisch)\w*)\b""",
    less=r"""\b(?:nerv\w*|stör\w*|hass\w*|liebsten|helf\w*|hilft|schön\w*|nett\w*|besser|leichter|fänd\w*|recht|nicht
        |weniger|keine?[nrsm]?|ohne|aufhör\w*|nie|so (?:viele?)|statt|anstatt|lieber|weg(?:lass\w*)?|spar\w*
        |duz\w*|siez\w*|verzicht\w*|vermeide\w*|unterlass\w*|(?:kürz|knapp|einfach|langsam|streng|härt|sanft
        |ruhig|leis|freundlich|direkt|ehrlich|lock|förmlich|lustig)e?r\w*|streng|per (?:du|sie))\b""",
    ask=r"""(?:wie wär\W?e?s,? wenn|(?:ist|wär\w*)(?: es)? mir[^.?!]{0,12},? (?:wenn |dass )?du\b
        |(?:am liebsten) (?:hätte|wäre|hab)[^,.?!]{0,16},? (?:wenn |dass )?(?:du|sie)\b|(?:könntest|kannst
        |würdest|magst|möchtest|willst|darfst|sollst|solltest|musst|brauchst|wärst|dürftest) du\b|(?:könnten
        |würden|können|wollen|dürfen) sie\b|du (?:könntest|kannst|darfst|sollst|solltest|musst|dürftest
        |brauchst)\b(?=[^.?!]*\b(?:mir|mich|mein\w*|uns|ich)\b)|(?:darf|dürfte|kann|könnte) ich (?:dich
        |sie) (?:\w+ )?(?:bitten|drum)|ich (?:bitte|würde? dich bitten|möchte dich bitten
        |bitte dich)\b(?! um (?:verzeihung|entschuldigung))|(?:ich|wir)? ?\b(?:möchte|will|wünsche?|wünschte
        |brauche?|brauch|hätte|mag|fände|fänd|fänd's|find's|finde|hab|habe|würde|würd|wär|wäre|hätt|freue?|bin
        |fände)(?: ich)?(?: (?:es|mir|mich|dich|gern\w*|sehr|ganz|echt|so|am liebsten|lieber|besser|gut|schön
        |schöner|toll|nett|lieb|prima|super|klasse|freuen|dankbar|froh|glücklich|wohler|dir|ihnen|nur|ja|halt
        |einfach|eigentlich|mehr|riesig|total|wirklich|drüber|darüber))*,? (?:dass|wenn) (?:du|sie)\b|(?:hätt
        |hätte|möchte|brauche?|will|wünsche?) ich (?:gern\w* |mir )?(?!nicht mehr)(?=[^.?!]{0,30}\b(?:<talk>
        |von dir))|ich (?:brauch|brauche|will|möchte|hätte gern|wünsch mir|wünsche mir)\b(?:
        (?! (?:mehr |keine )?zeit)[^,.?!]){0,20} (?:dich|von dir)\b|(?:es|das|mir)\b[^,.?!]{0,45}\b(?:helfen
        |hilft|hälfe|lieber|recht|gut|besser|leichter|einfacher|schön|nett|lieb|toll|super|angenehmer|freuen
        |wichtig|egal|lästig|unangenehm|gut ?tun)\b[^,.?!]{0,20},? (?:wenn|dass) (?:du|sie)\b|(?:mir
        |am liebsten) (?:ist|wär|wäre|ist's|wär's)\b[^.?!]{0,20}lieb\w*,?(?: wenn| dass)? du\b|(?:hättest|hast
        |hätten) (?:du|sie) was dagegen|macht es dir was aus|wäre es (?:möglich|okay|ok)|wärst du so (?:lieb
        |nett|gut)|sei so (?:lieb|nett|gut)|tu mir (?:bitte )?(?:den|einen) gefallen|(?:lass|lasst) uns\b
        |wollen wir\b|können wir\b|ich (?:mag|hasse|ertrag|ertrage|kann)\b[^.?!]{0,24},? wenn du\b|(?:ich
        |mich) (?:nervt|stört|ärgert)\b[^.?!]{0,24},? (?:wenn|dass) du|(?:es|mich) (?:nervt|stört|ärgert
        |macht)\b[^.?!]{0,24},? (?:wenn|dass) du)""",
    case=r"""(?:(?:immer )?(?:wenn|falls|sobald|sooft|bevor|jedes mal,? wenn)\b(?=[^,]*\b(?:ich|mir|mein\w*|du|er|sie
        |wir|jemand|es)\b)[^,.?!]{2,120},(?: dann)? *)""",
    at=r"""(?:(?:bei|mit|für|in|an|am|zum|zur|vor|nach|jede[nsmr]?|einmal|zweimal|auf) \w+(?: \w+)?,? +|(?:abends
        |morgens|mittags|nachts|\w+tags|mittwochs|von \w+ bis \w+),? +)""",
    order=r"""(?:(?:immer|nie|stets|nur|einfach) )?(?:frage?|sage?|erzähle?|erinnere?|schreibe?|antworte?|rede?|sprich
        |gib|zeige?|erkläre?|nenne?|benutze?|nutze?|verwende?|nimm|stelle?|halte?|bleibe?|mache?|fange?|warne?
        |korrigiere?|verbessere?|formatiere?|füge?|begrüße?|beginne?|achte?|nummeriere?|rechne|schicke?
        |widersprich|lobe?|lass|höre?|unterbrich|setze?|melde?|wecke?|lies|singe?|übersetze?|wiederhole?|bringe?
        |klopfe?|stups|sei|ermahne?|mahne?|schimpfe?|zieh|fasse?|hilf|red|guck|schau|verabschiede?|grüße?
        |wünsche?|stich|tritt|pack|tu|kürze?|rate?|motiviere?|sporne?|treib|quäle?|frag)(?:n sie| sie)?\b(?! ich
        | er\b| wir)""",
    after=r"""(?:bitte |dann |einfach |lieber |ruhig |erst |erstmal )*(?!(?:bin|ist|hab|habe|hat|war|wird|werde|kann
        |muss|darf|soll|will|der|die|das|es|ich|wär|wäre)\b)(?:\w+[^\Wtn]\b|halt\b|antworte?\b
        |wart\b)(?<!te)(?! (?:ich|er|sie|es|wir|man|das|der|die|mein\w*|ihr|alle|jeder)\b)(?=[^.]*\b(?:mir|mich
        |bitte|nicht|keine?n?|lieber|einfach|ruhig|erst|nie)\b)""",
    ban=r"""(?:(?:frag|sag|erzähl|erinner|erinnere|schreib|antworte?|red|rede|sprich|gib|zeig|erklär|nenn|benutz
        |nutz|verwend|tröste?|schimpf|unterbrich|widersprich|lob|korrigier|verbesser|duz|siez|lenk|rat|urteil
        |erwähn|lach|scherz|mach|fang|komm|stell|gratulier|wünsch|beschönig|lüg|schick|stups|dräng|bewert|red
        |beend|beginn|hör|sei|tu|versuch|predig|belehr|bemutter|behandel|behandle|heul|jubel|zitier|vergleich
        |analysier|rede|bring|hetz|üb|setz|schreib|streu|pack)(?:e|en sie)? (?!ich\b)[^,;.?!]{0,60}?\b(?:nie
        |niemals|nicht|keine?[nrsm]?|nichts|nimmer|nie wieder)\b(?=[^.]*\b(?:mir|mich|mehr|bitte|dauernd|ständig
        |immer|<talk>|so|mit|auf|davon|darüber|dazu|wenn|dass|über|von|vor|an|daran))|(?:hör|lass)(?:e
        |t)? (?:bitte |mal |doch |endlich )*(?:auf|es|das|dies\w*|den|die|dein\w*)\b[^.?]{0,50}\b(?:zu <say>
        |<talk>|weg|sein|bleiben|mich|mir)\b)""",
    holds=r"""\b(?:immer|stets|nie|niemals|jedes ?mal|jede[nrms]?|(?:mon|diens|mitt|donners|frei|sams|sonn)(?:tag
        |woch)s|mittwochs|abends|morgens|mittags|nachts|vormittags|werktags|(?:an|am) wochenenden?
        |zum wochenanfang|grundsätzlich|generell|prinzipiell|ausnahmslos|durchgehend|in zukunft|künftig
        |zukünftig|ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun|heute) an|sooft|wenn (?:ich|wir|er|sie|es|was
        |mir|wieder|jemand)|sobald (?:ich|du|wir|es)|bevor (?:du|wir|ich)|pro (?:antwort|nachricht|tag|woche)
        |in der regel|normalerweise|erst .*\bdann|nur noch|nicht mehr|nie mehr|nimmer|täglich|wöchentlich
        |monatlich|(?:ein|zwei|drei)mal (?:die|pro|im|am|in der)|alle (?:zwei|drei|vier|paar) \w+|am (?:ende
        |anfang) (?:jed|dein)\w+|zu beginn|(?:falls|auch wenn|selbst wenn)|weiterhin|mit mir|bei mir|dauerhaft
        |egal (?:wie|was|ob|wer))\b""",
    once=r"""\b(?:dies(?:en|e|er|es) (?:satz|text|brief|wort|lied|mail|nachricht|frage|eine)
        |heute(?! an)(?<!ab heute)|heut|(?<!jeden )(?<!am )morgen(?!s)|(?<!ab )jetzt(?! an)(?= (?:gleich|sofort
        |bitte|mal|nur))|(?<!nicht )gleich|nachher|diesmal|dieses mal|für (?:heute|jetzt)|ausnahmsweise
        |nur (?:dies\w*|das eine|kurz)|kurz|um (?:\d|halb|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun
        |zehn)\w*(?!.*\bjede)|in (?:einer|zehn|fünf|\d+) (?:stunde|minuten?)\w*|(?:am|bis zum) \d+
        |nächste[nrs]? (?:woche|monat|mal)|noch schnell|achtzigsten|geburtstag)\b""",
    told=r"""(?:^(?:der|die|das|mein\w*|sein\w*|ihr\w*) [^:]{0,60}:|\b(?:(?:hab|habe|hat|haben|hatte|hätte|ist
        |war)\b.{0,40}\b(?:gesagt|gemeint|erklärt|erzählt|gebeten|geschrieben|verlangt|gerufen|befohlen|geraten
        |geträumt|eingebläut)|(?:er|sie|man|oma|opa|mama|papa|trainer|chef\w*|arzt|ärztin|lehrer\w*|mutter|vater
        |der \w+|die \w+) (?:sagte?|meinte?|will|wollte|verlangt\w*|befiehlt|besteht|bittet|bat|schrieb|rief
        |findet|möchte|predigt\w*)|früher|damals|weißt du noch|stell dir vor|(?:du )?wärst (?:du)?
        |wenn du (?:ein\w*|mein\w*) (?:\w+ )?(?:wärst|hättest)|wär ich|wäre ich|hättest du|warum|wieso|weshalb
        |im (?:netz|internet))\b)""",
    idle=r"""(?:[^.?!]{0,80}, (?:sag|sagte|hab) ich\b|(?:erzähl|sag) mir (?:bloß |jetzt |ja |doch )?nicht,? (?:dass
        |du|das|er|sie|jetzt)|sag bloß|frag (?:mich |lieber |bloß )?nicht,? (?:was|wie|warum|wo|wann)
        |frag (?:mich )?nicht\b[^,]{0,12}$|[^.]{0,80}, (?:sagte?|meinte|rief|pflegte|hat) (?:\w+ ){0,2}(?:oma
        |opa|mutter|vater|immer|meine?|er|sie)|frag lieber nicht|mach(?:'s)? (?:gut|dir|es|keine? (?:sorgen
        |quatsch|blödsinn|unsinn|stress))|lass (?:dich|dir|mich raten|es|das|mal|gut)|halt (?:dich|die|durch
        |mal)|bleib (?:gesund|wie|so|dran)|gib (?:dir|nicht auf|auf|acht)|komm gut|nimm (?:dir|es|das))""",
    ended=r"""(?:\b(?:du|sie) (?:brauchst|musst|sollst|müssen|brauchen)\b.*\b(?:nicht mehr|nimmer|nicht länger
        |kein\w* mehr|nix mehr)\b|\b(?:brauchst|musst|sollst) du\b.*\b(?:nicht mehr|nimmer|nicht länger
        |kein\w* mehr)\b|\b(?:das|die sache|mein\w* (?:bitte|regel|wunsch|verbot)|die (?:regel|bitte)
        |das verbot)\b.{0,60}\b(?:lassen|sein lassen|vergessen|vergiss|erledigt|hinfällig|aufgehoben|gestrichen
        |vom tisch|überholt|nicht mehr|gegessen)\b|\b(?:du (?:kannst|darfst)|(?:kannst
        |darfst) du)\b(?=.*\b(?:wieder|aufhören|jetzt doch|doch|ab jetzt|jetzt ruhig|bleiben lassen|sein lassen
        |weglassen)\b).*|\b(?:vergiss|streich|ignorier|lass)\b.{0,24}\b(?:das mit|die regel|meine (?:bitte
        |regel)|was ich)\b|\bgilt nicht mehr\b|\b(?:ist|sind) (?:ab jetzt |jetzt |nun )?wieder (?:erlaubt|okay
        |ok|in ordnung|willkommen)\b|\b(?:kein geheimnis mehr|nicht mehr (?:nötig|geheim|notwendig))\b
        |\bich (?:will|brauche?|möchte)\b.{0,40}\b(?:doch wieder|nicht mehr, dass du|keine \w+ mehr von dir)\b
        |\b(?:doch|jetzt) wieder (?:normal|richtig|ganz)\b|\bnehm\w* (?:ich )?(?:das|es|mein\w* \w+) zurück)""",
    promise=r"""(?:^|[,:;] )(?:und |also |dann |gut[,.] |ja[,.] )*(?:ich (?:verspreche|werde (?:dich|dir|daran|es|das
        |nicht|niemand\w*|nie)|(?:frag|erinner|behalt|halt|merk|sag|verrat|schweig|warte|nenn
        |schimpf)\w* (?:dich|dir|mir|das (?!für)|es|niemand\w*|nicht|nichts|beide|nie|am|jeden))|(?:frage?
        |erinnere?|behalte|merke|halte|sage|denke|nenne) ich (?:dich|dir|mir|das|es|niemand\w*|daran|beide
        |nichts|nie))""",
    done=r"""(?:\b(?:erledigt|geschafft|abgehakt)\b|\b(?:hab|habe|haben|ist|sind)\b.*\b(?:abgegeben|eingereicht
        |bezahlt|gebucht|angerufen|abgeschickt|geschickt|gesagt|erzählt|unterschrieben|fertig|bestellt|abgeholt
        |gekündigt|verlängert|gemacht)\b)""",
)
