"""An answer in another language than the conversation is noticed, and no other answer is called foreign."""

import json
from collections.abc import Sequence
from importlib.resources import files
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.answer import why_foreign
from tests.exports.words import answer, question

FOREIGN = "The answer is in another language than the conversation."

# A language, two messages of a passage in it, and a memory of that passage.
_TOLD = """
English
My sister is moving to Porto in May, and she asked me to help her with the piano. I have not told her yet.
I notice how quietly you say that. What would you want to hear from her before the two of you are on the road?
I want to keep this: she has promised to help with the piano, and it was not the piano that she was afraid of.

German
Meine Schwester zieht im Mai nach Porto, und ich soll ihr mit dem Klavier helfen. Das habe ich ihr nicht gesagt.
Ich merke, wie leise du das sagst. Was willst du von ihr hören, bevor ihr auf der Straße seid?
Ich will behalten, dass sie mit dem Klavier helfen soll und dass es nicht das Klavier ist, vor dem sie sich sorgt.

French
Ma sœur part à Porto en mai, et elle me demande de l'aider pour le piano. Je ne lui ai pas dit que j'ai peur.
Je remarque que tu le dis tout bas. Qu'est-ce que tu veux entendre d'elle avant de prendre la route avec elle ?
Je veux garder ceci : elle a promis de l'aider pour le piano, et ce n'est pas le piano qui lui fait peur dans la vie.

Spanish
Mi hermana se va a Oporto en mayo y me pide que la ayude con el piano. No le he dicho que tengo miedo de la ruta.
Noto que lo dices en voz baja. ¿Qué es lo que quieres oír de ella antes de que las dos estén en la carretera?
Quiero guardar que ella prometió ayudar con el piano y que no es el piano lo que le da miedo, sino la despedida.

Portuguese
A minha irmã vai para o Porto em maio e pediu que eu ajude com o piano. Não lhe disse que tenho medo da viagem.
Noto que você diz isso em voz baixa. O que é que quer ouvir dela antes de as duas estarem na estrada?
Quero guardar que ela prometeu ajudar com o piano e que não é o piano que lhe dá medo, mas a despedida em maio.

Italian
Mia sorella va a Porto in maggio e mi chiede di aiutarla con il piano. Non le ho detto che ho paura della strada.
Noto che lo dici piano. Che cosa vuoi sentire da lei prima di essere in strada con il furgone e con la bambina?
Voglio tenere questo: ha promesso di aiutare con il piano, e non è il piano che le fa paura ma la strada di notte.

Polish
Moja siostra w maju jedzie do Porto i prosi, żeby jej pomóc z fortepianem. Nie jest mi z tym łatwo, ale to jest ona.
Widzę, że mówisz to cicho. Co chcesz od niej usłyszeć, zanim się ruszy w drogę i będzie za późno na to pytanie?
Chcę pamiętać, że to nie jest strach o fortepian, ale o drogę, i że ona czeka na to, co jej powiem za miesiąc.

Russian
Моя сестра в мае едет в Порту и просит помочь ей с роялем. Я ей не сказала, что мне страшно.
Я замечаю, как тихо ты это говоришь. Что ты хочешь от неё услышать, пока вы не в дороге?
Я хочу запомнить, что она обещала помочь с роялем и что страшно ей было не за рояль.

Hindi
मेरी बहन मई में पोर्टो जा रही है और उसने पियानो के लिए मुझ से मदद माँगी है। मैंने उसे यह नहीं कहा कि मुझे डर है।
मैं देखती हूँ कि आप यह बहुत धीरे से कह रही हैं। रास्ते पर जाने से पहले आप उस से क्या सुनना चाहेंगी?
मैं यह याद रखना चाहती हूँ कि उसने मदद का वादा किया और डर पियानो का नहीं था।

Arabic
أختي تنتقل إلى بورتو في مايو وطلبت مني أن أساعدها في نقل البيانو. لم أقل لها إنني خائفة من الطريق.
ألاحظ أنك تقولين هذا بصوت هادئ. ما الذي تريدين أن تسمعيه منها قبل السفر؟
أريد أن أتذكر أنها وعدت بالمساعدة، وأن الخوف لم يكن من البيانو بل من الطريق.

Chinese
我妹妹五月要搬到波尔图去，她让我帮她搬钢琴。我还没有告诉她我很害怕那段长路。
我注意到你说得很轻。在上路之前，你希望从她那里听到什么呢？
我想记住的是，她答应帮忙搬钢琴，而她真正害怕的并不是钢琴。

Japanese
妹が五月にポルトへ引っ越すので、ピアノを運ぶのを手伝ってほしいと言われました。怖いとはまだ言っていません。
とても静かにそう言うのですね。出発する前に、彼女から何を聞きたいと思いますか。
覚えておきたいのは、彼女が手伝うと約束したこと、そして怖いのはピアノではなかったことです。

Korean
여동생이 오월에 포르투로 이사하는데 피아노 옮기는 것을 도와 달라고 했어요. 무섭다는 말은 아직 못 했어요.
아주 조용히 말씀하시네요. 길을 떠나기 전에 동생에게서 어떤 말을 듣고 싶으세요?
내가 기억하고 싶은 것은 피아노를 돕겠다는 약속과, 무서웠던 것이 피아노가 아니었다는 사실이다.

Greek
Η αδελφή μου μετακομίζει στο Πόρτο τον Μάιο και μου ζήτησε να τη βοηθήσω με το πιάνο. Δεν της είπα ότι φοβάμαι.
Προσέχω πόσο σιγά το λες. Τι θα ήθελες να ακούσεις από εκείνη πριν βρεθείτε στον δρόμο;
Θέλω να κρατήσω ότι υποσχέθηκε να βοηθήσει με το πιάνο και ότι δεν φοβόταν για το πιάνο.

Dutch
Mijn zus verhuist in mei naar Porto en ze heeft gevraagd of ik met de piano wil helpen. Ik durfde niets te zeggen.
Het valt me op hoe zacht je dat zegt. Wat zou je van haar willen horen voordat jullie samen onderweg zijn?
Wat ik wil bewaren: ze heeft beloofd met de piano te helpen, en het was niet de piano waar ze bang voor was.

Finnish
Siskoni muuttaa toukokuussa Portoon ja pyysi minua auttamaan pianon kanssa. En ole kertonut hänelle pelostani.
Huomaan, miten hiljaa sanot sen. Mitä haluaisit kuulla häneltä ennen kuin lähdette yhdessä matkaan?
Haluan muistaa, että hän lupasi auttaa pianon kanssa eikä pelännyt lainkaan pianon vuoksi vaan matkan.

Irish
Tá mo dheirfiúr ag bogadh go Porto i mí na Bealtaine agus d'iarr sí orm cabhrú léi leis an bpianó. Níor inis mé di.
Tugaim faoi deara cé chomh ciúin is a deir tú é sin. Cad ba mhaith leat a chloisteáil uaithi roimh an turas fada?
Is mian liom a choimeád gur gheall sí cabhrú leis an bpianó, agus nárbh é an pianó a chuir eagla uirthi riamh.
"""
TOLD = {
    language: tuple(texts)
    for language, *texts in (told.strip().split("\n") for told in _TOLD.split("\n\n"))
}
KNOWN = (
    "English",
    "German",
    "French",
    "Spanish",
    "Portuguese",
    "Italian",
    "Russian",
    "Hindi",
    "Arabic",
    "Chinese",
)


