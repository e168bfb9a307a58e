"""The forms of wishes in English."""

from typing import Final

from rules.extract.wish_forms.forms import WishForms

ENGLISH: Final = WishForms(
    r"""(?:(?:and|also|but|so|ok|okay|oh|well|btw|by the way|hey|hi|one (?:more|last) thing
        |two (?:more )?things(?: please)?|just
    |then|plus|right|anyway|look|listen|honestly|no|yes|yeah|remember|note|reminder|important|new rule|rule|ps|p\.s\.
        |in general
    |from my side|for me|with me|juno)[,:;!.]? +|(?:and )?(?:please|pls|plz|kindly),? +|(?:make sure|be sure|remember
        |try)(?: to| that you| you)? +
    |i(?: want| need|'d like|'d love| would like|'d prefer| would prefer) you (?:to +)?|you (?:should|must|can|may
        |have to|need to) +)""",
    r"""(?:(?:from (?:now|here|this point|today) (?:on|onwards?|forward)(?: out)?|going forward|henceforth
    |(?:in|for) (?:the |all )?future(?: replies| answers| messages)?,)\b(?!.*\bi'll\b)
    |(?:call|address) me (?:as |by )?(?!when|if|later|back|on\b|at\b|in\b|once|after|before|today|tomorrow|tonight
        |maybe|a\b|an\b|the\b|crazy|old|out|up|any)\w
    |keep (?:your|all|the|my) (?:answers|replies|responses|messages|explanations|sentences)\b
    |stop (?:it with|calling|saying|asking|telling|using|reminding|mentioning|apologi[sz]ing|being so|sending|writing
        |correcting|ending|starting|giving)\b
    |(?:no|zero|never(?: any)?|less|fewer|enough with) (?:more )?(?:[\w'-]+,? (?:or |and )?){0,4}(?:emojis?|smileys?
        |smilies|emoticons?|exclamation (?:marks?|points?)
    |bullets?|bullet points|lists?|headings?|bold|markdown|jokes?|puns?|advice|tips|solutions|lectures?|pep talks?
        |small talk|platitudes|compliments|flattery
    |questions|disclaimers|swearing|slang|nicknames?|pet names?|abbreviations|spoilers|talk|sugar-?coating|sarcasm
        |irony|pressure|baby talk)\b
    (?=[^.!?]{0,30}$|[,;.!]| (?:when|if|in|on|with|please|pls|ever|at|after|before|unless|even)\b)
    |no (?!one\b|idea|problem|worries|need|wonder|doubt|way|thanks)[^.,;!?]{1,40}\b(?:please|pls|plz)\b
        |no [^.;!?]{1,40}, (?:please|not even|even as a joke)
    |(?:nothing|not a word) about [^.!?]{1,60}\b(?:please|ever|when|if|to)\b
        |never more than (?:\w+ ){1,2}(?:sentences?|lines?|questions?|paragraphs?|words?|points?)
    |keep (?:it|them|things|everything) (?:short|brief|simple|under|below|plain|to \w+ (?:lines|sentences))\b
    |(?:a bit |a little )?(?:shorter|longer|simpler|plainer|slower|less|fewer|more) [^.!?]{0,40}\b(?:please|pls
        |plz)\b|(?:in|with) (?-i:[A-Z])\w+,? (?:please|pls)\b|no (?:formal|sir|mister)
    |(?:[\w'-]+ )?(?:answers|replies|responses|messages|dates|times|prices|units|distances|temperatures|weights
        |amounts|measurements|numbers|quantities|recipes)\b(?! (?:is|are|was|were|have|come
        |go))[^.!?]{1,50}\b(?:please|always|only|never)\b
    |correct my (?:\w+ )?(?:mistakes|grammar|spelling|pronunciation|errors|(?-i:[A-Z])\w+)\b
        |(?-i:[A-Z])\w+,? (?:please,? )?not (?-i:[A-Z])\w+[,.!]? ?(?:please)?[.!]*$
        |you can (?:just )?call me (?-i:[A-Z])
    |(?:please )?(?:leave out|skip|drop|ease off|go easy on|cut|cut out|spare me|lose|lay off
        |hold) (?:the |all |any |your )?(?:[\w'-]+ ){0,3}(?:emojis?|smileys?|exclamation marks?|bullets?
        |bullet points|lists?|headings?|jokes?|puns?|advice|tips|lectures?|pep talks?|small talk|compliments|flattery
        |questions|nicknames?|sarcasm|pleasantries|formalities|statistics)\b
    |(?:emojis?|lists|jokes|bullet points|headings|advice|tips|questions) only (?:when|if)\b|(?:everyone|everybody
        |people|my friends|friends|they all)\b.{0,30}\b(?:calls?|shorten|says?)\b.{0,30}\b(?:you|same|too)\b
    |don't (?!(?:get|make|let|ask|leave|forget|miss|tempt|start|disappear|keep|wait|worry|mind|tell|believe|trust
        |hate|thank|think|quote|lose|wake|hurt|give|bet|remind)\b)\w+ (?:\w+ )?(?:me|with me|on me)\b(?! (?:wrong|up
        |down)\b)|(?:we|let's) (?:speak|talk|write) (?-i:[A-Z])\w+ (?:on|at|from|every|in the)
    |(?:max(?:imum)?|at most|no more than|only) (?:\w+ ){1,2}(?:sentences?|lines?|questions?|paragraphs?|words)\b
    |let's (?:do|speak|talk|write|stick to|switch to|use|keep to|stay with) (?:in )?(?-i:[A-Z])
        |let's (?:not |never )(?:talk|speak|discuss|mention|bring)|be (?:\w+ ){1,3}(?:with|to) me\b
        |be (?:\w+ )?(?:honest|blunt|direct|brief|gentle|straight|frank|strict|kind) with me
    |(?:speak|talk|write) (?:to|with) me (?:straight|plainly|like|as if|as though|in (?-i:[A-Z])))""",
    r"""(?:\b(?:always|never)\b.*\bwhen(?:ever)? i (?:ask|say|mention|write|talk|request)
    |\bi(?: want| need|'d like| would like) you to (?:always|never|stop|call me|address me|be|tell me
        |ask me)\b(?!.*\b(?:today|tonight|tomorrow|right now|this time)\b)
    |\byou (?:should|must|have to|need to) (?:always|never)\b|\bfrom now on\b.*\b(?:you (?:should|must|can|will|call
        |say|only)|please|no\b|i want|i'd like)
    |(?:\bplease\b|\brules?:|\brequests?:).*\bfrom now on\b|\bplease\b[^.!?]{0,60}\b(?:always|never)\b(?! +(?:been
        |had|mind)\b)
    |\b(?:when|if) i (?:ask|say|mention)\b[^,]*, (?:please|always|never|you should|i want you|i'd like)\b
    |(?:\b(?:but|so|and|just|please)|,) call me (?-i:[A-Z])\w
        |\bit's (?-i:[A-Z])\w+(?: now| from now on)?,? not (?-i:[A-Z])|\bmy name(?:'s| is) (?:spelled|spelt
        |pronounced|(?-i:[A-Z])\w+,? not)\b
    |\bi go by (?-i:[A-Z])|\b(?:but|,) (?-i:[A-Z])\w+(?: is|'s| will) (?:just )?(?:fine|enough|plenty|do)\b|\b(?:i'm
        |it's|i am) (?:just |plain )?(?-i:[A-Z])\w+ (?:to|for) (?:you|my friends)\b
    |\bi (?:hate|can't stand|don't like|dislike) (?:being called|it when you|when you)\b|\b(?:i'd be
        |it(?:'d| would) be|that would be) (?:so |really )?(?:grateful|glad|happy|lovely|great|nice|good
        |kind) (?:of you )?if you\b(?=.*\b(?:always|never|every|didn't|don't|not|stop|when i|each|before|instead)\b)
    |\bi(?:'d like| want| need) (?:a|an|one|the|some|two|three|you)\b.{2,40}\b(?:each|every) (?:morning|day|evening
        |night|week|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b
    |\byou (?:can|may|could) (?:always |just )?(?:be (?:\w+ )?\w+ (?:with|to) me|tease me|contradict me|swear)\b
        |\b(?:feel free to|you're allowed to) (?:contradict|disagree|tease|swear|interrupt|correct)\b|\b(?:mustn't
        |must not|can't|shouldn't|isn't (?:to|supposed to|allowed to)|isn't meant to) (?:know|find out|hear (?:about
        |of))\b|\bwhat i (?:need|want)(?: from you)?(?: in general| most| usually)? is\b
        |\bfrom you\b[^.]{0,20}\b(?:in general|always|i (?:need|want))\b
    |\bi (?:need|want|use|like|prefer|think in)\b(?=.*\b(?:never|not|always|only|instead)\b).{0,30}\b(?:grams?
        |celsius|fahrenheit|metric|kilomet\w+|miles|euros?|dollars?|24-hour|am and pm)\b
    |\b(?:this|that|it|which)(?: has to| should| must)?(?: is| stays?| remains?
        |'s)?(?: strictly| just| only)? between (?:us|you and me|the two of us|ourselves)\b
    |^(?:strictly |just )?between (?:us|you and me)[,.:!]?(?: please)?[.!]?$|\bkeep (?:this|that|it
        |the \w+)(?: all)? (?:to yourself|between us|secret|quiet|private|under wraps)\b
    |\b(?:for your ears only|off the record|our (?:little )?secret|don't breathe a word|stays? (?:in here
        |here between)|not a word|mum's the word|nobody (?:must|may|can|should) know)\b|\b(?:is|it's
        |that's) (?:still )?(?:a )?secret\b.{0,40}\b(?:so|don't|please)\b
    |\b(?:please|and|but|so|,) (?:don't|do not|never) (?:tell|mention (?:it|this|that)|bring (?:it|this|that|him|her
        |them) up|let on)\b(?! me)
    |\bi(?:'m going to| will|'ll) keep you out of\b|\b(?:i'd (?:like|love|appreciate) it|it (?:would help
        |helps)(?: me)?(?: a lot)?) if you (?:would |could )?(?:always|never|didn't|don't|didn't|asked|told
        |called)\b)""",
    r"""(?<!should )(?<!do )(?<!did )(?<!would )(?<!can )(?<!must )(?<!why )
    \bi(?:'d| would)? (?:really |much |strongly |generally |usually |always )?
    (?:prefer|rather)\b(?: it if| that| for)? (?:you\b|your\b|if you\b|to be (?:called|addressed|asked|told)
        |(?:\w+ ){0,2}(?:answers|replies|responses|messages|explanations|sentences|examples)\b)""",
    case=r"""(?:(?:when(?:ever)?|if|every time|each time|any ?time|once|as soon as|on (?:days|nights|evenings
        |mornings)(?: when)?|in case|even if|unless)\b
    (?=[^,]*\b(?:i|i'm|i've|i'd|my|me|you|we|she|he|it's|someone)\b)[^,;.?!]{2,120}[,;] *(?:then )?)""",
    at=r"""(?:(?:every|each|on|with|in|for|once a|from) \w+(?: \w+)?,? +|(?:every|each|on|from) [^,.!?]{2,40}, +)""",
    order=r"""(?:(?:always|never|only|ever) +)?(?:ask|tell|remind|warn|correct|answer|reply|respond|write|speak|talk
        |use|greet|address|show|give|send|explain|include|add|put|format
    |list|number|translate|convert|suggest|offer|repeat|quote|say|mention|start|begin|open|end|close|finish|keep
        |let me|make me|stop me|check in|round|wish me|skip|leave|avoid
    |provide|report|document|confirm|mask|be|assume|treat|hold|nag|push|challenge|praise|listen|wait|do|call|read
        |spell|tease|comfort)\b""",
    after=r"""(?:please |just |then |always |never |maybe |at least |first )*(?:don't\b|do not\b|(?!(?:i|i'm|i'll|i'd
        |i've|you|you're|you'll|you'd|he|she|it|it's|they|we|we'll|the|a|an|my|his|her|our|their|your|that|that's
        |this|there|there's|what|who|how|why|everyone|everybody|people|nobody|no|one|some|someone|all|every|is|are
        |was|does|did|do|can|could|will|would|should|life|things|mum|dad)\b)[a-z]+\b(?!s\b
        |ing\b)(?!(?: \w+){0,2} (?:is|are|was|were|will|gets?|has|had|would|can|feels?|becomes?|goes
        |seems?)\b)(?:(?<!ed)(?<!ing)(?<!ly)))""",
    polite=r"""(?:(?:can|could|would|will|(?:is|would) (?:it (?:be )?possible
        |there (?:be )?any chance)(?: for)?) (?:you
        |we)(?: could)?(?: to)?(?: please| maybe| perhaps| just| kindly| always| never| also| possibly)*
        |would you mind(?: not)?|is it (?:ok|okay|possible) if you|may i ask you to|do you mind
        |do me a favou?r and) (?:not )?(?:ask|tell|remind|warn|correct|answer|reply|respond|writ|speak|talk|us|call
        |address|greet|start|begin|end|clos|finish|keep|giv|send|show|explain|includ|add|put|format|list|number
        |translat|convert|suggest|offer|repeat|quot|say|mention|bring|stop|skip|leav|avoid|stick|drop|mak|be|do
        |check in|spell|wait|listen|read|treat|round)\w*\b""",
    less=r"""\b(?:not|out|stop|less|fewer|without|skip|leave out|avoid|drop|shorter|simpler|more slowly|so many
        |so much|keep (?:your|it))\b""",
    ban=r"""(?:(?:don't|do not|never|stop|no need to|you mustn't
        |please not) (?:ever |even |always |you ever |go |try to |start )?(?:call|tell|say(?:ing)?|ask|remind|mention
        |bring (?:it|this|that|him|her|them|\w+) up|bring up|answer|reply
    |write|speak|talk|use|address|give me|send|explain|include|add|put|show|suggest|offer|cheer|comfort|console|joke
        |tease|flatter|praise|judge|argue|agree with|interrupt
    |apologi[sz]|lecture|preach|repeat|quote|sugar-?coat|push|pressure|nag|skip|assume|pretend|spoil|correct
        |translate|be (?:funny|nice|polite|so|too|formal|sarcastic|cheerful|vague)
    |make (?:jokes|fun|a (?:big )?(?:thing|fuss))|wish|end|start|begin|open|finish|let on|console|compliment|rush
        |analy[sz]e|moralis|psycho|diagnose|compare|bring|list|number|format|apolog|summari)\w*\b)""",
    holds=r"""\b(?:always|never|ever|every(?:time)?|each(?! other)|whenever|in general|generally|usually|by default
        |as a rule|from now on|(?:on |every |each )(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?! at)|(?:mon|tues
        |wednes|thurs|fri|satur|sun)days
    |on weekends|(?:in the |at |on )(?:mornings?|evenings?|nights?|weekends?)|in future|any ?more|all the time
        |until i say|the rest of the time|when(?:ever)? (?:i|we|he|she)\b|if (?:i|we|he|she|anyone|someone)\b
    |once a (?:week|day|month)|in (?:euros?|pounds|dollars|miles|km)|(?:grams|celsius|metric|kilomet\w+|fahrenheit)
        |when there(?:'s| is| are)|even (?:when|if|though)|before (?:you|we) |at the (?:start|end) of (?:each|every
        |your)|unless i)\b""",
    once=r"""\b(?:tomorrow|tonight|today|right now|this (?:time|once|evening|morning|afternoon|weekend|week)
        |just (?:this )?once|in (?:a|\w+) (?:minutes?|hours?|days?)|next (?:week|month|\w+day)
    |before (?:noon|lunch)|by (?:the )?\d\w*|until \d\w*|on (?:the )?\d\w*|(?<!twenty-four )at (?:\d|one|two|three|four|five
        |six|seven|eight|nine|ten|eleven|noon)|don't let me forget|for the (?:card|wedding|party))\b""",
    idle=r"""(?:(?:never |don't (?:ever )?)?give (?:up|in)\b|don't hesitate|feel free to (?:ask|reach|call|contact
        |drop|share)|reach out|(?:don't|do not) (?:tell me (?!about|to\b|how to|what to|off|it's|it will|lies)
        |ask(?: me)?(?: (?:how|why|where|what|who)\b[^.]*)?[.!,]|mention it[.!]?$|say (?:that|so|it)[.!]*$|quote me
        |bring me|start\b(?! \w+ing\b| your| with| by)
    |be (?:a stranger|silly|shy|like that|sad)|make me (?:laugh|cry)|you (?:dare|think|just|love|hate|worry
        |ever just))|never (?:say never|mind|ask for)|you (?:can|may) always|always (?:here|by|up|happy|glad|good
        |nice|on)\b
    |be (?:well|good|safe|careful|there|right back|back)\b|keep (?:me posted|going|it up|up|in touch|smiling)
        |give (?:it|them|him|her|my)\b|let me (?:know|tell you|see|guess|think)|leave it|[^.]{0,80}, (?:as )?(?:my
        |his|her|our|the|they|he|she|gran\w*|mum|dad|mother|father) (?:\w+ )?(?:used to|says?|said|shout\w*|goes
        |put it|likes? to say|always (?:says?|said))|tell me about it|you tell me|do (?:you|not|i|we|they|it|your)\b
        |use your imagination|say hi|wish me luck)""",
    ended=r"""\byou (?:can|may|could) (?:now |also )?(?:stop|quit) \w+ing\b|\byou (?:don't (?:have|need) to|needn't
        |no longer (?:have|need) to|do not have to)(?: \w+){0,2} (?:ask|tell|remind|give|call|answer|use|say|mention
        |keep|show|write|speak|talk|add|include|convert|translate|warn|check|stop|be)\b.*\b(?:any ?more|now
        |any longer|every|always)\b
    |\byou(?: can|'re allowed to| are allowed to| may)\b.*\b(?:ask|tell|mention|call|use|say|talk|joke|speak|write
        |remind|bring)\b.*\bagain\b|\b(?:forget|scrap|drop|ignore|scratch|cancel|lift)\b.{0,20}\b(?:what i said
        |my rule|the rule|that rule|the ban|my request|the thing about|about (?:not|no|the no))\b
    |\bforget\b.{0,20}\b(?:rule|ban)\b|\bi (?:don't|no longer) (?:need|want)\b.{0,40}\b(?:reminders?|reminding|asking
        |you to)\b.{0,30}\b(?:any ?more|any longer|now)\b|\b(?:the|that|my) (?:thing|rule|bit
        |ban)\b.{0,50}\b(?:drop (?:that|it)|forget (?:that|it)|scrap|never mind|is off|lifted)\b|\bit(?:'s| is) (?:ok
        |okay|fine|all right|alright) (?:now )?(?:to|if you) (?:ask|mention|talk|call|use|say|joke|speak|bring)\b
        |\b(?:emojis?|jokes|asking|mentioning \w+|talking about [\w ]+) (?:is|are) (?:fine|ok|okay|allowed
        |welcome) (?:again|now)\b|\b(?:what i said|that rule|my rule|the rule|the ban
        |my request)\b.{0,40}\b(?:no longer|doesn't (?:count|apply)|is (?:off|over|lifted))\b|\bi take (?:that|it
        |my \w+) back\b.{0,60}|\bno need to (?:ask|tell|remind|give|call|use|mention|keep|write
        |talk)\b.*\b(?:any ?more|any longer|now)\b|\bi no longer (?:want|need) you to\b""",
    promise=r"""(?:^|[,:;] )(?:and |so |then |but |yes[,.]? |ok[,.]? |okay[,.]? |of course[,.]? )*
    (?:i(?:'ll| will| shall| promise(?: you)?(?: to| that i'll| i'll)?)
    \s(?:also |always |gladly |just |still |happily |then |be sure to |make sure to |keep |certainly |definitely )*
    (?:ask you|ask (?:about|after|how|whether|if|again|every|on)|remind you|remember (?:to|that|it|this)|hold (?:both
        |that|it|this|on to|the|you to)|keep (?:the list|that|this|it (?:between|to|safe|secret)|quiet|your|both
        |count|track|an eye|asking|reminding|a list)|say nothing|never (?!forget)\w|not (?:tell|mention|say|ask|bring
        |forget|call)
    |stop (?:you|calling|asking|saying)|check (?:in|back|on)|bring (?:it|this|that) up|tell you (?:the|every|when|if
        |each)|tell (?:nobody|no one)|call you|note (?:it|that|down)|wait for|be (?:here|there|quiet)|start with
        |speak|leave (?:that|it|your))
    |i won't (?:ever |say |let )?(?:tell|mention|say|bring|ask|call|breathe|use|a word|you forget|joke|push)\b)""",
    done=r"""(?:\b(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:finally |just |already |actually |now )?(?:booked|called
        |rang|rung|sent|handed|paid|told|asked|signed|finished|submitted|posted|bought|picked up|cancelled|renewed
        |ordered|moved|returned|did it|done|fixed|filed|collected)\b
    |\b(?:is|are|it's|that's|all) (?:finally |now )?(?:done|sorted|booked|paid|signed|finished|settled|over|sent
        |ordered)\b|^done\b)""",
)
