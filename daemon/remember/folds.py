"""Folds: the oldest memories become one of a higher level, written from their as-of editions.

A fold carries the quotes and the standing wishes of all its memories, word for
word. Without them it is at most half as large as its members, or has at most 200 tokens more than
its questions. A model writes a fold of folds from the memories of its chunks, where that is not too
much to read (rules/plan/fold_budget.py); the engine goes back to the raw messages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.memories import keep_fold
from daemon.chat.passage import as_they_are
from daemon.chat.survey import Section, Survey
from daemon.events import MemoryMade
from daemon.models.context import Clock
from daemon.models.roles import Roles
from daemon.models.scheduler import RunningDialogue, Steps
from daemon.models.tokens import count
from daemon.remember.dialogue import (
    AgentQuestion,
    Pair,
    Subject,
    Transcript,
    converse,
    extract,
    joined_forms,
)
from daemon.remember.engine import Material, RawFold, memories_told
from daemon.remember.fold_plan import FoldPlan, fold_plan
from daemon.remember.ladder import Assignment, first_analysis, without_hole
from daemon.remember.lanes import BEFORE_ALL_CHUNKS, ChatWork, Keep, Lane
from daemon.remember.question import Worksheet, worksheet_of_fold
from daemon.remember.quotes import with_stated
from primer import prompt
from primer.prompt import Turn
from primer.reply import Refused, Request
from primer.wording import fill, keep_inert
from rules.conversation.memory import Memory, fold_id
from rules.conversation.memory_size import (
    analysis_words,
    extracted_fold_words,
    fold_words,
    most_fold_tokens,
)
from rules.extract.answers import paragraphs_for
from rules.plan.fold_budget import parts_within
from rules.plan.folds import MissingFold, Version, as_told

_MESSAGES_BEFORE = 100
_LEAST_WORDS = 25
_LEAST_ROOM = 500
_BESIDE_MEMORIES = 2_000
"""Tokens of the questions and answers in a request about a fold."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """The turns that the agent and the context manager see before their questions about a fold."""

    before: tuple[Turn, ...]
    alone: tuple[Turn, ...]
    memories: Sequence[Memory]
    """What is seen there."""
    material: Material
    """What the engine reads."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a chat can show to those who write its folds."""

    system_message: str
    raw: RawFold | None = None
    """The raw messages that the fold stands for; None where not all are known."""
    room: int | None = None
    """The tokens of memories that one request has room for; None for no limit."""


def make_fold(
    sheet: Worksheet,
    chat_id: str,
    shown: Shown,
    plan: FoldPlan,
    roles: Roles,
    clock: Clock,
    guidance: str = "",
) -> Steps[Memory]:
    """Write the planned fold; its number among the folds of its level is given by who keeps it.

    A model writes it from as-of editions, in parts where they need more than the room there is; the
    engine from the raw messages, where they are known. Raises ModelError where a model cannot be
    asked.
    """
    quotes_tokens = sum(count(quote.framed) for quote in plan.quotes)
    most = most_fold_tokens(plan.tokens, sheet.questions_tokens) + quotes_tokens
    work = Assignment(
        "fold",
        "its memories",
        partial(_dialogue, plan, shown, guidance),
        fold_words(plan.tokens, sheet.questions_tokens),
        extracted_fold_words(plan.tokens, plan.source_tokens, sheet.questions_tokens),
        lambda _, tokens: tokens <= most,
    )
    edition = yield from without_hole(sheet, work, roles)
    members = plan.members
    spoken = (text for member in members for text in member.in_prompts.texts[1::2])
    edition = with_stated(replace(edition, written_at=clock()), plan.wishes, spoken)
    first, last = members[0], members[-1]
    return Memory(
        memory_id=fold_id(chat_id, members),
        number=0,
        level=plan.level,
        keys=tuple(key for member in members for key in member.keys),
        first=first.first,
        last=last.last,
        began_at=first.began_at,
        ended_at=last.ended_at,
        source_tokens=plan.source_tokens,
        edition=edition,
        in_prompts=edition,
        members=tuple(member.memory_id for member in members),
    )


