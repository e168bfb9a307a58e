"""Folds: the oldest memories become one of a higher level, written from their as-of editions.

A fold carries the quotes and the standing wishes of all its memories, word for word. Without these
it has at most half the tokens of its members, or 200 more than its questions. A model writes a fold
of folds from the memories of its chunks, unless they are too much to read
(rules/plan/fold_budget.py); the engine goes back to the raw messages.
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
from rules.plan.folds import MissingFold, Version, version_in_prompts

_MESSAGES_BEFORE = 100
_LEAST_WORDS = 25
_LEAST_ROOM = 500
_DIALOGUE_TOKENS = 2_000
"""Tokens of the questions and answers in a request about a fold."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """The turns that the agent and the context manager see before their questions about a fold."""

    before: tuple[Turn, ...]
    alone: tuple[Turn, ...]
    memories: Sequence[Memory]
    """The memories in these turns."""
    material: Material
    """What the engine reads."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a chat can show to the writers of a fold."""

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
    """Write the planned fold.

    Its number is 0 until `keep_fold` numbers it among those of its level. A model writes it from
    as-of editions, in parts where these exceed the room of one request; the engine from the raw
    messages, where they are known. Raises ModelError where a model cannot be asked.
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
    """Ask the three questions after the quotes, about each part of the fold."""
    if pair.agent is None:
        # The engine reads the raw messages, or the members where those are not known.
        if shown.raw:
            turns, material = shown.raw.turns, shown.raw.material(sheet.zone)
        else:
            turns = prompt.memories_alone(sheet.texts, plan.members)
            material = memories_told(plan.members, sheet.zone)
        sight = _Sight((), turns, plan.members, material)
        subject = _subject(sheet, plan, sight, words, guidance, extracted=True)
        return (yield from extract(sheet, subject, pair.context_managers, plan.quotes))
    sights = _sights(sheet, plan, shown)
    words_each = _words_of_part(words, len(sights))
    transcripts: list[Transcript] = []
    for sight in sights:
        part_sheet = _asking_for_paragraphs(sheet, sight, words_each)
        subject = _subject(part_sheet, plan, sight, words_each, guidance, extracted=False)
        managers = pair.context_managers
        transcript = yield from converse(part_sheet, subject, pair.agent, managers, plan.quotes)
        if isinstance(transcript, Refused):
            return transcript
        transcripts.append(transcript)
    return _joined(sheet, transcripts)


def _words_of_part(words: int, parts: int) -> int:
    """Return how many words each answer about one of `parts` parts of a fold may have."""
    return words if parts == 1 else max(_LEAST_WORDS, words // parts)


def _sights(sheet: Worksheet, plan: FoldPlan, shown: Shown) -> list[_Sight]:
    """Return what a model sees of each part of a fold."""
    if not plan.from_memories:
        before = prompt.agent_context(sheet.texts, shown.system_message, plan.members, (), ())
        alone = prompt.memories_alone(sheet.texts, plan.members)
        return [_Sight(before, alone, plan.members, memories_told(plan.members, sheet.zone))]
    sights = []
    for part in parts_within(plan.answers, shown.room):
        memories = plan.memories[part.start : part.stop]
        before = prompt.agent_context_of_folds(sheet.texts, shown.system_message, memories)
        alone = prompt.memories_alone(sheet.texts, memories, prompt.LAST_ANSWER)
        material = memories_told(memories, sheet.zone, prompt.LAST_ANSWER)
        sights.append(_Sight(before, alone, memories, material))
    return sights


def _asking_for_paragraphs(sheet: Worksheet, sight: _Sight, words: int) -> Worksheet:
    """Return the sheet, asking for paragraphs in its last question if the part is to have several.

    It shares the list of requests. The question that the fold keeps does not ask for paragraphs.
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
    perspectives = "\n\n".join(transcript.texts[3] for transcript in transcripts)
    refinements = "\n\n".join(transcript.texts[5] for transcript in transcripts)
    last = prompt.question(fill(sheet.texts.refinement, analysis=keep_inert(analysis))).content
    form = joined_forms(transcript.form for transcript in transcripts)
    texts = (quote, quoted, perspective, perspectives, last, refinements)
    return replace(first, texts=texts, analysis=analysis, form=form)


