"""Bounded memory: folds keep the section within its budget, with their quotes word for word, in every life."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from daemon.models.tokens import count
from rules.conversation.memory_title import read_numbers
from rules.conversation.short_quotes import one_sentence
from tests.chats import CHAT_ID, Json, export_bytes, long_chat, texts
from tests.groups import groups_of
from tests.server.request import Request
from tests.stories.person import Person
from tests.stories.reports import Record
from tests.stories.rounds import ENGINE, SCRIPTED, Life, asked, going_on_from, life

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("groups_of_three")]
FIRST_ROUND, ROUND = 6_500, 3_200
ROUNDS = [FIRST_ROUND] + [ROUND] * 6
BUDGET, GROUP = 1500, 3
FOLD = f"budget = {BUDGET}"
NO_HINDSIGHT = "hindsight = 0"
TAGGED = ("<context_manager>", "<system>")


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A life of seven rounds with a small budget. Nobody may change it."""
    with life(tmp_path_factory.mktemp("lived") / "aria", memory=NO_HINDSIGHT, fold=FOLD) as aria:
        for tokens in ROUNDS:
            aria.round(tokens)
        yield aria


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A life in which the oldest six memories, and three younger ones, are folded. Nobody may change it."""
    with life(tmp_path_factory.mktemp("begun") / "aria", memory=NO_HINDSIGHT, fold=FOLD) as aria:
        for tokens in (FIRST_ROUND, ROUND, ROUND):
            aria.round(tokens)
        assert {memory.level for memory in aria.folds()} == {2}
        yield aria


@pytest.fixture
def aria(begun: Life, tmp_path: Path) -> Iterator[Life]:
    """The same, to go on from there."""
    with going_on_from(begun, tmp_path / "aria") as aria:
        yield aria


def section(life: Life) -> dict[str, list[Json]]:
    """The messages of each memory and fold as the person has them in TypingMind, in their order."""
    found: dict[str, list[Json]] = {}
    for message in life.device.messages(life.chat_id):
        marker = message.get("memproc", {})
        if marker.get("kind") == "memory":
            found.setdefault(marker["memory"], []).append(message)
    return found


def tokens_of(life: Life) -> int:
    """The size of the section without its quotes and lists, which the budget does not count."""
    told = [
        without_lists(text)
        for messages in section(life).values()
        for slot, text in enumerate(texts(messages))
        if slot != 1
    ]
    return sum(map(count, told))


def without_lists(text: str) -> str:
    """A refinement without what was asked and promised, which ends it."""
    return text.partition("\n\nYou asked me:")[0].partition("\n\nStill open:")[0]


def written(life: Life) -> list[str]:
    """The texts of the whole chat as the person has it in TypingMind."""
    return texts(life.device.messages(life.chat_id))


def prompts(life: Life) -> Counter[str]:
    """What models were asked, whatever the order."""
    return Counter(request.key for request in life.server.requests)


def covered(life: Life, names: Collection[str]) -> list[int]:
    """The numbers of the chunk memories that these memories and folds stand for, in their order."""
    by_id = {memory.memory_id: memory for memory in life.all()}

    def under(memory: Record) -> list[int]:
        return (
            [n for name in memory.members for n in under(by_id[name])]
            if memory.members
            else [memory.number]
        )

    return [number for name in names for number in under(by_id[name])]


def told(request: Request) -> list[str]:
    """What stands between opening and closing in a request: memories, six messages each."""
    turns = [turn.text for turn in request.turns]
    edges = [at for at, text in enumerate(turns) if text.startswith("<system>")]
    return turns[edges[0] + 1 : edges[1]] if edges else []


@pytest.mark.long
def test_the_section_never_exceeds_its_budget(tmp_path: Path) -> None:
    with life(tmp_path / "aria", fold=FOLD) as aria:
        levels = set()
        for tokens in ROUNDS:
            aria.round(tokens)
            assert 0 < tokens_of(aria) <= BUDGET
            levels |= {messages[0]["memproc"]["level"] for messages in section(aria).values()}
            assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]
            assert aria.round() == []
        assert levels >= {1, 2, 3}
        assert aria.person.memproc("verify").code == 0


@pytest.mark.full
def test_with_a_growing_budget_ten_rounds_ask_and_write_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rules.plan.fold_budget.LEAST", 500)  # a tenth of it takes long to come to
    fold = 'budget = "auto"'
    with (
        life(tmp_path / "once", memory=NO_HINDSIGHT, fold=fold) as once,
        life(tmp_path / "often", memory=NO_HINDSIGHT, fold=fold) as often,
    ):
        for tokens in (FIRST_ROUND, *[1_000] * 9):
            once.talk(tokens)
            often.round(tokens)
        once.round()

        raw = [memory.source_tokens for memory in often.memories()]
        assert sum(raw) // 10 > 500, "the budget has grown"
        assert 0 < tokens_of(often) <= max(500, sum(raw) // 10)
        assert often.folds()
        assert written(often) == written(once)
        assert prompts(often) == prompts(once)


@pytest.mark.full
def test_a_fold_has_the_six_messages_of_a_memory_and_says_what_it_stands_for(lived: Life) -> None:
    folds = {memory.memory_id: memory for memory in lived.folds()}
    raw = {memory.memory_id: memory for memory in lived.memories()}
    shown = {name: messages for name, messages in section(lived).items() if name in folds}
    assert len(shown) > 1
    for name, messages in shown.items():
        fold = folds[name]
        assert [message["role"] for message in messages] == ["user", "assistant"] * 3
        assert [text.startswith("<context_manager>") for text in texts(messages)] == [
            True,
            False,
        ] * 3
        below = [one for one in raw.values() if one.number in covered(lived, [name])]
        keys = [key for one in below for key in one.keys]
        assert fold.keys == keys
        for slot, message in enumerate(messages, 1):
            marker = message["memproc"]
            assert (marker["level"], marker["slot"], marker["made"]) == (fold.level, slot, "model")
            assert (marker["first"], marker["last"], marker["messages"]) == (
                below[0].first,
                below[-1].last,
                len(keys),
            )
            assert below[0].began_at and below[-1].ended_at
            assert below[0].began_at <= message["createdAt"] <= below[-1].ended_at


@pytest.mark.full
def test_quotes_are_carried_word_for_word(lived: Life) -> None:
    numbered = {memory.number: memory for memory in lived.memories()}
    for fold in lived.folds():
        carried = list(fold.edition.quotes)
        assert carried == [
            numbered[number].edition.quotes[0] for number in covered(lived, [fold.memory_id])
        ]
        assert fold.edition.texts[1] == "\n\n".join(quote.lead + quote.text for quote in carried)
        for quote in carried:
            assert any(quote.text in text for text in lived.said)
    assert {fold.level for fold in lived.folds()} >= {2, 3}


@pytest.mark.full
def test_every_quote_stands_in_the_export_at_every_level_of_folding(lived: Life) -> None:
    shown = "\n\n".join(
        text for messages in section(lived).values() for text in texts(messages)[1:2]
    )
    assert len(lived.memories()) > len(section(lived))
    for memory in lived.memories():
        (quote,) = memory.edition.quotes
        assert quote.text in shown, f"the quote of memory {memory.number}"


@pytest.mark.full
def test_memories_and_folds_are_called_by_numbers_that_no_other_has(lived: Life) -> None:
    titles = {memory.memory_id: read_numbers(memory.in_prompts.texts[0]) for memory in lived.all()}
    assert [titles[memory.memory_id] for memory in lived.memories()] == [
        (memory.number, memory.number) for memory in lived.memories()
    ]
    for fold in lived.folds():
        below = covered(lived, [fold.memory_id])
        assert titles[fold.memory_id] == (below[0], below[-1])


@pytest.mark.full
def test_where_quotes_take_too_much_the_older_ones_shrink_to_a_sentence_and_come_back(
    aria: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = section_texts(aria)
    monkeypatch.setattr("rules.conversation.short_quotes.QUOTE_TOKENS", 0)
    plan = aria.plan()
    assert plan["calls"] == 0
    assert "more than the 0 meant for them" in plan["over_budget"]
    assert "none of them is dropped" in plan["over_budget"]
    assert aria.round() == []
    folds = {memory.memory_id for memory in aria.folds()}
    for name, messages in section(aria).items():
        memory = next(memory for memory in aria.all() if memory.memory_id == name)
        kept = [
            quote.lead + one_sentence(quote.text) if name in folds else quote.lead + quote.text
            for quote in memory.edition.quotes
        ]
        assert texts(messages)[1] == "\n\n".join(kept)
        assert memory.edition.kind == "as-of", (
            "what memproc has shortened is no edit of the person's"
        )
    assert aria.round() == [], "and it stays so"
    assert aria.person.memproc("verify").code == 0
    monkeypatch.setattr("rules.conversation.short_quotes.QUOTE_TOKENS", 8_000)
    assert aria.round() == []
    assert section_texts(aria) == whole


@pytest.mark.full
def test_a_larger_budget_brings_memories_back_without_a_call_and_a_smaller_one_folds_them_again(
    aria: Life,
) -> None:
    folded = section_texts(aria)
    asked_until_now = len(aria.server.requests)
    for budget, unfolded in (
        (16_000, True),
        (BUDGET, False),
        (1_800, False),
        (16_000, True),
        (BUDGET, False),
    ):
        aria.settings(fold=f"budget = {budget}")
        assert aria.plan()["calls"] == 0
        assert aria.round() == []
        assert tokens_of(aria) <= budget
        assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]
        if unfolded:
            assert list(section(aria)) == [memory.memory_id for memory in aria.memories()]
    assert section_texts(aria) == folded
    assert len(aria.server.requests) == asked_until_now
    assert aria.person.memproc("verify").code == 0


def section_texts(life: Life) -> list[list[str]]:
    return [texts(messages) for messages in section(life).values()]


@pytest.mark.long
def test_many_rounds_and_a_single_one_ask_the_same_and_end_the_same(
    lived: Life, tmp_path: Path
) -> None:
    with life(tmp_path / "at once", memory=NO_HINDSIGHT, fold=FOLD) as at_once:
        for tokens in ROUNDS:
            at_once.talk(tokens)
        at_once.drop()
        at_once.run()
        assert at_once.said == lived.said
        assert sorted(bodies(at_once.server.requests, "chunk")) == sorted(
            bodies(lived.server.requests, "chunk")
        )
        assert set(bodies(at_once.server.requests, "fold")) == set(
            bodies(lived.server.requests, "fold")
        )
        assert section_texts(at_once) == section_texts(lived)
        assert list(section(at_once)) == list(section(lived))


def bodies(requests: Sequence[Request], about: str) -> list[str]:
    """What is asked; in which order, and where a provider's cache may break off, depends on the folds foreseen."""
    each = [
        json.dumps(request.body, ensure_ascii=False)
        for request in requests
        if asked(request).about == about
    ]
    return [body.replace(', "cache_control": {"type": "ephemeral"}', "") for body in each]