def _dialogue(
    plan: FoldPlan, shown: Shown, guidance: str, sheet: Worksheet, pair: Pair, words: int
) -> Steps[Transcript | Refused]:
    """Ask the three questions next to the quotes, about each part."""
    if pair.agent is None:
        # It reads the raw messages, or where they are not known the members.
        if shown.raw:
            turns, material = shown.raw.turns, shown.raw.material(sheet.zone)
        else:
            turns = prompt.memories_alone(sheet.texts, plan.members)
            material = memories_told(plan.members, sheet.zone)
        sight = _Sight((), turns, plan.members, material)
        subject = _subject(sheet, plan, sight, words, guidance, extracted=True)
        return (yield from extract(sheet, subject, pair.context_managers, plan.quotes))
    sights = _sights(sheet, plan, shown)
    each = _words_of_part(words, len(sights))
    transcripts: list[Transcript] = []
    for sight in sights:
        own = _asking_for_paragraphs(sheet, sight, each)
        subject = _subject(own, plan, sight, each, guidance, extracted=False)
        managers = pair.context_managers
        transcript = yield from converse(own, subject, pair.agent, managers, plan.quotes)
        if isinstance(transcript, Refused):
            return transcript
        transcripts.append(transcript)
    return _joined(sheet, transcripts)