def _subject(
    sheet: Worksheet, plan: FoldPlan, sight: _Sight, words: int, guidance: str, *, extracted: bool
) -> Subject:
    """Return the subject of the dialogue about a fold, or a part of one."""
    texts = sheet.texts
    quotes = f"{plan.title(extracted=extracted)} {texts.fold_quotes}"
    wording = asked_wording = texts.fold_perspective
    if not extracted:
        asked_wording = texts.fold_perspective_asked
    return Subject(
        before=sight.before,
        alone=sight.alone,
        material=sight.material,
        spoken=[text for memory in sight.memories for text in memory.in_prompts.texts[1::2]],
        quote=AgentQuestion(quotes, quotes),
        perspective=AgentQuestion(
            prompt.fill_length(wording, words), prompt.fill_length(asked_wording, words)
        ),
        analysis=prompt.fill_length(texts.fold_analysis, analysis_words(words)),
        words=words,
        guidance=guidance,
        title=plan.titles,
    )


def fold_analysis(
    sheet: Worksheet, plan: FoldPlan, roles: Roles, room: int | None = None
) -> Request | None:
    """Return the request about a fold that depends on no earlier answer; None if there is none."""
    sights = _sights(sheet, plan, Shown("", room=room))
    words = _words_of_part(fold_words(plan.tokens, sheet.questions_tokens), len(sights))
    text = sheet.texts.fold_analysis
    return first_analysis(sheet, roles, sights[0].alone, text, analysis_words(words))


def write_fold(survey: Survey, plan: FoldPlan, clock: Clock, guidance: str = "") -> Steps[Memory]:
    """Write the fold planned in a chat, with the person's guidance. Raises as `make_fold`."""
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

    It does not depend on what replies have taught about the model, so it is the same on any day.
    """
    limit = survey.roles.limit
    if limit is None:
        return None
    holds = int(limit.most_in_hindsight / survey.roles.factor_beforehand)
    return max(_LEAST_ROOM, holds - survey.plan.fixed_tokens - _DIALOGUE_TOKENS)


class Folds(Lane):
    """The folds of a chat.

    Those that prompts need are made while chunks are written, as soon as they are due. A finished
    fold is kept in the archive, and added to the chat's memories.
    """

    def __init__(self, work: ChatWork) -> None:
        """Begin with the memories that `work` holds."""
        super().__init__(work)
        self._viewed: tuple[Memory, ...] = ()
        self._views: dict[tuple[int, Version], Section] = {}
        """Cached views of the memories in `_viewed`: each reads all, and is needed often."""

    def before(self, upto: int) -> tuple[Memory, ...] | None:
        """Return what replaces the first `upto` memories in a prompt; None if a fold is missing."""
        missing, memories = self._view(upto, version_in_prompts)
        return None if missing else memories

    def begin(self, upto: int) -> None:
        """Begin the next missing fold of the first `upto` memories, which no longer change."""
        missing, _ = self._view(upto, version_in_prompts)
        if missing and not self.under_way:
            self.begin_dialogue(self._fold(missing))

    def make_all(self, upto: int, version: Version) -> tuple[Memory, ...]:
        """Make all missing folds.

        Return what replaces the first `upto` memories, in editions of `version`. Raises ModelError
        where a model cannot be asked, and ChatSkipped where a fold does not fit into its window.
        """
        while True:
            missing, memories = self._view(upto, version)
            if not missing:
                return memories
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
        """Return the dialogue that writes a missing fold."""
        survey = self.work.survey
        names = [member.name for member in missing.members]
        plan = fold_plan(self.work.memories, names, missing.level)
        sheet = worksheet_of_fold(survey, plan.sources)
        ahead = fold_analysis(sheet, plan, survey.roles, fold_room(survey))
        return RunningDialogue(self._steps(plan), BEFORE_ALL_CHUNKS, ahead=ahead)

    def _steps(self, plan: FoldPlan) -> Steps[Keep]:
        fold = yield from write_fold(self.work.survey, plan, self.work.context.clock)
        return partial(self._store, fold, len(plan.members))

    def _store(self, fold: Memory, members: int) -> None:
        """Store a fold of that many members, and add it to the chat's memories."""
        work, chat = self.work, self.work.plan
        kept = keep_fold(work.archive, chat.chat_id, fold)
        work.memories.append(kept)
        work.context.tell(
            MemoryMade(chat.chat_id, chat.title, kept.number, folded=members, level=kept.level)
        )