def _but_the_quotes(texts: Sequence[str]) -> tuple[str, ...]:
    """A memory as later prompts have it, in which a fold shows two of its quotes and some of its lists."""
    return (texts[0], *texts[2:5], without_lists(texts[5]))


@pytest.mark.full
def test_later_memories_are_told_of_folds_as_they_stood_then(lived: Life) -> None:
    by_id = {memory.memory_id: memory for memory in lived.all()}
    named = {_but_the_quotes(memory.edition.texts): memory.memory_id for memory in by_id.values()}
    seen = set()
    first = [
        one
        for one in lived.server.requests
        if (asked(one).about, asked(one).step) == ("chunk", "quote")
    ]
    for number, request in enumerate(first, 1):
        messages = told(request)
        each = [_but_the_quotes(messages[at : at + 6]) for at in range(0, len(messages), 6)]
        assert sum(count(text) for texts in each for text in texts) <= BUDGET
        names = [named[texts] for texts in each]
        numbers = covered(lived, names)
        assert numbers == list(range(1, len(numbers) + 1)), (
            "all that was before the tail, once, in order"
        )
        assert len(numbers) < number
        seen |= {by_id[name].level for name in names}
    assert seen >= {1, 2, 3}


@pytest.mark.long
def test_the_plan_counts_the_folds_before_anything_is_sent(tmp_path: Path) -> None:
    with life(tmp_path / "aria", memory=NO_HINDSIGHT, fold=FOLD) as aria:
        made = planned = calls = asked_for = 0
        for tokens in ROUNDS:
            aria.talk(tokens)
            aria.drop()
            plan = aria.plan()
            before = len(aria.folds()) if aria.person.updated() else 0
            requests = aria.run()
            new = len(aria.folds()) - before
            assert abs(len(plan["folds"]) - new) <= 1
            made, planned = made + new, planned + len(plan["folds"])
            calls, asked_for = calls + plan["calls"], asked_for + len(requests)
        assert made > 5
        assert abs(planned - made) <= made // 3
        assert abs(calls - asked_for) <= asked_for // 20


