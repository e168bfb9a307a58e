"""Keep passages word for word, and release them: `memproc keep CHAT "words"`, `memproc release`."""

from collections.abc import Sequence

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat, known_chat, persona_of
from daemon.archive.keeping import kept_passages, store_passages
from daemon.chat.kept import covered_by, mark
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.config.settings import Config
from daemon.files.clock import now
from daemon.reports.passages import passages_report
from rules.errors import NotFound
from rules.layers.kept_passages import (
    KeptPassage,
    admit_waiting,
    tokens_kept,
)
from rules.wording import TO_SEE_IT, cut_title


@click.command
@click.argument("chat")
@click.argument("words", required=False, default="")
@click.option(
    "--message", "uuid", default="", metavar="UUID", help="Keep this message, or WORDS of it."
)
@click.option(
    "--yes",
    "number",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Keep the passage of this number: one that is offered, asked about, or was released.",
)
@json_option
@pass_settings
def keep_command(
    settings: Settings, chat: str, words: str, uuid: str, number: int | None, as_json: bool
) -> None:
    """Keep WORDS of CHAT as they were said, in every later export, until `memproc release`.

    They are searched in what was said and kept character for character. Without words, what is kept
    is listed. A message that you pin in TypingMind is kept, too.
    """
    if not (words or uuid or number):
        _list(settings, chat, as_json)
        return
    if number and (words or uuid):
        raise click.UsageError("--yes takes the number of a passage that is there, and no words.")
    with settings.context() as context:
        archive = context.archive
        known = find_chat(archive, chat)
        before = kept_passages(archive, known.chat_id)
        budget = _budget(archive, context.config, known)
        meant = _numbered(before, known, number) if number else None
        new = meant.agreed() if meant else mark(archive, known.chat_id, words, uuid)
        there = _already(before, new, is_there=meant is not None)
        if there:
            settings.say(f"Nothing to do: {there.called} is {there.state} already.")
            return
        after = _store(archive, known, before, new, budget)
    settings.say(_said_of_new(after, budget))


def _already(
    before: Sequence[KeptPassage], new: KeptPassage, *, is_there: bool
) -> KeptPassage | None:
    """Return the passage that has what is to be kept already; one that is there, unchanged."""
    if is_there:
        return new if new in before else None
    return covered_by(before, new)


def _said_of_new(passages: Sequence[KeptPassage], budget: int) -> str:
    """Say whether the last of the passages is kept, or waits for room in the budget of tokens."""
    *_, passage = passages
    if passage.state == "kept":
        return f"Kept, word for word: {passage.called}.\n{TO_SEE_IT}"
    return (
        f"{passage.called.capitalize()} waits: it has {passage.tokens:,} tokens, and of "
        f"{budget:,} (keep.budget) {tokens_kept(passages):,} are taken. "
        "Release another passage, or raise keep.budget in memproc.toml."
    )


@click.command
@click.argument("chat")
@click.argument("number", type=click.IntRange(min=1))
@pass_settings
def release_command(settings: Settings, chat: str, number: int) -> None:
    """Release the passage NUMBER of CHAT, as `memproc keep CHAT` lists it.

    It leaves the message before the memories; what was said stays in the archive.
    """
    with settings.context() as context:
        archive, known = context.archive, find_chat(context.archive, chat)
        before = kept_passages(archive, known.chat_id)
        meant = _numbered(before, known, number)
        if meant.state == "released":
            settings.say(f"Nothing to do: {meant.called} is released already.")
            return
        budget = _budget(archive, context.config, known)
        _store(archive, known, before, meant.released(), budget)
    settings.say(f"Released: {meant.called}.\n{TO_SEE_IT}")


def _store(
    archive: Archive,
    known: KnownChat,
    before: Sequence[KeptPassage],
    changed: KeptPassage,
    budget: int,
) -> tuple[KeptPassage, ...]:
    """Store the passages with one that is new or changed, and let in what waits; that one is last."""
    others = [passage for passage in before if passage.number != changed.number]
    admitted = admit_waiting([*others, changed], budget)
    return store_passages(archive, known.chat_id, admitted, now())


def _budget(archive: Archive, config: Config, known: KnownChat) -> int:
    """Return the tokens that the chat's kept passages may take."""
    return config.of(known_chat(archive, known.chat_id)).keep.budget


def _numbered(passages: Sequence[KeptPassage], known: KnownChat, number: int) -> KeptPassage:
    """Return the passage of this number. Raises NotFound."""
    for passage in passages:
        if passage.number == number:
            return passage
    raise NotFound(
        f'"{cut_title(known.title)}" has no passage {number}.',
        f"List what is kept with: memproc keep {known.chat_id}",
    )


def _list(settings: Settings, chat: str, as_json: bool) -> None:
    """List the passages of a chat, but for released ones, by time."""
    with settings.archive() as archive:
        known = find_chat(archive, chat, "part")
        passages = kept_passages(archive, known.chat_id)
        budget = _budget(archive, settings.config, known)
        persona = persona_of(archive, known.chat_id)
    settings.show(passages_report(known, passages, budget, persona), as_json)
