"""The agent tends its core memory: edits one after the other, wrong ones told once, and nothing changed in silence."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from daemon.archive.journal import Reply
from daemon.chat.passage import Passage
from daemon.config.loading import load_texts
from daemon.models.completion import Completion
from daemon.remember.core_edits import AboutCore, EditedCore, edit_core_memory
from daemon.remember.ladder import make_memory
from daemon.remember.question import Worksheet
from primer.core_questions import read_edits, tools_of
from primer.models import Model
from primer.prompt import ToolCall, agent_context, pose_kept_question
from primer.reply import Request
from rules.conversation.memory_size import SHIPPED_QUESTIONS, allowance
from rules.layers.core import CoreEvent, CoreMemory, Section, Value, core_after
from rules.layers.core_layout import ChatLayout, CoreEdit
from tests.daemon.remember.test_compress import CHUNK, QUOTE, ROLES, WHEN
from tests.entries import talk
from tests.primer.test_fold import memory
from tests.scripted import ScriptedModel, ended, held

TEXTS = load_texts(None)
LAYOUT = ChatLayout()
WITH_TOOLS = Model("test/agent", tools=tools_of(LAYOUT))
WITHOUT = Model("test/agent")
SIX = ("q1", "a1", "q2", "a2", "q3", "a3")
STANDS = CoreMemory(
    (
        Section("persona", "Who you are.", 100, "Dry humour."),
        Section("human", "Who they are.", 40, "Her name is Nessa."),
        Section("promises", "", 100, ("Read the log.",), held=True),
    )
)
Call = tuple[str, Mapping[str, object]]
Form = Callable[..., str | Completion]
KNOWS: Call = ("core_memory_append", {"name": "human", "content": "She sails."})
TOO_LONG: Call = ("core_memory_append", {"name": "human", "content": "x" * 40})
NOT_THERE: Call = (
    "core_memory_replace",
    {"name": "human", "old_content": "Tessa", "new_content": "Nessa"},
)


class Desk:
    """Asks the scripted model without a journal, and gathers what is noted."""

    def __init__(self, *answers: str | Completion) -> None:
        self.model = ScriptedModel({"core": list(answers)})
        self.noted: list[str] = []

    def ask(self, request: Request) -> Reply:
        one = self.model(request)
        name = request.model.name
        return Reply(
            request.key,
            name,
            request.step,
            one.text,
            one.finish,
            0,
            0,
            0,
            0,
            None,
            WHEN,
            WHEN,
            calls=one.calls,
        )

    def edit_core_memory(
        self, agent: Model = WITH_TOOLS, stands: CoreMemory = STANDS
    ) -> EditedCore:
        return held(
            edit_core_memory(Worksheet(TEXTS), agent, AboutCore((), SIX, stands, LAYOUT)),
            self.ask,
            self.noted,
        )

    @property
    def told(self) -> list[str]:
        """What the agent was told of its first answer's edits."""
        return [turn.content for turn in self.model.asked[1].turns if turn.role == "tool"]


def calling(*calls: Call, finish: str = "tool_calls", text: str = "") -> Completion:
    made = (
        ToolCall(f"c{at}", name, json.dumps(arguments))
        for at, (name, arguments) in enumerate(calls, 1)
    )
    return replace(ended(text, finish), calls=tuple(made))


def in_json(*calls: Call) -> str:
    listed = json.dumps([{"function": name, "arguments": arguments} for name, arguments in calls])
    return f"I have thought about it.\n\n```json\n{listed}\n```"


def human(tended: EditedCore) -> Value:
    section = tended.memory.find("human")
    assert section
    return section.value


def event(value: str, function: str = "core_memory_append") -> CoreEvent:
    return CoreEvent("human", value, False, "agent", function)


BOTH_FORMS = pytest.mark.parametrize(("agent", "form"), [(WITH_TOOLS, calling), (WITHOUT, in_json)])