@pytest.mark.long
def test_without_a_model_the_engine_folds_and_says_so(tmp_path: Path) -> None:
    with life(tmp_path / "aria", fold="budget = 3000") as aria:
        aria.models = ENGINE
        aria.settings()
        for tokens in ROUNDS[:4]:
            assert aria.round(tokens) == []
            assert tokens_of(aria) <= 3000
        marks = [message["memproc"] for messages in section(aria).values() for message in messages]
        assert {mark["made"] for mark in marks} == {"extracted"}
        assert max(mark["level"] for mark in marks) > 1
        assert {fold.edition.made for fold in aria.folds()} == {"extracted"}
        assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]


@pytest.mark.full
def test_a_fold_that_the_person_edits_is_pinned_and_told(aria: Life) -> None:
    fold = next(memory for memory in aria.folds() if memory.memory_id in section(aria))
    mine = "I kept the light that winter, and nobody thanked me for it."
    edit(aria, fold.memory_id, 6, mine)
    assert aria.round() == []
    assert texts_of(aria, fold.memory_id)[5] == mine
    (again,) = (memory for memory in aria.folds() if memory.memory_id == fold.memory_id)
    assert again.pinned
    assert [edition.kind for edition in aria.editions(fold.memory_id)] == ["as-of", "person"]
    requests = aria.round(ROUND)
    asked_in = [request for request in requests if mine in [turn.text for turn in request.turns]]
    assert any(asked(request).about == "chunk" for request in asked_in)
    assert tokens_of(aria) <= BUDGET
    assert aria.round() == []


