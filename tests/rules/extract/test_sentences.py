"""Where sentences begin and end, in many scripts, and what is not prose at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.extract.sentences import ends_whole, split_sentences, with_closed_fence


def prose(text: str) -> list[str]:
    return [text[piece.start : piece.stop] for piece in split_sentences(text) if piece.prose]


def others(text: str) -> list[str]:
    return [text[piece.start : piece.stop] for piece in split_sentences(text) if not piece.prose]


@pytest.mark.parametrize(
    "parts",
    [
        ["He paid $3.50 at 9.30.", "Then he left..."],
        ["Dr. Smith met J. R. R. Tolkien at 5 p.m. on Monday.", "They talked."],
        ["I saw Rome, e.g. the Forum etc.", "It was hot.", "See fig. 3 for U.S. data."],
        ["So do I.", "I said no.", "No. 5 was free."],
        ['"Really?" she asked.', "(Yes.)", "“Fine!”", "**Bold.**", "*Soft…*", "What?!", "Go"],
        ["i went there.", "it was fun.", "no way!", "what?", "ok"],
        ["Call `x.y() ! Z` now.", "Then rest."],
        ["The end.[1]", "More at https://a.b/c?d=1.", "Done."],
        [
            "Am 3. März kam Hr. Meier, z.B. mit dem Hund, in die Bartelsstr. 12.",
            "Das war's.",
            "„Ja?“",
        ],
        ["Je l'ai vu, p.ex. hier.", "M. Dupont est là !", "Vraiment ?", "Oui."],
        ["¿Qué tal?", "¡Muy bien, Sr. García!", "Luego a las 3 p.m. voy."],
        ["В 2024 г. мы, т.е. я и А. С. Пушкин, жили на ул. Ленина.", "Потом и т.д.", "Всё."],
        ["Ο Γιώργος ήρθε.", "Πότε;"],
        ["왔어요.", "정말요?", "네!"],
        ["Բարեւ։", "Ինչպես ես։"],
        ["ሰላም።", "እንዴት ነህ፧", "ደህና።"],
        ["هل أنت بخير؟", "نعم.", "أنا هنا!"],
        ["یہ ٹھیک ہے۔", "شکریہ۔"],
        ["वह आया।", "मैं गया।", "ठीक है?"],
        ["សួស្តី។", "អរគុណ។"],
        ["မင်္ဂလာပါ။", "နေကောင်းလား။"],
        ["བཀྲ་ཤིས།", "བདེ་ལེགས།"],
    ],
)
def test_spaced_sentences_end_at_their_stops(parts: list[str]) -> None:
    assert prose(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["他来了。", "“你好！”", "她说：「真的吗？」", "我不知道……也许吧。", "好"],
        ["そうですか？", "はい。", "「うん！」", "3.5キロ歩いた。"],
        ["वह आया।", "मैं गया॥"],
    ],
)
def test_crowded_sentences_need_no_space_between_them(parts: list[str]) -> None:
    assert prose("".join(parts)) == parts


def test_a_long_thai_run_is_cut_at_its_spaces() -> None:
    text = " ".join(["ผมรู้สึกมีความสุขเพราะไม่ได้เจอกันนานแล้ว"] * 6)

    cut = prose(text)

    assert len(cut) == 3
    assert " ".join(cut) == text


def test_lines_and_items_end_a_sentence_and_their_marks_are_left_out() -> None:
    text = (
        "# A title\n- one thing. Two.\n  * inner\n1. First\n2) Second\n> quoted words\n- [x] done"
    )

    assert prose(text) == [
        "A title",
        "one thing.",
        "Two.",
        "inner",
        "First",
        "Second",
        "quoted words",
        "done",
    ]


def test_a_number_before_an_item_in_running_text_stays_with_it() -> None:
    assert prose("The plan. 1. Begin. 2. End it.")[-1] == "2. End it."


@pytest.mark.parametrize(
    "block",
    [
        "```python\nx = 1. Yes\n\ny = 2\n```",
        "~~~\nOne. Two.\n~~~",
        "````\n```\nnot the end.\n```\n````",
        "  ```\n  in a list. Yes.\n  ```",
        "    first = 1.\n\n    second = 2.",
        "| a | b |\n|---|---|\n| c. D | d |",
    ],
)
def test_code_and_tables_are_one_block_that_is_no_prose(block: str) -> None:
    text = f"Before it.\n\n{block}\n\nAfter it."

    assert others(text) == [block.strip()]
    assert prose(text) == ["Before it.", "After it."]


def test_a_fence_that_never_closes_reaches_to_the_end() -> None:
    assert others("Hi.\n```\na. B\n\nc. D") == ["```\na. B\n\nc. D"]


def test_an_indented_paragraph_of_a_list_is_prose() -> None:
    assert prose("1. First\n\n    It goes on. Here.") == ["First", "It goes on.", "Here."]


def test_mere_signs_are_no_prose() -> None:
    assert others("---\n😊\n***") == ["---", "😊", "***"]


@given(st.text(alphabet='aB1 .!?…。।\n`~|-#>*[]()"”。我ก\t', max_size=200))
def test_pieces_are_in_order_and_hold_every_letter(text: str) -> None:
    pieces = split_sentences(text)
    bounds = [at for piece in pieces for at in (piece.start, piece.stop)]
    inside = {at for piece in pieces for at in range(piece.start, piece.stop)}

    assert bounds == sorted(bounds)
    assert all(
        text[piece.start : piece.stop].strip() == text[piece.start : piece.stop] != ""
        for piece in pieces
    )
    assert all(at in inside for at, sign in enumerate(text) if sign.isalpha())


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("no fence at all", "no fence at all"),
        ("```\ncode\n```\nbehind", "```\ncode\n```\nbehind"),
        ("before\n```python\ncode", "before\n```python\ncode\n```"),
        ("~~~~\ncode\n~~~", "~~~~\ncode\n~~~\n~~~~"),
        ("> ```\n> code", "> ```\n> code\n> ```"),
        ("```\none\n```\nbetween\n```\ntwo", "```\none\n```\nbetween\n```\ntwo\n```"),
    ],
    ids=["none", "closed", "open", "closed by fewer marks", "quoted", "the second one open"],
)
def test_a_fence_that_never_closes_is_closed_at_the_end(text: str, closed: str) -> None:
    assert with_closed_fence(text) == closed
    assert with_closed_fence(closed) == closed


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("The sea breathes.", True),
        ("She said \u201cyes!\u201d", True),
        ("*It rains.*", True),
        ("\u6d77\u3002\u300d", True),
        ("\u092e\u0948\u0902 \u0906\u092f\u093e\u0964", True),
        ("Good night \U0001f44d\U0001f3fd", True),
        ("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", True),
        ("So:\n```\nx = 1\n```", True),
        ("So:\n```\nx = 1", False),
        ("The sea, and", False),
        ("It is over (far", False),
        ("First. Then\n2.", False),
        ("See `a.b()`", False),
        ("", False),
    ],
)
def test_whether_a_text_ends_whole_is_seen_at_its_end(text: str, is_whole: bool) -> None:
    assert ends_whole(text) == is_whole
