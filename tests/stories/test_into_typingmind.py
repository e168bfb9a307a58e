"""What TypingMind gets from memproc: messages in its own shapes, warnings of what would hide them, and ways back."""

import json
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest

from rules.typingmind.dates import parse_date
from tests.chats import Json
from tests.stories.cycle import ENGINE, Cycle, quiet
from tests.stories.test_modes import (
    LARGE,
    MODES,
    SMALL,
    Witness,
    begin,
    expanded,
    goes_round,
    is_well,
)
from tests.stories.test_sync import meet, second_device, shown
from tests.typingmind import TypingMind
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of
from tests.typingmind.wire import read_chats

pytestmark = [pytest.mark.timeout(120), pytest.mark.variants]
CLAUDE, GPT = "claude-3-5-sonnet-20241022", "gpt-4o"


def talks_with(cycle: Cycle, model: str) -> Cycle:
    """The same chat, as if it had been held with this model from the beginning."""
    device = TypingMind(1, cycle.device.build)
    chat_id = device.begin("The lighthouse", "You are Ada, who keeps a lighthouse.", model=model)
    device.talk(chat_id, 36)
    return Cycle(cycle.person, device, chat_id)


def own(cycle: Cycle) -> list[Json]:
    """Opening, memories and closing."""
    return [
        message
        for message in cycle.messages
        if message.get("memproc", {}).get("kind", "original") != "original"
    ]


def dates(messages: Sequence[Json]) -> list[str]:
    return [message["createdAt"] for message in messages]


def are_in_typingminds_shape(cycle: Cycle, began: str) -> None:
    """Format, sections 6 and 9. `began` is the date of the first message that ever stood in the chat."""
    template = next(
        message for message in reversed(cycle.messages) if message["role"] == "assistant"
    )
    ours = own(cycle)
    for message in ours:
        assert text_of(message["content"]).strip()
        assert str(UUID(message["uuid"], version=4)) == message["uuid"]
        if message["role"] == "user":
            assert message.keys() == {"role", "uuid", "content", "createdAt", "memproc"}
            assert isinstance(message["content"], str)
        else:
            assert message.keys() == template.keys() | {"memproc"}
            assert type(message["content"]) is type(template["content"])
            assert isinstance(message["content"], str) or [
                part["type"] for part in message["content"]
            ] == ["text"]
            assert (message["model"], message["finish"]) == (template["model"], template["finish"])
            assert set(message["usage"].values()) == {0}
    live = next(message for message in cycle.messages if "memproc" not in message)
    assert dates(ours) == sorted(dates(ours))
    assert began <= dates(ours)[0] <= dates(ours)[-1] <= live["createdAt"]
    assert all(parse_date(date) and date.endswith("Z") for date in dates(ours))
    every = [message["uuid"] for message in cycle.messages]
    assert len(set(every)) == len(every)


@pytest.mark.full
@pytest.mark.parametrize("model", [CLAUDE, GPT])
@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.parametrize(
    ("mode", "budget"), [("replace", LARGE), ("keep-originals", SMALL), ("new-chat", SMALL)]
)
def test_our_messages_have_the_shape_of_the_chat_s_own(
    tmp_path: Path, mode: str, budget: int, build: Build, model: str
) -> None:
    cycle = talks_with(begin(tmp_path, mode, budget, build), model)
    began = cycle.messages[0]["createdAt"]
    for _ in range(2):
        cycle = goes_round(cycle)
        are_in_typingminds_shape(cycle, began)
        cycle.talk()


@pytest.mark.full
def test_a_chat_that_goes_on_in_a_newer_client_gets_the_newer_shape(tmp_path: Path) -> None:
    cycle = goes_round(talks_with(begin(tmp_path, "replace", build="2024"), GPT))
    before = own(cycle)
    later = TypingMind(3)
    later.bring_in(cycle.export())
    cycle = goes_round(Cycle(cycle.person, later, cycle.chat_id).talk())
    ours = own(cycle)
    new = [message for message in ours if message["uuid"] not in {one["uuid"] for one in before}]
    answers = [message for message in new if message["role"] == "assistant"]
    assert answers
    assert all("metaBlobs" in message for message in answers)
    assert dates(ours) == sorted(dates(ours))


def test_nothing_of_what_the_person_did_to_the_newest_answer_is_copied(tmp_path: Path) -> None:
    cycle = begin(tmp_path, "replace")
    cycle.device.pin(cycle.chat_id, -1)
    cycle.messages[-1] |= {
        "tool_calls": [{"id": "t"}],
        "tmMetadata": {"incomplete": False},
        "reasoning_content": "Hm.",
    }
    cycle = goes_round(cycle)
    keys = {key for message in own(cycle) for key in message}
    assert not keys & {"isPinned", "tool_calls", "tmMetadata", "reasoning_content", "updatedAt"}