@pytest.mark.full
def test_a_fold_comes_back_as_the_person_left_it(aria: Life) -> None:
    fold = next(iter(section(aria)))
    edit(aria, fold, 4, "I was glad of the company.")
    assert aria.round() == []
    mine = texts_of(aria, fold)
    for budget, there in ((16_000, False), (BUDGET, True)):
        aria.settings(fold=f"budget = {budget}")
        assert aria.round() == []
        assert (fold in section(aria)) == there
    assert texts_of(aria, fold) == mine


@pytest.mark.full
def test_a_memory_that_the_person_edits_stays_as_they_wrote_it_also_in_the_run_that_folds(
    aria: Life,
) -> None:
    aria.settings(fold="budget = 16000")
    aria.round()
    edited = aria.memories()[1].memory_id
    mine = "The fog lay over the harbour, and I have kept nothing else of that evening."
    edit(aria, edited, 6, mine)
    aria.settings(fold=FOLD)
    requests = aria.round(ROUND)
    assert "fold" in {asked(request).about for request in requests}
    assert texts_of(aria, edited)[5] == mine
    assert not any(
        edited in fold.members for fold in aria.folds() if fold.memory_id in section(aria)
    )
    assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]
    assert tokens_of(aria) <= BUDGET
    assert aria.round() == []
    assert aria.person.memproc("verify").code == 0


@pytest.mark.full
def test_a_memory_that_is_pinned_after_it_was_folded_comes_back(aria: Life) -> None:
    inside = aria.memories()[1].memory_id
    assert inside not in section(aria)
    assert aria.person.memproc("pin", inside).code == 0
    aria.round()
    assert inside in section(aria)
    assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]
    assert aria.round() == []
    assert aria.person.memproc("unpin", inside).code == 0
    assert aria.round() == [], "the fold that it stood in is still there"
    assert inside not in section(aria)


@pytest.mark.full
def test_where_only_edited_and_pinned_memories_are_left_plan_and_run_say_that_the_budget_is_exceeded(
    aria: Life,
) -> None:
    for memory in aria.memories():
        aria.person.memproc("pin", memory.memory_id)
    aria.drop()
    told = "edited or pinned and so never folded: raise fold.budget"
    assert told in aria.person.memproc("plan").out
    ended = aria.person.memproc("run")
    assert ended.code == 0
    assert "more than fold.budget" in ended.out
    assert told in ended.out
    assert list(section_of(aria)) == [memory.memory_id for memory in aria.memories()]
    again = aria.person.memproc("run")
    assert told in again.out
    assert "1 unchanged" in again.out


