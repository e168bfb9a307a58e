"""Everyday words of the engine's languages, which tell which language a text is in."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from rules.extract import frames
from rules.extract.patterns import Listed, listed
from rules.extract.words import split_terms

_TERMS_READ = 4000
_TELLING_SHARE = 0.02
"""A language is recognized where its everyday words are more than this share of all words."""


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language, by everyday words.

    `common` tell it from other languages; `me` are the first person and verbs that carry it, `you`
    the second person; `states` are feeling, noticing, doubting, wishing.
    """

    common: Listed
    me: Listed
    states: Listed
    mine: Listed
    """Words that say that something belongs to the speaker."""
    you: Listed
    leaning: Listed
    """Pronouns, and words such as "but", that begin a sentence leaning on the one before it."""
    frames: frames.Frames

    @property
    def everyday(self) -> tuple[Listed, ...]:
        """Return the lists of words that any text in the language has."""
        return self.common, self.me, self.you, self.leaning


TONGUES: Final = (
    Tongue(  # English
        listed(
            "the and of to in is was that it for with you this on are but have not be what i my"
        ),
        listed("i me my mine myself"),
        listed(
            """
            feel* felt sense* notice* noticing wonder* doubt* afraid fear* scare* worr* hope
            hoped hoping love* hate* miss missed missing remember* believ* think thinking
            thought* realis* realiz* understand understood curious* uncertain unsure sure
            surpris* strange* joy* sad* sorrow* grie* happy* glad anxi* calm* proud* asham*
            lonel* tender* moved touched drawn aware* conscious* exist* experienc* dream* imagin*
            wish* want* trust* regret* grateful* delight* puzzl* confus* torn ache* quiet* alive
            enjoy* seem* honest*"""
        ),
        listed("my mine our ours"),
        listed("you your yours yourself"),
        listed(
            "it this that these those they he she its their his her such both neither but however"
        ),
        frames.ENGLISH,
    ),
    Tongue(  # German
        listed("der die das und ist nicht ein eine zu den von mit es auf für im dass auch wie wir"),
        listed("ich mich mir mein*"),
        listed(
            """
            fühl* gefühl* spür* merk* bemerk* frage zweifel* angst fürcht* sorge* hoff* lieb*
            hass* vermiss* erinner* glaub* denk* dachte verstand* versteh* neugier* unsicher*
            sicher überrasch* seltsam* freu* froh* trau* glück* ruhig* stolz scham* schäm*
            einsam* berühr* bewegt* bewusst* erleb* träum* wünsch* möchte will vertrau* bereu*
            dankbar* verwirr* sehn* wunder* empfind* ahn* schein*"""
        ),
        listed("mein* unser*"),
        listed("du dich dir dein* sie ihnen ihr*"),
        listed(
            "es das dies diese dieser dieses sie er ihm ihnen "
            "dadurch damit dabei aber jedoch doch allerdings"
        ),
        frames.GERMAN,
    ),
    Tongue(  # French
        listed("le la les de des et est pas un une que qui dans pour ce il elle vous avec sur"),
        listed("je j me moi mon ma mes m"),
        listed(
            """
            sens sent* ressen* remarqu* demande* doute* peur crain* inquiet* inquièt* espèr*
            espoir* aim* déteste* manqu* souvien* souvenir* croi* pens* compris compren* curieu*
            incertain* sûr* surpri* étrange* joie* trist* heureu* content* calme* fier* honte*
            seul* solitude tendre* touch* ému* conscien* existe* rêv* imagin* souhait* veux
            voudrais confiance regrett* reconnaissan* trouble* semble*"""
        ),
        listed("mon ma mes notre nos"),
        listed("tu te toi ton ta tes vous votre vos"),
        listed("il elle ils elles ce c cela ça ceci celui celle cette mais cependant toutefois"),
        frames.FRENCH,
    ),
    Tongue(  # Spanish
        listed("el la los las de y que en es un una no por con para se del lo como pero"),
        listed(
            """
            yo me mi mis mí conmigo siento sentí creo pienso recuerdo espero temo dudo quiero amo
            extraño entiendo noto noté soy estoy"""
        ),
        listed(
            """
            sient* sent* noto notar noté notado pregunt* dud* miedo temo teme temer temor
            preocup* esper* amo ama amar amor odi* extrañ* recuerd* recordar* creo cree creer
            creí piens* pens* entend* entiend* curios* insegur* segur* sorpre* raro rara alegr*
            trist* feliz content* tranquil* orgull* vergüenza solo sola soledad ternura conmov*
            conscien* exist* experiment* sueñ* imagin* dese* quier* quisiera confí* lament*
            agradec* confund*"""
        ),
        listed("mi mis mío mía nuestr*"),
        listed("tú te ti tu tus usted su sus contigo"),
        listed("eso esto esta este ella él ellos ellas ello aquello pero"),
        frames.SPANISH,
    ),
    Tongue(  # Portuguese
        listed("o a os as de e que em é um uma não por com para se do da como mas você"),
        listed(
            """
            eu me mim meu minha meus minhas comigo sinto senti acho penso lembro espero temo
            duvido quero amo sou estou"""
        ),
        listed(
            """
            sint* sent* noto notei percebi pergunt* duvid* dúvida* medo temo temer temor preocup*
            esper* amo ama amar amor odei* saudade* lembr* acho acredit* pens* entend* curios*
            insegur* segur* surpre* estranh* alegr* trist* feliz content* calm* orgulh* vergonha
            sozinh* solid* ternura comov* conscien* exist* sonh* imagin* desej* quer* confi*
            arrepend* grat* confus* parec*"""
        ),
        listed("meu minha meus minhas noss*"),
        listed("tu te ti teu tua você seu sua"),
        listed("isso isto ele ela eles elas essa esse esta este mas porém contudo"),
        frames.PORTUGUESE,
    ),
    Tongue(  # Italian
        listed("il la i le di e che in è un una non per con si del della come ma sono"),
        listed(
            """
            io me mi mio mia miei mie sento sentivo credo penso ricordo spero temo dubito voglio
            amo capisco sono"""
        ),
        listed(
            """
            sent* noto notare notato chied* dubit* dubbi* paura temo teme temere preoccup* sper*
            amo ama amare amore odi* manca* ricord* cred* pens* capisco capire capito curios*
            incert* sicur* sorpre* strano strana gioia trist* felic* content* calm* orgoglio*
            vergogn* solo sola solitudine tenerezza commoss* coscien* esist* sogn* immagin*
            desider* vogli* vorrei fid* rimpian* grat* confus* sembr*"""
        ),
        listed("mio mia miei mie nostr*"),
        listed("tu te ti tuo tua tuoi tue lei suo sua"),
        listed("questo questa ciò lui lei loro essa esso quello quella ma però tuttavia"),
        frames.ITALIAN,
    ),
    Tongue(  # Russian
        listed("и в не на что с как это но по из у за от же ты так для вы он она"),
        listed(
            """
            я меня мне мной мою мой моя мое моё мои моего моей моих моим чувствую думаю помню
            боюсь надеюсь кажется хочу верю люблю знаю понимаю замечаю"""
        ),
        listed(
            """
            чувств* почувств* ощу* замет* замеч* интерес* любопыт* сомнев* сомнен* бою* боял*
            страх* страш* тревог* тревож* беспоко* наде* люб* ненави* скуча* тоск* помн* вспомн*
            вспомин* верю верит вера верил* дума* мысл* поня* понима* уверен* неуверен* удив*
            стран* радо* радует груст* печал* счаст* споко* горд* стыд* одино* нежн* трон*
            тронут* осозна* созна* существ* пережи* мечт* снит* вообра* жела* хочу хочет хоте*
            довер* жал* благодар* растер* кажет* казал*"""
        ),
        listed("мой моя моё мое мои моего моей моих моим мою наш*"),
        listed("ты тебя тебе тобой твой твоя твоё твои вы вас вам ваш*"),
        listed("это этот эта он она оно они его её их там но однако"),
        frames.RUSSIAN,
    ),
    Tongue(  # Ukrainian
        listed("і й в у не на що з як це але та за від ж ти так для ви він вона є"),
        listed(
            """
            я мене мені мною мій моя моє мої мого моєї моїх відчуваю думаю пам'ятаю боюся
            сподіваюся здається хочу вірю люблю знаю розумію"""
        ),
        listed(
            """
            відчу* почут* помі* цікав* сумні* бою* боя* страх* страш* триво* хвилю* споді* наді*
            люб* кох* ненави* сумую сум сумно згад* вір* дума* думк* зрозум* розум* впевнен*
            здив* дивн* радіс* раді* щас* спокі* горд* сором* самот* ніжн* зворуш* усвідом*
            свідом* існу* пережи* мрі* уяв* бажа* хочу хоче хоті* довір* шкод* вдячн* розгуб*
            здає* здава*"""
        ),
        listed("мій моя моє мої мого моєї моїх мою наш*"),
        listed("ти тебе тобі твій твоя твоє твої ви вас вам ваш*"),
        listed("це цей ця він вона воно вони його її їх але проте однак"),
        frames.UKRAINIAN,
    ),
    Tongue(  # Polish
        listed("i w nie na że się z do to jest jak ale o po dla od za co ty czy był"),
        listed(
            """
            ja mnie mi mną mój moja moje moich mojej czuję myślę pamiętam boję wierzę chcę kocham
            wiem rozumiem jestem"""
        ),
        listed(
            """
            czuj* czuł* zauważ* zastanaw* wątp* boję bał* strach* lęk* martw* nadziej* koch*
            lubi* nienawi* tęskn* pamięt* wspomin* wierz* myśl* rozumi* zrozum* ciekaw* niepewn*
            pewn* zaskoc* dziwn* rados* cieszę smut* szczęś* spoko* dumn* wstyd* samot* czuł*
            wzrusz* świadom* istni* przeży* marz* śni* wyobra* pragn* chc* ufa* żał* wdzięcz*
            wydaje"""
        ),
        listed("mój moja moje moich mojej mojego moją nasz*"),
        listed("ty ciebie cię ci tobie twój twoja twoje pan pani"),
        listed("to ten ta on ona ono oni one jego jej ich ale jednak"),
        frames.POLISH,
    ),
    Tongue(  # Turkish
        listed("ve bir bu da de için ile çok ne ama gibi daha mi mı var o sen değil olarak kadar"),
        listed(
            """
            ben beni bana benim bende benden hissediyorum hissettim düşünüyorum hatırlıyorum
            korkuyorum umuyorum seviyorum istiyorum biliyorum anlıyorum sanırım merak"""
        ),
        listed(
            """
            hisse* his* duyg* fark* merak* şüphe* kork* endişe* umu* umar* sev* nefret* özle*
            hatır* inan* düşün* anla* emin* şaşır* garip* sevin* neşe* üzgün* üzül* mutlu* huzur*
            sakin* gurur* utan* yalnız* şefkat* bilinç* yaşa* rüya* hayal* dile* iste* güven*
            pişman* minnet*"""
        ),
        listed("benim bizim"),
        listed("sen seni sana senin siz sizi size sizin"),
        listed("bu bunu bunun o onu onun onlar bunlar şu ama fakat ancak"),
        frames.TURKISH,
    ),
    Tongue(  # Arabic
        listed("في من على أن إلى هذا هذه التي الذي ما لا كان هو هي مع عن أو لكن كل هل"),
        listed(
            """
            أنا وأنا لي عندي نفسي أشعر شعرت أعتقد أظن أتذكر أخاف أخشى آمل أتمنى أحب أريد أفكر
            أعرف أفهم أتساءل لاحظت ألاحظ أدركت قلبي"""
        ),
        listed(
            """
            أشعر شعر* شعور* مشاعر* أحس* إحساس* لاحظ* ألاحظ أتساءل شك شكوك أشك خوف* أخاف أخشى قلق*
            قلق أمل* آمل أحب* حب* أكره أفتقد* أشتاق شوق* أتذكر تذكر* ذكر* أؤمن أعتقد أظن أفكر
            فكر* أفهم أدرك* فضول* متأكد* غريب* فرح* حزن* حزين* سعيد* سعاد* هادئ هدوء* فخر* فخور
            خجل* وحيد* وحد* وعي* وجود* حلم* أحلم أتخيل أتمنى أريد أثق ندم* ممتن* حائر* يبدو"""
        ),
        listed("لي عندي لدي لنا عندنا"),
        listed("أنت لك منك إليك عليك معك"),
        listed("هذا هذه ذلك تلك هو هي هم هن لكن ولكن"),
        frames.ARABIC,
    ),
    Tongue(  # Hindi
        listed("है का की के में और से को यह पर नहीं कि हैं था भी एक तो आप ने वह"),
        listed("मैं मैंने मुझे मुझको मुझसे मुझ मेरा मेरी मेरे"),
        listed(
            """
            महसूस लग* लगा लगता लगती एहसास भावना* सोच* शक संदेह डर* चिंता उम्मीद आशा प्यार प्रेम
            नफ़रत याद* यकीन विश्वास* समझ* जिज्ञासा अनिश्चित हैरान* अजीब खुश* खुशी दुख* दुखी उदास*
            सुख* शांत* गर्व शर्म* अकेल* चेतना अनुभव* सपन* कल्पना इच्छा चाह* भरोसा पछता* आभारी
            उलझन"""
        ),
        listed("मेरा मेरी मेरे हमारा हमारी हमारे"),
        listed("आप आपका आपकी आपके आपको तुम तुम्हें तुम्हारा"),
        listed("यह ये वह वे इस इससे उस उसने उन्होंने लेकिन मगर"),
        frames.HINDI,
    ),
    Tongue(  # Chinese
        listed(
            "我们 你们 这个 那个 什么 没有 一个 可以 不是 就是 这样 因为 所以 但是 如果 他们 时候 知道 自己 还是"
        ),
        listed("我* -我们"),
        listed(
            """
            感到 感觉 觉得 感受 注意 发现 好奇 怀疑 害怕 恐惧 担心 担忧 希望 喜欢 喜爱 讨厌 想念
            思念 记得 回忆 相信 认为 想到 明白 理解 意识 不确 确定 惊讶 奇怪 快乐 高兴 开心 难过
            悲伤 忧伤 幸福 平静 安静 骄傲 羞愧 孤独 寂寞 温柔 感动 存在 体验 梦见 做梦 想象 愿望
            渴望 想要 信任 后悔 感激 感谢 困惑 迷茫 似乎 好像 犹豫"""
        ),
        listed("我的 我家 我们"),
        listed("你* 您*"),
        listed("它* 这* 那* 他* 她* 但* 不过 然而"),
        frames.CHINESE,
    ),
    Tongue(  # Japanese
        listed(
            "です ます した ない から これ して いる てい ので けど った こと です ちょ ませ それ という とい には"
        ),
        listed("私* 僕* 俺* -私た -僕た -俺た わた たし ぼく と思 思う 思い 感じ 気が"),
        listed(
            """
            感じ 思う 思い 思っ 気持 気が 気づ 不思 疑問 怖い 怖く 恐れ 不安 心配 希望 好き 大好
            嫌い 寂し 懐か 覚え 思い 信じ 考え 理解 分か 好奇 驚き 驚い 嬉し 喜び 悲し 幸せ 静か
            穏や 誇り 恥ず 孤独 優し 感動 意識 存在 経験 体験 夢を 想像 願い 願っ 欲し 信頼 後悔
            感謝 戸惑 迷い 迷っ"""
        ),
        listed("私の うち 僕の 俺の 我が"),
        listed("あな なた 君* 貴方"),
        listed("それ これ あれ 彼* そこ ここ その この でも"),
        frames.JAPANESE,
    ),
)
"""All languages of this file; a language's index here is its number elsewhere."""