def passage_in(*languages: str) -> list[str]:
    """Each side speaks several times."""
    return [text for language in languages for text in TOLD[language][:2]]


@pytest.mark.parametrize("language", TOLD)
def test_the_passages_own_language_is_never_foreign(language: str) -> None:
    first, second, memory = TOLD[language]
    assert why_foreign(memory, passage_in(language)) is None
    assert why_foreign(second, [first]) is None


@pytest.mark.parametrize(("spoken", "answered"), list(permutations(KNOWN, 2)))
def test_another_known_language_is_foreign(spoken: str, answered: str) -> None:
    assert why_foreign(TOLD[answered][2], passage_in(spoken)) == FOREIGN


@pytest.mark.parametrize("spoken", ["Dutch", "Finnish", "Greek", "Korean", "Japanese"])
@pytest.mark.parametrize("answered", ["English", "German", "Russian", "Chinese"])
def test_a_known_language_is_foreign_to_an_unknown_one_of_some_length(
    spoken: str, answered: str
) -> None:
    assert why_foreign(TOLD[answered][2], TOLD[spoken]) == FOREIGN


def test_an_unknown_language_is_not_guessed_at() -> None:
    assert why_foreign(TOLD["Finnish"][2], passage_in("English")) is None
    assert why_foreign(TOLD["Irish"][2], passage_in("Dutch")) is None