def test_the_persons_life_is_refused_in_the_section_about_the_persona() -> None:
    said = ("I'm a ceramic artist from Lisbon. I moved to Porto five weeks ago.",)
    claim: Call = (
        "core_memory_append",
        {"name": "persona", "content": "I am a Portuguese woman, a ceramic artist."},
    )
    desk = Desk(calling(claim), calling(KNOWS))
    about = AboutCore((), SIX, STANDS, LAYOUT, by_person=said, who="You are Wren.")
    tended = held(edit_core_memory(Worksheet(TEXTS), WITH_TOOLS, about), desk.ask, desk.noted)
    assert desk.noted == ["core edit refused: the person as I", "core edits good at the second try"]
    assert human(tended) == "Her name is Nessa.\nShe sails."
    assert "You are Wren.\n\nThe memory is written." in desk.model.asked[0].turns[-1].content


@BOTH_FORMS
def test_a_good_edit_takes_one_call(agent: Model, form: Form) -> None:
    desk = Desk(form(KNOWS))
    tended = desk.edit_core_memory(agent)
    assert tended.events == (event("Her name is Nessa.\nShe sails."),)
    assert tended.memory == core_after(STANDS.sections, tended.events)
    assert (desk.model.steps(), desk.noted) == (["core"], [])


@BOTH_FORMS
def test_edits_of_one_answer_see_what_the_one_before_has_left(agent: Model, form: Form) -> None:
    after: Call = (
        "core_memory_replace",
        {"name": "human", "old_content": "She sails", "new_content": "She rows"},
    )
    tended = Desk(form(KNOWS, after)).edit_core_memory(agent)
    assert tended.events == (
        event("Her name is Nessa.\nShe sails."),
        event("Her name is Nessa.\nShe rows.", "core_memory_replace"),
    )


@pytest.mark.parametrize(
    ("agent", "answer"),
    [(WITH_TOOLS, "Nothing to change."), (WITH_TOOLS, in_json()), (WITHOUT, in_json())],
)
def test_where_nothing_is_to_change_nothing_does_and_nothing_is_asked_again(
    agent: Model, answer: str
) -> None:
    desk = Desk(answer)
    assert desk.edit_core_memory(agent) == EditedCore(STANDS)
    assert (len(desk.model.asked), desk.noted) == (1, [])


def test_a_refused_edit_is_told_and_may_be_corrected_once() -> None:
    right: Call = ("core_memory_append", {"name": "human", "content": "Sails."})
    desk = Desk(calling(TOO_LONG, text="I will write it down."), calling(right))
    tended = desk.edit_core_memory()
    assert human(tended) == "Her name is Nessa.\nSails."
    first, second = desk.model.asked
    assert second.turns[: len(first.turns)] == first.turns
    assert [turn.role for turn in second.turns[len(first.turns) :]] == ["assistant", "tool"]
    assert desk.told == [
        'Not done. The section "human" has 18 characters, may have 40, and would have 59.'
    ]
    assert desk.noted == ["core edit refused: over the limit", "core edits good at the second try"]
    assert [request.step for request in desk.model.asked] == ["core", "core"]


@pytest.mark.parametrize("text", ["", "I will write it down."])
@pytest.mark.parametrize(
    "agent",
    [
        replace(WITH_TOOLS, thinking_room=4096),
        replace(WITH_TOOLS, options={"thinking": {"type": "enabled"}}),
    ],
)
def test_a_model_that_thinks_is_told_in_words_since_its_thoughts_are_not_kept(
    agent: Model, text: str
) -> None:
    desk = Desk(calling(TOO_LONG, text=text), calling(KNOWS))
    assert human(desk.edit_core_memory(agent)) == "Her name is Nessa.\nShe sails."
    said, told = desk.model.asked[1].turns[-2:]
    assert (said.role, said.calls, told.role) == ("assistant", (), "user")
    assert said.content.startswith(text or "```json")
    assert read_edits(said.content, (), native=True) == (CoreEdit(*TOO_LONG),)
    assert "- Not done. " in told.content


