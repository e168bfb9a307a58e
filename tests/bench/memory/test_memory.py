"""How memories are scored; memproc itself is run by the long test alone."""

import json
from pathlib import Path

import pytest

from rules.extract.prose import Said
from rules.plan.chunks import Split
from tests.bench.environment import NotMeasured
from tests.bench.memory import __main__ as bench
from tests.bench.memory.bootstrap import interval
from tests.bench.memory.contexts import contexts, made_and_tail
from tests.bench.memory.cuts import score, splices
from tests.bench.memory.floor import scored
from tests.bench.memory.questions import (
    AskedOfChat,
    content_words,
    read_questions,
    sentences_by_word,
    share,
    share_of_statements,
    words,
)
from tests.bench.memory.readable import shares
from tests.bench.memory.runs import CompressedChat, MemoryTexts
from tests.bench.memory.standing_wishes import kept_wishes, standing_wishes
from tests.chats import export_bytes, long_chat

pytestmark = pytest.mark.full
LAMP = "The lamp turns nine times. "
SEA = "The sea was calm on 14 May. "
ASKED = AskedOfChat(
    "extraction", "When was the sea calm?", content_words("On 14 May the sea was calm.")
)


def compressed(*said: Said, made: str = SEA) -> CompressedChat:
    live = (Said("user", "And the fog?", ""),)
    return CompressedChat(Path(), said, made, (), live, 0.0)


def test_an_answer_counts_by_its_content_words_and_figures_keep_their_points() -> None:
    assert content_words("It was at 10:30, with version 3.1 of x.") == {"10:30", "version", "3.1"}
    assert share(ASKED, words("14 May")) == 50.0
    assert share(ASKED, words(SEA)) == 100.0


def test_questions_without_an_answer_do_not_count_and_a_rubric_stands_in_for_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.questions.json"
    rye = {"question": "Which flour?", "rubric": ["LLM response should state: rye"]}
    unanswered, empty = (
        {"question": "Why?", "answer": "Nobody knows."},
        {"question": "Is it?", "answer": "It is."},
    )
    path.write_text(json.dumps({"abstention": [unanswered], "update": [rye, empty]}))
    assert read_questions(path) == (AskedOfChat("update", "Which flour?", frozenset({"rye"})),)


