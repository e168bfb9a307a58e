"""What the persona still knows: asked of a scripted model whose knowledge is known, and found again."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.config.loading import load, load_folders
from daemon.evaluate.subject import ArmName, find_subject
from daemon.models import batch as pauses
from daemon.models.context import context_to_read
from primer.evaluation_questions import STEPS
from rules.evaluate.questions import GUESSED, NAMED, SAID_ELSEWHERE, UNCLEAR
from tests import waiting
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.batching import Batching
from tests.server.examined import Examined, Guess, drawn, never_said
from tests.server.reply import Answer, Hang, Reply, Script
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.test_batches import PRICES
from tests.stories.test_page import Browser
from tests.typingmind.texts import text_of

pytestmark = pytest.mark.timeout(200)
LIKELY = re.compile(r"likely \$([0-9.]+[0-9])")
HAIKU = "anthropic/claude-haiku-5-5"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@contextmanager
def serving(
    monkeypatch: pytest.MonkeyPatch, script: Script, batching: Batching | None = None
) -> Iterator[ModelServer]:
    with ModelServer(Setup(script=script, batching=batching or Batching())) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person whose chat has become memories, written by the scribe."""
    with pytest.MonkeyPatch.context() as environment, serving(environment, Examined()):
        environment.setenv("ANTHROPIC_API_KEY", KEY)
        person = Person(tmp_path_factory.mktemp("lived") / "eve", tail=3200, step=800, chunk=800)
        wants(person)
        person.drop(export_bytes(long_chat(12_000, tokens_each=300)))
        ended = person.memproc("run")
        assert (ended.code, ended.err) == (0, "")
    return person


@pytest.fixture
def eve(lived: Person, tmp_path: Path) -> Person:
    """The same person, in a folder of their own."""
    shutil.copytree(lived.home, tmp_path / "eve")
    eve = replace(lived, home=tmp_path / "eve")
    wants(eve)
    return eve


