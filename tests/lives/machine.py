"""The state machine: what happens to a chat, in any order that hypothesis likes; after each run all is proved."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.lives.life import Life
from tests.lives.person import Person
from tests.typingmind.shapes import Build

_ANY = st.integers(0, 99)
_SLOTS = st.integers(1, 6)
_TURNS = st.integers(1, 12)
_BUILDS: list[Build] = ["2026", "2024"]


class Lives(RuleBasedStateMachine):
    """A person, TypingMind on two devices, and memproc."""

    life: Life

    def __init__(self) -> None:
        super().__init__()
        self._home = TemporaryDirectory()

    @property
    def person(self) -> Person:
        return self.life.person

    @initialize(
        build=st.sampled_from(_BUILDS),
        mode=st.sampled_from(["replace", "new-chat", "keep-originals"]),
        turns=st.integers(8, 20),
    )
    def a_chat_begins(self, build: Build, mode: str, turns: int) -> None:
        self.life = Life(Path(self._home.name) / "home", build, mode)
        self.person.talk(turns)
        self.life.run()

    @rule(turns=_TURNS)
    def the_person_talks_on(self, turns: int) -> None:
        self.person.talk(turns)

    @rule(turns=_TURNS)
    def the_person_talks_exports_and_imports(self, turns: int) -> None:
        self.person.talk(turns)
        self.life.run()
        self.life.import_newest()

    @rule(turns=_TURNS)
    def the_person_imports_talks_and_exports(self, turns: int) -> None:
        self.life.import_newest()
        self.person.talk(turns)
        self.life.run()

    @rule()
    def memproc_runs(self) -> None:
        self.life.run()

    @rule(after=st.integers(0, 40))
    def memproc_is_killed_at_its_work(self, after: int) -> None:
        self.life.run_and_be_killed(after)

    @rule(back=st.integers(0, 9))
    def an_older_version_is_imported(self, back: int) -> None:
        self.life.import_older(back)

    @rule(which=_ANY)
    def a_message_is_edited(self, which: int) -> None:
        self.person.edit_message(which)

    @rule(which=_ANY)
    def a_message_is_deleted(self, which: int) -> None:
        self.person.delete_message(which)

    @rule(which=_ANY, role=st.sampled_from(["user", "assistant"]))
    def a_message_is_inserted(self, which: int, role: str) -> None:
        self.person.insert(which, role)

    @rule(which=_ANY)
    def a_message_is_pinned(self, which: int) -> None:
        self.person.pin(which)

    @rule(which=_ANY)
    def a_message_is_excluded(self, which: int) -> None:
        self.person.exclude(which)

    @rule(back=st.sampled_from([0, 0, 0, 1, 5]))
    def an_answer_is_regenerated(self, back: int) -> None:
        self.person.regenerate(back)

    @rule()
    def the_branch_arrow_goes_back(self) -> None:
        self.person.arrow_back()

    @rule(which=_ANY, slot=_SLOTS)
    def a_memory_is_edited(self, which: int, slot: int) -> None:
        self.person.edit_memory(which, slot)

    @rule(which=_ANY)
    def a_memory_is_deleted(self, which: int) -> None:
        self.person.delete_memory(which)

    @rule(which=_ANY, slot=_SLOTS)
    def one_of_six_is_deleted(self, which: int, slot: int) -> None:
        self.person.delete_of_memory(which, slot)

    @rule(which=_ANY, slot=_SLOTS)
    def one_of_six_is_excluded(self, which: int, slot: int) -> None:
        self.person.exclude_of_memory(which, slot)

    @rule(which=_ANY)
    def a_forgotten_memory_is_recalled(self, which: int) -> None:
        self.life.recall(which)

    @rule(which=_ANY)
    def a_memory_is_pinned(self, which: int) -> None:
        self.life.pin_memory(which)

    @rule(which=_ANY, number=st.integers(0, 5))
    def an_edition_is_chosen(self, which: int, number: int) -> None:
        self.life.use_edition(which, number)

    @rule(upto=st.none() | _ANY, new_uuids=st.booleans())
    def the_chat_is_forked(self, upto: int | None, *, new_uuids: bool) -> None:
        self.person.fork(upto, new_uuids=new_uuids)

    @rule()
    def the_chat_goes_into_the_bin_and_back(self) -> None:
        self.person.restore()

    @rule(which=_ANY)
    def the_person_turns_to_another_chat(self, which: int) -> None:
        self.person.turn_to(which)

    @rule()
    def the_second_device_gets_the_chat(self) -> None:
        self.person.sync_to_the_other()

    @rule()
    def the_second_device_gives_back_what_it_has(self) -> None:
        self.person.sync_back()

    @rule(turns=_TURNS)
    def the_person_talks_at_the_second_device(self, turns: int) -> None:
        self.person.talk_elsewhere(turns)

    @rule()
    def the_cloud_rearranges_keys(self) -> None:
        self.person.rearrange_keys()

    @rule()
    def another_tool_strips_the_markers(self) -> None:
        self.person.strip_markers()

    @rule(budget=st.sampled_from([500, 900, 1500, 4000]))
    def the_budget_is_changed(self, budget: int) -> None:
        self.life.memproc.set("fold", budget=budget)

    @rule(editions=st.sampled_from(["as-of", "hindsight"]))
    def other_editions_are_preferred(self, editions: str) -> None:
        self.life.memproc.set("memory", editions=editions)

    def teardown(self) -> None:
        """Once more at the end, whatever was done last."""
        try:
            if hasattr(self, "life"):
                self.life.run()
                self.life.close()
        finally:
            self._home.cleanup()