def _words_of_part(words: int, parts: int) -> int:
    """Return the words of each answer about one of `parts` parts of a fold."""
    return words if parts == 1 else max(_LEAST_WORDS, words // parts)


def _sights(sheet: Worksheet, plan: FoldPlan, shown: Shown) -> list[_Sight]:
    """Return what a model sees of a fold, part by part."""
    if not plan.from_memories:
        before = prompt.agent_context(sheet.texts, shown.system_message, plan.members, (), ())
        alone = prompt.memories_alone(sheet.texts, plan.members)
        return [_Sight(before, alone, plan.members, memories_told(plan.members, sheet.zone))]
    sights = []
    for part in parts_within(plan.answers, shown.room):
        memories = plan.memories[part.start : part.stop]
        before = prompt.agent_context_of_folds(sheet.texts, shown.system_message, memories)
        alone = prompt.memories_alone(sheet.texts, memories, prompt.LAST_ANSWER)
        told = memories_told(memories, sheet.zone, prompt.LAST_ANSWER)
        sights.append(_Sight(before, alone, memories, told))
    return sights


def _asking_for_paragraphs(sheet: Worksheet, sight: _Sight, words: int) -> Worksheet:
    """Return the sheet on which a part of a fold is asked for in paragraphs, where it has several.

    It lists the same requests. The fold keeps the question without that.
    """
    paragraphs = paragraphs_for(len(sight.memories), words)
    if paragraphs == 1:
        return sheet
    asked = fill(sheet.texts.fold_paragraphs, paragraphs=str(paragraphs))
    refinement = f"{sheet.texts.refinement_asked}\n\n{asked}"
    return replace(sheet, texts=replace(sheet.texts, refinement_asked=refinement))


def _joined(sheet: Worksheet, transcripts: Sequence[Transcript]) -> Transcript:
    """Return the dialogues about the parts of a fold as one."""
    first, *others = transcripts
    if not others:
        return first
    quote, quoted, perspective, _, _, _ = first.texts
    analysis = "\n\n".join(transcript.analysis for transcript in transcripts)
    seen = "\n\n".join(transcript.texts[3] for transcript in transcripts)
    refined = "\n\n".join(transcript.texts[5] for transcript in transcripts)
    last = prompt.question(fill(sheet.texts.refinement, analysis=keep_inert(analysis))).content
    form = joined_forms(transcript.form for transcript in transcripts)
    texts = (quote, quoted, perspective, seen, last, refined)
    return replace(first, texts=texts, analysis=analysis, form=form)


def _subject(
    sheet: Worksheet, plan: FoldPlan, sight: _Sight, words: int, guidance: str, *, extracted: bool
) -> Subject:
    """Return the subject of the dialogue about a fold, or a part of one."""
    texts = sheet.texts
    quotes = f"{plan.title(extracted=extracted)} {texts.fold_quotes}"
    kept = asked = texts.fold_perspective
    if not extracted:
        asked = texts.fold_perspective_asked
    return Subject(
        before=sight.before,
        alone=sight.alone,
        material=sight.material,
        spoken=[text for memory in sight.memories for text in memory.in_prompts.texts[1::2]],
        quote=AgentQuestion(quotes, quotes),
        perspective=AgentQuestion(
            prompt.fill_length(kept, words), prompt.fill_length(asked, words)
        ),
        analysis=prompt.fill_length(texts.fold_analysis, analysis_words(words)),
        words=words,
        guidance=guidance,
        title=plan.titles,
    )


def fold_analysis(
    sheet: Worksheet, plan: FoldPlan, roles: Roles, room: int | None = None
) -> Request | None:
    """Return the question about a fold that needs no answer before it; None where there is none."""
    sights = _sights(sheet, plan, Shown("", room=room))
    words = _words_of_part(fold_words(plan.tokens, sheet.questions_tokens), len(sights))
    asked = sheet.texts.fold_analysis
    return first_analysis(sheet, roles, sights[0].alone, asked, analysis_words(words))


def fold_of(survey: Survey, plan: FoldPlan, clock: Clock, guidance: str = "") -> Steps[Memory]:
    """Return the fold planned in a chat, with the person's guidance. Raises as `make_fold`."""
    sheet = worksheet_of_fold(survey, plan.sources)
    numbers = {key: memory.number for memory in plan.memories for key in memory.keys}
    entries = survey.reading.entries
    places = [at for at, entry in enumerate(entries) if entry.key in numbers]
    raw = None
    if len(places) >= len(numbers) and all(memory.keys for memory in plan.memories):
        before = as_they_are(entries[max(0, places[0] - _MESSAGES_BEFORE) : places[0]])
        passage = as_they_are([entries[at] for at in places])
        raw = RawFold(before, passage, numbers) if passage else None
    shown = Shown(survey.chat.system_message, raw, fold_room(survey))
    return make_fold(sheet, survey.plan.chat_id, shown, plan, survey.roles, clock, guidance)


def fold_room(survey: Survey) -> int | None:
    """Return the tokens of memories that one request about a fold has room for; None for no limit.

    It is the same on any day, independent of what replies have shown of the model.
    """
    limit = survey.roles.limit
    if limit is None:
        return None
    holds = int(limit.most_in_hindsight / survey.roles.factor_beforehand)
    return max(_LEAST_ROOM, holds - survey.plan.fixed_tokens - _BESIDE_MEMORIES)


class Folds(Lane):
    """The folds of a chat: those that prompts will need are made along with the chunks, as soon as they are wanted.

    A fold that is made is kept, and added to the chat's memories.
    """

    def __init__(self, work: ChatWork) -> None:
        """Begin with the memories that `work` holds."""
        super().__init__(work)
        self._viewed: tuple[Memory, ...] = ()
        self._views: dict[tuple[int, Version], Section] = {}
        """The views of the memories in `_viewed`: each looks at all of them, and is asked for several times."""

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """Return what replaces the first `upto` memories in a prompt; None if a fold is missing."""
        missing, standing = self._view(upto, as_told)
        return None if missing else standing

    def begin(self, upto: int) -> None:
        """Begin the next one that is wanted for the first `upto` memories, which stay as they are."""
        missing, _ = self._view(upto, as_told)
        if missing and not self.under_way:
            self.set_out(self._fold(missing))

    def make_all(self, upto: int, version: Version) -> tuple[Memory, ...]:
        """Make all missing folds, and return what replaces the first `upto` memories, in editions of `version`.

        Raises ModelError where a model cannot be asked, and ChatSkipped where a fold does not fit into its window.
        """
        while True:
            missing, standing = self._view(upto, version)
            if not missing:
                return standing
            self.work.scheduler.finish(self._fold(missing))()

    def _view(self, upto: int, version: Version) -> Section:
        """Return the next fold that is missing, and what replaces these memories now."""
        memories = tuple(self.work.memories)
        if memories != self._viewed:
            self._viewed = memories
            self._views.clear()
        if (upto, version) not in self._views:
            self._views[upto, version] = self.work.survey.view_section(memories, upto, version)
        return self._views[upto, version]

    def _fold(self, missing: MissingFold) -> RunningDialogue[Keep]:
        """Return the dialogue that writes this fold."""
        survey = self.work.survey
        names = [member.name for member in missing.members]
        plan = fold_plan(self.work.memories, names, missing.level)
        sheet = worksheet_of_fold(survey, plan.sources)
        ahead = fold_analysis(sheet, plan, survey.roles, fold_room(survey))
        return RunningDialogue(self._steps(plan), BEFORE_ALL_CHUNKS, ahead=ahead)

    def _steps(self, plan: FoldPlan) -> Steps[Keep]:
        made = yield from fold_of(self.work.survey, plan, self.work.context.clock)
        return partial(self._store, made, len(plan.members))

    def _store(self, made: Memory, members: int) -> None:
        """Store a fold of so many members, and add it to the chat's memories."""
        work, chat = self.work, self.work.plan
        kept = keep_fold(work.archive, chat.chat_id, made)
        work.memories.append(kept)
        work.context.tell(
            MemoryMade(chat.chat_id, chat.title, kept.number, folded=members, level=kept.level)
        )
