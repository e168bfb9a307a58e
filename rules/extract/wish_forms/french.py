"""The forms of wishes in French."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

FRENCH: Final = WishForms(
    r"""(?:(?:et|aussi|alors|au fait|ok|bon|mais|sinon|donc|puis|non|oui|par contre|toi|en général|pour moi|avec moi
        |entre nous)[,:]? +|s'il (?:te|vous) plaît,? +|stp,? +|merci de +|pense à +|n'oublie pas de +)""",
    r"""(?:(?:à partir de maintenant|désormais|dorénavant|à l'avenir)\b|toujours \w+(?:er|ir|re)\b|ne jamais \w
        |appelle(?:z)?-moi\b|(?:tutoie|vouvoie)(?:z)?-moi\b|moi,? c'est (?-i:[A-ZÉÈ])
        |je m'appelle (?-i:[A-ZÉÈ])\w+(?: maintenant)?,? (?:pas|plus|et non)|tu peux m'appeler|pour toi,? (?:c'est
        |je suis) (?-i:[A-ZÉÈ])|dis (?:juste |simplement )?(?-i:[A-ZÉÈ])\w+|(?-i:[A-ZÉÈ])\w+,? pas (?-i:[A-ZÉÈ])\w+
        |on se (?:tutoie|vouvoie)|(?:laisse tomber|évite|épargne-moi|oublie|supprime
        |arrête) (?:les |tes |le |la |avec les )[^.!?]{0,30}(?:emojis?|smileys?|points? d'exclamation|listes?
        |formules?|blagues|conseils|politesses?|compliments|surnoms?|questions|leçons)\b
        |(?:ne |n')(?:me |m')(?!(?:dis|fais|quitte|oublie|laisse|demande|attends|en veux|abandonne
        |manque)\b)\w+ (?:pas|plus|jamais)\b|(?:ne |n')\w+ (?:pas|plus|jamais)\b.{0,20}\bavec moi\b
        |tout le monde (?:dit|m'appelle)\b.{0,30}\b(?:toi|fais|aussi|pareil)\b|(?:les|mes) (?:recettes|prix|mesures
        |dates|heures|réponses|titres)\b[^.!?]{2,40}\b(?:toujours|jamais|s'il)\b|on (?:se )?parle (?:en )?\w+(?:ais
        |ien|ol|and|an) (?:le|les|tous)
    |sois (?:\w+ ){1,3}avec moi|parle-moi (?:comme|franchement|cash|sans)|(?:corrige|reprends)(?:-moi| mes| mon)\b
        |(?:plus|moins) (?:court|simple|long|vite|lent|direct)\w*[^.!?]{0,20}(?:stp|svp|s'il (?:te|vous) plaît)
        |en (?:français|anglais|espagnol|italien|allemand|\w+ais|\w+ien),? (?:stp|svp|s'il)|(?:les|mes) (?:mesures
        |quantités|températures|distances|dates|heures|prix|poids)\b[^.!?]{2,50}(?:s'il|stp|svp|toujours|jamais)
    |(?:pas|plus|jamais|aucune?|sans|zéro|moins|assez)(?: de| d'|)[^.,;!?]{0,30}(?:emojis?|smileys?|émoticônes?
        |points? d'exclamation|listes?|puces|blagues|conseils|leçons?|solutions|compliments|surnoms?|jargon
        |anglicismes|morale|phrases? toutes? faites?)\b
    |(?:pas|plus|jamais|aucune?|sans|zéro) (?:de |d')?[^.!?]{2,40},? (?:stp|svp|s'il (?:te|vous) plaît|d'accord|merci
        |ok)\b|(?:jamais|pas) (?:de réponse )?(?:de )?plus de \w+ (?:lignes|phrases|mots|questions)|(?:maximum
        |au plus) \w+ (?:lignes|phrases)|(?:deux|trois|\d) (?:phrases|lignes) (?:maximum|max|au plus))""",
    r"""(?:\b(?:s'il (?:te|vous) plaît|stp|merci de)\b.*\b(?:toujours|jamais|ne plus)\b|^(?!.*\bj['e] .*\b(?:toujours
        |jamais)).*\b(?:toujours|jamais)\b.*\bquand je (?:te |vous )?(?:demande|pose|parle)\b
    |\b(?:motus|bouche cousue)\b|\bpas un mot (?:là-dessus|à|de|sur|quand|si)\b|\b(?:ça|cela|ceci|que ça|c'est
        |tout ça)? ?(?:reste|doit rester) entre nous\b|\bgarde(?:z)?[- ](?:ça|le|cela|tout ça)(?: bien)? (?:pour toi
        |secret|entre nous)\b|\bn'en parle(?:z)? (?:pas|jamais|à)\b(?! moi)
    |\bne (?:le |la |l')?(?:dis|dites|raconte)s? (?:rien|pas|jamais|ça|surtout pas)?.*\bà (?:personne|(?-i:[A-Z])
        |ma\b|mon\b|mes\b)|\b(?:je (?:veux|voudrais|souhaite|préfère)|j'aimerais|il faut) que tu (?!sach
        |soit)(?!.*\b(?:aujourd'hui|ce soir|demain)\b).*|\bc'est (?:un|mon) secret\b|\b(?:c'est|ça reste
        |que ça reste) entre toi et moi\b|\b(?:ne doit|doit)(?: surtout)? (?:pas|rien
        |jamais)(?: le| l'| en)?\s?(?:savoir|apprendre|l'apprendre|découvrir|entendre)\b|\bje (?:déteste|n'aime pas
        |ne supporte pas) (?:quand|que) tu\b|\btu peux (?:me )?(?:taquiner|secouer|contredire|gronder|engueuler
        |corriger)\b|\b(?:ce serait|ça serait) (?:bien|gentil|super|sympa|chouette) (?:que|si) tu\b(?=.*\b(?:pas
        |jamais|toujours|chaque|moins|avant)\b)|\bj'aimerais (?:bien )?que tu\b|\b(?:ça m'arrangerait
        |ça m'aiderait)\b.*\b(?:toujours|chaque|si tu)\b|\bje m'appelle (?-i:[A-Z])\w+,? (?:pas|et non))""",
    r"""\b(?:je (?:préfère|préférerais)|j'aime(?:rais)? mieux) (?:\w+ )?(?:que (?:tu|vous)|quand tu|si tu
        |des réponses)\b""",
    case=r"""(?:(?:quand|si|lorsque|dès que|chaque fois que|à chaque fois que|les (?:soirs|jours|matins|fois
        |nuits) où|même si|tant que|avant de)\b(?=[^,]*\b(?:je|j'|me|m'|mon|ma|mes|tu|on|il|elle
        |quelqu'un))[^,.?!]{2,120}, *)""",
    at=r"""(?:(?:tous|toutes) les \w+(?: \w+)?,? +|chaque \w+(?: \w+)?,? +|le (?:lundi|mardi|mercredi|jeudi|vendredi
        |samedi|dimanche|soir|matin|week-end),? +|(?:pour|dans) (?:les|le|la|mes) \w+,? +|une fois par \w+,? +)""",
    order=r"""(?:(?:dis|parle|réponds|écris|demande|rappelle|explique|donne|utilise|emploie|mets|ajoute|montre
        |raconte|pose|préviens|corrige|évite|arrête|garde|reste|commence|termine|finis|laisse|fais|sois|propose
        |traduis|note|compte|indique|coupe|interromps|signale|avertis|inclus|formate|cite|félicite|encourage
        |écoute)(?:z)?(?:-(?:moi|le|la|lui|les|nous|m'en)){0,2}\b|on (?:parle|se parle|s'écrit)\b|parlons\b)""",
    after=r"""(?:alors |juste |plutôt |d'abord |simplement |s'il te plaît )*(?!(?:je|j'\w*|tu|il|elle|on|nous|vous
        |ils|elles|c'est|ce|ça|cela|le|la|les|l'\w*|un|une|des|mon|ma|mes|son|sa|ses|leur|ton|ta|y|tout|rien|personne
        |qui|que|est|sont|mais|et|même)\b)(?:ne |n')?\w+(?:e|s|ds|ts|ez)(?:-(?:moi|le|la|lui|toi))*\b(?!s)(?= (?:de|à
        |moi|plutôt|le|la|mon|ma|mes|pas|plus|jamais|juste|simplement|d'abord|un|une|avec|en|sans)\b|-moi|[.,!]|$)""",
    less=r"""\b(?:ne pas|ne plus|moins|éviter|arrêter|sans|plus court|plus simple|oublier les|laisser tomber
        |tutoyer)\b""",
    polite=r"""(?:est-ce que )?(?:tu (?:pourrais|peux|voudrais bien|veux bien)|(?:pourrais|peux|voudrais)-tu
        |(?:pourriez|pouvez)-vous|on (?:se )?(?:parle|pourrait)|ça te dérangerait|serait-il possible)\b""",
    ban=r"""(?:(?:ne|n') ?(?:me |m'|lui |leur |nous |en |m'en |le |la |l')*(?:dis|parle|réponds|écris|demande
        |rappelle|explique|donne|utilise|emploie|mets|ajoute|montre|raconte|pose|corrige|commence|termine|finis
        |propose|traduis|coupe|interromps|console|rassure|évoque|mentionne|cite|répète|appelle|juge|plaisante
        |félicite|moralise|materne|flatte|vouvoie|tutoie|cherche|essaie|tente|minimise|compare|souhaite|envoie|gronde
        |presse)(?:s|z)?\b.{0,12}\b(?:pas|plus|jamais|rien|aucune?|que)\b|(?:arrête|évite|cesse)(?:z)? (?:de|d')
        |inutile de )""",
    holds=r"""\b(?:toujours|jamais|chaque|tous les|toutes les|à chaque fois|désormais|dorénavant
        |à partir de maintenant|à l'avenir|en général|d'habitude|par défaut|systématiquement|le (?:lundi|mardi
        |mercredi|jeudi|vendredi|samedi|dimanche|soir|matin)|une fois par|(?:le )?week-end|le (?:lundi|mardi|mercredi
        |jeudi|vendredi|samedi|dimanche|matin|soir)s?|quand (?:je|on)|si (?:je|on)|dès que|même (?:si|quand)|avant de
        |d'abord)\b""",
    once=r"""\b(?:demain|aujourd'hui|ce (?:soir|matin|week-end)|cet après-midi|tout de suite
        |maintenant(?<!de maintenant)|cette fois|tout à l'heure|à \d+ ?h|dans (?:une|dix|\d+) (?:heure|minutes?)
        |pour (?:ce soir|demain|la chambre|les \d+ ans))\b""",
    idle=r"""(?:ne me dis pas (?:que|qu')|ne m'en parle pas|ne fais pas (?:de bêtises|cette tête|l'idiot)|dis donc
        |ne t'inquiète|fais (?:attention|gaffe|comme|de beaux)|garde (?:le moral|la pêche|espoir)|reste (?:comme|toi)
        |sois (?:sage|prudente?|forte?)|laisse tomber|[^.]{0,80}, (?:disait|dit|répétait|criait) (?:toujours )?(?:ma
        |mon|la|le)|dis-moi[,.]? (?:que|qu'|tu|si|comment|pourquoi|ce|où)|arrête de (?:te|m'inquiéter))""",
    ended=r"""\btu (?:peux|n'as plus (?:besoin|à)|n'es plus obligée?|n'es pas obligée?)\b.*\b(?:de nouveau|à nouveau
        |maintenant|plus (?:besoin|à)|arrêter|plus obligée?|plus)\b|\b(?:plus besoin|plus la peine) (?:de me|de m'
        |que tu|de (?:demander|rappeler|parler|éviter))\b|\bj'annule (?:ma|la|cette) (?:consigne|demande|règle)\b
        |\boublie (?:ce que|la consigne|ma (?:consigne|règle|demande)|cette règle|mon histoire de)|\bje (?:lève
        |retire) (?:ma (?:consigne|demande|règle)|l'interdiction)|\b(?:ma|la|cette) (?:consigne|règle|demande
        |interdiction)\b.{0,30}\b(?:ne tient plus|ne vaut plus|tombe|est levée|annulée|on oublie|oublie)|\b(?:la
        |ma) (?:règle|consigne)\b.{0,30}\boublie-la\b|\bje ne veux plus que tu\b|\btu peux (?:me )?(?:reparler
        |redemander|reprendre|recommencer|arrêter) (?:à|de|d')""",
    promise=r"""(?:^|[,:;] )(?:et |alors |bon,? |oui,? )*je (?:ne )?(?:te |vous |m'|l'|le |la |n'en |t'
        |t'en |lui )*(?:demanderai|rappellerai|promets|garderai|dirai|penserai|noterai|tiendrai|attendrai|reparlerai
        |souviendrai|parlerai|poserai|appellerai|préviendrai|mentionnerai|oublierai)\b""",
    done=r"""(?:\b(?:c'est|voilà|ça y est,?) (?:fait|réglé|envoyé|payé|signé|réservé|fini)\b
        |\bj'ai (?:enfin |déjà |bien )?(?:appelé|envoyé|payé|réservé|rendu|signé|dit|posté|acheté|fini|commandé
        |annulé)\b)""",
)
