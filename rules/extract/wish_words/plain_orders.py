"""The words of wishes in the languages of which plain orders alone are known."""

from typing import Final

from rules.extract.wish_words.classes import WishWords

UKRAINIAN: Final = WishWords(
    lead="і, й, а, ще, до речі, також, ок, пам'ятай",
    please="будь ласка, дякую",
    order="""відповідай, відповідайте, пиши, пишіть, кажи, кажіть, говори, говоріть, питай, питайте, нагадуй,
        нагадуйте, називай, називайте, клич, кличте, пояснюй, виправляй""",
    act="давай, давайте, використовуй, використовуйте, додавай, став, будь, показуй",
    ban="не, ніколи не, більше не, без, ніколи більше не",
    talk="відповід*, дат*, жарт*, повідомлен*, порад*, речен*, слов*, емодзі",
    style="англійською, коротко, прямо, російською, українською",
    always="""завжди, ніколи, відтепер, віднині, надалі, з цього моменту, на майбутнє, більше не, кожного, щодня,
        щоразу""",
    case="коли я, якщо я, щоразу коли",
    later="завтра, сьогодні",
    i="я, ми",
    other="він, вона, вони",
    past="був, була, були, було, любив, любила",
    name="називай мене, називайте мене, клич мене, кличте мене",
)

POLISH: Final = WishWords(
    lead="i, a, też, także, przy okazji, ok, pamiętaj",
    please="proszę, dziękuję",
    order="""odpowiadaj, pisz, mów, pytaj, przypominaj, nazywaj, wyjaśniaj, poprawiaj, mów mi, odpowiedz,
        proszę odpowiadać""",
    act="używaj, podawaj, dawaj, dodawaj, bądź, pokazuj, stosuj",
    ban="nie, nigdy nie, nigdy więcej nie, bez, żadnych",
    talk="dat*, emotikon*, odpowied*, emoji, rad, słów, wiadomości, zdania, zdań, żartów",
    style="krótko, wprost, po polsku, po angielsku",
    always="""zawsze, nigdy, od teraz, od tej pory, od dziś, odtąd, na przyszłość, w przyszłości, więcej, już nigdy,
        codziennie, za każdym razem""",
    case="kiedy cię, kiedy, gdy, jeśli",
    later="jutro, dzisiaj, dziś",
    i="ja, my",
    other="on, ona, oni, one",
    past="był, była, było, kochał*, lubił*",
    name="mów mi, mów do mnie, nazywaj mnie",
)

TURKISH: Final = WishWords(
    lead="ve, ayrıca, bu arada, tamam",
    please="lütfen, teşekkürler",
    order="cevap ver, yanıt ver, yaz, söyle, konuş, sor, hatırlat, de, hitap et, anlat, açıkla, düzelt",
    act="kullan, ver, ekle, göster, yap, ol",
    ban="kullanma, deme, söyleme, sorma, yazma, konuşma, verme, yapma, olmasın",
    talk="cevap*, cümle*, kelime*, mesaj*, tarih*, tavsiye*, şaka*, emoji",
    style="açık, ingilizce, kısa, türkçe",
    always="""her zaman, daima, asla, hiçbir zaman, bundan sonra, bundan böyle, artık, bir daha, her gün,
        her seferinde""",
    case="sorduğumda, sorarsam, istediğimde, dediğimde",
    later="yarın, bugün",
    i="ben, biz",
    other="o, onlar",
    name="bana de, diye hitap et",
)

ARABIC: Final = WishWords(
    lead="و, أيضا, أيضًا, كذلك",
    please="من فضلك, رجاء, شكرا",
    order="أجب, اكتب, قل, تكلم, تحدث, اسأل, اسألني, ذكرني, أخبرني, ناد, اشرح, صحح",
    act="استخدم, استعمل, ضع, أضف, كن, أعط, أعطني",
    ban="لا, دون, بدون",
    say="تتكلم, تجب, تسأل, تسألني, تستخدم, تقل, تكتب, تناد",
    talk="إجابات, إيموجي, التواريخ, جمل, رسائل, رموز, كلمات, نصائح, نكات",
    style="باختصار, بالإنجليزية, بالعربية, بصراحة",
    always="""دائما, دائمًا, دائماً, دوما, دومًا, أبدا, أبدًا, أبداً, من الآن فصاعدا, من الآن فصاعدًا,
        من الآن فصاعداً, من الآن, من اليوم فصاعدا, مرة أخرى, كل يوم, كل مرة""",
    case="عندما, حين, كلما, إذا",
    later="غدا, اليوم",
    i="أنا, نحن, كنت",
    other="هو, هي, هم",
    past="كان, كانت, كنت",
    name="نادني, ناديني, سمني",
)

HINDI: Final = WishWords(
    lead="और, साथ ही",
    please="कृपया, धन्यवाद",
    order="""जवाब दो, जवाब दें, जवाब देना, उत्तर दें, उत्तर दो, बताओ, बताएं, बताना, लिखो, लिखें, लिखना, बोलो, बोलें,
        कहो, कहें, पूछो, पूछें, पूछना, याद दिलाओ, याद दिलाना, बुलाओ, बुलाना, पुकारो""",
    act="दो, दें, करो, करें, रखो, रखना, देना",
    ban="मत, न, कभी मत, बिना",
    talk="इमोजी, तारीख, मज़ाक, वाक्य*, शब्द, संदेश, सलाह",
    style="हिंदी में, अंग्रेज़ी में, संक्षेप में",
    always="हमेशा, कभी, कभी भी, अब से, आगे से, आज से, आज के बाद, हर बार, हर दिन, रोज़",
    case="जब मैं, जब भी मैं, जब भी, अगर मैं",
    later="कल",
    i="मैं, हम, मैंने",
    other="वह, वे, उसने",
    past="था, थी, थे",
    name="कहकर बुलाओ, कह कर बुलाओ, नाम से बुलाओ",
)
