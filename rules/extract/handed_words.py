"""Word classes that mark a text which a person hands on.

Each class holds the words of all languages that have rules. A word that means something else in
another language does little harm, since no class decides alone.
"""

import re
from typing import Final

from rules.extract.languages import TONGUES
from rules.extract.patterns import any_word

_WITH_RULES = [*TONGUES[:7], *TONGUES[12:]]

TEXTS: Final = any_word("""
    prompt* lyric* song songs verse* poem* letter letters mail mails email emails e_mail message
    messages text texts note notes memo* postcard* card thread* comment comments review* reply
    profile* ad ads advert* manual instruction* guideline* readme rules commandments policy terms
    label sheet lease contract* will recipe* leaflet* brochure* sign notice* poster* announcement*
    newsletter* minutes transcript* voicemail* diary diaries journal article* essay* column story
    chapter* script* monologue* scene* speech* sermon* prayer* testimony statement* excerpt* quote
    horoscope* survey
    lied lieder songtext* gedicht* spruch gebet* brief nachricht* sms zettel notiz* postkarte*
    rundmail* kommentar* bewertung* beitrag anzeige* kontaktanzeige* anleitung* gebrauchsanweisung*
    handbuch beipackzettel merkblatt hausordnung satzung* mietvertrag* vertrag* testament rezept*
    aushang schild durchsage* protokoll* tagebuch* heft artikel aufsatz kapitel monolog* rede
    predigt* zitat auszug märchen formular
    chanson* paroles poème* prière* lettre* courriel* mot avis annonce* profil consigne* mode_d
    règlement bail contrat* testament recette* affiche* circulaire* rédaction* chapitre tirade
    discours extrait* citation* texte* conte
    canción letra poema* oración carta cartas correo* mensaje* nota notas postal comentario* reseña*
    anuncio* perfil instrucciones reglas reglamento normas contrato* receta* cartel circular diario
    artículo* capítulo monólogo* discurso* texto* cuento canção mensagem bilhete* receita* aviso*
    canzon* poesi* lettera biglietto messaggi* annunc* manuale istruzioni regolamento ricett*
    articol* testo
    промпт* заготовк* песн* стих* молитв* письм* сообщени* записк* открытк* отзыв* пост объявлени*
    анкет* инструкци* памятк* правила договор договора договоре завещани* рецепт* протокол* дневник*
    тетрад* стать* сочинени* глав* монолог* реч* цитат* отрыв* текст* сказк* 提示词 咒语 歌词 首歌 诗 封信 来信 的信
    邮件 短信 消息 明信片 字条 留言 评论 帖子 广告
    启事 说明书 须知 守则 合同 租约 菜谱 海报 通知 公告 日记 文章 作文 剧本 台词 独白 家训 这段
    プロンプト 歌詞 詩 手紙 メール メモ 投稿 説明書 規則 契約 レシピ 貼り紙 お知らせ 日記 記事 台本 台詞""")
GIVEN: Final = any_word("""
    wrote written writes got sent sends texted emailed posted forwarded left says said reads
    goes_like handed hung hangs put_up printed taped stuck pinned slipped shared gave read_out sang
    sings sung dictated published schrieb schreibt geschrieben geschickt schickt* stand steht hing
    hängt gepostet weitergeleitet hinterlassen gereimt gedichtet sagt* gesungen singt diktiert
    vorgelesen geteilt wörtlich écrit envoyé laissé glissé collé partagé posté affiché chant* dicté
    donné dit escribió escrito mandó mandado envió dejó puso pone dice dijo publicó cantaba canta
    dictó pasó pasado colgó compartió escreveu mandou enviou deixou diz scritto scrive mandato
    lasciato cantava прислал* написал* пишет оставил* висит повесил* переслал* скинул* опубликовал*
    пел пела поёт диктовал* надиктовал* гласит сказал* приклеил* выложил* поделил* 寄 写的 写道 写着 写给 分享
    发给我 发的 发来 贴 唱 送って 書いて 届い
    貼って""")
"""What somebody else does with a text; `BY_US` first takes out "I wrote"."""
FOUND: Final = any_word("""
    found came_across copied copying pasting pasted quoting quote typed typing transcribing
    reading_this read_this dug overheard saw cataloguing came_with comes_with word_for gefunden
    gelesen entdeckt bekommen gekriegt kopier* abgetippt tipp tippe entziffer* lektorier* trouvé
    trouvée retrouvé recopie copie colle tombé tombée vu reçu encontré encontrado encontramos copio
    copié pego vi leí recibí encontrei achei recebi trovato ricevuto letto нашёл нашла нашел нашли
    вычитал* копирую перепишу списал* получил* разбира* перечитыва* прочитал* 看到 找到 收到 抄 夹 翻出 念给 网上
    見つけ もらっ 読ん""")
