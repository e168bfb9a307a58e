"""Memories that older rules extracted: said once, written again when the person asks, free."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.memories import keep_edition, memories, next_edition
from primer.request import RULES
from rules.conversation.memory import WRITTEN
from rules.extract import answers
from rules.extract.prose import Said
from tests.stories.cycle import ENGINE, Cycle

NEWS = "extracted by the rules of an earlier version"
OLDER = "By older rules. "
FOLDING = f"{ENGINE}[fold]\nbudget = 700\ngroup = 2\n"
pytestmark = pytest.mark.timeout(200)


@contextmanager
def older_rules() -> Iterator[None]:
    """An earlier version, whose memories all begin in the same way."""

    def refinement(
        passage: Sequence[Said],
        words: int,
        besides: Sequence[str] = (),
        before: Sequence[Said] = (),
    ) -> str:
        return OLDER + today(passage, words, besides, before)

    today = answers.refinement
    with pytest.MonkeyPatch.context() as version:
        version.setattr(answers, "refinement", refinement)
        for name in ("daemon.remember.extracting.RULES", "primer.request.RULES"):
            version.setattr(name, RULES - 1)
        yield


@pytest.fixture
def chat(tmp_path: Path) -> Cycle:
    """A chat with memories by older rules, none of them folded."""
    with older_rules():
        return Cycle.begin(tmp_path / "ada").goes_round()


def outdated(chat: Cycle) -> set[str]:
    """The memories and folds that older rules have written."""
    return {
        memory["memory_id"]
        for memory in chat.everything()
        if memory["edition"]["texts"][5].startswith(OLDER)
    }


def again(chat: Cycle, *arguments: str) -> dict[str, int]:
    """What `memproc retry --extracted` reports of the one chat."""
    ended = chat.person.memproc("retry", "--extracted", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    (found,) = json.loads(ended.out)["chats"]
    return {key: found[key] for key in ("written", "same", "stayed")}


def test_a_run_says_once_that_there_are_better_rules(chat: Cycle) -> None:
    first, second = (chat.talk().hand_in() for _ in range(2))
    assert (first.code, second.code) == (0, 0)
    assert NEWS in first.out and "memproc retry --extracted" in first.out
    assert NEWS not in second.out


def test_a_first_run_has_nothing_to_say_of_older_rules(tmp_path: Path) -> None:
    new = Cycle.begin(tmp_path / "new")
    assert NEWS not in new.hand_in().out
    assert NEWS not in new.talk().hand_in().out


def test_all_are_written_again_free_and_shown_from_the_next_run_on(chat: Cycle) -> None:
    names = set(chat.names())
    assert outdated(chat) == names and len(names) > 2
    assert again(chat) == {"written": len(names), "same": 0, "stayed": 0}
    assert outdated(chat) == set()
    chat.talk().goes_round()
    assert not any(texts[5].startswith(OLDER) for texts in chat.texts().values())
    assert chat.rows("SELECT sum(usd) FROM reply") in ([(None,)], [(0.0,)])
    assert chat.person.memproc("verify").code == 0


def test_the_edition_before_is_kept_and_a_second_time_changes_nothing(chat: Cycle) -> None:
    name = chat.names()[0]
    again(chat)
    assert again(chat) == {"written": 0, "same": len(chat.names()), "stayed": 0}
    found = json.loads(chat.person.memproc("show", name, "--json").out)
    assert [edition["texts"][5].startswith(OLDER) for edition in found["editions"]] == [True, False]


def test_what_is_pinned_edited_or_forgotten_stays(chat: Cycle) -> None:
    pinned, edited, forgotten, *free = chat.names()
    chat.device.edit(chat.chat_id, chat.at(edited, 6), f"{OLDER}In my own words.")
    assert chat.forget(forgotten).hand_in().code == 0
    assert chat.person.memproc("pin", pinned).code == 0
    assert again(chat) == {"written": len(free), "same": 0, "stayed": 2}, (
        "an edited one is no extracted one"
    )
    assert outdated(chat) == {pinned, edited, forgotten}


def test_a_fold_by_the_engine_is_made_of_the_new_memories_at_the_next_run(tmp_path: Path) -> None:
    with older_rules():
        chat = Cycle.begin(tmp_path / "ada", turns=60, settings=FOLDING).goes_round()
    folded = [name for name in chat.shown() if name not in chat.names()]
    assert folded, "some memories are folded"
    again(chat)
    chat.talk().goes_round()
    assert not any(texts[5].startswith(OLDER) for texts in chat.texts().values())


def test_what_a_models_fold_is_made_of_stays_since_the_fold_would_be_paid_for_again(
    tmp_path: Path,
) -> None:
    with older_rules():
        chat = Cycle.begin(tmp_path / "ada", turns=60, settings=FOLDING).goes_round()
    with Archive.open(chat.person.home / "state") as archive:
        fold = next(memory for memory in memories(archive, chat.chat_id) if memory.is_fold)
        number = next_edition(archive, fold.memory_id)
        written = replace(fold.edition, made=WRITTEN, agent="a model", number=number)
        keep_edition(archive, fold.memory_id, written)
    stayed = outdated(chat) & set(fold.members)
    assert stayed == set(fold.members)
    assert again(chat)["stayed"] == len(stayed)
    assert outdated(chat) & set(chat.names()) == stayed


def test_retry_says_in_a_sentence_what_became_of_a_chat(chat: Cycle) -> None:
    count = len(chat.names())
    assert chat.person.memproc("pin", chat.names()[0]).code == 0
    ended = chat.person.memproc("retry", "--extracted", "The lighthouse")
    assert (ended.code, ended.err) == (0, "")
    assert f'"The lighthouse": {count - 1} memories extracted again; 1 stays' in ended.out


@pytest.mark.parametrize(
    "arguments", [("--extracted", "a", "b"), ("--extracted", "--say", "x"), ()]
)
def test_what_cannot_be_meant_is_refused(chat: Cycle, arguments: tuple[str, ...]) -> None:
    assert chat.person.memproc("retry", *arguments).code == 2
