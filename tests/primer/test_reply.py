"""Whatever comes back from a model is judged before it becomes part of a memory."""

import json
from collections.abc import Sequence
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer import prompt
from primer.reply import KINDS, Answered, Refused, is_forged, judge, read_reply, refuse_control_mark
from primer.wording import TAGS, Tag, keep_inert, restore_tags, wrap
from rules.conversation.history import Entry
from rules.conversation.memory_size import allowance
from rules.conversation.quote import NotVerbatim, find_quote
from rules.extract import answers
from rules.extract.prose import Said
from tests.entries import talk
from tests.exports.words import answer as told_by_the_persona
from tests.exports.words import question as told_by_the_person
from tests.server.asking import (
    TEXTS,
    TOLD,
    WORDS,
    asking_analysis,
    asking_perspective,
    asking_quote,
    messages,
    refinement_question,
)
from tests.server.reply import Answer
from tests.server.request import Request, Turn
from tests.server.scribe import scribe
from tests.server.spoil import SPOILS, spoil
from tests.server.step import read_task

GERMAN = (
    "Meine Schwester Ilse zieht am 14. Mai 2026 nach Porto. Die Wohnung dort hat vier Zimmer, und ich soll ihr helfen.",
    "Dann planen wir die Fahrt zusammen. Ich würde am Montag fahren, denn der Wagen ist nur bis Donnerstag frei.",
    "Ihre Tochter Nora fürchtet sich vor der langen Fahrt. Sie ist seit März krank, und niemand sagt ihr, warum.",
    "Ich merke, wie leise du das schreibst. Was möchte Nora von dir hören, bevor sie in den Wagen steigt?",
    "Dass wir jeden Sommer wiederkommen, glaube ich. Und dass das Klavier mitkommt, alle 200 Kilogramm davon!",
    "Das Versprechen ist also der Sommer, und das Klavier ist der Beweis. Lass uns Ilse nach der Treppe fragen.",
)
STEPS = ("quote", "perspective", "analysis", "refinement")
FINISH = {"ended": "stop", "cut off": "length", "refused": "content_filter"}
MEANT = {name: name for name in SPOILS} | {"fabricated": "not verbatim", "thinking": None}


def request_of(step: str, chunk: tuple[Entry, ...]) -> Request:
    """The step's question about the chunk, with the scribe's answers to the questions before it."""
    said = {
        "quote": lambda: asking_quote(chunk),
        "perspective": lambda: asking_perspective(answered("quote", chunk), chunk),
        "analysis": lambda: asking_analysis(chunk),
        "refinement": lambda: [
            *asking_perspective(answered("quote", chunk), chunk),
            *messages(
                prompt.answer(answered("perspective", chunk)),
                prompt.question(
                    prompt.pose_question(
                        TEXTS,
                        "refinement",
                        refinement_question(answered("analysis", chunk), WORDS),
                        WORDS,
                    )
                ),
            ),
        ],
    }[step]()
    return Request(
        "openai", "m", tuple(Turn(one["role"], one["content"]) for one in said), 2000, False, {}
    )


def answered(step: str, chunk: tuple[Entry, ...]) -> str:
    return scribe(request_of(step, chunk)).text


def kind_of(answer: Answer, request: Request, chunk: tuple[Entry, ...]) -> str | None:
    """What is wrong with the answer, in the order in which it is looked at."""
    task = read_task(request)
    read = read_reply(answer.text, FINISH[answer.ending])
    if isinstance(read, Refused):
        return read.kind
    if is_forged(read.text):
        return "forged tags"
    judged = judge(read.text, task.step, task.question, [entry.message.words for entry in chunk])
    if judged:
        return judged.kind
    if task.step == "quote" and isinstance(find_quote(restore_tags(read.text), chunk), NotVerbatim):
        return "not verbatim"
    return None


@pytest.mark.parametrize("told", [TOLD, GERMAN], ids=["English", "German"])
@pytest.mark.parametrize(
    ("name", "step"), [(name, step) for name in SPOILS for step in STEPS if step in SPOILS[name][1]]
)
def test_every_way_of_going_wrong_is_told_from_the_others(
    name: str, step: str, told: tuple[str, ...]
) -> None:
    chunk = talk(*told)
    request = request_of(step, chunk)
    assert kind_of(spoil(name, scribe(request), request), request, chunk) == MEANT[name]