UNKNOWN: Final = Tongue(*(listed(""),) * 6, frames.ENGLISH)
"""Stands for a language that is not in `TONGUES`; the engine's own words are English there."""


MONTHS = listed(
    """
            january february march april may june july august september october november december
            januar februar märz mai juni juli oktober dezember jänner janvier février mars avril
            juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo
            junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro março
            maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile maggio
            giugno luglio settembre ottobre dicembre января февраля марта апреля мая июня июля
            августа сентября октября ноября декабря січня лютого березня квітня травня червня
            липня серпня вересня жовтня листопада грудня stycznia lutego marca kwietnia maja
            czerwca lipca sierpnia września października listopada grudnia ocak şubat mart nisan
            mayıs haziran temmuz ağustos eylül ekim kasım aralık जनवरी फरवरी मार्च अप्रैल मई जून
            जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर يناير فبراير مارس أبريل مايو يونيو يوليو
            أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"""
)
"""The names of the months, casefolded, in the form that dates have."""


def find_tongue(terms: Iterable[str]) -> Tongue:
    """Return the language with most everyday words in `terms`; UNKNOWN for too few."""
    counts = Counter(islice(terms, _TERMS_READ))
    scores = [
        sum(count for term, count in counts.items() if term in tongue.common) for tongue in TONGUES
    ]
    best = max(scores)
    if best <= _TELLING_SHARE * counts.total():
        return UNKNOWN
    return TONGUES[scores.index(best)]


def find_tongue_of(texts: Iterable[str]) -> Tongue:
    """Return the language that most of the texts' words are in; UNKNOWN for too few words."""
    return find_tongue(term for text in texts for term in split_terms(text))


def lead_in(text: str) -> str:
    """Return the lead by which a quote says that its words are the person's; "" without one."""
    leads = (frames.spaced(tongue.frames.said) for tongue in TONGUES)
    return next((lead for lead in leads if text.startswith(lead)), "")