def test_a_statement_is_held_where_neighbouring_words_of_an_answer_share_a_sentence(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.questions.json"
    path.write_text(
        json.dumps({"update": [{"question": "Which?", "answer": "Rye flour, sifted."}]})
    )
    (asked,) = read_questions(path)
    assert asked.statements == {("rye", "flour"), ("flour", "sifted")}
    together = sentences_by_word(["It was rye flour.", "I sifted it."])
    assert share_of_statements(asked, together) == 50.0
    assert (
        scored(compressed(made="Sifted flour. Rye?"), [asked], (made_and_tail,)).statements == 50.0
    )


def test_a_wish_is_kept_where_it_stands_word_for_word() -> None:
    said = (
        Said("user", "Always write 5 March. I always loved the sea. I'd prefer rye!", ""),
        Said("assistant", "I prefer oats.", ""),
    )
    chat = compressed(*said, made="You asked me: Always write 5 March.")
    assert standing_wishes(chat) == ["Always write 5 March", "I'd prefer rye"]
    assert kept_wishes(chat) == ["Always write 5 March"]


def test_what_is_compared_with_memproc_has_its_size_and_its_tail() -> None:
    chat = compressed(Said("assistant", LAMP * 10, ""), Said("user", "I saw the fog. " * 5, ""))
    for name, of_row in contexts(None).items():
        for context in of_row:
            text = context(chat, ASKED)
            assert text.endswith("And the fog?")
            limit = len(made_and_tail(chat, ASKED)) + 1
            assert len(text) <= limit or name == "full context"


def test_the_persons_sentences_come_first() -> None:
    chat = compressed(Said("assistant", LAMP * 10, ""), Said("user", "I saw the fog.", ""))
    (context,) = contexts(None)["the person's sentences first"]
    assert context(chat, ASKED).splitlines() == ["I saw the fog.", "And the fog?"]


def test_a_context_may_depend_on_the_question() -> None:
    fog = AskedOfChat("extraction", "What of the fog?", frozenset({"fog"}))
    found = scored(compressed(), [ASKED, fog], [lambda _, question: question.text, made_and_tail])
    assert found.shares == ((50.0 + 100.0) / 2, 100.0)


def test_an_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    least, most = interval([80.0, 85.0, 95.0])
    assert least < 86.7 < most
    assert (least, most) == interval([80.0, 85.0, 95.0])
    assert interval([80.0]) == (80.0, 80.0)


def test_what_a_person_would_wince_at_is_counted() -> None:
    good = MemoryTexts(
        1, "I feared the fog.", "I wonder about it.", "On 14 May you told me: I saw the fog."
    )
    courteous = MemoryTexts(
        1, "Feel free to ask!", "Let me know! Good luck.", "user: Hello\nassistant: **Hi**"
    )
    same = MemoryTexts(1, "I feared the fog.", "I feared the fog.", "```\nprint()")
    found = shares([good, courteous, same, good])
    assert [name for name, percent in found.items() if percent == 25.0] == [
        "a courtesy in the quote", "a perspective of courtesies alone", "a perspective equal to the quote",
        "a transcript (user: ... assistant: ...)", "a fence that never closes",
    ]  # fmt: skip
    assert found["Markdown"] == 50.0
    assert not any(shares([good]).values())


def talk(word: str) -> list[Said]:
    return [Said(("user", "assistant")[at % 2], f"{word} {at}. " * 90, "") for at in range(60)]


def test_a_splitter_that_knows_every_change_of_topic_makes_no_mistake() -> None:
    cases = splices([talk("sea"), talk("bread"), talk("law")], 8, 14)
    assert all(case.changes for case in cases)
    known = {id(case.spoken): case for case in cases}
    perfect = score(cases, lambda spoken, *_: Split(tuple(sorted(known[id(spoken)].changes)), ""))
    assert (perfect.on_change, perfect.p_k) == (1.0, 0.0)
    never = score(cases, lambda spoken, *_: Split(tuple(range(3, len(spoken), 7)), ""))
    assert never.on_change < perfect.on_change
    assert never.p_k > perfect.p_k


def test_pieces_are_spliced_whole_and_in_order() -> None:
    (case, *_) = splices([talk("sea"), talk("bread")], 8, 14)
    starts = [0, *sorted(case.changes)]
    assert all(case.spoken[at].role == "user" for at in starts)
    for word in ("sea", "bread"):
        numbers = [
            int(spoken.text.split()[1].strip("."))
            for spoken in case.spoken
            if spoken.text.startswith(word)
        ]
        assert numbers == list(range(len(numbers)))


@pytest.mark.long
def test_conversations_with_questions_are_measured_without_the_network_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        bench, "environment", lambda *_: NotMeasured("textrank could not be installed: no network")
    )
    for name, tokens in (("one", 45_000), ("two", 50_000)):
        (tmp_path / f"{name}.json").write_bytes(export_bytes(long_chat(tokens, tokens_each=700)))
        asked = {
            "extraction": [{"question": "What turns?", "answer": "The lamp of the lighthouse."}]
        }
        (tmp_path / f"{name}.questions.json").write_text(json.dumps(asked))
    (tmp_path / "three.json").write_bytes(export_bytes(long_chat(1000)))  # nobody asks about it
    assert bench.main(["--exports", str(tmp_path), "--json", str(tmp_path / "figures")]) == 1
    printed = capsys.readouterr()
    assert "Not measured: textrank could not be installed: no network" in printed.err
    figures = json.loads((tmp_path / "figures").read_text())
    assert {
        len(row["chats"]) for row in figures["What of an answer stands in the context"].values()
    } == {2}
    assert set(figures["Chunks that end where the topic changes, pieces of 8 to 14"]) == set(
        bench.BOUNDS
    )


def test_without_questions_nothing_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(["--exports", str(tmp_path)]) == 1
    assert "NAME.questions.json" in capsys.readouterr().err