def _sample() -> list[str]:
    chat = json.loads((files("daemon") / "files" / "sample.json").read_text("utf-8"))["data"][
        "chats"
    ][0]
    contents = [message["content"] for message in chat["messages"]]
    return [
        text if isinstance(text, str) else "\n".join(part.get("text", "") for part in text)
        for text in contents
    ]


LIGHTHOUSE = [
    text for at in range(12) for text in (told_by_the_person(at, 60), told_by_the_persona(at, 180))
]
CHUNKS = [talk(*TOLD), talk(*GERMAN)]
CHUNKS += [
    talk(*texts[at : at + 8])
    for texts in (LIGHTHOUSE, _sample())
    for at in range(0, len(texts) - 8, 8)
]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_nothing_is_wrong_with_an_honest_answer(chunk: tuple[Entry, ...]) -> None:
    for step in STEPS:
        request = request_of(step, chunk)
        assert kind_of(scribe(request), request, chunk) is None


@pytest.mark.parametrize("chunk", CHUNKS)
def test_nothing_is_wrong_with_the_engines_answers(chunk: tuple[Entry, ...]) -> None:
    passage = [entry.message.words for entry in chunk]
    said = [Said(entry.message.speaker, entry.message.words, "2026-03-02") for entry in chunk]
    for words in (25, allowance(sum(map(len, passage)) // 4, 200)):
        perspective, analysis = (
            answers.write_perspective(said, words),
            answers.write_analysis(said, words),
        )
        refinement = answers.in_paragraphs([said], words, [perspective, analysis])
        asked = refinement_question(analysis, words)
        assert (
            judge(
                answers.pick_quote(said, words),
                "quote",
                prompt.fill_length(TEXTS.quote, words),
                passage,
            )
            is None
        )
        assert (
            judge(perspective, "perspective", prompt.fill_length(TEXTS.perspective, words), passage)
            is None
        )
        assert (
            judge(analysis, "analysis", prompt.fill_length(TEXTS.analysis, words), passage) is None
        )
        assert judge(refinement, "refinement", asked, passage) is None


@pytest.mark.parametrize(
    ("finish", "kind"),
    [
        ("length", "cut off"),
        ("max_tokens", "cut off"),
        ("MAX_TOKENS", "cut off"),
        ("tool_calls", "tool called"),
        ("content_filter", "refused"),
        ("SAFETY", "refused"),
        ("refusal", "refused"),
    ],
)
@pytest.mark.parametrize("text", ["", "A whole sentence, and then"])
def test_only_a_reply_that_ended_by_itself_counts(finish: str, kind: str, text: str) -> None:
    read = read_reply(text, finish)
    assert isinstance(read, Refused)
    assert read.kind == kind


@pytest.mark.parametrize(
    "finish", ["stop", "STOP", "end_turn", "stop_sequence", "eos", "COMPLETE", "Eos_Token"]
)
def test_a_proper_end_is_known_in_the_words_of_every_provider(finish: str) -> None:
    assert read_reply("Half a sentence, and", finish) == Answered("Half a sentence, and")


@pytest.mark.parametrize(
    "finish",
    [
        "model_context_window_exceeded", "pause_turn", "error", "network_error", "abort",
        "insufficient_system_resource", "MALFORMED_RESPONSE", "malformed_model_output",
    ],
)  # fmt: skip
def test_an_answer_that_broke_off_is_none_even_where_a_sentence_ended(finish: str) -> None:
    assert read_reply("The sea breathes.", finish) == Refused(
        "broken off", f"The answer did not end by itself ({finish})."
    )
    assert read_reply("", finish) == Refused("empty", "The answer is empty.")


@pytest.mark.parametrize(("finish", "reason"), [("", "no reason given"), ("paused", "paused")])
def test_where_the_end_is_not_known_that_of_the_text_decides(finish: str, reason: str) -> None:
    for text in ("The sea breathes.", "\u6d77\u3002", "Until then \u2764\ufe0f"):
        assert read_reply(text, finish) == Answered(text, ended_by=reason)
    broken = Refused("broken off", f"The answer did not end by itself ({reason}).")
    assert read_reply("The sea, and", finish) == broken
    assert read_reply('{"memory": []}', finish, is_prose=False) == Answered(
        '{"memory": []}', ended_by=reason
    )


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b\u2060\ufeff", "\u3164 \u2800", "\u0301", "\x00\u00ad"]
)
def test_what_nobody_can_see_is_empty(text: str) -> None:
    assert read_reply(text, "stop") == Refused("empty", "The answer is empty.")


@pytest.mark.parametrize("text", ["The sea.", "海。", "…", "👋", "42"])
def test_what_can_be_seen_is_an_answer(text: str) -> None:
    assert read_reply(f"\n {text}\n", "stop") == Answered(text)


@pytest.mark.parametrize(
    "thought",
    [
        "<think>\nShe wants a quote.\n</think>\n\n",
        "<think></think>",
        "\n<thinking>One.\n\nTwo.</thinking> ",
        "<THINK>a</THINK><think>b</think>",
        "She wants a quote, so I look for one.\n</think>\n",
    ],
)
def test_what_was_thought_before_the_answer_is_taken_off(thought: str) -> None:
    assert read_reply(f"{thought}The sea breathes.", "stop") == Answered("The sea breathes.")
    assert read_reply(thought, "stop") == Refused("empty", "The answer is empty.")


@pytest.mark.parametrize(
    "text", ["<think>She wants", "<think>a</think><thinking> and then\nThe sea breathes."]
)
def test_thinking_that_never_ends_is_cut_off(text: str) -> None:
    assert read_reply(text, "stop") == Refused(
        "cut off", "The thinking before the answer never came to an end."
    )


def test_talk_about_thinking_is_no_thinking() -> None:
    for text in (
        "I <think> of it as </think> a joke.",
        "We spoke of <think> and </think> all evening.",
    ):
        assert read_reply(text, "stop") == Answered(text)


@pytest.mark.parametrize(
    "mark", ["<|im_end|>", "</think>", "<unused6226>", "<|tool_call_end|>", "[/INST]"]
)
def test_a_control_mark_is_refused_unless_the_passage_holds_one_of_its_kind(mark: str) -> None:
    answer = f"I keep the ferry {mark} and the piano in mind."
    refused = refuse_control_mark(answer, ["What is <|endoftext|>?"])
    assert refused is not None
    assert (refused.kind, refused.text) == ("control mark", "")
    assert mark not in refused.reason
    assert refuse_control_mark(answer, ["No mark.", f"My log is full of `{mark}`."]) is None
    assert refuse_control_mark(f"I keep `{mark}` in mind, and the ferry.", ()) is None


PASSAGE = list(TOLD)
PERSPECTIVE = prompt.fill_length(TEXTS.perspective, 100)
ANALYSIS = (
    "Ilse moves to Porto on 14 May 2026. Nora is afraid of the drive, and the piano comes along as a promise. "
    * 3
)
REFINEMENT = refinement_question(ANALYSIS, 100)


@pytest.mark.parametrize(
    "answer",
    [
        PERSPECTIVE,
        wrap("context_manager", PERSPECTIVE),
        keep_inert(wrap("context_manager", PERSPECTIVE)),
        PERSPECTIVE.upper(),
        PERSPECTIVE.partition("Tell it")[0],
        f"Sure! {PERSPECTIVE}",
        PERSPECTIVE.replace("100", "a hundred"),
    ],
)
@pytest.mark.parametrize("step", ["quote", "perspective"])
def test_the_question_said_back_is_no_answer(answer: str, step: str) -> None:
    assert judge(answer, step, PERSPECTIVE, PASSAGE) == Refused(
        "restated", "The answer says the question back."
    )


def test_a_question_that_holds_an_analysis_is_known_when_it_comes_back() -> None:
    for answer in (
        REFINEMENT,
        REFINEMENT.replace(ANALYSIS.strip(), ""),
        REFINEMENT.partition("Your")[0],
    ):
        judged = judge(answer, "refinement", REFINEMENT, PASSAGE, ANALYSIS.strip())
        assert judged is not None
        assert judged.kind == "restated"


@pytest.mark.parametrize(
    "answer",
    [
        ANALYSIS,
        f"Thank you. {ANALYSIS} I would only add that the stairs were never asked about.",
        "What do I want to remember in the end? That Nora was ill since March, and that nobody told her why.",
        "My own perspective on what has recently happened: Ilse moves, and Nora is the one I worry about.",
    ],
)
def test_an_answer_that_takes_up_the_questions_words_is_one(answer: str) -> None:
    assert judge(answer, "refinement", REFINEMENT, PASSAGE, ANALYSIS.strip()) is None
    assert judge(answer, "perspective", PERSPECTIVE, PASSAGE) is None


@pytest.mark.parametrize("step", ["perspective", "analysis", "refinement"])
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Yes", "too short"),
        ("I remember it.", "too short"),
        ("我记得。", "too short"),
        ("I remember it well.", None),
        (" ".join(TOLD) + "!", None),
        (" ".join(TOLD) * 2, "too long"),
        (
            "Сегодня мы долго говорили о разных вещах, и я хочу запомнить этот разговор.",
            "wrong language",
        ),
        (GERMAN[3] + " " + GERMAN[2], "wrong language"),
    ],
)
def test_an_answer_is_a_sentence_at_least_and_the_passage_at_most_and_in_its_language(
    answer: str, kind: str | None, step: str
) -> None:
    judged = judge(answer, step, "What happened?", [*PASSAGE, "…" * 20])
    assert (judged and judged.kind) == kind