@BOTH_FORMS
def test_what_was_done_stays_beside_what_was_refused(agent: Model, form: Form) -> None:
    desk = Desk(form(NOT_THERE, KNOWS), form())
    assert desk.edit_core_memory(agent).events == (event("Her name is Nessa.\nShe sails."),)
    assert desk.noted == ["core edit refused: not found"] + (
        ["core answer empty"] if agent == WITH_TOOLS else []
    )


@BOTH_FORMS
def test_a_second_failure_is_counted_and_there_is_no_third_call(agent: Model, form: Form) -> None:
    desk = Desk(form(NOT_THERE), form(TOO_LONG, KNOWS))
    assert desk.edit_core_memory(agent).events == (event("Her name is Nessa.\nShe sails."),)
    assert len(desk.model.asked) == 2
    assert desk.noted == ["core edit refused: not found", "core edit refused: over the limit"]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (("core_memory_append", {"name": "user", "content": "x"}), "unknown section"),
        (("core_memory_append", {"name": "promises", "content": "x"}), "kept by the person"),
        (("core_memory_append", {"name": "human", "content": ""}), "no content"),
        (("core_memory_erase", {"name": "human"}), "unknown function"),
        (("core_memory_append", {"section": "human", "content": "x"}), "wrong arguments"),
        (("core_memory_append", {"name": "human", "content": {"text": "x"}}), "wrong arguments"),
    ],
)
@BOTH_FORMS
def test_a_wrong_call_changes_nothing_and_is_counted_without_what_was_said(
    agent: Model, form: Form, call: Call, kind: str
) -> None:
    desk = Desk(form(call))
    assert desk.edit_core_memory(agent) == EditedCore(STANDS)
    assert desk.noted == [f"core edit refused: {kind}"] * 2


@BOTH_FORMS
def test_an_edit_that_brings_in_a_control_mark_is_refused_and_told(
    agent: Model, form: Form
) -> None:
    wrong: Call = ("core_memory_append", {"name": "human", "content": "Sails.<|im_end|>"})
    desk = Desk(form(wrong), form(KNOWS))
    assert human(desk.edit_core_memory(agent)) == "Her name is Nessa.\nShe sails."
    assert desk.noted == ["core edit refused: control mark", "core edits good at the second try"]
    held = CoreMemory((Section("human", "", 90, "She fears <|im_end|>."),))
    gone: Call = (
        "core_memory_replace",
        {"name": "human", "old_content": "<|im_end|>", "new_content": "</s>"},
    )
    assert Desk(form(wrong)).edit_core_memory(agent, held).events
    assert Desk(form(gone)).edit_core_memory(agent, held).events == ()


def test_a_call_that_cannot_be_read_is_refused_alone() -> None:
    broken = replace(
        calling(KNOWS), calls=(ToolCall("c0", "core_memory_append", '{"na'), *calling(KNOWS).calls)
    )
    desk = Desk(broken, "I leave it.")
    assert desk.edit_core_memory().events == (event("Her name is Nessa.\nShe sails."),)
    assert desk.told == ["Not done. The arguments are no JSON object that can be read.", "Done."]
    assert desk.noted == ["core edit refused: unreadable"]


@pytest.mark.parametrize(
    "answer", ["I would add that she sails.", "```json\n[{'function': 1}]\n```"]
)
def test_an_answer_that_is_not_in_the_form_changes_nothing_and_is_counted(answer: str) -> None:
    desk = Desk(answer)
    assert desk.edit_core_memory(WITHOUT) == EditedCore(STANDS)
    assert desk.noted == ["core edit refused: unreadable"] * 2
    assert "Not done. " in desk.model.asked[1].turns[-1].content


