"""The slots of wishes in French."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

FRENCH: Final = WishForms(
    lead=r"""(?:(?:et|aussi|alors|au fait|ok|bon|mais|sinon|donc|puis|non|oui|par contre|toi|en général|pour moi
        |avec moi|entre nous)[,:]? +|s'il (?:te|vous) plaît,? +|stp,? +|merci de +|pense à +|n'oublie pas de +)""",
    form=r"""(?:avec moi,? (?:pas|jamais|toujours|que|plus|sans)\b|(?:il me (?:faut|faudrait)|j'ai besoin de
        |je voudrais|je préfère|j'aimerais) (?:de |d'|des |les |tes )*(?:réponses|phrases|messages|textes
        |paragraphes)|parle-moi (?:\w+ )?\w+ment|(?:\S+ )?(?:<talk>),? (?:<order>)|(?:une?|des
        |deux) [^.?!]{3,80}(?:<holds>)[^.?!]{0,60}(?:s'il (?:te|vous)|stp|svp|m'aide\w*|m'arrange\w*|me plairait
        |me ferait|serait)|(?:à (?:partir|compter) (?:de (?:maintenant|ce jour|demain)|d'aujourd'hui)|désormais
        |dorénavant|à l'avenir|dès (?:maintenant|aujourd'hui))\b(?! (?:je|j'\w+|il|elle|c'est|mon|ma|le
        |la) )(?=[^.?!]*\b(?:<say>|<talk>|moi|me|tu|on))|(?:toujours|jamais|systématiquement) (?:<say>|(?:en
        |avec|des?) )|ne (?:jamais|pas|plus) (?:<say>)|(?:pas|plus|jamais|aucune?|sans|zéro|moins|assez|marre
        |stop|fini|fini(?:es)?|halte|trêve|juste|seulement|uniquement|que|max(?:imum)?|au plus|laisse tomber
        |oublie|évite|épargne-moi|supprime|arrête|vire|enlève|range|mets|garde|va|vas-y)\b(?: (?!(?:je|il|elle
        |mon|ma|est|était)\b)[^\s,.;!?]+| d'| l'){0,4}? ?(?:d'|l'|qu')?(?:<talk>)|(?:pas|plus|jamais|aucune?
        |sans|zéro|moins) (?:de |d')?[^.!?]{2,40},? (?:stp|svp|s'il (?:te|vous) plaît|d'accord|merci|ok)\b
        |(?:(?:un peu|un poil|un chouïa) )?(?:plus|moins|encore plus) (?:court|simple|long|vite|lent|direct|doux
        |douce|bref|brève|concis|franc|sec|calme|lentement|doucement|simplement|sobre
        |léger)\w*\b[^.!?]{0,40}(?:stp|svp|s'il (?:te|vous) plaît|merci|avec moi)?[.! ]*$
        |(?:<talk>)[^.!?]{0,12} (?:plus|moins) (?:court|simple|bref|brève|long|direct)\w*|en (?:<talk>),? (?:stp
        |svp|s'il|uniquement|seulement|toujours)|(?:tutoie|vouvoie|corrige|reprends)(?:z)?(?:-moi| mes| mon
        | ma)\b|on (?:se |s'|ne se )?(?:tutoie|vouvoie|parle|écrit|dit)\b[^.?!]*\b(?:<talk>|tu|vous)|(?:parle
        |réponds|écris|adresse|traite|sois|reste|comporte|ménage)(?:z)?(?:-(?:moi
        |toi))?\b[^.,?!]{0,30}\b(?:avec moi|à moi)\b[^.?!]{0,40}|(?:parle|réponds|écris
        |traite)(?:z)?-moi (?:comme|franchement|cash|sans|plus|moins|en (?:<talk>)|avec|normalement|doucement
        |lentement|vrai)|(?:sois|reste) (?:[^\s,.?!]+ ){0,3}(?:avec moi|direct\w*|franc\w*|honnête|bref|brève
        |sévère|cash|poli\w*|dur\w*|exigeant\w*)|garde\w* (?:ce|ton|le|un) ton\b|(?:l[ea]s?|mes|tes
        |pour l[ea]s?)? ?(?:<talk>)\b[^.!?]{0,50}\b(?:s'il (?:te|vous)|stp|svp|toujours|jamais|avec moi|pour moi
        |uniquement|d'abord|chez moi)\b|(?:ne |n')(?:me |m')(?!(?:dis|fais|quitte|oublie|laisse|demande|attends
        |en veux|abandonne|manque)\b)\w+ (?:pas|plus|jamais)\b|(?:ne |n')\w+ (?:pas|plus
        |jamais)\b.{0,20}\bavec moi\b|tout le monde (?:dit|m'appelle)\b.{0,30}\b(?:toi|fais|aussi|pareil)\b
        |(?:deux|trois|quatre|\d) (?:phrases|lignes) (?:maximum|max|au plus|pas plus))""",
    within=r"""(?:\bn'(?:a|ont) pas (?:à|besoin)(?: de)? ?(?:le |l')?(?:savoir|apprendre|entendre)
        |\btu (?:ne )?sais rien\b|\bje (?:ne |n')?(?:veux|peux|supporte) (?:plus|pas) (?:entendre|lire|voir)\b
        |\b(?:tout le monde|on|mes \w+)\b[^.?!]{0,40} (?:fais|faites|toi)(?: donc)? (?:pareil|de même|aussi)
        |(?:^|[,;:.] ?|\b(?:mais|et|tu peux|simplement|juste|alors|donc|maintenant|bonnement|plutôt|stp
        |plaît) )(?:m'appeler|appelle[sz]?[- ]moi|nomme[- ]moi|surnomme[- ]moi|baptise[- ]moi)\b(?! (?:quand|si
        |plus tard|demain|ce soir|dès|à|après|sur|pour|un|vite|au)\b)|\btu (?:peux |vas |dois )?(?:me dire
        |m'appelle[sr]?|m'appeler) (?:juste |simplement |par |désormais |maintenant |toujours )*(?-i:[A-ZÉÈÎ])
        |\b(?:je m'appelle|moi,? c'est|c'est|je suis|mon (?:pré)?nom,? c'est|pour toi,? (?:c'est|je suis)
        |désormais,?)(?: désormais| maintenant| juste)? (?-i:[A-ZÉÈÎ])\w+(?: maintenant| désormais| à présent
        | tout court| pour toi)*,? (?:et )?(?:pas|plus|non|et non)(?: pas| plus)? (?-i:[A-ZÉÈÎ])
        |\b(?:pour toi,? (?:c'est|je suis|ce sera)|moi,? c'est) (?-i:[A-ZÉÈÎ])\w+
        |\bdis (?:juste |simplement )?(?-i:[A-ZÉÈÎ])\w+|^(?-i:[A-ZÉÈÎ])\w+,? (?:et )?pas (?-i:[A-ZÉÈÎ])\w+[.!]*$
        |\b(?:motus|bouche cousue|chut)\b|\b(?:pas|plus) un mot\b(?! (?:n'|de l'|n’|ne|compris|d'anglais
        |de trop|de plus en))|\b(?:reste\w*|rester|restera)\b.{0,12} (?:entre (?:nous|toi et moi|nous deux)
        |ici)\b|^(?:juste |strictement |que ça |ça, )?entre (?:nous|toi et moi)[,.:!]|\bgarde(?:z|r
        |s)?\b[^.?!]{0,24} (?:pour (?:toi|nous)|secrète?|entre nous|sous silence)\b|\bne\b[^.?!]{0,12} ?(?:dis
        |dites|raconte|répète|parle|souffle|révèle|montre|mentionne)s?\b[^.?!]{0,40} (?:à
        |devant) (?!moi)(?:personne|quiconque|qui que|(?-i:[A-ZÉ])|ma\b|mon\b|mes\b|elle|lui)|\b(?:n'en
        |n'en) (?:parle|touche|souffle|dis)\w*\b|\bpas (?:à|devant) (?:ma|mon|mes|(?-i:[A-ZÉ])\w+)\b.{0,10}$
        |\bc'est (?:un|mon|notre) (?:petit )?secret\b|\b(?:ne|n') ?(?:doit|doivent|faut pas que?
        |faudrait pas qu?e?)\b[^.?!]{0,40}(?:savoir|apprendre|l'apprendre|découvrir|entendre|sache|apprenne|voie
        |voir|courant|tomber dessus|doute)\b|\b(?:personne|nul)\b.{0,20} (?:ne |n')(?:doit|peut|le sache
        |le saura)|^(?!.*\bj['e] .*\b(?:toujours|jamais)).*\b(?:toujours
        |jamais)\b.*\bquand je (?:te |vous )?(?:demande|pose|parle)\b|\b(?:je (?:préfère|préférerais)
        |j'aime(?:rais)? mieux) (?:\w+ )?des réponses\b)""",
    say=r"""(?:dis|di[rst]|parl|répond|écri|demand|rappel|expliqu|donn|utilis|emploi|employ|met[st]?|ajout|montr
        |racont|pos|prévien|préven|corrig|évit|arrêt|cess|gard|commenc|termin|fini|lâch|sor[st]|laiss|fai|fasse
        |sois|propos|tradui|interromp|consol|rassur|évoqu|mentionn|cit|répèt|répét|appel|jug|plaisant|félicit
        |moralis|matern|flatt|vouvo|tutoi|tutoy|cherch|ess[ay]|minimis|compar|souhait|envo|grond|press
        |enguirland|engueul|secou|taquin|charri|chambr|encourag|complimen|conseill|ouvr|conclu|salu|murmur|chant
        |li[srt]|not|compt|indiqu|signal|glis|balanc|écout|pouss|bouscul|harcel|ménag|chouchout|dorlot|abrég
        |résum|raccourci|alourdi|noi|enrob|prend|trait|adress|oubli|us|rest|jur)\w*\b""",
    talk=r"""(?:[ée]mojis?|smileys?|émoticônes?|points? d'exclamation|exclamations?|points? d'interrogation
        |astérisques?|gras|majuscules|listes?|puces|tirets|tableaux?|titres?|blagues?|vannes?|calembours
        |jeux de mots|plaisanteries|humour|conseils?|leçons?|morale|solutions?|compliments?|félicitations
        |louanges|flatteries|éloges|surnoms?|petits noms|jargon|argot|verlan|anglicismes?|franglais|gros mots
        |jurons|mots? (?:savants?|compliqués?|techniques?|doux|d'amour)|termes? techniques?
        |phrases? toutes? faites?|citations?|proverbes|dictons|métaphores?|formules?|politesses?|chichis
        |pincettes|blabla|bla-bla|ironie|sarcasme|questions?|réponses?|messages?|phrases?|lignes?|mots?
        |paragraphes?|textes?|pavés?|romans?|tartines|sermons?|ton|voix|accent|langue|abréviations|spoilers?
        |divulgâchage|orthographe|tutoiement|vouvoiement|recettes?|prix|mesures?|quantités?|températures?
        |distances?|dates?|heures?|poids|chiffres?|nombres|unités?|celsius|fahrenheit|grammes?|kilos?
        |kilomètres?|litres|milles|euros?|étapes?|numérotées?|par points|(?:anglais|français|espagnol|allemand
        |italien|portugais|russe|arabe|chinois|japonais|breton|occitan|basque|corse|alsacien|catalan|néerlandais
        |flamand|wallon|polonais|turc|grec|latin|hébreu|coréen|suédois|norvégien|danois|créole|québécois|kabyle
        |berbère|roumain|ukrainien|vietnamien|hindi))\b""",
    less=r"""\b(?:agace\w*|énerve\w*|déteste\w*|supporte\w*|aimerais|voudrais|aide\w*|arrange\w*|plaît|plairait
        |plaisir|serait|ne|n'\w+|pas|plus|jamais|moins|évite\w*|arrête\w*|cesse\w*|sans|plutôt|mieux|préfère\w*
        |préférerais|autant|plus (?:court|simple|lent|doux|douce|direct|bref|brève|franc|sévère|sec|calme
        |léger)\w*|oublie\w*|laisse\w* tomber|tutoy\w*|vouvoy\w*|tutoie\w*|vouvoie\w*|au lieu de)\b""",
    ask=r"""(?:(?:et )?si (?:tu|on) (?:me |m'|te )?\w+(?:ais|ait)\b|(?:est-ce que )?(?:tu|vous) (?:ne |n')?(?:me |m'
        |te |t'|nous )?(?:pourrais|peux|voudrais|veux|pourriez|pouvez|voulez|dois|devrais|devrez|devez
        |accepterais|accepterez|vas)\b|(?:pourrais|peux|voudrais|veux|saurais)-(?:tu|vous)|(?:pourriez|pouvez
        |voudriez|voulez)-vous|on (?:se |pourrait|peut|va|s')|(?:ça|cela) (?:te|vous) (?:dérange\w*|ennuie\w*
        |embête\w*|va|gêne\w*)|(?:serait|est)-(?:il|ce) possible|(?:il|ce|ça) (?:te |vous )?(?:serait
        |est) possible|(?:je|j')(?: ne| n')? ?(?:te |t'|vous |en |me )*(?:veux|voudrais|souhaite\w*|préfère\w*
        |préférerais|aime\w*|adore\w*|déteste\w*|supporte\w*|demande|prie|saurai\w*|serai\w*|suis|apprécie\w*
        |préfererais|ai besoin|aurais besoin|attends|apprécierais)\b[^,.?!]{0,30}? (?:que|qu'|si|quand
        |lorsque) ?(?:tu|vous|on)\b|j(?:e|')[^,.?!]{0,16}(?:prie|demande|remercie\w*
        |saurais gré)\b[^.?!]{0,12} (?:de|d')|(?:j'ai|j'aurais|je n'ai|je)\b[^,.?!]{0,24}(?:besoin|envie|veux
        |voudrais|aimerais|souhaite)\b[^.?!]{0,40} (?:de ta part|de toi|avec moi|dans tes|de tes)|(?:ça|cela|ce
        |il)\b[^.?!]{0,50}(?:aide\w*|arrange\w*|plaît|plairait|plaisir|bien|mieux|gentil|sympa|chouette|super
        |cool|bon|touche\w*|confort\w*|pratique|facile|important|gêne\w*|agace\w*|énerve\w*|serait|fatigue\w*
        |soulage\w*)\b[^,.?!]{0,24} (?:(?:que|si|quand) (?:tu|vous|on)\b|de (?=ne |me |m'))|(?:merci
        |prière) (?:de|d')\b|il (?:faut|faudrait|vaut mieux|vaudrait mieux) que (?:tu|vous)|tu (?:peux
        |as le droit)(?=[^.?!]*\b(?:me|m'|moi|mes|mon|ma|d'être)\b)|n'hésite pas à (?!me (?:dire|demander
        |contacter)|dem)|(?:autant que|pourvu que) tu)""",
    case=r"""(?:(?:quand|si|lorsque|dès que|chaque fois que|à chaque fois que|les (?:soirs|jours|matins|fois
        |nuits) où|même si|tant que|avant de)\b(?=[^,]*\b(?:je|j'|me|m'|mon|ma|mes|tu|on|il|elle
        |quelqu'un))[^,.?!]{2,120}, *)""",
    at=r"""(?:du \w+ au \w+,? +|(?:tous|toutes) les \w+(?: \w+)?,? +|chaque \w+(?: \w+)?,? +|le (?:lundi|mardi
        |mercredi|jeudi|vendredi|samedi|dimanche|soir|matin|week-end),? +|(?:pour|dans) (?:les|le|la
        |mes) \w+,? +|une fois par \w+,? +)""",
    order=r"""(?:(?:dis|parle|réponds|écris|demande|rappelle|explique|donne|utilise|emploie|mets|ajoute|montre|raconte
        |pose|préviens|corrige|évite|arrête|garde|reste|commence|termine|finis|laisse|fais|sois|propose|traduis
        |note|compte|indique|coupe|interromps|signale|avertis|inclus|formate|cite|félicite|encourage|écoute
        |envoie|lis|chante|glisse|ouvre|conclus|salue|souhaite|pousse|secoue|engueule|gronde|taquine|teste
        |interroge|répète|résume|relance|harcèle|réveille|motive|conseille|apprends|apporte|offre|prends|balance
        |sors|lance|chuchote|adresse|bouscule)(?:z)?(?:-(?:moi|le|la|lui|les|nous|m'en|toi|en)){0,2}\b
        |on (?:parle|se parle|s'écrit)\b|parlons\b)""",
    after=r"""(?:alors |juste |plutôt |d'abord |simplement |s'il te plaît )*(?!(?:je|j'\w*|tu|il|elle|on|nous|vous|ils
        |elles|c'est|ce|ça|cela|le|la|les|l'\w*|un|une|des|mon|ma|mes|son|sa|ses|leur|ton|ta|y|tout|rien
        |personne|qui|que|est|sont|mais|et|même)\b)(?:ne |n')?\w+(?:e|s|ds|ts|ez)(?:-(?:moi|le|la|lui
        |toi))*\b(?!s)(?= (?:de|à|moi|plutôt|le|la|mon|ma|mes|pas|plus|jamais|juste|simplement|d'abord|un|une
        |avec|en|sans)\b|-moi|[.,!]|$)""",
    ban=r"""(?:(?:surtout )?(?:ne|n') ?(?:me |m'|lui |leur |nous |en |m'en |le |la |l'|te |t'
        |y |les )*(?:<say>)(?:-\w+)?.{0,16}\b(?:pas|plus|jamais|rien|aucune?|que)\b|(?:arrête|évite|cesse
        |stop)(?:z)?[- ](?:de |d'|avec )(?:me |m'|t' ?)?(?:<say>|<talk>|tes |ces )
        |inutile (?:de |d')(?:me |m')?(?:<say>)|(?:pas|plus) (?:la peine|besoin) (?:de |d')(?:me |m')?(?:<say>)
        |(?:arrête|évite|cesse)(?:z)? (?:de |d')(?:me |m'))""",
    holds=r"""\b(?:toujours|jamais|chaque|chacun\w*|tous les|toutes les|à chaque|à tous les coups|désormais|dorénavant
        |à (?:partir|compter) (?:de|d')|dès (?:maintenant|aujourd'hui)|à l'avenir|en général|d'habitude
        |par défaut|systématiquement|d'office|constamment|quotidiennement|le (?:lundi|mardi|mercredi|jeudi
        |vendredi|samedi|dimanche|soir|matin|week-end|premier du mois|\w+ de chaque)s?|(?:une|deux
        |trois) fois (?:par|la|le|tous)|quand (?:je|j'|on|ça|c'est)|lorsque (?:je|tu)|si (?:je|j'|on|jamais)
        |dès que|même (?:si|quand)|avant (?:de|que|chaque)|d'abord|tant que|avec moi|ne\b.{1,30}\bplus
        |n'\w+ plus|plus jamais|au (?:début|réveil|coucher|moment)|à la fin de (?:tes|chaque)|dans (?:tes
        |chacune?))\b""",
    once=r"""\b(?:demain|aujourd'hui(?<!d'aujourd'hui)(?<!dès aujourd'hui)|ce (?:soir|matin|week-end|texte|mail
        |coup-ci|message)|cette (?:fois|phrase|lettre|nuit)|cet après-midi|tout de suite
        |maintenant(?<!de maintenant)(?<!dès maintenant)(?= (?:tout|vite))|cette fois|pour une fois
        |une (?:seule )?fois,|tout à l'heure|à \d+ ?h(?!.*\b(?:chaque|tous))|dans (?:une|dix|\d+) (?:heure
        |minutes?)|pour (?:ce soir|demain|la chambre|les \d+ ans))\b""",
    told=r"""(?:^pour (?:ma|mon|mes) |^(?:le|la|les|mon|ma|mes|son|sa) [^:]{0,60} ?:|\b(?:(?:il|elle|on|ils|elles
        |ma \w+|mon \w+|le \w+|la \w+|les \w+|(?-i:[A-ZÉ])\w+) (?:nous |m'|lui |l'|leur |me )?(?:a dit|ont dit
        |disait|disent|dit\b|veut|voulait|exige\w*|demande\w*|répétait|insiste|a (?:demandé|écrit|crié|exigé
        |juré|promis)|rêve|prétend)|(?:ai|avait|avais|ai-je|ai toujours) (?:dit|demandé|conseillé|répondu
        |expliqué|rêvé)|je (?:te |lui |vous )?(?:demandais|disais|voulais)|avant,? (?:je|tu|on)|autrefois
        |à l'époque|tu te (?:souviens|rappelles)|imagine|si tu (?:étais|avais|pouvais)|si j'(?:étais|avais)
        |dans une autre vie|pourquoi|j'ai (?:lu|vu|rêvé)|à ta place|comme disait))""",
    idle=r"""(?:[^.?!]{0,80}, (?:ai-je|je lui ai|disais-je)|ne me dis pas (?:que|qu')|ne m'en parle pas
        |ne fais pas (?:de bêtises|cette tête|l'idiot)|dis donc|ne t'inquiète|fais (?:attention|gaffe|comme
        |de beaux)|garde (?:le moral|la pêche|espoir)|reste (?:comme|toi)|sois (?:sage|prudente?|forte?)
        |laisse tomber|[^.]{0,80}, (?:disait|dit|répétait|criait) (?:toujours )?(?:ma|mon|la|le)
        |dis-moi[,.]? (?:que|qu'|tu|si|comment|pourquoi|ce|où)|arrête de (?:te|m'inquiéter))""",
    ended=r"""(?:\b(?:laisse tomber|oublie|abandonne) (?:le|la|les|l'|ce|cette|mon|ma) ?[^.?!]{2,40} que je t'|\b(?:tu
        |vous) (?:peux|pouvez|n'as|n'es|n'avez|ne dois)\b.*\b(?:de nouveau|à nouveau|maintenant|plus (?:besoin|à
        |obligée?)|arrêter|laisser tomber|oublier|plus|revenir|recommencer|reprendre|reparler|redemander
        |lâcher)\b|\b(?:plus besoin|plus la peine|plus nécessaire|pas la peine) (?:de|d'|que)|\b(?:plus
        |pas) (?:la peine|besoin)\b.*\b(?:me|m')|\b(?:j'annule|je lève|je retire|j'efface|je reviens sur)\b
        |\boublie (?:ce que|ça|la consigne|ma|cette|mon histoire|l'histoire|le truc|les|la)\b.{0,40}|\b(?:ma|la
        |cette|l'|mon|le) ?(?:consigne|règle|demande|interdiction|histoire|truc|secret
        |embargo)\b.{0,40}\b(?:ne tient plus|ne vaut plus|tombe|levée?|annulée?|on oublie|oublie\w*|plus (?:un
        |valable)|terminée?|fini\w*|c'est bon)|\bje ne veux plus que tu\b|\bc'est bon,? tu peux\b|\b(?:n'est
        |c'est) plus (?:un )?secret\b|\bon (?:peut|reprend|revient|laisse tomber)\b.{0,30}\b(?:au|à|le|la|les)\b
        |\b(?:re)(?:tutoie|vouvoie|parle)-moi\b)""",
    promise=r"""(?:^|[,:;] )(?:et |alors |bon,? |oui,? )*je (?:ne )?(?:te |vous |m'|l'|le |la |n'en |t'
        |t'en |lui )*(?:demanderai|rappellerai|promets|garderai|dirai|penserai|noterai|tiendrai|attendrai
        |reparlerai|souviendrai|parlerai|poserai|appellerai|préviendrai|mentionnerai|oublierai)\b""",
    done=r"""(?:\b(?:c'est|voilà|ça y est,?) (?:fait|réglé|envoyé|payé|signé|réservé|fini)\b
        |\bj'ai (?:enfin |déjà |bien )?(?:appelé|envoyé|payé|réservé|rendu|signé|dit|posté|acheté|fini|commandé
        |annulé)\b)""",
)
