"""Keep passages word for word, and release them: `memproc keep CHAT "words"`, `memproc release`."""

import click

from daemon.archive.chats import find_chat, persona_of
from daemon.archive.keeping import kept_passages
from daemon.chat.changes import budget_of
from daemon.chat.holding import holding
from daemon.cli.changes import change, tell_presses
from daemon.cli.settings import Settings, pass_settings
from daemon.reports.passages import passages_report
from rules.conversation.kept_wishes import still_open
from rules.layers.kept_passages import let_go


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
@pass_settings
def keep_command(settings: Settings, chat: str, words: str, uuid: str, number: int | None) -> None:
    """Keep WORDS of CHAT as they were said, in every later export, until `memproc release`.

    They are searched in what was said and kept character for character. Without words, what is kept
    is listed. A message that you pin in TypingMind is kept, too.
    """
    if not (words or uuid or number):
        with settings.archive() as archive:
            known = find_chat(archive, chat, "part")
            passages = kept_passages(archive, known.chat_id)
            budget = budget_of(archive, settings.config, known)
            persona = persona_of(archive, known.chat_id)
            shown = holding(archive, settings.config, known.chat_id).shown
        still = still_open(shown, let_go(passages))
        settings.show(passages_report(known, passages, budget, persona, still))
        tell_presses(settings, known.chat_id, "keep", "release")
        return
    if number and (words or uuid):
        raise click.UsageError("--yes takes the number of a passage that is there, and no words.")
    change(settings, "keep", chat, words=words, uuid=uuid, number=number)


@click.command
@click.argument("chat")
@click.argument("what")
@pass_settings
def release_command(settings: Settings, chat: str, what: str) -> None:
    """Release a passage of CHAT by its number, as `memproc keep CHAT` lists it, or a wish by its words.

    It leaves the message before the memories, or the lists that end them; what was said stays in the
    archive.
    """
    number = int(what) if what.isdecimal() else None
    change(settings, "release", chat, number=number, words=what)
