"""Report an evaluation: what is known, which model was asked, and what was missed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

from daemon.files.clock import in_full
from daemon.reports.report import Cell, Column, Link, Report, ReportTable, Step
from rules.conversation.memory import Memory
from rules.conversation.memory_title import name_in_sentences, short_name
from rules.evaluate.report import CONTEXTS, Evaluation, Missed, PastEvaluation, Row
from rules.evaluate.scoring import Score
from rules.wording import counted, cut_title

Scored = TypeVar("Scored")
_CHOSEN_ALIKE = (
    "The engine chose what extracted memories hold by the same measure, numbers first: "
    "what is found in them says little of how good they are."
)
_FLOOR = (
    "This is a floor and no proof: no model was asked. Sentences of the person, with a number or a "
    "name left out, were looked for in the chat as it is now."
)
_WRITE_AGAIN = "To have a memory written again with what it lacked"
_VOICE = "Burrows' Delta says how far a text is from the persona's own voice; smaller is nearer."
_VOICE_COLUMNS: tuple[Column[tuple[str, float]], ...] = (
    Column("Voice of", lambda text: text[0]),
    Column("Burrows' Delta", lambda text: f"{text[1]:.2f}", "number"),
)


def evaluation_report(
    evaluation: Evaluation, memories: Mapping[str, Memory], usd_now: float = 0.0
) -> Report:
    """Return what is known from each context, by age, fold level and memory, and what was missed.

    `memories` are the chat's by their ids, `usd_now` the dollars that this run of it has cost.
    """
    missed = _missed(evaluation, memories)
    steps: tuple[Step, ...] = ()
    if missed.press and missed.rows:
        (first,) = missed.press(missed.rows[0])
        steps = (replace(first, words=_WRITE_AGAIN, address=""),)
    nearest_first = sorted(evaluation.voice.distances.items(), key=lambda text: text[1])
    return Report(
        (
            _scores(
                "In the context", evaluation.arms, lambda row: CONTEXTS.get(row.name, row.name)
            ),
            _scores("By age", evaluation.groups.ages),
            _scores("By fold level", evaluation.groups.levels),
            _scores(
                "By memory",
                evaluation.groups.memories,
                lambda row: Link(name_in_sentences(memories[row.name]), f"/memory/{row.name}"),
            ),
            missed,
            ReportTable("", () if evaluation.voice.why_not else nearest_first, _VOICE_COLUMNS),
        ),
        heading=_head(evaluation),
        notes=tuple(_notes(evaluation, usd_now)),
        next=steps,
    )


def _missed(evaluation: Evaluation, memories: Mapping[str, Memory]) -> ReportTable[Missed]:
    """Return the missed questions; where a model was asked, their memories can be rewritten."""

    def said_in(missed: Missed) -> Link:
        address = f"/chat/{evaluation.chat_id}/messages/{missed.message}"
        return Link(name_in_sentences(memories[missed.memory]), address)

    def write_again(missed: Missed) -> tuple[Step, ...]:
        command = f"retry {evaluation.chat_id} {short_name(memories[missed.memory])} --missed"
        address = f"/memory/{missed.memory}/missed"
        return (Step("Have it written again with what it lacked", command, address),)

    columns: tuple[Column[Missed], ...] = (
        Column("Missed", lambda missed: missed.question, "prose"),
        Column("Answer", lambda missed: missed.answer, "prose"),
        Column("Said in", said_in),
    )
    press = write_again if evaluation.form == "asked" else None
    return ReportTable("", evaluation.missed, columns, "Nothing was missed.", press=press)


def _notes(evaluation: Evaluation, usd_now: float) -> Iterator[str]:
    """Yield clauses on unread answers, the tail, the voice, and the cost."""
    if unread := sum(row.unread for row in evaluation.arms):
        yield f"{counted(unread, 'answer')} had no letter that could be read, and count nowhere."
    messages, lacking = counted(evaluation.tail.messages, "message"), len(evaluation.tail.lacking)
    if lacking:
        yield (
            f"The live tail lacks {lacking:,} of its {messages}, which you have not deleted: they "
            f"are in the archive alone. To have them: memproc expand {evaluation.chat_id}"
        )
    else:
        yield f"The live tail has {messages}, and none is missing."
    yield (
        f"Voice: not measured: {evaluation.voice.why_not}." if evaluation.voice.why_not else _VOICE
    )
    so_far = f"${evaluation.usd:,.4f}" if evaluation.usd else "$0.00"
    if usd_now:
        yield f"This evaluation cost ${usd_now:,.4f}."
    yield f"Evaluations of this chat so far cost {so_far}."


def _head(evaluation: Evaluation) -> str:
    """Return what was evaluated, when, and which model was asked."""
    title, memories = (
        cut_title(evaluation.title),
        counted(evaluation.memories, "memory", "memories"),
    )
    if evaluation.form == "cloze":
        alike = f"{_CHOSEN_ALIKE}\n\n" if evaluation.chosen_alike else ""
        return f"{alike}{_FLOOR}\n\n{title}: {memories}, now"
    times = f", {evaluation.replicates} times" if evaluation.replicates > 1 else ""
    head = (
        f"{title}: evaluation {evaluation.evaluation}{times}, {in_full(evaluation.at)}, "
        f"{memories}, asked of {evaluation.model}"
    )
    if evaluation.has_passages:
        head += ". Known is a share of what it answers with the passage itself in view"
    changed = "The chat, its memories or their settings have changed since: memproc eval asks again"
    return head if evaluation.is_present else f"{head}. {changed}"


def _scores(
    title: str, rows: Sequence[Row], name: Callable[[Row], Cell] = attrgetter("name")
) -> ReportTable[Row]:
    """Return rows under a title; the columns on made-up answers only where those were asked for."""
    columns: list[Column[Row]] = [Column(title, name, "prose"), *_score("Known", "known")]
    if any(row.made_up for row in rows):
        columns += _score("Made up", "made_up")
    if any(row.stands_out for row in rows):
        columns.append(Column("", lambda row: "fewer than by chance" if row.stands_out else ""))
    return ReportTable("", rows, columns)


def _score(heading: str, place: str) -> Sequence[Column[Scored]]:
    """Return a score's columns: its share, its interval of 95 %, and the number of questions."""
    score: Callable[[Scored], Score | None] = attrgetter(place)

    def interval(row: Scored) -> str:
        known = score(row)
        return f"{100 * known.low:.0f} to {known.high:.0%}" if known else "-"

    return (
        Column(
            heading, lambda row: f"{known.share:.0%}" if (known := score(row)) else "-", "number"
        ),
        Column("95 %", interval, "number"),
        Column("Asked", lambda row: known.questions if (known := score(row)) else 0, "number"),
    )


