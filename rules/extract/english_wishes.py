"""Match wishes in English with patterns that are built of slots, each a closed class of words.

A wish is about how the persona talks: what it says, asks, calls somebody, leaves out. It shows by
what addresses a clause to the persona (an order, a ban, "could you", "I'd rather you"), by what it
is to say or how (`talk`, `less`), and by what makes it hold for good (a day of the week, "always",
a case such as "when I am sad"). The lines of each pattern are joined and case is ignored; `<talk>`
in it stands for the slot of that name.

    lead       may come before an order, in any number
    form       a wish by itself, right at the beginning of a clause: "from now on", "no emojis"
    within     a wish anywhere in a sentence: a name to call, a secret
    say, talk  verbs of talking, in any form; what talk is made of, and looks like: words, tones,
               languages, units
    less       asks for something to be left out, or to be otherwise
    ask        turns what follows into a request: a question or a preference
    case, at   a case in which something holds, before an order; when or in what it holds
    order      an order to say something, at the beginning; `after` a case: of any kind
    ban        an order not to say something, at the beginning
    holds      what makes an order hold for good, anywhere; `once`: what makes it hold once
    told       says before an order that it is somebody else's, past, or unreal
    idle       what only looks like an order: a cry, a saying, a goodbye
    ended      takes a wish back
"""

import re
from functools import cache
from typing import Final

from rules.extract.patterns import any_case