@pytest.mark.full
@pytest.mark.parametrize("budget", [LARGE, SMALL])
def test_in_a_fork_with_one_date_for_all_ours_bear_that_date(tmp_path: Path, budget: int) -> None:
    cycle = begin(tmp_path, "replace", budget, "2024")
    fork = cycle.of(cycle.device.fork(cycle.chat_id))
    (date,) = {message["createdAt"] for message in fork.messages}
    fork = goes_round(fork)
    assert {message["createdAt"] for message in fork.messages} == {date}
    fork = goes_round(fork.talk())
    is_well(fork)
    assert dates(fork.messages) == sorted(dates(fork.messages))
    quiet(fork)


def told(cycle: Cycle) -> list[str]:
    """What `plan` and `run` warn of; both say the same."""
    path = cycle.person.drop(cycle.export(), f"{cycle.chat_id}.json")
    planned, done = cycle.person.memproc("plan", path), cycle.person.memproc("run", path)
    assert (planned.code, done.code) == (0, 0), (planned.err, done.err)
    found = warnings(planned.out, "  Note: ")
    assert warnings(done.out, "The lighthouse: note: ") == found
    return found


def warnings(printed: str, mark: str) -> list[str]:
    """The lines that begin with the mark, without it."""
    return [line.removeprefix(mark) for line in printed.splitlines() if line.startswith(mark)]


@pytest.mark.full
def test_a_plain_chat_is_warned_of_nothing(tmp_path: Path) -> None:
    assert told(begin(tmp_path, "replace")) == []


@pytest.mark.full
def test_a_context_limit_hides_the_memories_and_is_told(tmp_path: Path) -> None:
    cycle = begin(tmp_path, "replace")
    cycle.device.chat(cycle.chat_id)["chatParams"]["contextLimit"] = 20
    (warning,) = told(cycle)
    assert warning.endswith("Set the limit to 0 in the chat's model settings.")
    cycle.imports()
    assert own(cycle)[0]["content"] not in str(cycle.device.what_is_sent(cycle.chat_id))


@pytest.mark.full
def test_an_answer_that_was_being_written_is_told(tmp_path: Path) -> None:
    cycle = begin(tmp_path, "replace")
    cycle.device.chat(cycle.chat_id)["savedControllerState"] = {"status": "running"}
    (warning,) = told(cycle)
    assert warning.endswith("Export it again when the answer is complete.")


@pytest.mark.full
def test_a_chat_that_is_too_large_for_sync_is_told_until_it_is_compressed(tmp_path: Path) -> None:
    cycle = begin(tmp_path, "replace")
    picture = {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64," + "A" * 3_200_000},
    }
    cycle.messages[2]["content"].append(picture)
    (warning,) = told(cycle)
    assert warning.startswith("The chat has 3.1 MiB")
    assert told(cycle.imports().talk()) == []


@pytest.mark.full
def test_a_summary_of_typingminds_own_is_told_by_what_it_hides(tmp_path: Path) -> None:
    cycle = begin(tmp_path, "replace")
    live = cycle.messages[-6]["uuid"]
    cycle.messages.insert(-5, summary_upto(live))
    (warning,) = told(cycle)
    assert "memories before that message are not sent" in warning
    assert 'Turn off "Auto summarize long conversations"' in warning
    (named,) = (message for message in cycle.imports().messages if message.get("uuid") == live)
    cycle.messages.remove(named)
    (warning,) = told(cycle.talk())
    assert "the next summary would stand in the place of the memories" in warning


def summary_upto(uuid: str) -> Json:
    said = {
        "content": "<CONVERSATION_SUMMARY>So it was.</CONVERSATION_SUMMARY>",
        "contextCutOffAtUUID": uuid,
    }
    return {
        "type": "tm_context_summary",
        "contextSummary": said | {"summarizedMessagesCount": 9},
        "usage": None,
    }


@pytest.mark.full
def test_memories_and_live_messages_that_exceed_the_window_are_told_with_what_to_do(
    tmp_path: Path,
) -> None:
    """gpt-4 reads 8,192 tokens, and TypingMind keeps a fifth of them free."""
    cycle = Cycle.begin(tmp_path, size=1200)
    cycle.device.chat(cycle.chat_id)["modelInfo"]["id"] = "gpt-4"
    (warning,) = told(cycle)
    assert "than TypingMind sends to a window of 8,192" in warning
    assert "Lower tail.tokens or fold.budget in memproc.toml" in warning
    cycle.imports()
    opening = text_of(own(cycle)[0]["content"])
    assert opening not in str(cycle.device.what_is_sent(cycle.chat_id, window=8_192)), (
        "so it would be"
    )

    smaller = Cycle.begin(
        tmp_path / "smaller", size=400, settings=f"{ENGINE}[fold]\nbudget = {SMALL}\n"
    )
    smaller.device.chat(smaller.chat_id)["modelInfo"]["id"] = "gpt-4"
    assert told(smaller) == []
    smaller.imports()
    assert opening in smaller.device.what_is_sent(smaller.chat_id, window=8_192)[1]["content"]


