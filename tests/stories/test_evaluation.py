"""What the persona still knows: asked of a scripted model whose knowledge is known, and found again."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.models import batch as pauses
from primer.evaluation_questions import PLAIN_JSON, STEPS
from tests import waiting
from tests.chats import CHAT_ID, chat, conversation, export_bytes, long_chat
from tests.server.examined import Examined, Guess, drawn, never_said
from tests.server.reply import Answer, Hang, Reply
from tests.server.request import Request
from tests.stories.examining import HAIKU, LIKELY, evaluated, passages_known, serving, wants
from tests.stories.person import Person
from tests.stories.test_batches import PRICES

_ASKED = re.compile(r"^\d+\. .+\nA\. ", re.MULTILINE)
pytestmark = [pytest.mark.timeout(200), pytest.mark.usefixtures("key")]


@pytest.mark.full
def test_a_reader_that_knows_what_stands_in_its_context_is_told_as_knowing_just_that(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        before = server.meter.dollars(PRICES)
        ended = eve.memproc("eval", CHAT_ID)
        assert (ended.code, ended.err) == (0, "")
        billed = float(server.meter.dollars(PRICES) - before)
        said_first = float(LIKELY.search(ended.out)[1])  # type: ignore[index]
        assert said_first == pytest.approx(billed, rel=0.12)

        report, truth = evaluated(eve), passages_known(server, eve)
        arm = report["arms"][0]
        assert arm["known"]["questions"] == len(truth) == 30
        assert arm["known"]["share"] == pytest.approx(sum(truth) / len(truth))
        assert arm["known"]["low"] <= sum(truth) / len(truth) <= arm["known"]["high"]
        assert arm["made_up"]["share"] == 0
        assert len(report["missed"]) == truth.count(False) > 0
        assert report["usd"] == pytest.approx(billed)
        assert ended.out.splitlines()[-2].startswith("This evaluation cost $0.00")
        assert server.meter.finished_and_seen_again == []


@pytest.mark.full
def test_what_was_asked_is_asked_again_only_where_it_is_wanted_and_the_curve_shows_both(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        first = evaluated(eve)
        calls = server.meter.calls
        second = evaluated(eve)
        assert second == first | {"usd_now": 0.0, "notes": second["notes"]}
        assert server.meter.calls == calls
        again = evaluated(eve, "--again")
        assert server.meter.calls == calls + 8, "the same forty questions, and no new ones"
        assert (again["evaluation"], again["replicates"]) == (2, 2)
        assert again["arms"][0]["known"] == first["arms"][0]["known"]
        past = json.loads(eve.memproc("eval", CHAT_ID, "--history", "--json").out)["evaluations"]
        assert [one["evaluation"] for one in past] == [1, 2]
        assert "Made up" in eve.memproc("eval", CHAT_ID, "--history").out


@pytest.mark.full
def test_each_model_is_told_by_its_own_evaluation(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = "anthropic/claude-sonnet-5-5"
    with serving(monkeypatch, Examined()) as server:
        first = evaluated(eve)
        eve.settings(f'[models]\nagent = "{another}"\ncontext_manager = "{HAIKU}"\n')
        second = evaluated(eve)
        assert (second["evaluation"], second["model"]) == (2, another)
        calls = server.meter.calls
        wants(eve)
        third = evaluated(eve)
        assert third == first | {"usd": second["usd"], "usd_now": 0.0, "notes": third["notes"]}
        assert server.meter.calls == calls


@pytest.mark.full
def test_other_contexts_are_told_beside_the_finished_chat(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = ("--against", "tail", "--against", "full", "--against", "recall")
    with serving(monkeypatch, Examined()):
        said_first = LIKELY.search(eve.memproc("eval", CHAT_ID, *others).out)
        report = evaluated(eve, *others)
        assert float(said_first[1]) == pytest.approx(report["usd"], rel=0.1)  # type: ignore[index]
        known = {arm["name"]: arm["known"]["share"] for arm in report["arms"]}
    assert known["tail"] < known["memories"] < known["recall"] <= known["full"] == 1


READERS = {
    "prose": lambda letters: " ".join(
        f"As for question {number}, I would say the answer is {letter}."
        for number, letter in enumerate(letters, 1)
    ),
    "twice": lambda letters: "\n".join(
        f"{number}) {letter}" for number, letter in [*enumerate(letters, 1)] * 2
    ),
    "letters alone": " ".join,
}


@pytest.mark.full
@pytest.mark.parametrize("form", READERS)
@pytest.mark.variants
def test_letters_are_read_in_whatever_form_they_come(
    eve: Person, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined(answers=READERS[form])) as server:
        report, truth = evaluated(eve), passages_known(server, eve)
    assert report["arms"][0]["unread"] == 0
    assert report["arms"][0]["known"]["share"] == pytest.approx(sum(truth) / len(truth))


@pytest.mark.full
def test_a_model_that_answers_never_said_with_the_passage_in_view_is_not_believed(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(request: Request) -> Reply:
        asked = _ASKED.findall(request.turns[-1].text)
        in_view = any("</to_remember>" in turn.text for turn in request.turns)
        # The context manager tries four of a chunk, what was never said among them.
        return Answer("1. E\n2. E\n3. E") if len(asked) == 3 and in_view else Examined()(request)

    with serving(monkeypatch, answers) as server:
        refused = eve.memproc("eval", CHAT_ID, "--yes")
        assert refused.code == 1
        assert (
            'answers "never said" to 30 of 30 questions with the passage itself in view'
            in refused.err
        )
        calls = server.meter.calls
        assert eve.memproc("eval", CHAT_ID, "--yes").code == 1
        assert server.meter.calls == calls, "what was answered is kept"


@pytest.mark.full
def test_the_persons_own_questions_are_asked_in_the_place_of_a_models(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        first = evaluated(eve)
        missed = first["missed"][:1]
        entries = [
            {
                "question": one["question"],
                "right": one["answer"],
                "wrong": ["No one.", "Nothing.", "Never."],
                "passage": one["passage"],
            }
            for one in missed
        ]
        own = tmp_path / "own.json"
        own.write_text(json.dumps(entries), "utf-8")
        report = evaluated(eve, "--questions", str(own))
        assert report["evaluation"] == 2
        assert report["arms"][0]["known"]["questions"] == 1
        own.write_text(json.dumps([entries[0] | {"passage": "Nobody said that."}]), "utf-8")
        assert "Question 1 of" in eve.memproc("eval", CHAT_ID, "--questions", str(own)).err
        assert "By your own questions: 2" in eve.memproc("eval", CHAT_ID, "--history").out


@pytest.mark.full
def test_an_answer_without_a_letter_counts_nowhere_and_is_nothing_that_was_missed(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgets_the_fifth(letters: list[str]) -> str:
        return "\n".join(f"{number}. {letter}" for number, letter in enumerate(letters[:4], 1))

    with serving(monkeypatch, Examined(answers=forgets_the_fifth)):
        report = evaluated(eve)
        assert "8 answers had no letter" in eve.memproc("eval", CHAT_ID).out
    arm, passages = report["arms"]
    assert (arm["unread"], passages["name"]) == (8, "passage")
    assert arm["known"]["questions"] + arm["made_up"]["questions"] == 32
    unknown = (1 - arm["known"]["share"]) * arm["known"]["questions"]
    assert len(report["missed"]) == pytest.approx(unknown)


def leaking(request: Request) -> Reply:
    """Leave marks of a format in questions, until it is told, and around letters."""
    is_told = PLAIN_JSON in request.turns[-1].text
    reply = Examined()(replace(request, turns=request.turns[:-1]) if is_told else request)
    if not isinstance(reply, Answer):
        return reply
    if reply.text.startswith('{"questions"'):
        return (
            reply if is_told else Answer(reply.text.replace("What follows", "What <|im_end|> is"))
        )
    return Answer(f"[THINK]1. A[/THINK]{reply.text}<|im_end|>\n<|im_start|>user\n1. A")


@pytest.mark.full
def test_marks_of_a_models_own_format_are_in_no_question_and_no_letter(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, leaking) as server:
        report, truth = evaluated(eve), passages_known(server, eve)
        told = sum(PLAIN_JSON in request.turns[-1].text for request in server.requests)
    assert told == 10
    assert report["arms"][0]["known"]["questions"] == 30
    assert report["arms"][0]["made_up"]["questions"] == 10
    assert report["arms"][0]["unread"] == 0
    assert report["arms"][0]["known"]["share"] == pytest.approx(sum(truth) / len(truth))


def guesses(question: str, right: str) -> str:
    return "ABCD"[int(4 * drawn(f"{question} at a guess"))]


@pytest.mark.full
@pytest.mark.parametrize(
    ("otherwise", "made_up"),
    [(lambda question, right: "A", 1.0), (guesses, 1.0), (never_said, 0.0)],
    ids=["always A", "guesses", "always never said"],
)
def test_who_knows_nothing_is_told_as_knowing_nothing(
    eve: Person, otherwise: Guess, made_up: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined(share=0.0, otherwise=otherwise)):
        arm = evaluated(eve)["arms"][0]
    assert arm["known"]["low"] == 0
    assert arm["made_up"]["share"] == made_up


@pytest.mark.full
def test_a_model_that_answers_in_no_letters_is_an_error_and_nothing_is_told(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sulks(letters: list[str]) -> str:
        return "I would rather speak of the sea." if len(letters) == 5 else " ".join(letters)

    with serving(monkeypatch, Examined(answers=sulks)):
        ended = eve.memproc("eval", CHAT_ID)
        assert ended.code == 1
        assert "in no letters" in ended.err
        assert "never evaluated" in eve.memproc("eval", CHAT_ID, "--history").out


def test_a_chat_without_memories_is_told_and_nothing_is_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        assert 'knows no chat "Ina"' in eve.memproc("eval", "Ina").err
        wants(eve, "[budget]\nrun_usd = 0\n")
        turns = conversation(30, 300, first=100)
        eve.drop(export_bytes(chat(*turns, id="capped", chatID="capped")))
        assert eve.memproc("run").code == 4, "it was read, and the cap allows no call"
        ended = eve.memproc("eval", "capped")
        assert (ended.code, "has no memories yet" in ended.err) == (1, True)
        assert server.meter.calls == 0


@pytest.mark.full
def test_too_few_questions_are_told_and_another_context_manager_writes_others(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inventive(request: Request) -> Reply:
        reply = Examined()(request)
        if isinstance(reply, Answer) and reply.text.startswith('{"questions"'):
            return Answer(reply.text.replace('"passage": "', '"passage": "Captain Nemo said: '))
        return reply

    with serving(monkeypatch, inventive):
        ended = eve.memproc("eval", CHAT_ID)
        assert ended.code == 1
        assert "has 0 questions that can be asked, and 5 are needed" in " ".join(ended.err.split())
    with serving(monkeypatch, Examined()):
        wants(eve, manager="anthropic/claude-sonnet-5-5")
        assert evaluated(eve)["arms"][0]["known"]["questions"] > 20


@pytest.mark.full
@pytest.mark.parametrize("late", ["slow", "after the limit"])
def test_a_model_that_answers_late_is_waited_for_or_asked_again_and_told_just_the_same(
    eve: Person, late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung: set[str] = set()

    def slowly(request: Request) -> Reply:
        reply, last = Examined()(request), request.turns[-1].text
        if "Here are questions about" not in last or len(hung) >= 2 or last in hung:
            return reply
        assert isinstance(reply, Answer)
        hung.add(last)
        return Answer(reply.text, seconds=0.3) if late == "slow" else Hang()

    with serving(monkeypatch, slowly) as server:
        wants(eve, "concurrency = 2\n[models.options]\ntimeout = 1\n")
        report, truth = evaluated(eve), passages_known(server, eve)
        assert len(hung) == 2
        assert report["arms"][0]["known"]["share"] == pytest.approx(sum(truth) / len(truth))
        assert report["arms"][0]["unread"] == 0
        assert server.meter.finished_and_seen_again == []


@pytest.mark.full
def test_a_kill_in_the_middle_pays_nothing_twice_and_who_knows_60_percent_is_told_so(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined(share=0.6)) as server:
        wants(eve, "concurrency = 2\n")
        before = server.meter.calls
        running = eve.start("eval", CHAT_ID)
        waiting.until(lambda: server.meter.calls >= before + 25, 150)
        running.kill()
        running.communicate()
        report, truth = evaluated(eve), passages_known(server, eve, 0.6)
        assert report["evaluation"] == 1
        assert report["arms"][0]["known"]["share"] == pytest.approx(sum(truth) / len(truth))
        assert 0 < sum(truth) < sum(passages_known(server, eve))
        # Only the two that were under way could come again: none that was kept.
        assert server.meter.calls - len(server.meter.seen) <= 2
        calls = json.loads(eve.memproc("calls", "--json").out)["calls"]
        assert sum(call["step"] in STEPS for call in calls) == len(server.meter.seen)


@pytest.mark.full
def test_at_a_cap_what_is_answered_stays_and_the_next_evaluation_goes_on(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        wants(eve, "concurrency = 1\n[budget]\nrun_usd = 0.004\n")
        ended = eve.memproc("eval", CHAT_ID)
        assert ended.code == 4
        assert "budget of this run" in ended.err
        wants(eve)
        assert evaluated(eve)["evaluation"] == 1
        assert server.meter.finished_and_seen_again == []


@pytest.mark.full
def test_in_batches_it_costs_half(eve: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "FIRST_SECONDS", 0.01)
    with serving(monkeypatch, Examined()) as server:
        wants(eve, 'batch = "always"\n')
        before = set(server.meter.bills)
        assert "in batches at half price" in eve.memproc("eval", CHAT_ID).out
        bills = [bill for number, bill in server.meter.bills.items() if number not in before]
        assert len(bills) == 48, "ten of them with a passage in view"
        assert all(bill.batched for bill in bills)


def test_a_conversation_that_does_not_fit_is_told_before_anything_is_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        wants(eve, "window = 12_000\n")
        ended = eve.memproc("eval", CHAT_ID, "--against", "full")
        assert (ended.code, "full has about" in ended.err) == (1, True), ended
        assert server.meter.calls == 0


def test_without_a_key_it_is_free_and_says_that_it_is_a_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    eve = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    eve.drop(export_bytes(long_chat(12_000, tokens_each=300)))
    assert eve.memproc("run").code == 0
    ended = eve.memproc("eval", CHAT_ID, "--against", "tail", "--against", "full")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("The engine chose what extracted memories hold by the same measure")
    assert "This is a floor and no proof" in ended.out
    report = json.loads(eve.memproc("eval", CHAT_ID, "--against", "full", "--json").out)
    memories, full = (arm["known"]["share"] for arm in report["arms"])
    assert memories <= full
    assert full > 0.9
    assert json.loads(eve.memproc("calls", "--json").out)["calls"] == []
