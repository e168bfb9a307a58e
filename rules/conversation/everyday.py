"""Everyday words, which occur in any talk and so tell nothing of what a passage is about."""

from rules.extract.languages import TONGUES
from rules.extract.words import listed_words

_EVERYDAY = listed_words(
    """
    about above actually after again against almost along already also although always among another
    answer answered anything around asked asking away because become been before began begin behind
    being believe best better between both cannot care changed chat clear come comes could deep
    deeply does doing done down during each else enough even every everything example exactly feel
    feeling feelings felt find first from full further gave general get give given goes going good
    great happened happy have having help helped helpful here herself himself hope how however human
    idea important including inside instead into itself just keep kept kind knew know known later
    learned least left less like little long look looked made make making many matter maybe mean
    means meant memory might mind moment more most much must need never next nothing notice noticed
    nice often only open other others over part passage people perhaps person perspective place
    point possible question questions quite rather read really remember right said same saying says
    seem seemed seems sense several shall share shared should show showed simply since some someone
    something sometimes soon state still such summary sure talk talked talking tell than thank that
    their them themselves then there these they thing things think this those though thought through
    time times today together told topic topics toward trying under understand understanding until
    upon used useful user using very view want wanted ways well went were what when where whether
    which while whole whose will with within without word words work would write writing wrong
    yesterday your yourself conversation discussion discussed conversations assistant analysis
    analyzed three four five seven eight nine dozen hundred second third number numbers minute
    minutes hour hours days weeks month months year years morning evening tonight tomorrow monday
    tuesday wednesday thursday friday saturday sunday line lines list lists item items side sides
    case cases examples detail details result results issue issues large small high higher short
    longer quick quickly easy easily hard create created creating provide provided providing ensure
    ensures allow allows allowed improve improved correct correctly check checked currently various
    specific specifically related based across implement implementation approach approaches consider
    considering following follow follows add added adding call called change changes changing hello
    okay suggest suggestion suggestions recommend step steps tips options option start started
    starting stay week please certain effective effectively appears access request available
    different difference complete completed handle handling current review explanation template
    personal project manage managing support process needed achieve achieved especially indicates
    indicate properly occur occurs occurred fourteen fifteen twenty thirty welcome thanks actual
    simple main aber alles allem alle andere anders antwort auch beim bisher dabei dafür damit
    danach dann daran darauf darin darum darüber dass dein deine denn deshalb diese diesem diesen
    dieser dieses doch dort durch eigen eigene einem einen einer eines einfach einige einmal ersten
    etwas frage fragen ganz gefühl gegen gemacht genau gerade gesagt gespräch gesprochen gewesen
    gibt haben habe hatte hatten heute hier hinter ihnen ihre ihrem ihren ihrer immer jetzt jeder
    kann kein keine können könnte konnte machen macht mehr mein meine meinem meinen meiner mensch
    menschen muss nach nichts noch nicht nur ohne oder schon sehr sein seine seinem seinen seiner
    selbst sich sind sollte sondern thema themen über unter viel viele vielleicht vom vor wann waren
    warum weil weiß welche wenig wenn werde werden wieder wird wirklich wissen worden wollte wurde
    wurden wäre würde zeit zusammen zwischen ainsi alors après aucun aussi autre autres avant avait
    avoir beaucoup bien car cela cette celui ceux chaque chose choses comme comment dans depuis deux
    dire dont elle elles encore entre était étaient être fait faire fois jamais leur leurs lorsque
    mais même moins monde notre nous parce parler parlé pendant personne peut plus pour pourquoi
    pouvoir presque puis quand quelque rien sans sera seulement sont sous souvent sujet sujets temps
    tous tout toute toutes toujours très trop votre vous vraiment ahora algo alguien algún alguna
    alguno antes aquel aquella aquello aquí así aunque cada casi como cómo conversación cosa cosas
    cual cuando cuál desde después donde dónde durante ella ellas ellos entonces eran eres esta está
    estaba están estar este esto estos fueron había habían haber hablado hablar hacer hace hacia
    hasta hemos hizo incluso luego mejor menos mientras misma mismo momento mucha mucho muchas
    muchos nada nadie nosotros nuestra nuestro nunca otra otro otras otros para parte persona pero
    poco podía poder porque pregunta primero puede pues quien qué sería siempre sino sobre solo
    somos también tanto tema temas tener tenía tiempo tiene toda todas todo todos usted vamos verdad
    """
)
"""Words of English, German, French and Spanish, in addition to each language's everyday words."""

_LISTS = [words for tongue in TONGUES for words in (tongue.common, tongue.me, tongue.you)]
_WHOLE = _EVERYDAY.union(*(words.whole for words in _LISTS))
_WITH_FORMS = [words for words in _LISTS if words.beginnings]


def is_everyday(word: str) -> bool:
    """Return whether a casefolded word is an everyday one in a known language."""
    return word in _WHOLE or any(word in words for words in _WITH_FORMS)
