"""Lives of a chat that once went wrong: after each run everything is proved that must hold of any life."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.models.completion import Completion
from primer.reply import Request
from tests.lives.life import Life
from tests.lives.machine import Lives
from tests.lives.model import LivelyModel
from tests.lives.ours import groups, said

pytestmark = pytest.mark.full


class _Refusing(LivelyModel):
    """Every model refuses."""

    def __call__(self, request: Request) -> Completion:
        completion = super().__call__(request)
        return replace(completion, text="", finish="content_filter", calls=())


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    """A chat with memories, core memory and facts, imported; the originals are kept beside the memories."""
    life = Life(tmp_path / "home", "2026", "keep-originals")
    life.person.talk(25)
    life.run()
    life.import_newest()
    yield life
    life.close()


@pytest.fixture
def refused(tmp_path: Path) -> Iterator[Life]:
    """A chat whose memories the engine will extract, since every model refuses."""
    life = Life(tmp_path / "home", "2026", "keep-originals")
    life.memproc.model = _Refusing()
    life.person.talk(25)
    yield life
    life.close()


def facts(life: Life) -> list[str]:
    return [row.text for row in life.person.archive[life.person.chat_id].ledger.live]


def test_a_fork_that_writes_a_memory_once_more_does_not_follow_it_again(life: Life) -> None:
    life.person.fork(None, new_uuids=True)
    life.person.edit_message(10)
    life.run()


@pytest.mark.parametrize("new_uuids", [False, True])
def test_what_is_edited_in_the_opening_of_a_fork_is_taken_over(life: Life, new_uuids: bool) -> None:
    life.person.fork(None, new_uuids=new_uuids)
    life.person.rewrite_section(1, "words")
    life.person.rewrite_fact(0, "another")
    life.run()
    assert facts(life)[-1] in life.person.words


def test_a_fact_that_is_reworded_where_a_fork_was_cut_off_before_it_is_taken_over(
    life: Life,
) -> None:
    life.person.fork(20, new_uuids=False)
    life.person.rewrite_fact(-1, "words")
    life.run()
    assert any(text.endswith("Indeed, 0.") for text in facts(life))


def test_originals_that_stay_do_not_hide_that_most_memories_were_deleted(life: Life) -> None:
    life.person.delete_all_memories_but(0)
    life.run_and_accept()


def test_a_memory_of_edited_messages_is_asked_for_with_what_they_say_now(
    refused: Life,
) -> None:
    refused.run()
    refused.import_newest()
    refused.person.edit_message(13)
    refused.run()  # and once more, which asks nothing


def test_what_was_refused_is_asked_for_at_once_where_its_prompt_begins_with_a_fold_to_come(
    refused: Life,
) -> None:
    refused.memproc.set("fold", budget=4000)
    refused.memproc.set("tail", tokens=800, step=100)  # a prompt of five memories
    refused.person.talk(15)
    refused.run()
    refused.memproc.set("fold", budget=500)
    refused.run()  # and once more, which asks nothing


def test_an_edition_of_before_an_edit_can_be_chosen_and_quotes_what_was_said_then(
    life: Life,
) -> None:
    for which in range(6):  # all under the first memory, one of which it quotes
        life.person.edit_message(which)
    life.run()
    life.import_newest()
    for which in range(4):
        life.use_edition(which, 0)
    life.run()


def test_nothing_is_paid_for_a_memory_whose_messages_stay_since_one_is_pinned(life: Life) -> None:
    life.memproc.set("fold", budget=6000)
    life.run()
    life.import_newest()
    device, chat_id = life.person.device, life.person.chat_id
    at, edition = groups(life.person.messages, life.person.archive)[-1]
    account = life.person.archive[chat_id]
    said_first = account.raw[account.chunks[edition.memory][0]].texts[-1]
    original = next(
        at for at, message in enumerate(life.person.messages) if said(message) == said_first
    )
    device.pin(chat_id, at + 1)
    device.edit(chat_id, original, "The lamp was out that night, and I had not said so.")
    asked = life.memproc.model.asked
    life.run()
    assert life.memproc.model.asked == asked, "the export would go on showing the older edition"
    device.unpin(chat_id, at + 1)
    life.run()
    assert life.memproc.model.asked != asked


def test_what_is_written_into_a_section_while_core_memory_is_off_is_there_when_it_is_on(
    life: Life,
) -> None:
    life.memproc.set("core", enabled=False)
    life.person.rewrite_section(1, "words")
    life.run()
    life.memproc.set("core", enabled=True)
    life.run()
    sections = life.person.archive[life.person.chat_id].ledger.sections
    assert life.person.words & set(sections.values())


Deed = tuple[str, dict[str, Any]]
"""A rule of the state machine, and what it is given."""

A_PASSAGE_CROSSED_OUT: list[Deed] = [
    ("pin_a_message", {"which": 34}),
    ("talk_and_the_bridge_compresses", {"turns": 11}),
    ("pin_a_message", {"which": 23}),
    ("run_and_import", {}),
    ("cross_out_a_kept_passage", {"which": 0}),
]

BACK_TO_A_BRANCH_IN_A_FORK: list[Deed] = [
    ("fork", {"new_uuids": False, "upto": 66}),
    ("regenerate", {"back": 3}),
    ("restore_from_the_bin", {}),
    ("run", {}),
    ("go_back_to_the_other_branch", {}),
    ("talk_and_memproc_is_killed", {"steps": 11, "turns": 1}),
    ("edit_a_message", {"which": 0}),
    ("run_and_accept_what_is_skipped", {}),
    ("import_an_older_one", {"back": 0}),
    ("restore_from_the_bin", {}),
]

A_FILE_AT_AN_ORIGINAL: list[Deed] = [
    ("edit_a_message", {"which": 35}),
    ("regenerate", {"back": 0}),
    ("talk_and_memproc_is_killed", {"steps": 0, "turns": 10}),
    ("talk_run_and_import", {"turns": 6}),
    ("delete_one_of_six_or_what_stands_beside", {"slot": 7, "which": 47}),
    ("edit_a_message", {"which": 24}),
    ("restore_a_version", {"which": 0}),
    ("delete_a_memory", {"which": 0}),
    ("restore_from_the_bin", {}),
    ("restore_from_the_bin", {}),
    ("delete_a_message", {"which": 25}),
    ("restore_a_version", {"which": 0}),
    ("attach_a_picture", {"which": 65}),
    ("go_back_to_the_other_branch", {}),
    ("run_and_accept_what_is_skipped", {}),
]

A_BRANCH_IN_ONE_OF_TWO_COPIES: list[Deed] = [
    ("sync_to_the_other_device", {}),
    ("regenerate", {"back": 0}),
    ("regenerate", {"back": 1}),
    ("sync_to_the_other_device", {}),
    ("sync_back", {}),
    ("go_back_to_the_other_branch", {}),
]

A_COPY_OF_WHAT_A_SYNC_HAS_MIXED: list[Deed] = [
    ("sync_to_the_other_device", {}),
    ("talk_run_and_import", {"turns": 9}),
    ("talk_on_the_other_device", {"turns": 1}),
    ("sync_to_the_other_device", {}),
    ("sync_back", {}),
    ("restore_from_the_bin", {}),
]

THE_OTHER_CHATS_OPENING_WITHOUT_A_MARKER: list[Deed] = [
    ("sync_to_the_other_device", {}),
    ("talk_and_the_bridge_compresses", {"turns": 9}),
    ("talk", {"turns": 12}),
    ("delete_most_memories", {"which": 0}),
    ("other_sizes_of_tail_and_chunks", {"chunk": 400, "tail": 5000}),
    ("fork", {"new_uuids": False, "upto": None}),
    ("delete_a_memory", {"which": 0}),
    ("talk_and_the_bridge_compresses", {"turns": 9}),
    ("markers_are_stripped", {}),
]


@pytest.mark.parametrize(
    ("mode", "turns", "form", "deeds"),
    [
        ("keep-originals", 16, "tools", A_PASSAGE_CROSSED_OUT),
        ("replace", 24, "tools", BACK_TO_A_BRANCH_IN_A_FORK),
        ("keep-originals", 28, "json", A_FILE_AT_AN_ORIGINAL),
        ("replace", 18, "json", A_BRANCH_IN_ONE_OF_TWO_COPIES),
        ("replace", 23, "json", A_COPY_OF_WHAT_A_SYNC_HAS_MIXED),
        ("replace", 19, "tools", THE_OTHER_CHATS_OPENING_WITHOUT_A_MARKER),
    ],
    ids=[
        "the opening reads as it once did, without a passage that was crossed out",
        "a fork comes back to the branch that it left, with the raw messages under its memories",
        "a file attached to an original does not have its memory written again",
        "a message that a sync and an arrow leave twice is in the archive in both forms",
        "a copy that shows a memory and the messages under it has each of them once",
        "a fork without memories knows the opening of the other chat by its uuid",
    ],
)
def test_lives_that_once_went_wrong(mode: str, turns: int, form: str, deeds: list[Deed]) -> None:
    lives = Lives()
    lives.a_chat_begins_and_is_compressed(mode=mode, turns=turns, form=form)
    for name, given in deeds:
        getattr(lives, name)(**given)
    lives.teardown()


def test_what_an_older_export_does_not_know_of_may_come_back_by_a_sync(tmp_path: Path) -> None:
    life = Life(tmp_path / "home", "2026", "replace")
    life.person.talk(19)
    life.run()
    life.import_newest()
    life.person.talk(7)
    life.run()
    life.person.sync_to_the_other()
    life.person.talk(6)
    life.run_by_bridge()
    life.import_older(2)
    life.person.sync_to_the_other()
    life.person.sync_back()
    life.run_and_accept()
    life.close()


def test_what_a_version_that_was_put_back_does_not_know_of_may_come_back_by_a_sync(
    tmp_path: Path,
) -> None:
    life = Life(tmp_path / "home", "2026", "replace")
    life.person.talk(19)
    life.run()
    life.import_newest()
    life.person.sync_to_the_other()
    life.person.talk_elsewhere(12)
    life.person.sync_back()
    life.restore_version(0)
    life.import_newest()
    life.person.sync_to_the_other()
    life.person.sync_back()
    life.run_and_accept()
    life.close()


def test_a_fold_is_one_of_the_memories_of_which_most_are_gone(life: Life) -> None:
    life.memproc.set("fold", budget=1_500)
    life.person.talk(20)
    life.run()
    life.import_newest()
    oldest, *others = groups(life.person.messages, life.person.archive)
    assert len(others) > 1
    account = life.person.archive[life.person.chat_id]
    assert any(one.members and oldest[1] in one.editions for one in account.memories.values())
    life.person.delete_all_memories_but(0)
    life.run()
    assert life.memproc.accept(life.person.chat_id), "most of what is shown is gone, so it waits"


def test_a_version_put_back_stays_held_after_a_newer_export_was_skipped(tmp_path: Path) -> None:
    life = Life(tmp_path / "home", "2026", "replace")
    life.person.talk(21)
    life.run()
    life.import_newest()
    life.person.talk(1)
    life.run()
    life.import_newest()
    life.import_older(0)
    life.restore_version(0)
    life.person.talk(1)
    life.run()
    life.import_newest()
    life.run()
    life.close()
