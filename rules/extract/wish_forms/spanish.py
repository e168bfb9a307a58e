"""The forms of wishes in Spanish."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

SPANISH: Final = WishForms(
    r"""(?:¿ *|¡ *|(?:y|también|además|oye|ok|pero|bueno|pues|mira|ah|eh|che|una cosa|no|sí|en general|a mí
        |conmigo)[,:]? +|(?:por favor|porfa|porfi),? +|recuerda,? +|acuérdate de +|te pido que +)""",
    r"""(?:(?:a partir de ahora|de ahora en adelante|en adelante|desde ahora)\b|ll[áa]m(?:ame|eme)\b
        |dime (?-i:[A-ZÁÉÍÓÚÑ])\w+(?: y| nomás|[.,]|$)|(?:puedes|me puedes) (?:llamarme|decirme|llamar
        |decir) (?-i:[A-ZÁÉÍÓÚÑ])|para ti soy (?-i:[A-Z])|me llamo (?-i:[A-ZÁÉÍÓÚ])\w+,? (?:no|y no|ya no)
        |(?-i:[A-ZÁÉÍÓÚ])\w+,? no (?-i:[A-ZÁÉÍÓÚ])\w+|tr[áa]tame|tut[ée]ame|de tú,? por favor|sé (?:\w+ ){1,3}conmigo
        |h[áa]blame (?:claro|como|sin)|corr[íi]geme|(?:más|menos) (?:corto|breve|simple|despacio|lento
        |directo)\w*[^.!?]{0,20}(?:porfa|por favor)|en (?:español|inglés|francés|catalán|italiano|alemán),? (?:porfa
        |por favor)|(?:las|los|mis) (?:medidas|cantidades|temperaturas|distancias|fechas|horas|precios
        |pesos)\b[^.!?]{2,50}(?:por favor|porfa|siempre|nunca)
    |me (?:llamas|dices|preguntas|recuerdas|cambias|avisas)\b
    |siempre (?!he\b|ha\b|había|fui|fue|era|me\b|yo\b|que\b|lo mismo|es\b|está|hay|igual|hago|digo)\w+(?:a|e|me)\b
    |(?:sin|nada de|ni (?:un|una)|ningun[ao]?|ningún|cero|menos|basta de|no más) [^.,;!?]{0,30}(?:emoticonos?|emojis?
        |caritas|signos de exclamación|exclamaciones|listas?|viñetas|chistes|consejos|sermones|soluciones|piropos
        |halagos|diminutivos|apodos|jerga|anglicismos|frases hechas)\b
    |(?:sin|nada de|ni (?:un|una)|ningún|ninguna|cero) [^.!?]{2,60},? (?:porfa|por favor|porfi|¿vale|vale)\b
        |nada de \w+|(?:quita|ahórrate|deja|olvida|sáltate
        |fuera) (?:de )?(?:las |los |el |tantas |tantos )[^.!?]{0,20}(?:emoticonos?|emojis?|caritas|exclamaciones
        |listas?|chistes|consejos|sermones|halagos|diminutivos|fórmulas)\b|no me (?!(?:quieres|crees|entiendes|puedes
        |debes|conoces|tienes|pareces|dejes|olvides|esperes|mires|preguntes)\b)(?:\w{3,}es|interrumpas|corrijas
        |mientas|escribas|respondas|pongas|repitas)\b|(?:conmigo )?no (?:te )?andes con|todos me (?:dicen
        |llaman)\b.{0,30}\b(?:tú|así|también|vos)\b|(?:las recetas|los precios|las medidas|las fechas) siempre|(?:los
        |las) \w+ (?:hablamos|escribimos) en|hablamos en
    |(?:máximo|como mucho|nunca más de) \w+ (?:frases|líneas|palabras|preguntas))""",
    r"""(?:\b(?:por favor|porfa)\b.*\b(?:siempre|nunca|no vuelvas)\b|\b(?:siempre
        |nunca)\b.*\bcuando (?:te |le )?(?:pregunte|pregunto|pida|pido|hable)\b|\b(?:quiero|quisiera|necesito
        |me gustaría|prefiero) que (?:me |siempre |nunca |no )+\w+(?!.*\b(?:hoy|ahora|mañana|esta noche)\b)
    |\bni (?:una palabra|mu|pío)\b|\b(?:esto |eso |que )?(?:queda|quede|se queda|es) entre (?:nosotr[oa]s|tú y yo)\b
        |^entre (?:nosotr[oa]s|tú y yo)[,.:!]|\bno se l[oea]s? (?:digas|cuentes|menciones)\b
        |\bno (?:le |les )(?:digas|cuentes|hables|menciones) (?:nada |de |esto |lo )|\bque no se entere\w*\b
        |\bno (?:puede|debe|tiene que) (?:saber|enterarse|saberlo)\b|\bentre tú y yo\b|\b(?:odio|no me gusta
        |no soporto) que (?:me|te pongas|uses|hables|digas)\b|\bpuedes (?:ser (?:\w+ )?\w+ conmigo|meterte conmigo
        |llevarme la contraria)\b|\b(?:sería|estaría) (?:bien|genial|bueno) que\b(?=.*\b(?:no|siempre|nunca|cada
        |menos|antes)\b)|\bni se te ocurra (?:mencionar|decir|contar|nombrar|sacar)
    |\bgu[áa]rda(?:me)?(?:lo)? (?:el secreto|para ti|esto)|\bes (?:un )?secreto\b|\bni mu\b|\bque quede entre\b
        |\bme llamo (?-i:[A-Z])\w+,? no (?-i:[A-Z]))""",
    r"""\b(?:yo )?(?:prefiero|preferiría) (?:que (?:tú |me |no |seas|te)|respuestas|si (?:me|no|eres))""",
    case=r"""(?:(?:cuando|si|cada vez que|siempre que|en cuanto|aunque|antes de)\b[^,.?!]{2,120}, *)""",
    at=r"""(?:(?:los|las|cada|todos los|todas las|por las|en las?|en los?|para las?|con las?) \w+(?: \w+)?,? +
        |una vez (?:por|a la) \w+,? +)""",
    order=r"""(?:\w+(?:ame|eme|ime|enme|adme|anme|ome|melos?|melas?|nos)\b|(?:usa|responde|contesta|escribe|habla|pon
        |evita|deja|empieza|termina|numera|trata|sé|mantén|incluye|añade|pregunta|recuerda|avisa|explica|di|da|cuenta
        |corrige|traduce|haz|muestra|hablemos|háblame|tutéame)\b)""",
    after=r"""(?:primero |mejor |simplemente |solo |entonces )*(?:no (?:me |te |le |lo |la )*\w+(?:es|as)\b|\w+(?:ame
        |eme|ime|te)\b|(?:cambia|para|deja|espera|escucha|calla|pregunta|dime|quédate|sigue|haz|pon|usa|contesta
        |responde|distráeme|recuérdame|ríete)\b)""",
    less=r"""\b(?:no|menos|dejar de|evitar|sin|más corto\w*|más breve\w*|tantos|tantas|tutearme)\b""",
    polite=r"""(?:podrías|puedes|podría|puede|te importaría|serías capaz de|me podrías|me puedes)\b""",
    ban=r"""(?:(?:no|nunca|jamás) (?:vuelvas a (?:\w+)|(?:me |le |lo |la |les |los |se |te )*(?:hables|digas|cuentes
        |menciones|preguntes|uses|escribas|respondas|contestes|llames|recuerdes|saques|des|pongas|hagas (?:bromas
        |chistes|listas)|consueles|animes|juzgues|interrumpas|corrijas|termines|empieces|expliques|mandes|felicites
        |sermonees|aconsejes|compares|trates|repitas|nombres|seas tan|suavices|metas prisa))\b)""",
    holds=r"""\b(?:siempre|nunca|jamás|cada|todos los|todas las|los (?:lunes|martes|miércoles|jueves|viernes|sábados
        |domingos|fines)|a partir de ahora|de ahora en adelante|en general|normalmente|por defecto|de lunes a
        |cuando (?:te|me|yo|no)|si (?:te|me|son|hay|no|yo)|una vez (?:por|a la)|antes de|aunque|por las (?:mañanas
        |noches|tardes))\b""",
    once=r"""\b(?:hoy|mañana(?!s)|ahora(?! en adelante)(?<!desde ahora)(?<!de ahora)|esta (?:noche|tarde|vez|mañana)
        |a las? (?:\d|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\w*|en (?:un rato|una hora|\w+ minutos)
        |el \d+|la próxima)\b""",
    idle=r"""(?:no me digas\b(?! (?:que estoy|señor|nada|así|[\"«]))|no te preocupes|no (?:te )?lo pierdas
        |no me hagas (?:reír|caso)|nunca (?:dejes|cambies|te|digas nunca)|dime (?:tú|que|si|cómo|qué|cuándo|dónde
        |una cosa)|d[íi]melo|cuídate|imagínate|cuéntame\b(?!.*\b(?:siempre|cada))|d[ée]jame|pásame|mándame|hazme caso
        |siempre igual|[^.]{0,80}, (?:decía|dice|decían|repetía|gritaba) (?:siempre )?(?:mi|la|el)|fíjate|créeme
        |perdóname|espérame|ayúdame)""",
    ended=r"""\bya no (?:hace falta|tienes que|necesitas|es necesario)\b(?=.*(?:\bme\b|\w(?:me|melo|mes|rme)\b))
        |\bya no quiero que (?:me|siempre|uses|hables)\b|\b(?:lo|eso|aquello|la norma|la regla) de\b.*\bya no (?:vale
        |cuenta|aplica|hace falta)\b|\b(?:ya )?puedes (?:hablarme|preguntarme|llamarme|decirme|usar
        |contarme) (?:otra vez|de nuevo|ya|sin)|\b(?:ya )?puedes (?:volver a|dejar de)\b|\b(?:lo|eso
        |aquello) de\b.*\bolv[íi]da\w*|\bolv[íi]da\w* (?:de )?(?:lo|eso|aquello) (?:de|que te)\b
        |\bya puedes\b.*\b(?:preguntar|hablar|decir|llamar|mencionar|usar|contar)\w*|\b(?:retiro|anulo|levanto) (?:la
        |el|mi) (?:norma|regla|petición|prohibición|veto)\b""",
    promise=r"""(?:^|[,:;] )(?:y |pues |vale,? |sí,? )*(?:yo )?(?:no )?(?:te |se |lo |me |le )*(?:preguntaré
        |recordaré|prometo|guardaré|diré|avisaré|tendré en cuenta|apunto|anotaré|mencionaré|acordaré|esperaré|contaré
        |llamaré|olvidaré)\b""",
    done=r"""(?:\b(?:ya está|hecho|listo|resuelto|terminado)\b|\b(?:ya )?(?:he|hemos) (?:\w+ )?(?:llamado|pagado
        |reservado|mandado|enviado|entregado|firmado|dicho|comprado|terminado|hecho|cancelado)\b|\bya (?:llamé|pagué
        |reservé|mandé|envié|entregué|firmé|dije|compré|terminé)\b)""",
)