@pytest.mark.full
@pytest.mark.parametrize("mode", MODES)
def test_the_expanded_chat_can_be_imported_and_compressed_again_for_nothing(
    tmp_path: Path, mode: str
) -> None:
    witness = Witness()
    cycle = goes_round(witness.looks(begin(tmp_path, mode)))
    cycle = goes_round(witness.looks(cycle.talk()))
    texts, calls = cycle.texts(), cycle.calls()
    raw = expanded(cycle)
    assert raw == [*witness.seen.values()]
    path = tmp_path / "whole.json"
    assert cycle.person.memproc("expand", cycle.chat_id, "--output", path).code == 0
    cycle.device.bring_in(path.read_bytes())
    assert [json.loads(message) for message in raw] == cycle.messages
    (chat,) = read_chats(path.read_bytes())
    deleted = (chat.get("syncMetadata") or {}).get("deletedMessageUUIDs") or []
    assert not set(deleted) & {message["uuid"] for message in cycle.messages}, (
        "what is there is not named as deleted"
    )
    ended = cycle.hand_in()
    assert (ended.code, ended.err) == (0, "")
    cycle.imports()
    assert [*cycle.texts().values()] == [*texts.values()]
    assert cycle.calls() == calls, "nobody is asked again"
    is_well(cycle)
    quiet(cycle)


def test_the_expanded_chat_stays_expanded_on_another_device(tmp_path: Path) -> None:
    cycle = goes_round(begin(tmp_path, "replace"))
    other = second_device(cycle)
    path = tmp_path / "whole.json"
    assert cycle.person.memproc("expand", cycle.chat_id, "--output", path).code == 0
    cycle.device.bring_in(path.read_bytes())
    before = shown(cycle)
    meet(cycle, other)
    assert shown(other) == shown(cycle) == before


@pytest.mark.full
@pytest.mark.parametrize("mode", MODES)
def test_an_older_version_is_shown_first_then_restored_and_the_chat_goes_on_from_there(
    tmp_path: Path, mode: str
) -> None:
    cycle = goes_round(begin(tmp_path, mode))
    cycle = goes_round(cycle.talk())
    cycle = goes_round(cycle.talk())
    person = cycle.person
    now, kept = cycle.updated().read_bytes(), versions(cycle)
    number = next(v["number"] for v in kept if v["kind"] == "updated")
    before = person.bytes_of_everything()
    dry = person.memproc("restore", cycle.chat_id, str(number))
    assert (dry.code, dry.err) == (0, "")
    assert "now: " in dry.out
    assert "then: " in dry.out
    assert "Nothing was changed" in dry.out
    assert person.bytes_of_everything() == before

    ended = person.memproc("restore", cycle.chat_id, str(number), "--yes")
    assert (ended.code, ended.err) == (0, "")
    after = versions(cycle)
    assert {v["sha256"] for v in kept} < {v["sha256"] for v in after}, (
        "nothing is pruned, and the present is kept"
    )
    assert cycle.updated().read_bytes() != now
    assert person.memproc("verify").code == 0
    assert "fork the chat in TypingMind first" in ended.out
    texts = cycle.imports().texts()
    aside = cycle.hand_in()
    assert aside.code == 1, "what came after is not taken for deleted"
    assert "fork the chat in TypingMind" in aside.err

    fork = goes_round(cycle.of(cycle.device.fork(cycle.chat_id)).talk())
    assert [*fork.texts().values()][: len(texts)] == [*texts.values()]
    is_well(fork)
    quiet(fork)


@pytest.mark.full
def test_the_first_original_of_a_chat_that_became_a_new_one_is_restored_into_a_file_of_its_own(
    tmp_path: Path,
) -> None:
    old = begin(tmp_path, "new-chat")
    export = old.export()
    new = goes_round(old)
    file = new.updated().read_bytes()
    assert old.person.memproc("restore", old.chat_id, "1", "--yes").code == 0
    assert old.updated().read_bytes() == export
    assert new.updated().read_bytes() == file
    assert old.person.memproc("verify").code == 0


def versions(cycle: Cycle) -> list[Json]:
    found: list[Json] = json.loads(cycle.person.memproc("versions", cycle.chat_id, "--json").out)[
        "versions"
    ]
    return found
