"""The slots of wishes in Spanish."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

SPANISH: Final = WishForms(
    lead=r"""(?:¿ *|¡ *|(?:y|también|además|oye|ok|pero|bueno|pues|mira|ah|eh|che|una cosa|no|sí|en general|a mí
        |conmigo)[,:]? +|(?:por favor|porfa|porfi),? +|recuerda,? +|acuérdate de +|te pido que +)""",
    form=r"""(?:conmigo,? (?:nada|sin|solo|siempre|nunca)\b|(?:necesito|quisiera
        |prefiero) (?:las |tus |unas )*(?:respuestas|frases|mensajes|textos)|no (?:me|te me) (?:salg|veng|hag
        |pong|traig|escrib|respond|le|rí|met|and|sueltes)(?:as|es)\b|(?:\S+ )?(?:<talk>),? (?:<order>)|(?:una?
        |unos|algún) [^.?!]{3,80}(?:<holds>)[^.?!]{0,60}(?:por favor|porfa|me (?:ayud|vendr|gust|encant)\w+
        |estaría|sería)|(?:a partir de (?:ahora|hoy|ya|este)|de (?:ahora|hoy|aquí) en (?:adelante|más)
        |de aquí en más|en adelante|desde (?:ahora|hoy|ya)|en lo sucesivo)\b(?! (?:voy|yo|me voy|él|ella|mi|la
        |el) )(?=[^.?!]*\b(?:<say>|<talk>|me|mí|conmigo|\w+me\b))|(?:siempre|nunca|jamás) (?:<say>|(?:en|con
        |de) (?:<talk>))(?! (?:a (?:mí|él)|de comer))(?!\b\w+(?:aba|ía|ó)\b)|(?:sin|nada de|ni (?:un|una)
        |ningun[ao]?|ningún|cero|menos|basta de|basta con|no más|más|no|mejor|solo|sólo|máximo|como mucho|quita
        |ahórrate|ahorrate|deja|olvida|sáltate|fuera|corta con|córtala con|afloja con|evita|nunca más de
        |guárdate|guardate)\b(?: (?!(?:yo|mi|es|son|hay|era|tengo|me
        |se)\b)[^\s,.;!?]+){0,4}? (?:<talk>)(?! (?:es|son|era|fue|de mi|del)\b)|(?:sin|nada de|ni (?:un|una)
        |ningún|ninguna|cero|menos) [^.!?]{2,60},? (?:porfa|por favor|porfi|¿vale|vale|gracias|eh)\b
        |nada de [«"“]?\w+|(?:escr[ií]be|responde|contesta|h[aá]bla)me [^.?!]{0,20}(?:cort|brev|simpl|clar
        |despaci)\w*|(?:un (?:poco|poquito) )?(?:más|menos) (?:cort|brev|simpl|despaci|lent|direct|suav|dur|clar
        |sec|sencill|concis|bajit)\w*\b[^.!?]{0,30}(?:porfa|por favor|gracias|conmigo)?[.! ]*$|(?:respuestas?
        |mensajes?|frases?|textos?|párrafos?)\b[^.!?]{0,12}(?:más|menos) \w+|en (?:<talk>),? (?:porfa|por favor
        |siempre|nomás)|(?:trát[ae]|trat[ae]|tut[ée]a|corr[íi]ge?|corregí|háblad?|habla)me (?:de (?:tú|vos
        |usted)|siempre|como|claro|sin|más|con|en|cuando|si|los|las|mis|por)\b|(?:trátame|tratame|tutéame
        |tuteame|corrígeme|corregime|vosear|voséame)\b|(?:sé|sea|sed|habla|háblame|hablame|trátame|compórtate
        |suéltate|quédate|ponte)\b[^.,?!]{0,30}\bconmigo\b[^.?!]{0,40}|conmigo,? (?:<say>|no |puedes|sé )|(?:sé
        |sea) (?:más |menos |un poco |muy |siempre )*(?:dur|direct|clar|sincer|hones|breve|exigente|sever|franc
        |firme|sec|cabr)\w*|de (?:tú|usted|vos),? (?:por favor|porfa|conmigo|siempre)|no me (?!(?:quieres|crees
        |entiendes|puedes|debes|conoces|tienes|pareces|dejes|olvides|esperes|mires|preguntes)\b)(?:\w{3,}es
        |interrumpas|corrijas|mientas|escribas|respondas|pongas|repitas|vengas con)\b
        |(?:conmigo )?no (?:te )?andes con|todos me (?:dicen|llaman)\b.{0,30}\b(?:tú|así|también|vos)\b|(?:las
        |los|el|la|tus|mis)? ?(?:<talk>)\b[^.!?]{0,50}\b(?:por favor|porfa|siempre|nunca|mándame\w*|dámel[ao]s
        |pónmel[ao]s|conmigo)\b|(?:los|las) \w+ (?:hablamos|escribimos) en|hablamos en|(?:máximo|como mucho
        |nunca más de) \w+ (?:frases|líneas|palabras|preguntas)|me (?:llamas|dices|preguntas|recuerdas|cambias
        |avisas|hablas|tratas|corriges|escribes)\b)""",
    within=r"""(?:\bcalladit[oa]\b|\b(?:tú|vos) no sabes? nada\b|\bpunto en boca\b|\bno (?:quiero|soporto
        |aguanto)(?: más)? (?:oír|escuchar|leer|ver)\b|\b(?:todo el mundo|todos)\b[^.?!]{0,40} (?:tú|haz
        |usa)\w* (?:también|lo mismo|igual)|(?:^|[,;:.¡] ?|\b(?:y|pero|mejor|favor|porfa|solo|simplemente
        |así que|mí|adelante|ahora|nomás) )(?:ll[áa]m[ae]me|dime|decime|dígame|apódame|nómbrame)\b (?:(?:solo
        |simplemente|mejor|por|siempre|ya|ahora|nomás|de ahora en adelante) )*(?-i:[A-ZÁÉÍÓÚÑ«"“])\w*
        |\b(?:ll[áa]m[ae]me)\b(?! (?:cuando|si|luego|mañana|más tarde|al|a las|por teléfono|el|en cuanto
        |loc[ao])\b)|\b(?:puedes|podés|me puedes|prefiero que) (?:me )?(?:llamarme|decirme|llamar|decir|llames
        |digas) (?-i:[A-ZÁÉÍÓÚÑ])|\b(?:para ti|para vos) soy (?-i:[A-Z])|\b(?:me llamo|mi nombre es|soy
        |es)(?: ahora| ya| desde hoy)? (?-i:[A-ZÁÉÍÓÚÑ])\w+(?: ahora| desde hoy)?,? (?:y )?(?:no
        |ya no) (?-i:[A-ZÁÉÍÓÚÑ])|^(?-i:[A-ZÁÉÍÓÚÑ])\w+,? (?:y )?no (?-i:[A-ZÁÉÍÓÚÑ])\w+[.!]*$
        |\bni (?:una palabra|mu|pío)\b|\b(?:esto |eso |que |lo nuestro |aquí )?(?:queda|quede|se queda
        |que se quede|es|quédese|muere|muera) (?:solo |sólo )?(?:entre (?:nosotr[oa]s|tú y yo|vos y yo|los dos
        |nos)|aquí|acá)\b|^(?:solo |sólo |que )?entre (?:nosotr[oa]s|tú y yo|vos y yo)[,.:!]|\bentre (?:tú
        |vos) y yo\b|\bno (?:se |le |les )(?:l[oa]s? )?(?:digas|cuentes|hables|menciones|comentes|sueltes
        |vayas a)\b[^.?!]{0,40}|(?:\bni )?\bno (?:lo |la )?(?:digas|cuentes|menciones|comentes|hables
        |nombres) [^.?!]{0,30}\b(?:a|con|delante de) (?!mí\b)\w+|\bque no (?:se entere|lo sepa|sepa|lo vea
        |lo lea|vea|lea|salga)\w*\b|\b(?:no (?:puede|debe|tiene que|tiene por qué)|que nadie) (?:saber|enterarse
        |saberlo|sepa|se entere|oír|ver)\w*\b|\bnadie (?:más )?(?:puede|debe|tiene que) \w+
        |\bni se te ocurra (?:mencionar|decir|contar|nombrar|sacar)\b|\bgu[áa]rd[ae](?:me
        |te)?(?:lo)? (?:el secreto|para (?:ti|vos)|esto)|\bgu[áa]rdamel[oa]\b|\b(?:es
        |sigue siendo) (?:un |nuestro )?secreto\b|\bsecreto,? (?:eh|¿|por favor|porfa)|\bchitón\b|\b(?:siempre
        |nunca)\b.*\bcuando (?:te |le )?(?:pregunte|pregunto|pida|pido|hable)\b|\b(?:yo )?(?:prefiero
        |preferiría) respuestas\b)""",
    say=r"""(?:(?:dec|dic|dig|dij|hab|pregunt|recuerd|recordar|recorda|avis|correg|corrij|contest|respond|escrib
        |us[aeo]|emple|explic|menc|nombr|llam|trat|tute|vose|brome|chist|anim|consol|elogi|halag|felicit|juzg
        |juzgu|interrump|sermone|aconsej|compar|repet|repit|suaviz|pon[gde]|pon\b|pus|met[aei]|mand|env[ií]
        |muestr|mostr|cuent|cont[aeé]|da[rmsn]|des\b|dé\b|da\b|haz|hag|hac|emp[ei]|comi?en|termin|acab|cierr
        |despid|desped|salud|traduc|traduz|cit[aeé]|sug|propon|ofre|list|numer|lee|cant|le[aeí]|sé\b|se[ar]\b
        |seas|regañ|reñ|rega|insult|maldi|jur|apur|presion|agobi|mim|endulc|adorn|enroll|enred|explay|resum
        |abrev|habl|charl|convers|platic|tir[aeé]|suelt|solt|burl|tom[aeé]|pid|ped|dej|par[aeé]|qued|vuelv|volv
        |chequ|revis|motiv|empuj|exij|exig|cuestion|contrad|discut|sac[aá]|saqu|toque|toca)\w*)""",
    talk=r"""(?:emoticonos?|emojis?|caritas|signos de exclamación|exclamaciones|admiraciones|signos de interrogación
        |asteriscos|negritas?|mayúsculas|listas?|viñetas|puntos|guiones|tablas?|títulos|encabezados|chistes?
        |bromas?|juegos de palabras|consejos?|consejitos|sermones|sermón|soluciones|piropos|halagos?|elogios?
        |cumplidos|felicitaciones|diminutivos|apodos?|motes?|jerga|tecnicismos|anglicismos|palabrotas|tacos
        |groserías|palabras? (?:raras|técnicas|difíciles|cultas)|frases hechas|frases? de (?:taza|sobre|galleta)
        |frasecitas|citas|refranes|metáforas|fórmulas|formalidades|cortesías|rodeos|relleno|rollos?|ironías?
        |sarcasmo|preguntas|respuestas?|mensajes?|frases?|líneas|palabras?|párrafos?|textos?|tochos?|biblias
        |tono|voz|acento|idioma|lengua|abreviaturas|spoilers?|ortografía|mimos|lástima|tuteo|voseo|usted|tú|vos
        |recetas?|precios?|medidas|cantidades|temperaturas?|distancias?|fechas?|horas?|peso|pesos|cifras|números
        |unidades|celsius|fahrenheit|gramos?|kilos?|kilómetros?|litros|millas|euros?|dólares|pasos|numerad[oa]s?
        |(?:español|castellano|inglés|francés|alemán|italiano|portugués|catalán|gallego|euskera|vasco|valenciano
        |asturiano|aragonés|quechua|guaraní|náhuatl|ruso|árabe|chino|japonés|latín|griego|polaco|rumano|turco
        |neerlandés|sueco|coreano|lunfardo|andaluz|mexicano|argentino))\b""",
    less=r"""\b(?:molest\w+|odio|soporto|fastidi\w+|gustaría|vendría|encantaría|ayud\w+|agradec\w+|haría|serviría
        |sería|no|menos|sin|ni|nunca|dej\w+ de|par\w+ de|evit\w+|más (?:corto|breve|simple|despacio|lento
        |directo|suave|duro|claro|seco|sencillo)\w*|tant[oa]s?|tute\w+|vose\w+|de (?:usted|tú|vos)|prefer\w+
        |prefier\w+|mejor|en (?:vez|lugar) de)\b""",
    ask=r"""(?:(?:qué tal si|y si|por qué no) (?:tú |me |nos )|(?:me |te |nos )?(?:podrías|podés|podríais|podría
        |puedes|puede|querrías|quieres|quisieras|sabrías|podrás|debes|deberías|tienes que|tenés que)\b|(?:te|le
        |os) (?:importaría|importa|molestaría|molesta|puedo pedir|pido|ruego|agradecería|agradezco|agradeceré)\b
        |(?:serías|sería) (?:capaz|tan amable|posible|mucho pedir)\b|(?:yo |a mí )?(?:me |te |lo )*(?:quiero
        |quisiera|necesito|preferiría|prefiero|espero|agradecería|agradezco|gustaría|gusta|encantaría|encanta
        |vendría|viene|haría|ayudaría|ayuda|ayudas|sirve|serviría|sentiría|conviene|convendría|sería|tranquiliza
        |tranquilizaría|alegraría|cuesta|importa|pone|ponen|molesta|agobia|fastidia|odio|detesto|soporto|aguanto
        |pido|pediría|parecería|iría|hace|resulta|resultaría)\b[^.,?!]{0,36}? (?:que|si|cuando) (?!yo\b|él\b
        |ella\b|mi\b|mis\b|el\b|la\b|los\b)|(?:me|nos) (?:iría|vendría|haría|gustaría|encantaría|ayudaría|hace
        |va|sirve)\b[^.?!]{0,40}\b(?:un|una|que|de tu parte|tus)\b|(?:sería|estaría|es) (?:mejor|bueno|bien
        |genial|lindo|ideal|más (?:fácil|cómodo)|importante|un detalle)\b[^.,?!]{0,20} (?:que|si)|(?:puedes
        |podés|tienes permiso|eres libre de)\b(?=[^.?!]*(?:\b(?:me|mí|conmigo|mi|mis)\b|\wme\b))|(?:hazme
        |hacé?me|haceme) (?:el|un) favor|(?:qué tal si|y si) (?:me|tú|hablamos)|(?:hablemos|vamos a hablar)\b
        |(?:necesito|quiero) [^.,?!]{1,30} de tu parte)""",
    case=r"""(?:(?:cuando|si|cada vez que|siempre que|en cuanto|aunque|antes de)\b[^,.?!]{2,120}, *)""",
    at=r"""(?:de \w+ a \w+,? +|(?:los|las|cada|todos los|todas las|por las|en las?|en los?|para las?
        |con las?) \w+(?: \w+)?,? +|una vez (?:por|a la) \w+,? +)""",
    order=r"""(?:(?:siempre|nunca|solo|y|ya) )?(?:(?!dime\b|déjame\b|dejame\b|cuéntame\b|pásame\b|mándame\b)\w+(?:ame
        |áme|eme|ime|íme|nme|zme|adme|ome|melos?|melas?|nos)\b|dime\b(?=.*\b(?:siempre|cada|todos|todas|cuando
        |si)\b)|cuéntame\b(?=.*\b(?:siempre|cada|todos|todas|cuando)\b)|mándame\b(?=.*\b(?:siempre|cada|todos
        |todas|cuando)\b)|(?:usa|responde|respondé|contesta|contestá|escribe|escribí|habla|hablá|pon|poné|evita
        |deja|dejá|empieza|empezá|termina|numera|trata|sé|mantén|incluye|añade|pregunta|recuerda|avisa|explica
        |di|decí|da|cuenta|corrige|traduce|haz|hacé|muestra|hablemos|despídete|salúdame|saluda|quédate|resume
        |canta|lee|cierra|acaba|vuelve|volvé|tira|saca|suelta|emplea|cambia)\b)""",
    after=r"""(?:primero |mejor |simplemente |solo |entonces )*(?:no (?:me |te |le |lo |la )*\w+(?:es|as)\b|\w+(?:ame
        |eme|ime|te)\b|(?:cambia|para|deja|espera|escucha|calla|pregunta|dime|quédate|sigue|haz|pon|usa|contesta
        |responde|distráeme|recuérdame|ríete)\b)""",
    ban=r"""(?:(?:ya )?(?:no|nunca|jamás|tampoco|ni) (?:vuelvas a \w+
        |(?:me |le |lo |la |les |los |se |te |nos )*(?:intentes|trates de|empieces a|te pongas a|andes|vayas a
        |sigas|hace falta que|quieras|quiero que)? ?(?:me )?(?:hables|digas|cuentes|menciones|preguntes|uses
        |escribas|respondas|contestes|llames|recuerdes|saques|des|pongas|hagas|consueles|animes|animarme
        |consolarme|juzgues|interrumpas|corrijas|termines|empieces|expliques|mandes|felicites|sermonees
        |aconsejes|compares|trates|repitas|nombres|seas|suavices|metas|tutees|halagues|bromees|endulces|insistas
        |presiones|apures|agobies|cites|traduzcas|abrevies|toques|sueltes|enrolles|vengas con|adornes|opines
        |analices|discutas|ofrezcas|sugieras|propongas|\w+(?:arme|erme|irme))\b)|(?:deja|dejá|para|pará|basta
        |evita|dejate|déjate|ya) (?:ya )?(?:de )(?:<say>|<talk>|tanto|tanta)|nada de (?:<say>|<talk>))""",
    holds=r"""\b(?:siempre|nunca|jamás|cada|todos los|todas las|los (?:lunes|martes|miércoles|jueves|viernes|sábados
        |domingos|fines)|a partir de|de (?:ahora|hoy|aquí) en|desde (?:ahora|hoy)|en general|normalmente
        |por defecto|por norma|de lunes a|cuando (?:te|me|yo|no|hable|diga|esté|estoy|escriba|ande|lo|la|vea|sea
        |pregunte|mi|comentes)|si (?:te|me|son|hay|no|yo|digo|alguna|algún|estoy|hablo)|(?:una|dos) (?:vez
        |veces) (?:por|a la|al)|antes de|después de|aunque|por las (?:mañanas|noches|tardes)|al (?:principio
        |final|empezar|terminar|despertar)|a diario|diariamente|conmigo|ya no|más veces|entre semana|nomás
        |como norma|no vuelvas)\b""",
    once=r"""\b(?:hoy(?<!desde hoy)(?<!de hoy)(?<!partir de hoy)
        |mañana(?!s)(?<!cada mañana)(?<!por la mañana)(?<!la mañana)
        |ahora(?! en adelante)(?<!desde ahora)(?<!de ahora)(?= mismo| no| rápido)|est[ae] (?:noche|tarde|vez
        |mañana|frase|texto|carta|rato|finde)|por (?:esta|una) vez|solo (?:esta|por)|a las? (?:\d|una|dos|tres
        |cuatro|cinco|seis|siete|ocho|nueve|diez)\w*(?!.*\b(?:cada|todos|todas))(?<!cada)|en (?:un rato|una hora
        |\w+ minutos)|el \d+|la próxima)\b""",
    told=r"""(?:^(?:el|la|los|las|mi|mis|su) [^:]{0,60}:|\b(?:(?:él|ella|ellos|mi \w+|el \w+|la \w+|las \w+|los \w+
        |(?-i:[A-ZÁÉÍÓÚ])\w+) (?:me |le |nos |les |se )?(?:dijo|dice|decía|quiere|quería|exige|exigía|pide|pidió
        |insiste|manda\w*|ordenó|escribió|gritó|obliga\w*|prometió|repetía|sueña)|(?:le|les|me|nos) (?:dije|dijo
        |dijeron|pedí|pidió|escribí|obligaban|hacían|mandaban|decía|decían|contesté)|(?:te|os) (?:pedía|decía)
        |antes (?:me|te|yo|tú)|de (?:chic[oa]|niñ[oa]|pequeñ[oa])|en aquella época|¿?te acuerdas
        |recuerdas cuando|imagina(?:te)? (?:que)?|imagínate|si (?:fueras|tuvieras|pudieras|fuera|yo)|por qué
        |soñé|he leído|leí|y si (?:fueras)))""",
    idle=r"""(?:[^.?!]{0,80}, (?:le |les )?(?:dije|digo)\b|no me digas\b(?! (?:que estoy|señor|nada|así|[\"«]))
        |no te preocupes|no (?:te )?lo pierdas|nunca digas (?:de )?(?:esta|est|nunca)|no me hagas (?:reír|caso)
        |nunca (?:dejes|cambies|te|digas nunca)|dime (?:tú|que|si|cómo|qué|cuándo|dónde|una cosa)|d[íi]melo
        |cuídate|imagínate|cuéntame\b(?!.*\b(?:siempre|cada))|(?:d[ée]jame|pásame|mándame)\b|hazme caso
        |siempre igual|[^.]{0,80}, (?:decía|dice|decían|repetía|gritaba) (?:siempre )?(?:mi|la|el)|fíjate|créeme
        |perdóname|espérame|ayúdame)""",
    ended=r"""(?:\bya no (?:hace falta|tienes que|tenés que|necesitas|es necesario|es (?:un )?secreto|quiero que
        |necesito que|hay que)\b|\b(?:no hace falta|no tienes que|no es necesario)\b.*\b(?:más|ya)\b|\b(?:lo|eso
        |aquello|la norma|la regla|el rollo|mi petición|la manía) de\b.{0,60}\b(?:ya no|olvíd\w*|olvid\w*
        |déjal\w*|dejal\w*|se acabó|queda (?:anulad|cancelad)\w*|no va más|no corre)|\bya puedes?\b
        |\b(?:ya )?(?:puedes|podés|vuelve|volvé|puede) (?:volver )?(?:a )?(?:hablarme|preguntarme|llamarme
        |decirme|usar|contarme|tutearme|\w+)\b.{0,30}\b(?:otra vez|de nuevo|ya|sin problema)\b
        |\b(?:ya )?puedes (?:volver a|dejar de)\b|\bpodés (?:volver a|dejar de)\b|^(?:vuelve|volvé|vuelva
        |vuelve ya) a \w+(?:r|rme)\b|\bolv[íi]da(?:te)?\w* (?:de )?(?:lo|eso|aquello|la regla|la norma|el|los
        |las|mi) |\b(?:retiro|anulo|levanto|cancelo) (?:la|el|mi|lo|aquello)\b|\bse (?:acabó|levanta
        |cancela) (?:la|el|lo de|lo del)\b|\bno (?:es|era) (?:ya )?(?:más )?secreto\b)""",
    promise=r"""(?:^|[,:;] )(?:y |pues |vale,? |sí,? )*(?:yo )?(?:no )?(?:te |se |lo |me |le )*(?:preguntaré|recordaré
        |prometo|guardaré|diré|avisaré|tendré en cuenta|apunto|anotaré|mencionaré|acordaré|esperaré|contaré
        |llamaré|olvidaré)\b""",
    done=r"""(?:\b(?:ya está|hecho|listo|resuelto|terminado)\b|\b(?:ya )?(?:he|hemos) (?:\w+ )?(?:llamado|pagado
        |reservado|mandado|enviado|entregado|firmado|dicho|comprado|terminado|hecho|cancelado)\b|\bya (?:llamé
        |pagué|reservé|mandé|envié|entregué|firmé|dije|compré|terminé)\b)""",
)