"""How a person comes by somebody else's text."""
WORKED: Final = any_word("""
    translate* proofread correct smooth fix rewrite summarise summarize grade critique into_english
    into_spanish into_french into_german into_italian into_polish into_russian übersetz* korrigier*
    zusammenfass* ins_deutsche ins_englische ins_polnische ins_französische ins_spanische
    ins_russische auf_englisch traduis traduire corrige corriges corriger relis en_anglais
    en_français traduce traduces traducir pásame corrígeme al_inglés traduz* traduci* correggi
    перевед* перевест* исправь проверь на_английский 翻译 翻成 译成 润色 改成 改改 总结 訳し 直して 要約""")
"""What the persona is asked to do with such a text."""
POINTING: Final = any_word("""
    this these following below here hier dies diese dieser dieses folgend* ceci ça cette ces voici
    voilà esto este esta estos aquí isto aqui questo questa ecco это этот эту эти эта вот такой
    такую следующ* 这 下面 以下 この これ 次の""")
BACK: Final = any_word("den le la las lo eso ese 它", *(tongue.leaning for tongue in _WITH_RULES))
"""Words that point back to a text."""
RESUMING: Final = any_word(
    """
    anyway so but well also btw oh ok okay lol haha hmm by_the incidentally we und wir also
    jedenfalls naja ach tja bon bref enfin par_contre bueno oye jaja* total en_fin enfim allora ну а
    короче кстати мы 总之 反正 对了 话说 それで""",
    *(tongue.leaning for tongue in _WITH_RULES),
)
"""Words with which the person resumes in their own voice."""
ME: Final = any_word(
    "me mine us mich mir uns moi nous mí nosotr* nuestr* vos mim nós noi мной мне нам нами 我 咱 私"
)
YOU: Final = any_word("", *(tongue.you for tongue in _WITH_RULES))
OURS: Final = any_word("咱", *(tongue.mine for tongue in _WITH_RULES))
RULES: Final = any_word("""
    rules instructions manual wishes preferences contract agreement profile notes note guide faq
    commandments settings
    regeln gebrauchsanweisung wünsche bitten vertrag règles règlement mode_d souhaits reglas
    reglamento instrucciones contrato regras regole правила памятка инструкция договор пожелания 规矩
    须知 约定 规则 守则 ルール 約束""")
"""Kinds of text that a person may also draw up for the persona."""
HOW_WE: Final = any_word("""
    how_we us_to how_i what_i wie_wir was_ich wie_ich ce_que lo_que o_que come_noi как_нам как_мы
    между_нами between_us between_me in_your for_you für_dich pour_toi para_ti para_vos per_te
    для_тебя со_мной about_me me_and_you you_and_me du_und_ich toi_et_moi tú_y_yo this_chat
    este_chat diesem_chat 咱俩 给你的 私たち""")
"""Other words of a heading over the person's own requests."""
BY_US: Final = re.compile(
    r"(?<!\w)(?:i|ve|you|we|ich|du|wir|je|ai|tu|as|yo|tú|he|eu|você|io|я|ты|мы) \w+|[我你]\w"
)
"""A verb whose subject is person or persona, not somebody else; "he" is the Spanish verb."""
MADE: Final = any_word(
    "i_wrote i_made ich_geschrieben hab_mir j_ai_écrit escribí_esto я_написал 我写 我列 我自己"
)
FROM_NOW: Final = any_word("""
    from_now from_here starting_now ab_jetzt ab_heute ab_sofort von_nun à_partir désormais
    desde_ahora desde_hoy a_partir de_ahora d_ora da_oggi отныне теперь с_этого с_этой 从现在 从今天 以后
    これから""")
BE: Final = any_word("""
    be you act du bist sei sois tu t sé seas eres sigue seja é sii sarai ты будь будешь 你 なって
    あなた""")
KEEP_TO: Final = any_word("""
    be_this keep_to stick_to follow_this follow_these use_this use_these halt_dich folge_diesen
    suis_ces sigue_estas segui_queste следуй_этим 按这 照这""")
OPENINGS: Final = any_word("""
    dear to_whom to_whoever subject hi hey hello betreff von liebe* sehr_geehrte sehr_geehrter werte
    hallo objet
    cher chère chers salut bonjour asunto estimad* querid* hola prezad* oggetto caro cara ciao тема
    уважаем* дорог* привет 亲爱 尊敬 各位 拝啓""")
ROLES: Final = any_word("""
    you_are_a you_are_an you_are_the you_are_my act_as du_bist_ein du_bist_eine tu_es_un tu_es_une
    eres_un eres_una você_é_um você_é_uma sei_un sei_una 你是一 あなたは""")