def section_of(life: Life) -> dict[str, Json]:
    """The memories that stand in the updated export."""
    marks = [message.get("memproc", {}) for message in life.person.chat()["messages"]]
    return {mark["memory"]: mark for mark in marks if mark.get("kind") == "memory"}


def edit(life: Life, memory_id: str, slot: int, text: str) -> None:
    messages = life.device.messages(life.chat_id)
    life.device.edit(life.chat_id, at(messages, memory_id, slot), text)


def at(messages: Sequence[Json], memory_id: str, slot: int) -> int:
    """Where in the chat a message of a memory stands."""
    marks = [message.get("memproc", {}) for message in messages]
    return next(
        n
        for n, mark in enumerate(marks)
        if (mark.get("memory"), mark.get("slot")) == (memory_id, slot)
    )


def texts_of(life: Life, memory_id: str) -> list[str]:
    return texts(section(life)[memory_id])


@pytest.mark.full
def test_deleting_a_fold_forgets_its_memories(aria: Life) -> None:
    first = next(iter(section(aria)))
    gone = covered(aria, [first])
    assert len(gone) == GROUP
    for slot in range(1, 7):
        aria.device.delete(aria.chat_id, at(aria.device.messages(aria.chat_id), first, slot))
    assert aria.round() == []
    assert first not in section(aria)
    assert [memory.number for memory in aria.memories() if memory.forgotten] == gone
    aria.settings(fold="budget = 16000")
    assert aria.round() == []
    left = [memory.number for memory in aria.memories() if memory.number not in gone]
    assert covered(aria, section(aria)) == left, "they do not come back with a larger budget"
    forgotten = [memory for memory in aria.memories() if memory.forgotten]
    for request in aria.round(ROUND):
        turns = [turn.text for turn in request.turns]
        assert not any(memory.edition.texts[5] in turns for memory in forgotten)


@pytest.mark.full
def test_memories_of_a_deleted_fold_can_be_recalled(aria: Life) -> None:
    shown = section_texts(aria)
    first = next(iter(section(aria)))
    gone = covered(aria, [first])
    for slot in range(1, 7):
        aria.device.delete(aria.chat_id, at(aria.device.messages(aria.chat_id), first, slot))
    aria.round()
    for memory in aria.memories():
        if memory.number in gone:
            assert aria.person.memproc("recall", memory.memory_id).code == 0
    assert aria.round() == []
    assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]
    assert section_texts(aria) == shown
    assert aria.round() == []


@pytest.mark.full
def test_a_message_of_a_fold_that_is_gone_comes_back(aria: Life) -> None:
    first = next(iter(section(aria)))
    before = texts_of(aria, first)
    aria.device.delete(aria.chat_id, at(aria.device.messages(aria.chat_id), first, 4))
    assert aria.round() == []
    assert texts_of(aria, first) == before
    assert not any(memory.forgotten for memory in aria.all())


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("models", [ENGINE, SCRIPTED])
@pytest.mark.parametrize("budget", ["16000", '"auto"'])
def test_at_a_million_tokens_the_section_is_as_bounded_as_ever(
    tmp_path: Path, models: str, budget: str
) -> None:
    with groups_of(6), life(tmp_path / "aria", fold=f"budget = {budget}") as aria:
        aria.person, aria.models, aria.chat_id = (
            Person(tmp_path / "aria", 30_000, 8_000, 4_000),
            models,
            CHAT_ID,
        )
        aria.settings()
        aria.person.drop(export_bytes(long_chat(1_000_000)))
        aria.run()
        assert len(aria.memories()) > 200
        raw = sum(memory.source_tokens for memory in aria.memories())
        most = raw // 10 if budget == '"auto"' else 16_000
        assert tokens_of(aria) <= most + max(memory.edition.tokens for memory in aria.all())
        assert covered(aria, section(aria)) == [memory.number for memory in aria.memories()]
        assert aria.round() == []
        assert aria.person.memproc("verify").code == 0