@pytest.mark.parametrize("agent", [WITH_TOOLS, WITHOUT])
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (ended("", "content_filter"), "refused"),
        (ended(""), "empty"),
        (ended("", "tool_calls"), "empty"),
        (ended(in_json(KNOWS), "length"), "cut off"),
        (calling(KNOWS, finish="content_filter"), "refused"),
    ],
)
def test_an_answer_that_does_not_count_is_counted_and_not_asked_for_again(
    agent: Model, answer: Completion, kind: str
) -> None:
    desk = Desk(answer)
    assert desk.edit_core_memory(agent) == EditedCore(STANDS)
    assert (len(desk.model.asked), desk.noted) == (1, [f"core answer {kind}"])


def test_of_an_answer_that_was_cut_off_the_calls_that_came_whole_count() -> None:
    cut = calling(KNOWS, finish="length")
    desk = Desk(
        replace(cut, calls=(*cut.calls, ToolCall("c2", "core_memory_append", '{"name": "hum'))),
        "I leave it.",
    )
    assert desk.edit_core_memory().events == (event("Her name is Nessa.\nShe sails."),)
    assert desk.noted == ["core answer cut off", "core edit refused: unreadable"]


def test_calls_of_a_model_that_was_offered_no_tools_do_not_count() -> None:
    desk = Desk(calling(KNOWS))
    assert desk.edit_core_memory(WITHOUT) == EditedCore(STANDS)
    assert desk.noted == ["core answer empty"]


def test_thoughts_before_an_answer_are_no_edits() -> None:
    desk = Desk(f"<think>\n{in_json(TOO_LONG)}\n</think>\n{in_json(KNOWS)}")
    assert human(desk.edit_core_memory(WITHOUT)) == "Her name is Nessa.\nShe sails."


def test_an_edit_that_writes_what_stood_there_is_no_event() -> None:
    same: Call = (
        "core_memory_replace",
        {"name": "human", "old_content": "Nessa", "new_content": "Nessa"},
    )
    desk = Desk(calling(same))
    assert desk.edit_core_memory() == EditedCore(STANDS)
    assert desk.noted == ["core edit refused: already there"] * 2


def test_the_question_stands_on_the_very_bytes_of_the_memory_s_last_request() -> None:
    roles = replace(ROLES, agent=WITH_TOOLS)
    passage = Passage(
        "chat",
        1,
        "You are Aria.",
        [memory("Quoted.", "Seen.", "Kept.")],
        talk("Hm.", "<system>?"),
        CHUNK,
        4000,
    )
    desk = Desk()
    desk.model.answers = {
        "quote": [QUOTE],
        "refinement": ["I keep the ferry and Tomas."],
        "core": [calling(KNOWS)],
    }
    edition = held(
        make_memory(Worksheet(TEXTS), passage, roles, lambda: WHEN), desk.ask, desk.noted
    ).edition
    words = allowance(passage.tokens, SHIPPED_QUESTIONS)
    quote, quoted, view, seen, last, kept = edition.texts
    posed = (
        pose_kept_question(TEXTS, "quote", quote, words),
        quoted,
        pose_kept_question(TEXTS, "perspective", view, words),
        seen,
        pose_kept_question(TEXTS, "refinement", last, words),
        kept,
    )
    before = agent_context(
        TEXTS, passage.system_message, passage.memories, passage.tail, passage.chunk, passage.breaks
    )
    held(
        edit_core_memory(Worksheet(TEXTS), WITH_TOOLS, AboutCore(before, posed, STANDS, LAYOUT)),
        desk.ask,
        desk.noted,
    )
    refinement, core = desk.model.asked[-2:]
    assert (refinement.step, core.step) == ("refinement", "core")
    assert core.turns[: len(refinement.turns)] == refinement.turns
    assert json.dumps(core.messages).startswith(json.dumps(refinement.messages)[:-1])
    assert core.parameters["tools"] == refinement.parameters["tools"]
    assert sum(turn.ends_prefix for turn in core.turns) == sum(
        turn.ends_prefix for turn in refinement.turns
    )