def wants(person: Person, more: str = "", manager: str = HAIKU) -> None:
    person.settings(f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{manager}"\n{more}')


def evaluated(person: Person, *options: str) -> dict[str, Any]:
    ended = person.memproc("eval", CHAT_ID, "--json", *options)
    assert (ended.code, ended.err) == (0, "")
    report = json.loads(ended.out)
    assert isinstance(report, dict)
    return report


def passages_known(person: Person, share: float = 1.0) -> list[bool]:
    """Whether each passage that was asked about stands in the finished chat, of a share that is known."""
    chat = json.dumps(person.chat(), ensure_ascii=False)
    with Archive.read(person.home / "state") as archive:
        asked = archive.run("SELECT passage, text FROM question WHERE state = '' AND passage <> ''")
    return [
        json.dumps(passage, ensure_ascii=False)[1:-1] in chat and drawn(text) < share
        for passage, text in asked
    ]


def test_a_reader_that_knows_what_stands_in_its_context_is_told_as_knowing_just_that(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        before = server.meter.dollars(PRICES)
        ended = eve.memproc("eval", CHAT_ID)
        assert (ended.code, ended.err) == (0, "")
        billed = float(server.meter.dollars(PRICES) - before)
        said_first = float(LIKELY.search(ended.out)[1])  # type: ignore[index]
        assert said_first == pytest.approx(billed, rel=0.1)

        report, truth = evaluated(eve), passages_known(eve)
        arm = report["arms"][0]
        assert arm["known"]["questions"] == len(truth) == 30
        assert arm["known"]["share"] == pytest.approx(sum(truth) / len(truth))
        assert arm["known"]["low"] <= sum(truth) / len(truth) <= arm["known"]["high"]
        assert arm["made_up"]["share"] == 0
        assert len(report["missed"]) == truth.count(False) > 0
        assert report["usd"] == pytest.approx(billed)
        assert ended.out.splitlines()[-1].startswith("This evaluation cost $0.00")
        assert server.meter.finished_and_seen_again == []


def test_what_was_asked_is_asked_again_only_where_it_is_wanted_and_the_curve_shows_both(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        first = evaluated(eve)
        calls = server.meter.calls
        assert evaluated(eve) == first | {"usd_now": 0.0}
        assert server.meter.calls == calls
        again = evaluated(eve, "--again")
        assert server.meter.calls == calls + 8, "the same forty questions, and no new ones"
        assert (again["evaluation"], again["replicates"]) == (2, 2)
        assert again["arms"][0]["known"] == first["arms"][0]["known"]
        past = json.loads(eve.memproc("eval", CHAT_ID, "--history", "--json").out)
        assert [one["evaluation"] for one in past] == [1, 2]
        assert "Made up" in eve.memproc("eval", CHAT_ID, "--history").out


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
        assert evaluated(eve) == first | {"usd": second["usd"], "usd_now": 0.0}
        assert server.meter.calls == calls


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


ANOTHER = ["Memory 1.", "An oar.", "How?", "It was another sea.", "And?", "Nothing of it."]
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


@pytest.mark.parametrize("form", READERS)
@pytest.mark.variants
def test_letters_are_read_in_whatever_form_they_come(
    eve: Person, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined(answers=READERS[form])):
        report, truth = evaluated(eve), passages_known(eve)
    assert report["arms"][0]["unread"] == 0
    assert report["arms"][0]["known"]["share"] == pytest.approx(sum(truth) / len(truth))


def test_an_answer_without_a_letter_counts_nowhere_and_is_nothing_that_was_missed(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgets_the_fifth(letters: list[str]) -> str:
        return "\n".join(f"{number}. {letter}" for number, letter in enumerate(letters[:4], 1))

    with serving(monkeypatch, Examined(answers=forgets_the_fifth)):
        report = evaluated(eve)
        assert "8 answers had no letter" in eve.memproc("eval", CHAT_ID).out
    (arm,) = report["arms"]
    assert arm["unread"] == 8
    assert arm["known"]["questions"] + arm["made_up"]["questions"] == 32
    unknown = (1 - arm["known"]["share"]) * arm["known"]["questions"]
    assert len(report["missed"]) == pytest.approx(unknown)


def states(person: Person) -> Counter[str]:
    """How many questions there are, by why they are not asked."""
    with Archive.read(person.home / "state") as archive:
        return Counter(archive.column("SELECT state FROM question"))


def careless(request: Request) -> Reply:
    """Write questions whose answer the chunk does not have, and ask for what was said elsewhere."""
    reply = Examined()(request)
    if not isinstance(reply, Answer) or not reply.text.startswith('{"questions"'):
        return reply
    written = json.loads(reply.text)
    written["questions"][0]["right"] = "nobody ever said this."
    written["unsaid"]["choices"][0] = "The harbour master."
    return Answer(json.dumps(written))


def test_what_its_own_chunk_does_not_answer_or_was_said_elsewhere_is_not_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, careless):
        report = evaluated(eve)
    assert states(eve) == {"": 20, UNCLEAR: 10, SAID_ELSEWHERE: 10}
    assert report["arms"][0]["known"]["questions"] == 20
    assert report["arms"][0]["made_up"] is None


def test_what_the_model_answers_without_the_conversation_is_not_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined(share=0.0, otherwise=lambda question, right: "A")):
        asked = evaluated(eve)["arms"][0]["known"]["questions"]
    assert states(eve)[GUESSED] == 30 - asked > 0


def guesses(question: str, right: str) -> str:
    return "ABCD"[int(4 * drawn(f"{question} at a guess"))]


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
        with Archive.open(eve.home / "state") as archive:
            archive.run("UPDATE memory SET forgotten_at = 'now'")
        ended = eve.memproc("eval", CHAT_ID)
        assert (ended.code, "has no memories yet" in ended.err) == (1, True)
        assert server.meter.calls == 0


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
        report, truth = evaluated(eve), passages_known(eve)
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
        report, truth = evaluated(eve), passages_known(eve, 0.6)
        assert report["evaluation"] == 1
        assert report["arms"][0]["known"]["share"] == pytest.approx(sum(truth) / len(truth))
        assert 0 < sum(truth) < sum(passages_known(eve))
        # Only the two that were under way could come again: none that was kept.
        assert server.meter.calls - len(server.meter.seen) <= 2
        calls = json.loads(eve.memproc("calls", "--json").out)
        assert sum(call["step"] in STEPS for call in calls) == len(server.meter.seen)


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
        assert len(bills) == 38
        assert all(bill.batched for bill in bills)


def everything(person: Person) -> list[dict[str, Any]]:
    found = json.loads(person.memproc("memories", CHAT_ID, "--json").out)
    assert isinstance(found, list)
    return found


def rewritten(person: Person, memory: str, texts: list[str]) -> None:
    """Give a memory other words than were written for it, as a fault would."""
    with Archive.open(person.home / "state") as archive:
        archive.run("UPDATE edition SET texts = ? WHERE memory = ?", (json.dumps(texts), memory))


def words_of(person: Person, memory: dict[str, Any]) -> str:
    """Every word that was said under a memory."""
    whole = person.home / "whole.json"
    whole.unlink(missing_ok=True)
    assert person.memproc("expand", CHAT_ID, "--output", whole).code == 0
    (chat,) = json.loads(whole.read_bytes())["data"]["chats"]
    said = {message["uuid"]: text_of(message["content"]) for message in chat["messages"]}
    return "\n\n".join(said[key] for key in memory["keys"])


def live_of(chat: dict[str, Any]) -> list[str]:
    """The uuids of the messages after the memories."""
    return [message["uuid"] for message in chat["messages"] if "memproc" not in message]


def without(chat: dict[str, Any], uuids: list[str]) -> dict[str, Any]:
    kept = [message for message in chat["messages"] if message["uuid"] not in uuids]
    return chat | {"messages": kept}


def context_of(person: Person, arm: ArmName) -> list[str]:
    """What the persona is given before it is asked, turn by turn."""
    config = load(person.toml)
    folders = load_folders(config)
    with Archive.read(folders.state) as archive:
        subject = find_subject(context_to_read(config, folders, archive), CHAT_ID)
        return [turn.content for turn in subject.turns(arm)]


def test_a_tail_that_lacks_ten_messages_says_so_and_what_the_person_deleted_is_not_lacking(
    eve: Person,
) -> None:
    chat = eve.chat()
    deleted, *live = live_of(chat)
    chat["syncMetadata"]["deletedMessageUUIDs"].append(deleted)
    eve.drop(export_bytes(without(chat, [deleted])))
    assert eve.memproc("run").code == 0
    assert evaluated(eve, "--free")["tail"] == {"messages": len(live), "lacking": []}

    lost = live[2:12]
    eve.drop(export_bytes(without(chat, [deleted, *lost])))
    assert eve.memproc("run").code == 0
    assert evaluated(eve, "--free")["tail"] == {"messages": len(live), "lacking": lost}
    said = {message["uuid"]: text_of(message["content"]) for message in chat["messages"]}
    assert all(said[uuid] in context_of(eve, "full") for uuid in lost)
    assert not any(said[uuid] in context_of(eve, "memories") for uuid in lost)
    told = " ".join(eve.memproc("eval", CHAT_ID, "--free").out.split())
    assert f"The live tail lacks 10 of its {len(live)} messages" in told
    shown = Browser(eve).open(f"/chat/{CHAT_ID}/evaluation")
    assert "A floor, and no proof" in shown
    assert "The live tail lacks 10" in shown


def test_a_tail_whose_rows_are_gone_from_the_archive_is_told_before_anything_is_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        with Archive.open(eve.home / "state") as archive:
            archive.run("PRAGMA foreign_keys = OFF")
            archive.run(
                "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE id NOT IN "
                "(SELECT message FROM chunk_message) ORDER BY position LIMIT 10)"
            )
        ended = eve.memproc("eval", CHAT_ID)
        assert (ended.code, "damaged" in ended.err) == (1, True), ended
        assert server.meter.calls == 0


def test_a_conversation_that_does_not_fit_is_told_before_anything_is_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        wants(eve, "window = 12_000\n")
        ended = eve.memproc("eval", CHAT_ID, "--against", "full")
        assert (ended.code, "full has about" in ended.err) == (1, True), ended
        assert server.meter.calls == 0


@pytest.mark.parametrize("slot", [1, 3, 5], ids=["quote", "perspective", "memory"])
@pytest.mark.variants
def test_a_memory_that_lost_its_words_stands_out_and_no_other_does(
    eve: Person, slot: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        memories = everything(eve)
        for one in memories:
            texts = [*ANOTHER[:slot], words_of(eve, one), *ANOTHER[slot + 1 :]]
            rewritten(eve, one["memory_id"], texts)
        assert not any(group["stands_out"] for group in evaluated(eve)["groups"]["memories"])
        rewritten(eve, memories[0]["memory_id"], ANOTHER)
        faulty = evaluated(eve)["groups"]["memories"]
    assert [group["stands_out"] for group in faulty] == [one == memories[0] for one in memories]


def test_what_was_missed_is_named_to_a_rewriting_and_asked_no_more(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        report = evaluated(eve)
        memory = report["missed"][0]["memory"]
        missed = [one for one in report["missed"] if one["memory"] == memory]
        ended = eve.memproc("retry", memory, "--missed")
        assert (ended.code, ended.err) == (0, "")
        asked = [request.turns[-1].text for request in server.requests[-4:]]
        for one in missed:
            assert any(one["passage"] in text for text in asked)
        assert "has missed no question" in eve.memproc("retry", memory, "--missed").err
        shown = json.loads(eve.memproc("memories", CHAT_ID, "--json").out)
        (rewritten,) = [one for one in shown if one["memory_id"] == memory]
        assert len(rewritten["editions"]) == 2

        calls = server.meter.calls
        after = evaluated(eve)
        assert after["evaluation"] == 2
        assert server.meter.calls > calls + 8, "others are written about its chunk"
        asked_of = [row["known"]["questions"] for row in after["groups"]["memories"]]
        assert asked_of == [3] * 10, "and no other chunk is asked about less for it"
        with Archive.read(eve.home / "state") as archive:
            counts = archive.column(
                "SELECT count(*) FROM question WHERE memory = ? AND state = '' AND passage <> ''",
                (memory,),
            )
    assert counts[0] == 6 - len(missed)


def ending_at(begin: str) -> Callable[..., Any]:
    """Archive.run that is interrupted before the statement that begins so."""
    run = Archive.run

    def interrupted(archive: Archive, sql: str, values: tuple[object, ...] = ()) -> Any:
        if sql.startswith(begin):
            raise KeyboardInterrupt
        return run(archive, sql, values)

    return interrupted


def test_a_memory_that_is_written_again_and_its_questions_change_together_or_not_at_all(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        memory = evaluated(eve)["missed"][0]["memory"]
        with monkeypatch.context() as interrupted:
            interrupted.setattr(Archive, "run", ending_at("UPDATE question"))
            assert eve.memproc("retry", memory, "--missed").code == 130
        (cut,) = [one for one in everything(eve) if one["memory_id"] == memory]
        assert len(cut["editions"]) == 1, "else its questions would be about an older edition"
        assert eve.memproc("retry", memory, "--missed").code == 0
        (written,) = [one for one in everything(eve) if one["memory_id"] == memory]
        assert len(written["editions"]) == 2
        assert states(eve)[NAMED] > 0
        assert server.meter.finished_and_seen_again == []


def test_without_a_key_it_is_free_and_says_that_it_is_a_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    eve = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    eve.drop(export_bytes(long_chat(12_000, tokens_each=300)))
    assert eve.memproc("run").code == 0
    ended = eve.memproc("eval", CHAT_ID, "--against", "tail", "--against", "full")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("This is a floor and no proof")
    report = json.loads(eve.memproc("eval", CHAT_ID, "--against", "full", "--json").out)
    memories, full = (arm["known"]["share"] for arm in report["arms"])
    assert memories <= full
    assert full > 0.9
    assert eve.memproc("calls", "--json").out.strip() == "[]"


def kept_rows(person: Person) -> list[list[tuple[Any, ...]]]:
    """Every question and answer of the archive, as it lies there."""
    with Archive.read(person.home / "state") as archive:
        return [archive.run(f"SELECT * FROM {table}") for table in ("question", "answer")]


def test_an_evaluation_goes_along_to_a_new_computer_and_a_rebuilt_archive_goes_without(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        report, rows = evaluated(eve), kept_rows(eve)
        assert all(rows)
        assert eve.memproc("verify").code == 0
        packed = tmp_path / "packed.zip"
        assert eve.memproc("export-archive", packed).code == 0
        new = Person(tmp_path / "new", tail=3200, step=800, chunk=800)
        assert new.memproc("import-archive", packed, "--yes").code == 0
        wants(new)
        assert kept_rows(new) == rows
        assert evaluated(new)["arms"] == report["arms"]

        for path in (eve.home / "state").glob("archive.sqlite3*"):
            path.unlink()
        assert eve.memproc("rebuild").code == 0
        assert kept_rows(eve) == [[], []]
        assert "never evaluated" in eve.memproc("eval", CHAT_ID, "--history").out
        assert evaluated(eve)["evaluation"] == 1


@pytest.mark.full
def test_the_page_tells_the_same_with_the_raw_words_a_click_away(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        report = evaluated(eve)
        source = Browser(eve).source(f"/chat/{CHAT_ID}/evaluation")
    shown = unescape(source)
    assert "Evaluation 1" in shown
    assert "likely $0.00" in shown
    for missed in report["missed"]:
        assert missed["question"] in shown
        assert f'href="/chat/{CHAT_ID}/messages/{missed["message"]}"' in source
        assert f'action="/memory/{missed["memory"]}/missed"' in source


@pytest.mark.full
def test_what_was_missed_is_written_again_by_one_press(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        memory = evaluated(eve)["missed"][0]["memory"]
        shown = Browser(eve).send(f"/memory/{memory}/missed")
        assert "is being written again" in shown

        def is_written() -> bool:
            found = json.loads(eve.memproc("memories", CHAT_ID, "--json").out)
            return any(len(one["editions"]) == 2 for one in found if one["memory_id"] == memory)

        waiting.until(is_written, 60)


@pytest.mark.long
def test_a_fold_that_lost_its_quotes_stands_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        ada = Person(tmp_path / "ada", tail=3200, step=800, chunk=800)
        wants(ada, "[fold]\nbudget = 900\ngroup = 3\n")
        ada.drop(export_bytes(long_chat(14_000, tokens_each=300)))
        assert ada.memproc("run").code == 0
        shown = [one for one in everything(ada) if one["state"] == "shown"]
        folds = [one["memory_id"] for one in shown if one["members"]]
        assert folds
        for one in shown:
            rewritten(ada, one["memory_id"], [*ANOTHER[:1], words_of(ada, one), *ANOTHER[2:]])
        assert not any(group["stands_out"] for group in evaluated(ada)["groups"]["memories"])
        rewritten(ada, folds[0], ANOTHER)
        groups = evaluated(ada)["groups"]["memories"]
    assert [group["name"] for group in groups if group["stands_out"]] == [folds[0]]