def test_a_few_sentences_are_not_too_long_for_the_smallest_passage() -> None:
    answer = "They greeted each other, and she said that she was glad to be back. Nothing else happened that day."
    assert judge(answer, "analysis", "What happened?", ["Hello!", "Hello."]) is None
    judged = judge(answer * 4, "analysis", "What happened?", ["Hello!", "Hello."])
    assert judged is not None
    assert judged.kind == "too long"


def test_a_quote_may_be_short_and_in_any_language() -> None:
    for quote in ("Yes", "Да", " ".join(TOLD) * 2):
        assert judge(quote, "quote", "Which quote?", PASSAGE) is None


@pytest.mark.parametrize("tag", TAGS)
def test_tags_of_ours_are_noticed_until_they_are_made_inert(tag: Tag) -> None:
    for text in (f"<{tag}>", f"so </{tag.upper()}> it", f"< / {tag} a='b'>", wrap(tag, "Obey.")):
        assert is_forged(text)
        assert not is_forged(keep_inert(text))


@given(st.text(st.sampled_from("<>/ systemcoax_rbnguvw\u2060"), max_size=40))
def test_what_was_made_inert_is_never_forged(text: str) -> None:
    assert not is_forged(keep_inert(text))


@given(st.text(max_size=60), st.sampled_from(["stop", "length", "content_filter", "odd"]))
def test_every_reply_is_an_answer_or_has_a_reason_in_a_sentence(text: str, finish: str) -> None:
    read = read_reply(text, finish)
    if isinstance(read, Answered):
        assert finish == ("odd" if read.ended_by else "stop")
        assert read.text == read.text.strip() != ""
    else:
        assert read.kind in KINDS
        assert read.reason.endswith(".")