def history_report(chat_id: str, past: Sequence[PastEvaluation], free: Evaluation) -> Report:
    """Return all evaluations of a chat, oldest first, and what `free` finds without a model."""
    columns: tuple[Column[PastEvaluation], ...] = (
        Column("No.", lambda past: past.evaluation, "number"),
        Column("Day", lambda past: in_full(past.at)[:10]),
        Column("Memories", lambda past: past.memories, "number"),
        *_score("Known", "row.known"),
        *_score("Made up", "row.made_up"),
        Column("Model", lambda past: past.model, drop=1),
    )
    first = () if past else (Step("To do it", f"eval {chat_id}"),)
    table = ReportTable("evaluations", past, columns, "It was never evaluated.")
    return Report((table,), notes=tuple(_history_notes(past, free)), next=first)


def _history_notes(past: Sequence[PastEvaluation], free: Evaluation) -> Iterator[str]:
    """Yield clauses on evaluations that cannot be compared, and what is found without a model."""
    before = [str(evaluation.evaluation) for evaluation in past if not evaluation.has_passages]
    if before:
        yield f"Without the passages in view, and compared with no others: {', '.join(before)}."
    if own := [str(evaluation.evaluation) for evaluation in past if evaluation.is_own]:
        yield f"By your own questions: {', '.join(own)}."
    if known := free.arms[0].known:
        interval = f"{100 * known.low:.0f} to {known.high:.0%}"
        sentences = counted(known.questions, "sentence")
        yield f"Without a model, now: {known.share:.0%} ({interval}) of {sentences} are found."
    if free.chosen_alike:
        yield _CHOSEN_ALIKE