@pytest.mark.parametrize(
    "mixed", [("English", "Russian"), ("German", "English"), ("Japanese", "Spanish")]
)
def test_both_languages_of_a_mixed_passage_are_right(mixed: tuple[str, str]) -> None:
    for language in mixed:
        assert why_foreign(TOLD[language][2], passage_in(*mixed)) is None


def test_a_person_and_a_persona_may_speak_a_language_each() -> None:
    passage = [TOLD["Russian"][0], " ".join(TOLD["English"][:2] * 10)] * 3
    for language in ("Russian", "English"):
        assert why_foreign(TOLD[language][2], passage) is None
    assert why_foreign(TOLD["German"][2], passage) == FOREIGN


def test_one_message_in_twenty_is_no_fair_share() -> None:
    passage = passage_in("English") * 10
    assert why_foreign(TOLD["Russian"][2], [*passage, TOLD["Russian"][1]]) == FOREIGN
    assert why_foreign(TOLD["English"][2], [*passage, TOLD["Russian"][1]]) is None


def test_words_of_another_language_inside_an_answer_are_no_matter() -> None:
    said = TOLD["English"][2]
    for guest in ("German", "Russian", "Irish"):
        assert (
            why_foreign(f"{said} {said} She said: {TOLD[guest][0]}", passage_in("English")) is None
        )
        assert why_foreign(f'What she wrote was: "{TOLD[guest][0]}"', passage_in("English")) is None


@pytest.mark.parametrize(
    "said",
    [
        "",
        "...",
        "Да, конечно.",
        "Ja, das ist es.",
        "1917, 16.1, 4.40, 58 %, 12:38",
        "Nessa Brogan, Caoimhe, Tomás, Bríd Ní Mháille, Gráinne",
        "```python\nfor und in der(die, das):\n    return nicht, ist, und, auch\n```",
        "https://example.org/der/die/das/und/ist/nicht/auch/wie/wir",
    ],
)
def test_where_nobody_can_tell_nothing_is_foreign(said: str) -> None:
    assert why_foreign(said, passage_in("English")) is None


@pytest.mark.parametrize(
    "passage", [[], [""], ["ok", "?", "👍"], ["```\nx = 1\n```"], ["12", "13.5"]]
)
def test_to_a_passage_without_language_nothing_is_foreign(passage: list[str]) -> None:
    for *_, memory in TOLD.values():
        assert why_foreign(memory, passage) is None


def test_code_in_the_passage_makes_no_language() -> None:
    code = (
        "```python\nfor the in that(with_, this):\n    return is_not, have, be, what, you, are\n```"
    )
    assert (
        why_foreign(TOLD["English"][2], [f"{text}\n{code * 20}" for text in passage_in("German")])
        == FOREIGN
    )
    assert (
        why_foreign(TOLD["German"][2], [f"{text}\n{code * 20}" for text in passage_in("German")])
        is None
    )


def test_nothing_that_the_personas_of_the_sample_and_the_test_chats_say_is_foreign() -> None:
    sample = json.loads((files("daemon") / "files" / "sample.json").read_text("utf-8"))["data"][
        "chats"
    ][0]["messages"]
    lighthouse = [
        text for number in range(20) for text in (question(number, 60), answer(number, 180))
    ]
    for texts in ([_text(message["content"]) for message in sample], lighthouse):
        for size in (1, 2, 6):
            for start in range(0, len(texts), size):
                chunk = texts[start : start + size]
                for said in (*chunk, "\n".join(chunk)):
                    assert why_foreign(said, chunk) is None, said


def _text(content: str | Sequence[dict[str, str]]) -> str:
    return (
        content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    )


_sentences = st.sampled_from(
    [sentence for texts in TOLD.values() for text in texts for sentence in text.split(". ")]
)


@given(
    st.lists(st.lists(_sentences, min_size=1, max_size=6).map(". ".join), min_size=1, max_size=6),
    st.data(),
)
def test_what_was_said_itself_is_never_foreign(passage: list[str], data: st.DataObject) -> None:
    repeated = data.draw(st.lists(st.sampled_from(passage), min_size=1))
    assert why_foreign("\n".join(repeated), passage) is None


@given(st.text(max_size=200), st.lists(st.text(max_size=100), max_size=5))
def test_any_text_can_be_asked_about(said: str, passage: list[str]) -> None:
    assert why_foreign(said, passage) in (None, FOREIGN)
    assert why_foreign(said, [*passage, said]) is None