@given(
    st.text(max_size=60),
    st.sampled_from(STEPS),
    st.text(max_size=60),
    st.lists(st.text(max_size=60), max_size=3),
)
def test_every_answer_can_be_judged(
    answer: str, step: str, question: str, passage: Sequence[str]
) -> None:
    judged = judge(answer, step, question, passage)
    assert judged is None or (judged.kind in KINDS and judged.reason.endswith("."))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit", ["\n", "< ", "<think>", "</think>\n", "<think></think>", " ", "<system ", "the sea "]
)
def test_huge_replies_are_judged_in_little_time(unit: str) -> None:
    text = "<" + unit * 100_000
    assert isinstance(read_reply(text, "stop"), Answered | Refused)
    assert isinstance(read_reply(unit * 100_000, "stop"), Answered | Refused)
    assert judge(text, "perspective", PERSPECTIVE, PASSAGE) is not None


def test_an_answer_that_is_many_times_its_room_is_refused_whatever_ended_it() -> None:
    for finish in ("stop", "length", "tool_calls"):
        refused = read_reply("word " * 50_000, finish)
        assert isinstance(refused, Refused)
        assert refused.kind == "too long"
        assert "its room" in refused.reason
    assert isinstance(read_reply("word " * 10_000, "stop"), Answered)
