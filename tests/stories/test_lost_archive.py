"""The archive is lost, or the computer is a new one; the life of the conversation goes on ."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.stories import reports
from tests.stories.cycle import ENGINE, Cycle, quiet, stand
from tests.stories.daemon import running as daemon_runs
from tests.stories.person import Person


def lose(cycle: Cycle, *more: str) -> Path:
    """The state folder is gone, and these folders; where they were put, for comparisons."""
    lost = cycle.person.home / "lost"
    lost.mkdir()
    for name in ("state", *more):
        shutil.move(cycle.person.home / name, lost / name)
    return lost


def rebuilt(cycle: Cycle) -> dict[str, Any]:
    """What `memproc rebuild` reports, which passes nothing over."""
    ended = cycle.person.memproc("rebuild", "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert isinstance(found, dict)
    return found


def raw(cycle: Cycle) -> list[str]:
    """The raw conversation in the archive, character for character."""
    return reports.raw_texts(cycle.person, cycle.chat_id)


def known(cycle: Cycle) -> list[dict[str, Any]]:
    """The memories as the updated export shows them; who wrote them no marker tells."""
    found = cycle.everything()
    for memory in found:
        del memory["in_prompts"], memory["editions"]
        for key in ("agent", "context_manager", "requests", "written_at"):
            memory["edition"].pop(key, None)
        for quote in memory["edition"]["quotes"]:
            del quote["chosen"], quote["tokens"]
    return found


def next_round(cycle: Cycle, content: bytes) -> dict[str, Any]:
    """The chat that memproc writes of this export."""
    ended = cycle.hand_in(content)
    assert (ended.code, ended.err) == (0, "")
    assert "1 written" in ended.out, ended.out
    (chat,) = json.loads(cycle.updated().read_bytes())["data"]["chats"]
    assert isinstance(chat, dict)
    return chat


def goes_on_as_before(cycle: Cycle) -> None:
    """Lose the archive, rebuild it, and go one round further; then the same round in the life without a loss.

    Every message of the output is the same, to its uuid and date; of the chat only `updatedAt` is another.
    """
    bounds, memories, messages = cycle.bounds(), known(cycle), raw(cycle)
    before = cycle.updated().read_bytes()
    lost = lose(cycle)
    rebuilt(cycle)
    assert (cycle.bounds(), known(cycle), raw(cycle)) == (bounds, memories, messages)
    quiet(cycle)
    assert cycle.calls() == 0
    content = cycle.talk().export()
    after_loss = next_round(cycle, content)
    assert [bound for bound in cycle.bounds() if bound[0] <= bounds[-1][0]] == bounds

    shutil.rmtree(cycle.person.home / "state")
    shutil.move(lost / "state", cycle.person.home / "state")
    cycle.updated().write_bytes(before)
    undisturbed = next_round(cycle, content)
    assert {key for key in undisturbed if undisturbed[key] != after_loss.get(key)} <= {"updatedAt"}
    assert undisturbed.keys() == after_loss.keys()


def test_two_rounds_a_lost_archive_and_the_third_as_if_nothing_had_happened(
    tmp_path: Path,
) -> None:
    goes_on_as_before(Cycle.lived(tmp_path, rounds=2))


def goes_on_with_what_stands(cycle: Cycle) -> None:
    """Lose the archive, rebuild it, and go one round further: what is shown stands, and no raw message is lost."""
    shown, texts, messages = cycle.shown(), cycle.texts(), raw(cycle)
    lose(cycle)
    rebuilt(cycle)
    assert [memory["memory_id"] for memory in cycle.everything()] == shown
    assert set(messages) <= set(raw(cycle))
    quiet(cycle)
    assert cycle.calls() == 0
    cycle.talk().goes_round()
    assert {name: cycle.texts()[name] for name in shown if name in cycle.texts()} == {
        name: text for name, text in texts.items() if name in cycle.texts()
    }
    assert cycle.person.memproc("verify").code == 0


@pytest.mark.long
def test_what_the_person_did_to_memories_and_messages_stands(tmp_path: Path) -> None:
    """What they have forgotten is not shown, and its raw messages are kept; so are messages that they have deleted."""
    cycle = Cycle.lived(tmp_path)
    _, edited, deleted, *_ = cycle.names()
    cycle.device.edit(cycle.chat_id, cycle.at(edited, 4), "I see it my own way.")
    cycle.forget(deleted).talk().goes_round()
    cycle.device.edit(cycle.chat_id, cycle.live()[-5], "I meant something else.")
    cycle.device.delete(cycle.chat_id, cycle.live()[-3])
    goes_on_with_what_stands(cycle.talk().goes_round())
    by_name = {memory["memory_id"]: memory for memory in cycle.memories()}
    assert by_name[edited]["pinned"]
    assert deleted not in by_name


@pytest.mark.full
def test_a_memory_gets_back_its_messages_without_those_that_the_person_had_deleted_among_them(
    tmp_path: Path,
) -> None:
    cycle = Cycle.lived(tmp_path)
    deleted = [cycle.messages[at]["uuid"] for at in cycle.live()[-2:]]
    for _ in deleted:
        cycle.device.delete(cycle.chat_id, cycle.live()[-1])
    for _ in range(4):
        cycle.talk().goes_round()
    bounds, messages = cycle.bounds(), raw(cycle)
    lose(cycle)
    assert rebuilt(cycle)["chats"][0]["without_messages"] == 0
    assert cycle.bounds() == bounds
    assert not {key for _, _, key in bounds} & {*deleted}
    assert raw(cycle) == messages
    quiet(cycle)


@pytest.mark.long
def test_originals_that_are_kept_beside_their_memories_come_back(tmp_path: Path) -> None:
    settings = ENGINE + '[output]\nmode = "keep-originals"\n'
    goes_on_as_before(
        Cycle.begin(tmp_path / "ada", settings=settings).goes_round().talk(60).goes_round()
    )


@pytest.mark.long
def test_folds_stand_for_themselves(tmp_path: Path) -> None:
    cycle = Cycle.begin(tmp_path / "ada", settings=ENGINE + "[fold]\nbudget = 1800\n").goes_round()
    for _ in range(2):
        cycle.talk().goes_round()
    assert any(memory["members"] for memory in cycle.everything())
    goes_on_with_what_stands(cycle)


@pytest.mark.full
def test_a_fold_whose_memories_no_file_shows_stands_for_itself(tmp_path: Path) -> None:
    cycle = Cycle.begin(
        tmp_path / "ada", turns=60, settings=ENGINE + "[fold]\nbudget = 2000\n"
    ).goes_round()
    shown, messages = cycle.shown(), raw(cycle)
    lose(cycle)
    assert rebuilt(cycle)["chats"][0]["without_messages"] == 0
    assert raw(cycle) == messages
    assert [memory["memory_id"] for memory in cycle.memories()] == shown
    quiet(cycle)
    assert cycle.talk().goes_round().person.memproc("verify").code == 0


@pytest.mark.long
def test_a_fork_and_its_origin_come_back_each_with_memories_of_its_own(tmp_path: Path) -> None:
    cycle = Cycle.begin(tmp_path / "ada", "2024").goes_round()
    fork = cycle.of(cycle.device.fork(cycle.chat_id)).talk().goes_round()
    origin = (cycle.bounds(), known(cycle), raw(cycle))
    assert not set(fork.names()) & set(cycle.names())
    goes_on_as_before(fork)
    shutil.rmtree(cycle.person.home / "state")
    rebuilt(cycle)
    assert (cycle.bounds(), known(cycle), raw(cycle)) == origin


@pytest.mark.full
def test_a_fork_comes_back_with_the_days_on_which_its_messages_were_said(tmp_path: Path) -> None:
    cycle = Cycle.begin(tmp_path / "ada", "2024")
    fork = cycle.of(cycle.device.fork(cycle.chat_id))
    cycle.goes_round()
    fork.goes_round()
    memories, messages = known(fork), raw(fork)
    lose(fork)
    rebuilt(fork)
    assert (known(fork), raw(fork)) == (memories, messages)
    quiet(fork)


@pytest.mark.full
def test_memories_in_a_new_chat_come_back_for_the_old_chat_and_for_the_new_one(
    tmp_path: Path,
) -> None:
    cycle = Cycle.begin(tmp_path / "ada", settings=ENGINE + '[output]\nmode = "new-chat"\n')
    assert cycle.hand_in().code == 0
    old, before = known(cycle), stand(cycle)
    shutil.rmtree(cycle.person.home / "state")
    rebuilt(cycle)
    assert known(cycle) == old
    assert "unchanged: its updated export is in its place already" in cycle.hand_in().out
    assert stand(cycle) == before
    cycle.device.bring_in(cycle.person.updated()[0].read_bytes())
    (new,) = set(cycle.device.chats) - {cycle.chat_id}
    goes_on_as_before(cycle.of(new).talk().goes_round())


@pytest.mark.long
def test_messages_that_no_file_holds_are_lost_and_their_memories_stay(tmp_path: Path) -> None:
    cycle = Cycle.lived(tmp_path)
    held = {message["uuid"]: message for message in cycle.expanded()}
    cycle.talk(60).goes_round()  # most of these went under memories before any file showed them
    held |= {message["uuid"]: message for message in cycle.messages if "memproc" not in message}
    cycle.talk(2).goes_round()
    held |= {message["uuid"]: message for message in cycle.messages if "memproc" not in message}
    names = cycle.names()
    lose(cycle)
    (chat,) = rebuilt(cycle)["chats"]
    assert 0 < chat["without_messages"] < chat["memories"] == len(names) == len(cycle.names())
    assert cycle.names() == names
    assert cycle.expanded() == list(held.values())
    quiet(cycle)
    cycle.talk().goes_round()
    assert cycle.names()[: len(names)] == names
    assert {message["uuid"] for message in cycle.expanded()} >= held.keys()


@pytest.mark.long
def test_an_export_that_the_person_still_has_brings_back_what_no_backup_holds(
    tmp_path: Path,
) -> None:
    cycle = Cycle.lived(tmp_path).talk(60)
    export = tmp_path / "kept by the person.json"
    export.write_bytes(cycle.export())
    cycle.goes_round()
    bounds, messages = cycle.bounds(), raw(cycle)
    lose(cycle)
    assert rebuilt(cycle)["chats"][0]["without_messages"] > 0
    assert cycle.person.memproc("rebuild", export).code == 0
    assert (cycle.bounds(), raw(cycle)) == (bounds, messages)
    quiet(cycle)


@pytest.mark.full
def test_without_any_backup_memories_stay_as_they_are_and_the_work_goes_on(tmp_path: Path) -> None:
    cycle = Cycle.lived(tmp_path, rounds=2)
    texts, names, bounds, messages = cycle.texts(), cycle.names(), cycle.bounds(), raw(cycle)
    lost = lose(cycle, "backups")
    cycle.talk().goes_round()
    assert {name: cycle.texts()[name] for name in names} == texts
    assert len(cycle.names()) > len(names)
    assert [memory["memory_id"] for memory in cycle.memories() if not memory["keys"]] == names
    quiet(cycle)

    shutil.copytree(lost / "backups", cycle.person.home / "backups", dirs_exist_ok=True)
    (chat,) = rebuilt(cycle)["chats"]
    assert (chat["found_again"], chat["memories"]) == (len(names), 0)
    assert cycle.bounds()[: len(bounds)] == bounds
    assert raw(cycle)[: len(messages)] == messages
    quiet(cycle)


@pytest.mark.full
def test_beside_an_archive_that_knows_everything_nothing_is_added_and_nothing_is_changed(
    tmp_path: Path,
) -> None:
    cycle = Cycle.lived(tmp_path, rounds=2)
    before = everything(cycle)
    report = rebuilt(cycle)
    assert (report["chats"], report["passed_over"]) == ([], [])
    assert everything(cycle) == before


def everything(cycle: Cycle) -> tuple[Any, ...]:
    """All that the archive tells of its one chat, and the file that it is."""
    archive = (cycle.person.home / "state" / "archive.sqlite3").read_bytes()
    chats = reports.report(cycle.person, "chats")["chats"]
    return chats, cycle.everything(), raw(cycle), stand(cycle), archive


@pytest.mark.long
def test_an_older_copy_of_the_archive_gets_what_came_after_it(tmp_path: Path) -> None:
    cycle = Cycle.lived(tmp_path)
    copy = shutil.copytree(cycle.person.home / "state", tmp_path / "copy")
    old = known(cycle)
    cycle.talk().goes_round().talk().goes_round()
    bounds, messages = cycle.bounds(), raw(cycle)
    shutil.rmtree(cycle.person.home / "state")
    shutil.copytree(copy, cycle.person.home / "state")
    rebuilt(cycle)
    assert (cycle.bounds(), raw(cycle)) == (bounds, messages)
    assert known(cycle)[: len(old)] == old
    again = rebuilt(cycle)
    assert (again["chats"], again["passed_over"]) == ([], [])
    assert again["notes"][0].startswith("Nothing was added: the archive has all")
    quiet(cycle)


def test_a_whole_backup_comes_back_where_only_its_line_in_the_index_is_damaged(
    tmp_path: Path,
) -> None:
    cycle = Cycle.lived(tmp_path)
    before = raw(cycle)
    index = cycle.person.home / "backups" / "INDEX.tsv"
    sound = index.read_text()
    (line,) = [line for line in sound.splitlines() if "\toriginal\t" in line]
    columns = line.split("\t")
    columns[4] = columns[4][::-1]
    index.write_text(sound.replace(line, "\t".join(columns)))
    assert cycle.person.memproc("verify").code == 1
    lose(cycle)
    rebuilt(cycle)
    assert raw(cycle) == before


@pytest.mark.full
def test_a_damaged_backup_is_passed_over_and_named(tmp_path: Path) -> None:
    cycle = Cycle.lived(tmp_path, rounds=2)
    names = cycle.names()
    (version,) = (cycle.person.home / "backups" / "versions").rglob("*.gz")
    version.write_bytes(version.read_bytes()[:-9])
    lose(cycle)
    ended = cycle.person.memproc("rebuild")
    assert ended.code == 1
    assert str(version) in ended.err
    assert cycle.names() == names


@pytest.mark.full
@pytest.mark.parametrize("running", [pytest.param(False, marks=pytest.mark.full), True])
def test_a_new_computer_goes_on_where_the_old_one_was(tmp_path: Path, running: bool) -> None:
    old = Cycle.lived(tmp_path, rounds=2)
    parcel = tmp_path / "all.zip"
    if running:
        with daemon_runs(old.person):
            assert old.person.memproc("export-archive", parcel).code == 0
    else:
        assert old.person.memproc("export-archive", parcel).code == 0
    here = Person(tmp_path / "new", tail=1600, step=400, chunk=400)
    here.settings(ENGINE)
    new = Cycle(here, old.device, old.chat_id)
    assert here.memproc("import-archive", parcel).code == 0
    assert not here.updated()
    taken = here.memproc("import-archive", parcel, "--yes")
    assert (taken.code, taken.err) == (0, "")
    assert (new.bounds(), known(new), raw(new), new.calls()) == (
        old.bounds(),
        known(old),
        raw(old),
        old.calls(),
    )
    quiet(new)
    content = old.talk().export()
    assert next_round(new, content)["messages"] == next_round(old, content)["messages"]
    assert here.memproc("versions", new.chat_id).out.count("\n") == old.person.memproc(
        "versions", old.chat_id
    ).out.count("\n")
