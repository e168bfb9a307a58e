"""The state machine: chooses acts by chance, one after the other; hypothesis shortens a failing sequence."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from primer.models import EXTRACTIVE
from tests.lives.life import Life
from tests.lives.model import REFUSING
from tests.lives.person import Person
from tests.typingmind.shapes import Build

ANY, SLOT, TURNS = st.integers(0, 99), st.integers(1, 6), st.integers(1, 12)
SOMEWHERE = st.none() | ANY
_IN_MEMORY = Path("/dev/shm")


class Lives(RuleBasedStateMachine):
    """A person, TypingMind in one of its builds, and memproc in one of its output modes."""

    build: Build = "2026"
    life: Life

    def __init__(self) -> None:
        super().__init__()
        # On a real disk, most of the time would be spent on flushing.
        self._home = TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None)

    @property
    def person(self) -> Person:
        return self.life.person

    @initialize(
        mode=st.sampled_from(["replace", "replace", "new-chat", "keep-originals"]),
        turns=st.integers(14, 30),
        form=st.sampled_from(["tools", "json"]),
    )
    def a_chat_begins_and_is_compressed(self, mode: str, turns: int, form: str) -> None:
        self.life = Life(Path(self._home.name) / "home", self.build, mode)
        self.life.memproc.set("core", form=form)
        self.person.talk(turns)
        self.life.run()
        assert self.person.archive[self.person.chat_id].memories, "the life begins without memories"
        self.life.import_newest()

    def teardown(self) -> None:
        if hasattr(self, "life"):
            self.life.run()
            self.life.close()
        self._home.cleanup()

    # The ordinary cycle, more often than anything else

    @rule(turns=TURNS)
    def talk_run_and_import(self, turns: int) -> None:
        self.person.talk(turns)
        self.life.run()
        self.life.import_newest()

    @rule(turns=TURNS)
    def talk_and_run(self, turns: int) -> None:
        self.person.talk(turns)
        self.life.run()

    @rule(turns=TURNS)
    def talk(self, turns: int) -> None:
        self.person.talk(turns)

    @rule()
    def run(self) -> None:
        self.life.run()

    @rule()
    def run_and_import(self) -> None:
        self.life.run()
        self.life.import_newest()

    @rule(turns=TURNS)
    def talk_and_the_bridge_compresses(self, turns: int) -> None:
        self.person.talk(turns)
        if self.life.memproc.mode != "new-chat":  # the bridge refuses it
            self.life.run_by_bridge()

    @rule()
    def import_the_newest(self) -> None:
        self.life.import_newest()

    @rule(turns=TURNS, steps=st.integers(0, 40))
    def talk_and_memproc_is_killed(self, turns: int, steps: int) -> None:
        self.person.talk(turns)
        self.life.run_and_be_killed(steps)

    @rule()
    def run_and_accept_what_is_skipped(self) -> None:
        self.life.run_and_accept()

    @rule(which=ANY)
    def restore_a_version(self, which: int) -> None:
        self.life.restore_version(which)

    # The person's hand in TypingMind

    @rule(which=ANY)
    def attach_a_picture(self, which: int) -> None:
        self.person.attach(which)

    @rule(which=ANY)
    def delete_most_memories(self, which: int) -> None:
        self.person.delete_all_memories_but(which)

    @rule(which=ANY)
    def edit_a_message(self, which: int) -> None:
        self.person.edit_message(which)

    @rule(which=ANY)
    def delete_a_message(self, which: int) -> None:
        self.person.delete_message(which)

    @rule(which=ANY, slot=SLOT)
    def edit_a_memory(self, which: int, slot: int) -> None:
        self.person.edit_memory(which, slot)

    @rule(which=ANY, slot=st.integers(0, 7))
    def delete_one_of_six_or_what_stands_beside(self, which: int, slot: int) -> None:
        self.person.delete_of_memory(which, slot)

    @rule(which=ANY)
    def delete_a_memory(self, which: int) -> None:
        self.person.delete_memory(which)

    @rule(which=ANY)
    def pin_a_message(self, which: int) -> None:
        self.person.pin(which)

    @rule(which=ANY)
    def unpin_a_message(self, which: int) -> None:
        self.person.unpin(which)

    @rule(which=ANY)
    def exclude_a_message(self, which: int) -> None:
        self.person.exclude(which)

    @rule(which=ANY, slot=SLOT)
    def exclude_one_of_six(self, which: int, slot: int) -> None:
        self.person.exclude_of_memory(which, slot)

    @rule(which=ANY, role=st.sampled_from(["user", "assistant"]))
    def a_message_is_inserted(self, which: int, role: str) -> None:
        self.person.insert(which, role)

    @rule(back=st.sampled_from([0, 0, 1, 3, 9]))
    def regenerate(self, back: int) -> None:
        self.person.regenerate(back)

    @rule()
    def go_back_to_the_other_branch(self) -> None:
        self.person.arrow_back()

    # The person's hand in the opening

    @rule(which=ANY, how=st.sampled_from(["words", "words", "nothing", "no heading"]))
    def rewrite_a_section(self, which: int, how: str) -> None:
        self.person.rewrite_section(which, how)

    @rule(which=ANY, how=st.sampled_from(["words", "nothing", "another"]))
    def rewrite_a_fact(self, which: int, how: str) -> None:
        self.person.rewrite_fact(which, how)

    @rule(all_of_it=st.booleans())
    def rewrite_the_preface(self, all_of_it: bool) -> None:
        if all_of_it:
            self.person.throw_away_opening()
        else:
            self.person.rewrite_preface()

    @rule(which=ANY)
    def cross_out_a_kept_passage(self, which: int) -> None:
        self.person.cross_out_passage(which)

    # Copies of the chat

    @rule(upto=SOMEWHERE, new_uuids=st.booleans())
    def fork(self, upto: int | None, new_uuids: bool) -> None:
        self.person.fork(upto, new_uuids=new_uuids)

    @rule()
    def restore_from_the_bin(self) -> None:
        self.person.restore()

    @rule(which=ANY)
    def turn_to_another_chat(self, which: int) -> None:
        self.person.turn_to(which)

    @rule(back=st.integers(0, 9))
    def import_an_older_one(self, back: int) -> None:
        self.life.import_older(back)

    @rule()
    def keys_come_in_another_order(self) -> None:
        self.person.rearrange_keys()

    @rule()
    def markers_are_stripped(self) -> None:
        self.person.strip_markers()

    @rule()
    def sync_to_the_other_device(self) -> None:
        self.person.sync_to_the_other()

    @rule(turns=TURNS)
    def talk_on_the_other_device(self, turns: int) -> None:
        self.person.talk_elsewhere(turns)

    @rule()
    def sync_back(self) -> None:
        self.person.sync_back()

    # What is said to memproc

    @rule(budget=st.sampled_from([500, 900, 1500, 4000]))
    def another_budget(self, budget: int) -> None:
        self.life.memproc.set("fold", budget=budget)

    @rule(
        agent=st.sampled_from(["test/agent", "test/other", REFUSING, EXTRACTIVE]),
        manager=st.sampled_from(["test/small", EXTRACTIVE]),
    )
    def other_models_write(self, agent: str, manager: str) -> None:
        self.life.memproc.set("models", agent=agent, context_manager=manager)

    @rule(tail=st.sampled_from([1200, 2000, 5000]), chunk=st.sampled_from([400, 600, 900]))
    def other_sizes_of_tail_and_chunks(self, tail: int, chunk: int) -> None:
        self.life.memproc.set("tail", tokens=tail)
        self.life.memproc.set("chunk", tokens=chunk)

    @rule(editions=st.sampled_from(["as-of", "hindsight"]))
    def other_editions_are_shown(self, editions: str) -> None:
        self.life.memproc.set("memory", editions=editions)

    @rule(which=ANY)
    def pin_a_memory(self, which: int) -> None:
        self.life.pin_memory(which)

    @rule(which=ANY, number=st.integers(0, 5))
    def use_an_edition(self, which: int, number: int) -> None:
        self.life.use_edition(which, number)

    @rule(which=ANY)
    def recall_a_memory(self, which: int) -> None:
        self.life.recall(which)

    @rule(layer=st.sampled_from(["core", "facts"]), on=st.booleans())
    def switch_a_layer(self, layer: str, on: bool) -> None:
        self.life.switch(layer, on=on)

    @rule(budget=st.sampled_from([100, 300, 5000]))
    def another_budget_for_facts(self, budget: int) -> None:
        self.life.memproc.set("facts", budget=budget)

    @rule(which=ANY)
    def set_a_section(self, which: int) -> None:
        self.life.set_section(which)

    @rule(undo=st.booleans())
    def take_back_or_release(self, undo: bool) -> None:
        if undo:
            self.life.undo()
        else:
            self.life.release_sections()

    @rule(which=ANY)
    def keep_words(self, which: int) -> None:
        self.life.keep_words(which)

    @rule(which=ANY)
    def release_words(self, which: int) -> None:
        self.life.release_words(which)

    @rule(budget=st.sampled_from([0, 100, 600]))
    def another_budget_for_what_is_kept(self, budget: int) -> None:
        self.life.memproc.set("keep", budget=budget)

    @rule(which=st.none() | ANY)
    def add_or_forget_a_fact(self, which: int | None) -> None:
        if which is None:
            self.life.add_fact()
        else:
            self.life.forget_fact(which)


class Lives2024(Lives):
    """The client of 2024: no branches, forks with new uuids, and a sync that merges nothing."""

    build: Build = "2024"
