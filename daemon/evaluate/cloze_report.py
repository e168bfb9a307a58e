"""Report how much of a chat is known in the cloze form, which asks no model and is free."""

from collections.abc import Sequence

from daemon.archive.archive import Archive
from daemon.evaluate.reporting import in_every_report, names_shown
from daemon.evaluate.subject import ArmName, EvaluatedChat
from rules.conversation.memory import EXTRACTED
from rules.evaluate.cloze import Cloze, SearchedText, common_words, make_clozes
from rules.evaluate.report import (
    Evaluation,
    MarkedQuestion,
    Missed,
    group,
    make_row,
)
from rules.layers.names import find_names


def free_report(
    archive: Archive, subject: EvaluatedChat, arms: Sequence[ArmName], now: str
) -> Evaluation:
    """Return the report in the cloze form, which asks no model.

    The arm that searches is left out.
    """
    clozes = _clozes(subject)
    by_arm = {arm: _found(subject, clozes, arm) for arm in arms if arm != "recall"}
    results = by_arm["memories"]
    checked = zip(clozes, results, strict=True)
    not_known = [cloze for cloze, result in checked if not result.is_right]
    return Evaluation(
        **in_every_report(archive, subject),
        form="cloze",
        chosen_alike=any(memory.edition.made == EXTRACTED for memory in subject.shown),
        at=now,
        memories=len(subject.chunks),
        arms=tuple(make_row(arm, found, guessing=False) for arm, found in by_arm.items()),
        groups=group(results, names_shown(subject), guessing=False),
        missed=tuple(
            Missed(cloze.memory, cloze.message, cloze.asked, cloze.left_out, cloze.sentence)
            for cloze in not_known
        ),
    )


def _found(subject: EvaluatedChat, clozes: Sequence[Cloze], arm: ArmName) -> list[MarkedQuestion]:
    """Look in a context, without its system message, for the word left out of each sentence."""
    turns = [turn for turn in subject.turns(arm) if turn.role != "system"]
    searched = SearchedText(turn.content for turn in turns)
    results = []
    for cloze in clozes:
        is_known = searched.knows(cloze)
        level = subject.shown_as[cloze.memory].level
        results.append(MarkedQuestion(cloze.memory, level, float(is_known), is_known))
    return results


def _clozes(subject: EvaluatedChat) -> list[Cloze]:
    """Make sentences with a word left out, from what the person said in each chunk."""
    everything = [entry.message for entries in subject.entries.values() for entry in entries]
    by_person = [message.words for message in everything if message.speaker == "user"]
    by_persona = [message.words for message in everything if message.speaker != "user"]
    who = find_names(subject.survey.chat.system_message, by_person, by_persona)
    names = frozenset({who.persona.casefold(), who.person.casefold()} - {""})
    common = common_words(by_person, names)
    clozes: list[Cloze] = []
    for name, entries in subject.entries.items():
        messages = [
            (entry.key, entry.message.words) for entry in entries if entry.message.speaker == "user"
        ]
        clozes += make_clozes(name, messages, common)
    return clozes
