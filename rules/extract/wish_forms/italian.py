"""The slots of wishes in Italian."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

ITALIAN: Final = WishForms(
    lead=r"""(?:(?:e|anche|inoltre|ok|ma|allora|senti|dai|no|sì|in generale)[,:]? +|per (?:favore|piacere),? +
        |ricorda(?:ti)?[,:]?(?: di)? +)""",
    form=r"""(?:(?:d'ora in (?:poi|avanti)|da ora in poi|da adesso in poi|in futuro)\b|(?:chiamami|mi chiami)\b
        |dammi del (?:tu|lei)\b|(?:niente|nessuna?|senza|basta|zero|meno) [^.,;!?]{0,30}(?:emoji|emoticon|faccine
        |punti esclamativi|elenchi|liste|battute|consigli|prediche|soluzioni|complimenti|nomignoli|gergo)\b
        |(?:niente|nessuna?|senza|basta) [^.!?]{2,40},? per (?:favore|piacere)\b)""",
    within=r"""(?:(?:\bper favore\b.*\b(?:sempre|mai)\b|\b(?:sempre|mai)\b.*\bquando (?:ti |le )?(?:chiedo|domando|parlo)\b
        |\bvoglio che (?:tu )?(?:sempre|mai|mi|non)\b|\b(?:resta|rimane|resti|rimanga) tra (?:noi|di noi|me e te)\b
        |\bnon (?:lo )?dir(?:e|lo)\b.*\ba (?:nessuno|(?-i:[A-Z])|mia|mio)|\bneanche una parola\b|\bacqua in bocca\b)
        |\b(?:io )?(?:preferisco|preferirei) (?:che (?:tu|mi|non)|risposte|se (?:tu|mi)))""",
    ask=r"""(?:potresti|puoi|potrebbe|ti dispiacerebbe|mi (?:potresti|puoi))\b""",
    case=r"""(?:(?:quando|se|ogni volta che|appena|ogniqualvolta)\b[^,.?!]{2,120}, *)""",
    at=r"""(?:(?:ogni|tutti i|tutte le|il|la|di) \w+(?: \w+)?,? +)""",
    order=r"""(?:\w+(?:ami|imi|emmi|mmi|rmi|mele|meli|melo|mela)\b|(?:usa|rispondi|scrivi|parla|metti|aggiungi|mostra
        |includi|ricorda|chiedi|di'|fai|spiega|evita|comincia|finisci|correggi)\b)""",
    ban=r"""(?:non|mai) (?:mi |gli |le |lo |la |ne )*(?:dire|dirmi|dirlo|parlare|parlarmi|chiedere|chiedermi|usare
        |scrivere|scrivermi|rispondere|rispondermi|chiamare|chiamarmi|ricordare|ricordarmi|dare|darmi|nominare
        |menzionare|consolare|consolarmi|giudicare|giudicarmi|interrompere|interrompermi|correggere|correggermi
        |fare (?:battute|elenchi|la predica)|ripetere)\b""",
    holds=r"""\b(?:sempre|mai|ogni|tutti i|tutte le|di (?:solito|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)
        |d'ora in|in generale|quando (?:ti|io|sono|parlo)|se (?:ti|io|sono)|prima di)\b""",
    once=r"""\b(?:oggi|domani|adesso|stasera|stavolta|questa volta|subito|alle \w+|tra (?:un'ora|\w+ minuti))\b""",
    idle=r"""(?:non (?:mi dire|dirmi)\b(?! (?:che devo|cosa))|mai dire mai|non (?:ti )?preoccupar\w*|dimmi (?:se|che|come
        |cosa|una)|lasciami|aiutami|credimi|scusami|figurati|immagin\w+)""",
    ended=r"""\bnon (?:devi|serve che|c'è bisogno che) (?:più |tu )+|\bpuoi (?:di nuovo|tornare a|smettere di)\b
        |\blascia perdere (?:quello|la)\b|\bdimentica (?:quello|la regola)\b""",
    promise=r"""(?:^|[,:;] )(?:e )*(?:io )?(?:non )?(?:te |ti |me |lo |gli |le )*(?:chiederò|ricorderò|prometto|terrò|dirò
        |avviserò|conserverò|menzionerò|aspetterò|dimenticherò)\b""",
    done=r"""\b(?:fatto|sistemato|risolto|(?:ho|abbiamo) (?:\w+ )?(?:chiamato|pagato|prenotato|mandato|inviato|consegnato
        |firmato|detto|comprato|finito))\b""",
)
