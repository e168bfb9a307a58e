"""The fact store under any answers and any doing of the person: nothing is lost, and nothing forgotten comes back."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from daemon.archive.archive import Archive
from daemon.archive.layers import fact_events, keep_fact_events, next_fact, rank_texts
from rules.layers.fact_operations import KnownFacts, Outcome, carry_out, forgotten_facts
from rules.layers.facts import FactEvent, Operation, Source, live_facts, nearest_facts, normalize

CHAT, NOW = "k3v9xq2m7p", "2026-03-03T00:00:00.000Z"
SHOWN = 6
SAID = (
    "Ada lives in Lyon",
    "ada LIVES in Lyon!",
    "Ada lives in Porto by the sea",
    "Ada does not live in Porto",
    "Tomas took the ferry on the 14th",
    "Tomas took the ferry on the 15th",
    "Ilse has two cats, and plays the piano",
    "彼女は猫が好きです",
)
TEXTS = st.sampled_from([*SAID, "", "?!", "word " * 200])
SOURCES = st.lists(st.sampled_from(SAID), min_size=1, max_size=3).map(
    lambda said: tuple(Source(f"message {SAID.index(text)}", text, NOW) for text in said)
)
OPERATIONS = st.builds(
    Operation,
    st.sampled_from(["ADD", "ADD", "ADD", "UPDATE", "UPDATE", "DELETE", "NONE"]),
    st.sampled_from(["", "0", "1", "2", "3", "99", "-1", "nonsense"]),
    TEXTS,
    TEXTS | st.just(""),
    st.none() | st.integers(0, 4),
)
ERASING = st.just([Operation("DELETE", str(at), "") for at in range(SHOWN)])
ALIKE = st.dictionaries(
    st.sampled_from(SAID), st.lists(st.sampled_from(SAID), max_size=2), max_size=2
)


@dataclass
class Model:
    """What the facts must come to: a plain map, changed by each event as it happens."""

    says: dict[int, str] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)
    ever: set[tuple[int, str]] = field(default_factory=set)
    forgotten: set[tuple[str, str]] = field(default_factory=set)
    """Texts that were forgotten, each with the messages that said so."""
    heard: dict[int, set[str]] = field(default_factory=dict)

    def happens(self, event: FactEvent) -> None:
        if event.event == "ADD":
            assert event.fact not in self.numbers, "a number is given once"
            self.numbers.add(event.fact)
        else:
            assert event.fact in self.says, "nothing happens to a fact that is not live"
        if event.source:
            self.heard.setdefault(event.fact, set()).add(event.source)
        if event.event in ("ADD", "UPDATE"):
            assert (normalize(event.text), event.source) not in self.forgotten
            self.says[event.fact] = event.text
            self.ever.add((event.fact, event.text))
        elif event.event in ("DELETE", "FORGET"):
            del self.says[event.fact]
        if event.event == "FORGET":
            texts = [text for number, text in self.ever if number == event.fact]
            self.forgotten |= {
                (normalize(text), source)
                for text in texts
                for source in self.heard.get(event.fact, ())
            }


def with_a_chat(archive: Archive) -> Archive:
    archive.run(
        "INSERT INTO chat (chat_id, title, head, tail, last_seen) VALUES (?, 'Aria', x'', x'', ?)",
        (CHAT, NOW),
    )
    return archive


def known_now(
    archive: Archive, sources: tuple[Source, ...], alike: dict[str, list[str]]
) -> KnownFacts:
    events = fact_events(archive, CHAT)
    facts = live_facts(events)
    shown = nearest_facts(facts, rank_texts([fact.text for fact in facts], sources[0].text))[:SHOWN]
    return KnownFacts(
        shown, facts, forgotten_facts(events), sources, next_fact(archive, CHAT), alike
    )


class FactStore(RuleBasedStateMachine):
    """Everything is read from the archive each time, as after a restart; only the model is kept beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.archive = with_a_chat(Archive.memory())

    def keep(self, *events: FactEvent) -> None:
        for event in events:
            self.model.happens(event)
        keep_fact_events(self.archive, CHAT, events, NOW)

    @rule(operations=st.lists(OPERATIONS, max_size=6) | ERASING, sources=SOURCES, alike=ALIKE)
    def the_context_manager_answers(
        self, operations: list[Operation], sources: tuple[Source, ...], alike: dict[str, list[str]]
    ) -> None:
        known = known_now(self.archive, sources, alike)
        outcome = carry_out(operations, known)
        assert len(outcome.events) + len(outcome.refused) <= len(operations)
        self.keep(*outcome.events)
        self.no_contradiction_takes_both(outcome)
        self.most_are_left(known, outcome)

    @rule(text=st.sampled_from(SAID))
    def the_person_adds(self, text: str) -> None:
        self.keep(FactEvent(next_fact(self.archive, CHAT), "ADD", text, NOW, "", "person"))

    @rule(which=st.integers(0, 99))
    def the_person_forgets(self, which: int) -> None:
        if self.model.says:
            numbers = sorted(self.model.says)
            self.keep(FactEvent(numbers[which % len(numbers)], "FORGET", "", "", "", "person"))

    def no_contradiction_takes_both(self, outcome: Outcome) -> None:
        """What an answer has said is live when it is carried out, and what it has deleted it has not said."""
        for event in outcome.events:
            assert (event.fact in self.model.says) == (event.event != "DELETE")

    def most_are_left(self, known: KnownFacts, outcome: Outcome) -> None:
        deleted = sum(event.event == "DELETE" for event in outcome.events)
        assert deleted <= max(2, len(known.shown) / 4)

    @invariant()
    def what_is_live_is_what_the_model_says(self) -> None:
        facts = live_facts(fact_events(self.archive, CHAT))
        assert {fact.number: fact.text for fact in facts} == self.model.says
        assert len({fact.number for fact in facts}) == len(facts)

    @invariant()
    def nothing_that_was_ever_live_is_lost(self) -> None:
        events = fact_events(self.archive, CHAT)
        assert {(event.fact, event.text) for event in events if event.text} == self.model.ever
        for number in self.model.numbers - set(self.model.says):
            assert [event.event for event in events if event.fact == number][-1] in (
                "DELETE",
                "FORGET",
            )

    @invariant()
    def what_has_replaced_a_fact_is_said(self) -> None:
        events = fact_events(self.archive, CHAT)
        assert all(
            event.why and event.source for event in events if event.event in ("UPDATE", "DELETE")
        )

    def teardown(self) -> None:
        self.archive.close()


TestFactStore = FactStore.TestCase
TestFactStore.settings = settings(stateful_step_count=12)


def test_a_reopened_archive_knows_all_that_happened_to_a_fact(tmp_path: Path) -> None:
    happened = (
        FactEvent(1, "ADD", SAID[0], NOW, "message 0", memory=0, edition=1),
        FactEvent(1, "UPDATE", SAID[2], NOW, "message 2", edition=1, why="in the place of another"),
        FactEvent(1, "FORGET", "", "", "", "person"),
    )
    with with_a_chat(Archive.open(tmp_path)) as archive:
        keep_fact_events(archive, CHAT, happened, NOW)
    with Archive.open(tmp_path) as archive:
        assert fact_events(archive, CHAT) == tuple(replace(event, at=NOW) for event in happened)
        assert next_fact(archive, CHAT) == 2