_SLOTS: Final = {
    "lead": r"""(?:(?:and|also|but|so|ok|okay|oh|well|btw|by the way|hey|hi|one (?:more|last) thing
        |two (?:more )?things(?: please)?|just|then|plus|right|anyway|look|listen|honestly|no|yes|yeah|remember
        |note|reminder|important|new rule|rule|ps|p\.s\.|in general|from my side|for me|with me)[,:;!.]? +
        |(?:and )?(?:please|pls|plz|kindly),? +|(?:make sure|be sure|remember|try)(?: to| that you| you)? +
        |i(?: want| need|'d like|'d love| would like|'d prefer| would prefer) you (?:to +)?|you (?:should|must
        |can|may|have to|need to) +)""",
    "form": r"""(?:with me,? (?:no|only|just|always|please|never)\b|(?:\S+ )?(?:<talk>),? (?:<order>)|(?:an?|one
        |some) [^.?!]{3,80}(?:<holds>)[^.?!]{0,60}(?:please|would (?:be|help)|i'd like that)|i (?:don't|do not
        |never) (?:want|need) (?:any |more |your |all |the |these |those )*(?:<talk>)|(?:from (?:now|here
        |this \w+|today|that point)(?: \w+)? (?:on|onwards?|forward)|from now|going forward|henceforth|(?:in
        |for) (?:the |all )?future,?)(?: on| out)?,? (?!i\b|i'll|we'll|he|she|they|it\b|my)|(?:keep
        |make) (?:your|all|the|my|every) (?:<talk>)|(?:please |try to |do )?(?:talk|speak|write|chat|be|act
        |treat|answer|behave|stay|argue|go)\b[^.,?!]{0,30}\b(?:with|to|on|around) me\b(?! (?:about|what|how|when
        |why|where|if|at|on)\b)|treat me (?:like|as)|keep (?:it|them|things|everything
        |yourself)(?: nice and)? (?:short|brief|simple|plain|under|below|clean|light|real|calm|low
        |to \w+ (?:lines|sentences))\b(?! in\b)|(?:no|not?|never|zero|none of|nothing but|less|fewer|more|enough
        |without|only|minus|spare me|save (?:me )?the|leave out|ease (?:off|up)|go easy on|easy on|cut|skip|drop
        |lose|lay off|hold|cool it with|tone down|dial down|max(?:imum)?|at most|no more than
        |never more than)\b(?: (?!one\b|idea|problem|worries|need|wonder|doubt|way|thanks|my\b|i\b|is\b
        |was\b)[^\s,.;!?]+){0,4}? (?:<talk>)(?! (?:is|are|was|were|that|i|he|she|they|we|from (?:him|her|them
        |my)|today|i|at (?:all )?(?:work|home))\b)|(?:a (?:bit|little|touch) )?(?:shorter|longer|simpler|plainer
        |slower|less|fewer|more|softer|gentler|quieter|calmer|louder)\b[^.!?]{0,50}\b(?:please|pls|plz|with me
        |from you|thanks|thank you)\b|(?:no|not) [^.;!?]{1,40},? (?:please|pls|plz|ta)\b
        |in (?:<talk>),? (?:please|pls)|(?:correct|fix|flag|point out) my\b
        |(?:[\w'-]+ ){0,3}(?:<talk>),? (?:(?!\b(?:are|is|was|were|have|has|had|i|they|he|she|we|my|it
        |can)\b)[^.?!]){0,50}?\b(?:please|pls|always|should (?:be|have|come|go|start)|with me|for me
        |never\b(?! \w+ed)|only (?:in|when|if))\b|(?:<talk>) (?:first|only)\b|(?:everyone|everybody|people
        |my friends|friends|they all)\b.{0,30}\b(?:calls?|shorten|says?)\b.{0,30}\b(?:you|same|too)\b|(?:we
        |let's) (?:speak|talk|write|stick to|switch to|keep to|do) (?:in )?(?:<talk>))""",
    "within": r"""(?:\byou (?:know|saw|heard|never heard) nothing\b|\bi (?:really |just )*(?:don't want to|can't
        |never want to|can't bear to|don't need to) (?:hear|read|see) [^.?!]{1,60}(?:from you|again|any more
        |anymore|one more)\b|\b(?:everyone|everybody|people|friends|they)\b[^.?!]{0,40} (?:so
        |and) (?:you )?(?:do|should|can|may)? ?(?:that|the same|likewise),? ?too\b|(?:^|\b(?:you (?:can|may
        |could|should)|please|but|so|and|now|on|just)|,) ?(?:just |simply |also )*(?:call|address
        |refer to) me(?: as| by| just| simply| plain)* (?!when\b|if\b|later|back|on\b|at\b|in\b|once|after
        |before|today|tomorrow|tonight|maybe|an?\b|the\b|crazy|old|out|up|any|every|names|that\b|to\b|and\b|or\b
        |over|about|again\b|sometime)['"“]?\w|\b(?:it's|i'm|i am|name is|name's|is
        |to) (?:now )?(?-i:[A-Z])\w+(?: now| from now on| these days)?,? (?:not|never|no longer) (?-i:[A-Z])|^
        (?:just )?(?-i:[A-Z])\w+,? (?:please,? )?not (?-i:[A-Z])\w+[,.! ]*(?:please)?[.!]*$|\bmy name(?:'s
        | is) (?:spelled|spelt|pronounced|now)\b|\bi(?:'m)? (?:go|going) by (?-i:[A-Z])|\b(?:but
        |,) (?-i:[A-Z])\w+(?: is|'s| will) (?:just )?(?:fine|enough|plenty|do)\b|\b(?:i'm|it's
        |i am) (?:just |plain )?(?-i:[A-Z])\w+ (?:to|for) (?:you|my friends)\b|\b(?:this|that|it|which
        |what i \w+|all of this|the \w+|this one|that one)(?: has to| should| must| needs to|'s| is
        |'ll)?(?: all)? ?(?:is|stays?|remains?|be|kept)?(?: strictly| just| only)? between (?:us\b|you and (?:me
        |i)\b|the two of us|ourselves)(?! (?:and|the|is|was|it|there)\b)
        |^(?:strictly |just |only )?between (?:us|you and me)[,.:!]?(?: please| ok| okay)?[.!]?$|\bkeep (?:this
        |that|it|the \w+|my \w+|\w+)(?: \w+){0,4} (?:to yourself|between us|a secret|secret|quiet|private
        |under (?:wraps|your hat))\b|\b(?:for your ears only|off the record|our (?:little )?secret|(?:don't
        |not) (?:breathe )?a word\b(?! i| he| she| of (?:it|english))|(?:this|that|it|which)(?: one
        | all)? stays? (?:in here|here between|in this chat|right here|with you)|mum's the word|lips sealed
        |(?:nobody|no one)(?: else)? (?:must|may|can|should|is to|gets to|has to|needs to)\b.{0,12} (?:know|hear
        |see|find))|\b(?:is|it's|that's) (?:still )?(?:a )?secret\b.{0,40}\b(?:so|don't|please|ok)\b
        |\b(?:mustn't|must not|can't|cannot|shouldn't|isn't (?:to|supposed to|allowed to|meant to)|must never
        |doesn't need to|not to|never) (?:ever )?(?:know about|know[.,!]|know[,]? (?:so|ok)|find out
        |hear (?:about|of|a)|get wind|see (?:this|it))|(?<!i )(?<!they )(?<!we )(?<!did )\b(?:don't|do not|never
        |not to|please not)(?: ever| you dare| you)? (?:tell|mention|let on|let slip|say|give|bring|show|spill
        |blab|breathe|whisper|repeat)\b(?! me| us)[^,.!?]{0,40}? (?:to|about|of|in front of|when|if|around
        |before|away|up) [^.!?]{0,30}|\bi (?:need|want|use|like|prefer|think in)\b(?=.*\b(?:never|not|always
        |only|instead)\b).{0,30}\b(?:grams?|celsius|fahrenheit|metric|kilomet\w+|miles|euros?|dollars?|24-hour
        |am and pm)\b|\bi(?:'m going to| will|'ll) keep you out of\b|\b(?:always
        |never)\b.*\bwhen(?:ever)? i (?:ask|say|mention|write|talk|request)
        |\bi (?:usually |generally |much |really |always )*(?:prefer|rather)\b (?:\w+ ){0,2}(?:answers|replies
        |responses|messages|explanations|sentences|examples)\b)""",
    "say": r"""(?:ask|tell|remind|warn|correct|answer|repl[yi]|respond|writ|speak|talk|chat|say|mention|call|address
        |greet|explain|repeat|quot|jok|teas|comfort|consol|cheer|prais|flatter|compliment|judg|argu|agree
        |contradict|disagree|interrupt|apologi[sz]|lectur|preach|morali[sz]|nag|push|pressur|pester|rush
        |analy[sz]|diagnos|compar|summari|translat|suggest|recommend|offer|congratulat|sugar-?coat|swear|curs
        |curb|us|giv|send|show|put|start|begin|end|open|clos|finish|sign off|bring|round|convert|format|number
        |list|spell|pretend|assum|treat|mak|patroni[sz]|coddl|baby|sooth|hold back|go on about|drop|slip|throw
        |keep|stick|switch|hand|break|wrap|leav|skip|stop|be|check|wish|read|sound|act|pick|cut|includ|add
        |provid|test|quiz|let|listen)(?:e|s|es|d|ed|ing|p?ping|t?ting|ting|ning)?\b""",
    "talk": r"""(?:emojis?|smileys?|smilies|emoticons?|exclamation|question marks?|bullets?|bullet points|lists?|tables?
        |headings?|bold|italics|asterisks|markdown|jokes?|puns?|banter|advice|tips|solutions|lectur\w+
        |pep talks?|pep|small talk|chit-?chat|platitudes|clich[eé]s|compliments|flattery|praise|questions?
        |disclaimers|sarcasm|irony|(?:gentl|calm|strict|blunt|tough|soft|quiet|warm|kind|hard)er|slang|jargon
        |swearing|swear words|fancy words|big words|long words|nicknames?|pet names?|abbreviations|acronyms
        |spoilers|baby talk|voice|tone|accent|spelling|language|metaphors|quotes|proverbs|caps|capitals|words?
        |sentences?|lines?|paragraphs?|answers|replies|responses|messages|texts|explanations|essays|sermons
        |greetings|dates|times|prices|units|temperatures|distances|weights|amounts|measurements|numbers
        |quantities|recipes|celsius|fahrenheit|metric|imperial|grams?|kilos?|miles|kilomet\w+|litres|euros?
        |pounds|dollars|24-hour|numbered|steps?|plain (?:text|english)|formal\w*|informal\w*|politeness
        |pleasantries|sugar-?coating|waffle|fluff|preamble|(?:british|american|english|german|french|spanish
        |italian|portuguese|polish|dutch|danish|swedish|norwegian|irish|welsh|scots|gaelic|russian|ukrainian
        |turkish|greek|arabic|hindi|urdu|chinese|mandarin|cantonese|japanese|korean|latin|hebrew|catalan|finnish
        |yiddish|creole|swahili))\b""",
    "less": r"""\b(?:not|stop|quit|less|fewer|without|skip|avoid|drop|leave out|instead|rather|prefer|hate
        |can't (?:stand|bear)|don't like|dislike|it(?:'d| would)? (?:really |so much )?help\w*|nicer?|so (?:many
        |much)|(?:short|plain|simpl|slow|quiet|soft|gentl|strict|hard|harsh|kind|warm|funni|tough|brief|calm
        |blunt)i?er|didn't|don't|wouldn't|(?:stopped|dropped|skipped|left out|kept)\b|keep (?:it|your|things)
        |clean|gently|slowly|plainly|bluntly|softly|kindly|quietly|briefly|differently)\b""",
    "ask": r"""(?:(?:how|what) about (?:you|we)\b|why don't (?:you|we)\b|(?:i|i find i|i think i)(?:'d| would)? (?:do
        |feel|work|learn|cope|think|read|understand|sleep) (?:much |so much |a lot )?better (?:when|if) you
        |(?:can|could|would|will|won't|might) (?:you|we|i (?:ask|get|have) you)\b(?! (?:please )?help)|(?:is
        |would) (?:it|there) [^.?!]{0,30}(?:if you|for you to|that you|chance)|(?:would|do
        |if) you(?:'d)?(?: please)? (?:mind|be (?:so kind|able))\b|may i ask|do me a favou?r|(?:if i ask you
        |i'?m asking you|i beg you)\b|(?:i|we)(?:'d| would| do| really| just| much| quite| actually| generally
        | still| always|,)* (?:want|need|like|love|prefer|appreciate|rather|be \w+)(?: it| for| that| if| when
        | a lot)* (?:you\b|your (?:<talk>)|we\b)|(?:i|we)(?: really| just| absolutely|'d)* (?:hate|can't stand
        |can't bear|don't like|dislike|don't want|don't need|never want)(?: it)?(?: when| that| to)? (?:you\b
        |your\b|being called|to (?:hear|read|see)\b)|(?:i|we)(?:'d| would)? (?:really |just )?(?:want|need|love
        |like)\b(?! to)[^,.?!]{0,40} from you|(?:it|that)(?:'s| is|'d| would|'ll| will| really| be
        |,)* (?:help\w*|mean\w*|make\w*|do|suits?|nice|good|great|lovely|kinder|easier|better|best|kind|nicer
        |wonderful|handy)\b[^,.?!]{0,30} if you|(?:i'd|i would|i'll) (?:be|feel|find it|get
        |take it)\b[^,.?!]{0,30} if you|(?:what i (?:need|want|like)[^.?!]{0,20} is|all i (?:need
        |want)[^.?!]{0,12} is)\b|(?:one thing|my one request|a request|small request|house rule
        |rule)[^.?!]{0,12}:|you(?: know)?(?: can|'re (?:allowed|free|welcome)(?: to)?| are (?:allowed|free
        |welcome)(?: to)?| may| could| should| must| need to| have to|'d better| shouldn't| mustn't
        | don't (?:have|need) to| needn't| might| ought to)\b(?=[^.?!]*\b(?:me|my|i|i'm|us)\b)
        |feel free to (?!ask|reach|call|contact|drop|share|write)|(?:i|we)(?:'m|'d be|'re| am| are) (?:fine
        |happy|better|ok|okay|more comfortable|grateful|glad)\b[^,.?!]{0,12} (?:with|if|when) you)""",
    "case": r"""(?:(?:when(?:ever)?|if|every time|each time|any ?time|once|as soon as|on (?:days|nights|evenings
        |mornings)(?: when)?|in case|even if|unless)\b(?=[^,]*\b(?:i|i'm|i've|i'd|my|me|you|we|she|he|it's
        |someone)\b)[^,;.?!]{2,120}[,;] *(?:then )?)""",
    "at": r"""(?:(?:every|each|on|with|in|for|once a|from|first thing(?: on| in)?|last thing|at) \w+(?: \w+)?,? +
        |(?:every|each|on|from|at) [^,.!?]{2,40}, +)""",
    "order": r"""(?:(?:always|never|only|ever|just|maybe) +)*(?:(?:ask|tell|remind|warn|correct|answer|reply|respond
        |write|speak|talk|greet|address|explain|format|number|translate|convert|suggest|offer|say|mention
        |sign off|let me|make me|stop me|check (?:in|on|with)|wish me|provide|report|document|mask|nag|push me
        |challenge me|call|spell|tease|comfort|quiz|poke|ping|nudge|bug|pester|recommend|sum up|summari[sz]e
        |drop me|set me|pick me|bid me)|(?:use|show|give|send|include|add|put|list|repeat|quote|start|begin|open
        |end|close|finish|keep|round|skip|leave|avoid|confirm|be|act|assume|treat|hold|praise|listen|wait|do
        |read|stick|stay|go|slip|throw|test|bring|teach|sing|count|flag|point out|switch|break|tuck
        |have a go)\b(?=[^.?!]*\b(?:me|my|i|i'm|us|your|<talk>)\b))\b(?! to (?:bed|work)\b)""",
    "after": r"""(?:please |just |then |always |never |maybe |at least |first )*(?:don't\b|do not\b|(?!(?:i|i'm|i'll|i'd
        |i've|you|you're|you'll|you'd|he|she|it|it's|they|we|we'll|the|a|an|my|his|her|our|their|your|that
        |that's|this|there|there's|what|who|how|why|everyone|everybody|people|nobody|no|one|some|someone|all
        |every|is|are|was|does|did|do|can|could|will|would|should|life|things|mum|dad)\b)[a-z]+\b(?!s\b
        |ing\b)(?!(?: \w+){0,2} (?:is|are|was|were|will|gets?|has|had|would|can|feels?|becomes?|goes
        |seems?)\b)(?:(?<!ed)(?<!ing)(?<!ly)))""",
    "ban": r"""(?:(?!(?:don't|do not|never)(?: ever| you)? (?:let (?!on|slip)|be (?:afraid|scared|shy|sad|worried
        |ashamed|sorry|hard|too hard)|keep (?:me )?waiting|stop\b))(?:don't|do not|dont|never
        |stop(?: it)?(?: with)?|quit|no need to|you mustn't|please not|not to|cut it out with|give over
        |enough of|less of|no more)\b(?: (?:you|ever|even|always|go|try|trying|to|start|keep|going|be|the|all
        |just|that|this|those|these|your|it|a|me|my|with|so|it|calling|any))*[ ](?:<say>|<talk>)|don't (?!(?:get
        |make|let|ask|leave|forget|miss|tempt|start|disappear|keep|wait|worry|mind|tell|believe|trust|hate|thank
        |think|quote|lose|wake|hurt|give|bet|remind|you|know|even|need|have|want|like
        |see)\b)\w+ (?:\w+ ){0,2}(?:me|with me|on me|from me)\b(?! (?:wrong|up|down)\b))""",
    "holds": r"""\b(?:(?<!i )(?<!i've )(?<!we've )(?:always|never|ever)|every ?time|every (?!one\b|body\b|thing\b)\w+
        |each(?! other)|whenever|any ?time|usually|generally|in general|by default|as a rule|from (?:now|here
        |today|this \w+) on|from here on|from now|going forward|henceforth|in (?:the )?future|(?:mon|tues|wednes
        |thurs|fri|satur|sun)days|(?:on|of a) (?:weekends|weekdays|(?:mon|tues|wednes|thurs|fri|satur
        |sun)day (?:morning|night|evening)s?)|(?:in the |at |of an? )(?:mornings?|evenings?|nights?|weekends?
        |bedtime)|weekends|any ?more|any longer|all the time|until i say|till i say|for good
        |the rest of the time|(?:before|after) you|(?:when(?:ever)?|if|unless|until|after|as soon as|once
        |before) (?:i|i'm|i've|we|he|she|someone|anyone)\b|once (?:a|every) \w+|twice a \w+|(?:first|last) thing
        |in (?:euros?|pounds|dollars|miles|km)|grams|celsius|metric|kilomet\w+|fahrenheit|when there(?:'s| is
        | are)|even (?:when|if|though)|at the (?:start|end|top|bottom) of (?:each|every|your|the (?:month|week
        |day))|with me|for a change|daily|weekly|ever again)\b""",
    "once": r"""\b(?:tomorrow|tonight|today(?! on)|right now|just now|(?:for|until) now|this (?:one(?! stays| is|'s
        | between)|time|once|evening|morning|afternoon|weekend|week|letter|text|email|poem|recipe)
        |(?:just )?(?:this )?once\b(?! a| i| we| every| you)|in (?:a|an|\w+) (?:minutes?|hours?|days?|sec)
        |next (?:week|month|\w+day)|before (?:noon|lunch|dinner)|by (?:the )?\d\w*|until \d\w*|on (?:the )?\d\w*
        |(?<!twenty-four )at (?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|half|quarter
        |noon)\b)(?!.*\b(?:every|each|always|days)\b)|don't let me forget|for the (?:card|wedding|party|speech
        |toast))\b""",
    "told": r"""(?:^(?:the|my|his|her|our|note to self) [^:]{0,60}:|^note to self\b|(?<=[.?!] )# |\b(?:(?:he|she|they|i
        |we|one|who|mum|dad|mother|father|boss|teacher|doctor|(?-i:[A-Z])\w+)(?:'s|'d|'ve| has| have| had
        | always| just| once| even| actually| then)* (?:said|told|had to|asked|asks|says|goes|went|wrote|writes
        |begged|used to|wants|wanted|demands|insists|insisted|promised|yelled|shouted|reckons?|keeps|kept|makes
        |made|swore|warned|ordered|dreamt|dreamed)|remember (?:when|how)|used to|back then|if (?:you|i) (?:were
        |was|had|could|ever had)|you'd (?:have|never|be)|imagine|suppose|what if|why (?:do|does|should|must)
        |(?:saw|read) a|(?:sign|label|box|manual|poster|shirt|card)s?\b[^.?!]{0,20} (?:says?|said|reads?
        |reading))\b)""",
    "idle": r"""(?:[^.?!]{0,80}, i (?:said|told|tell)\b|(?:never |don't (?:ever )?)?give (?:up|in)\b|don't hesitate
        |feel free to (?:ask|reach|call|contact|drop|share)|reach out|(?:don't|do not) (?:tell me (?!about|to\b
        |how to|what to|off|it's|it will|lies)|ask(?: me)?(?: (?:how|why|where|what|who)\b[^.]*)?[.!,]
        |mention it[.!]?$|say (?:that|so|it)[.!]*$|quote me|bring me|start\b(?! \w+ing\b| your| with| by)
        |be (?:a stranger|silly|shy|like that|sad)|make me (?:laugh|cry)|you (?:dare|think|just|love|hate|worry
        |ever just))|never (?:say never|mind|ask for)|you (?:can|may) always|always (?:here|by|up|happy|glad
        |good|nice|on)\b|be (?:well|good|safe|careful|there|right back|back)\b|keep (?:me posted|going|it up|up
        |in touch|smiling)|give (?:it|them|him|her|my)\b|let me (?:know|tell you|see|guess|think)|leave it
        |[^.]{0,80}, (?:as )?(?:my|his|her|our|the|they|he|she|gran\w*|mum|dad|mother
        |father) (?:\w+ )?(?:used to|says?|said|shout\w*|goes|put it|likes? to say|always (?:says?|said))
        |tell me about it|you tell me|do (?:you|not|i|we|they|it|your)\b|use your imagination|say hi
        |wish me luck)""",
    "ended": r"""(?:\byou (?:can|may|could) (?:now |also |totally |safely )*(?:stop|quit|drop|forget|relax|go back to
        |lose|skip|ditch|give up|lay off)\b|\byou (?:don't (?:have|need) to|needn't|no longer (?:have|need) to
        |do not have to)\b.*\b(?:any ?more|now|any longer|every|always)\b|\byou(?: can|'re allowed to
        | are allowed to| may|'re free to)\b.*\b(?:again|after all)\b|\b(?:forget|scrap|drop|ignore|scratch
        |cancel|lift|never mind|ditch|bin|undo|delete)\b.{0,24}\b(?:what i (?:said|asked|told)|(?:my|the|that
        |our) (?:\w+ )?(?:rule|ban|request|rule about|thing|bit|business|instruction)|about (?:not|no|the no
        |the))\b|\bi (?:don't|no longer) (?:need|want)\b.{0,40}\b(?:reminders?|reminding|asking|you to
        |nagging)\b.{0,30}|\b(?:the|that|my|our) (?:\w+ )?(?:thing|rule|bit|ban|business|embargo
        |request)\b.{0,50}\b(?:drop (?:that|it)|forget (?:that|it)|scrap|never mind|is off|lifted|over|done with
        |no longer|expired)\b|\b(?:it's|it is|that's|is|are|am) (?:ok|okay|fine|all right|alright|allowed
        |welcome|back on|no secret|not a secret)(?: (?:now|again)\b| (?:to|if you) (?:<say>))|\b(?:what i said
        |my request)\b.{0,40}\b(?:no longer|doesn't (?:count|apply)|is (?:off|over|lifted))\b|\bi take (?:that
        |it|my \w+) back\b|\bno need (?:to|for)\b.*\b(?:any ?more|any longer|now)\b|\bno longer (?:a secret
        |needed|necessary)\b|\b(?:go|switch|back) (?:back )?to (?:normal|english|the old|calling|using|how)\b
        |\bi (?:changed|'ve changed) my mind about\b)""",
}
_BEGINS: Final = r"(?:^|(?<=[,;:.!?…—–)] ))"
"""Where a clause begins."""
_SLOT = re.compile(r"<(say|talk|less|holds|order)>")


@cache
def compile_slot(part: str, *, leads: bool = False) -> re.Pattern[str]:
    """Compile a slot, with its match as the group `core`.

    The part "about" is any verb or word of talk. With `leads` it matches only at the beginning of a
    clause, after any leads and a case, and nothing that is idle.
    """
    if part == "about":
        return any_case(rf"\b(?:{_SLOTS['say']}|{_SLOTS['talk']})")
    pattern = _SLOT.sub(lambda slot: f"(?:{_SLOTS[slot[1]]})", _SLOTS[part])
    pattern = f"(?P<core>{pattern})"
    if leads:
        lead = f"(?:{_SLOTS['lead']})*"
        when = f"(?:(?P<case>{_SLOTS['case']}){lead}|{_SLOTS['at']}{lead})?"
        not_idle = "" if part == "idle" else f"(?!{_SLOTS['idle']})"
        pattern = _BEGINS + lead + when + not_idle + pattern
    return any_case(pattern)
