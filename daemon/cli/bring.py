"""Bring conversations of ChatGPT, Claude and DeepSeek into TypingMind: `memproc bring`."""

import shlex
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.brought import note_what_is_left
from daemon.chat.bring import (
    Bringing,
    Chosen,
    brought_before,
    file_to_plan,
    plan_bringing,
    write_brought,
)
from daemon.cli.bring_choice import (
    CUSTOM,
    BringChoice,
    instructions_of,
    iso_day,
    model_to_go_on,
    newest_instructions,
    read_chosen,
)
from daemon.cli.commands import INTERRUPTED
from daemon.cli.plan import plan_command
from daemon.cli.printing import print_error
from daemon.cli.run import agreed_at_terminal, run_agreed
from daemon.cli.settings import Settings, confirmed, file_argument, yes_option
from daemon.files.foreign import ForeignExport, read_foreign
from daemon.reports.report import Column, Report, ReportTable, Step
from primer.retirement import find_heir
from rules.bring.conversation import PROGRAMS, Conversation
from rules.errors import ChatSkipped, NotFound
from rules.typingmind.content import make_printable
from rules.wording import counted, cut_title

_BYTES_A_TOKEN = 4
_MOST_TITLES = 10


@dataclass(frozen=True, slots=True)
class _ListRow:
    """A conversation in the list, with fields named as in JSON."""

    number: int
    id: str
    title: str
    began: str
    """Its first and last day as ISO dates, empty where they are not known."""
    ended: str
    messages: int
    tokens: int
    brought: Sequence[str]
    """The chats into which it was brought before."""
    program: str


_COLUMNS: tuple[Column[_ListRow], ...] = (
    Column("#", lambda row: row.number, "number"),
    Column("Title", lambda row: cut_title(row.title), "prose"),
    Column("Days", lambda row: " to ".join(dict.fromkeys((row.began, row.ended)))),
    Column("Messages", lambda row: row.messages, "number", drop=2),
    Column("Tokens", lambda row: f"about {row.tokens:,}", "number"),
)
_BROUGHT: Column[_ListRow] = Column(
    "Brought before",
    lambda row: ", ".join(f"in {cut_title(title)}" for title in row.brought),
    "prose",
    drop=1,
)


@click.command
@file_argument
@click.argument("words", nargs=-1)
@click.option(
    "--chat",
    "titles",
    multiple=True,
    type=make_printable,
    metavar="TEXT",
    help="Bring this one: its title, or its number.",
)
@click.option(
    "--as",
    "life",
    default="",
    type=make_printable,
    metavar="TEXT",
    help="Make one chat of this name out of several.",
)
@click.option(
    "--branch",
    default=1,
    metavar="NUMBER",
    type=click.IntRange(1),
    help="Another branch than the last.",
)
@click.option(
    "--model",
    default="",
    type=make_printable,
    metavar="TEXT",
    help="The model that the persona goes on with.",
)
@click.option(
    "--instructions",
    default="",
    type=make_printable,
    metavar="WHICH",
    help="The system message: 'custom', or a project of Claude's.",
)
@click.option(
    "--untouched",
    is_flag=True,
    help="Nothing was said in the brought chat in TypingMind since.",
)
@yes_option
@click.pass_context
def bring_command(
    ctx: click.Context,
    /,
    file: Path,
    words: tuple[str, ...],
    yes: bool,
    **said: object,
) -> int:
    """List the conversations in FILE, an export of ChatGPT, Claude or DeepSeek, or bring those that are named.

    FILE is a ZIP, a JSON file or a folder of them; one in the inbox is found by its name. WORDS
    filter the list. What --chat names is planned first, with its price, and then asked for.
    """
    settings = ctx.ensure_object(Settings)
    choice = BringChoice(**said)  # type: ignore[arg-type]  # click gives these
    in_inbox = settings.folders.inbox / file
    path = in_inbox if in_inbox.exists() and not file.exists() else file
    with settings.archive() as archive:
        export = read_foreign(path, archive.zone)
    if choice.titles and settings.for_programs and yes:
        raise click.UsageError("--json shows the list or the plan, and brings nothing.")
    if choice.titles:
        return _bring(ctx, settings, export, choice, yes=yes, again=choice.command(file))
    _list(settings, export, file, words)
    return 0


def _list(settings: Settings, export: ForeignExport, file: Path, words: Sequence[str]) -> None:
    """Show the list of conversations whose titles have all the words."""
    with settings.archive() as archive:
        rows = list(_rows(export, words, brought_before(archive)))
    has_before = any(row.brought for row in rows)  # an empty column would take room from the titles
    columns = (*_COLUMNS, _BROUGHT) if has_before else _COLUMNS
    number = len(export.conversations)
    shown = "" if len(rows) == number else f", {len(rows):,} of them shown"
    notes = [
        f"{counted(number, 'conversation')}{shown}, newest first. Tokens are guessed from sizes; the plan counts them"
    ]
    if export.unknown:
        notes.append(f"{counted(export.unknown, 'entry', 'entries')} of an unknown shape: left out")
    report = Report(
        (ReportTable("conversations", rows, columns),),
        notes=tuple(notes),
        next=(Step("To bring one", f"bring {shlex.quote(str(file))} --chat NUMBER"),),
        values={"projects": list(export.projects)},
    )
    settings.show(report)


def _rows(
    export: ForeignExport, words: Sequence[str], before: Mapping[tuple[str, str], list[str]]
) -> Iterator[_ListRow]:
    """Yield a row for each conversation whose title has all the words."""
    for number, listed in enumerate(export.conversations, 1):
        summary = listed.summary
        title = summary.title.casefold()
        if not all(word.casefold() in title for word in words):
            continue
        yield _ListRow(
            number=number,
            id=summary.key,
            title=summary.title,
            began=iso_day(summary.began, export.zone),
            ended=iso_day(summary.ended, export.zone),
            messages=summary.messages,
            tokens=summary.size // _BYTES_A_TOKEN,
            brought=before.get((summary.source, summary.key), []),
            program=PROGRAMS[summary.source],
        )


def _bring(
    ctx: click.Context,
    settings: Settings,
    export: ForeignExport,
    choice: BringChoice,
    *,
    yes: bool,
    again: str,
) -> int:
    """Plan, ask what must be asked, and bring; with `--json` only plan. Return the exit code."""
    chosen, bringing = _planned(settings, export, choice)
    sentences = list(_sentences(export, choice, bringing))
    settings.done(*sentences, sentences=sentences)
    if not bringing.placement.new:
        return 0
    if not settings.for_programs:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # treated as Ctrl-C, as in a run
    try:
        with file_to_plan(settings.folders, bringing) as planned:
            ctx.invoke(plan_command, paths=(planned,))
            if settings.for_programs or not confirmed(settings, "Bring it?", yes, again):
                return 0
            is_agreed = yes or settings.quiet
            answered = frozenset() if is_agreed else agreed_at_terminal(settings, (planned,))
    except click.Abort:
        print_error("\nStopped. Nothing was brought.")
        return INTERRUPTED
    if answered is None:
        return 0
    with settings.context() as context:
        if _plan(context.archive, export, choice, chosen).placement != bringing.placement:
            raise ChatSkipped(
                f'"{cut_title(bringing.title)}" was changed by another memproc meanwhile.',
                "Say it again.",
            )
        path = write_brought(settings.folders, bringing, context.clock())
    code = run_agreed(settings, (path,), answered)
    _note_what_is_left(settings, export)
    return code


def _note_what_is_left(settings: Settings, export: ForeignExport) -> None:
    """Store for each of the export's files in the inbox how many conversations were not brought."""
    with settings.context() as context:
        before = brought_before(context.archive)
        numbers: dict[Path, tuple[int, int]] = {}
        for listed in export.conversations:
            path = listed.path.resolve()
            if path.parent == settings.folders.inbox:
                left, total = numbers.get(path, (0, 0))
                is_left = (listed.summary.source, listed.summary.key) not in before
                numbers[path] = (left + is_left, total + 1)
        note_what_is_left(context.archive, numbers, context.clock())


def _planned(
    settings: Settings, export: ForeignExport, choice: BringChoice
) -> tuple[list[Chosen], Bringing]:
    """Read the chosen conversations, and plan to bring them.

    Raises NotFound, also where no model is known.
    """
    chosen = read_chosen(export, choice)
    with settings.archive() as archive:
        bringing = _plan(archive, export, choice, chosen)
    if not (bringing.placement.is_known or model_to_go_on(choice, chosen)):
        last = bringing.chosen[-1].conversation
        raise NotFound(
            f'{PROGRAMS[last.source]}\'s export does not say which model "{cut_title(last.title)}" was with.',
            f"Say which one goes on, as in: --model {find_heir(last.source, '')}",
        )
    return chosen, bringing


def _plan(
    archive: Archive, export: ForeignExport, choice: BringChoice, chosen: Sequence[Chosen]
) -> Bringing:
    """Plan how the chosen conversations become a chat, or continue one. Raises NotFound."""
    return plan_bringing(
        archive,
        chosen,
        life=choice.life,
        model=model_to_go_on(choice, chosen),
        system_message=instructions_of(export, choice, chosen),
        untouched=choice.untouched,
    )


def _sentences(export: ForeignExport, choice: BringChoice, bringing: Bringing) -> Iterator[str]:
    """Yield sentences that the person should know before they agree."""
    placement, title = bringing.placement, bringing.title
    if placement.reason:
        yield f'It becomes a second chat "{cut_title(title)}": {placement.reason}.'
    if not placement.new:
        yield f'Nothing is new: "{cut_title(title)}" holds all of it.'
        return
    messages = counted(bringing.new, "message")
    if placement.is_known:
        yield f'{messages} more for "{cut_title(title)}", which stays under its id.'
    else:
        yield f'{messages} become the chat "{cut_title(title)}".'
    for part in bringing.chosen:
        yield from _not_brought(part.conversation, export.zone, is_known=placement.is_known)
    if placement.is_known:
        return
    if not choice.instructions:
        if newest_instructions(bringing.chosen):
            yield (
                f"Your custom instructions are in the export; --instructions {CUSTOM} makes them "
                "the chat's system message."
            )
        if export.projects:
            names = ", ".join(list(export.projects)[:_MOST_TITLES])
            yield (
                "The export does not say in which project a conversation was. To take a project's "
                f"instructions as the system message, --instructions with one of: {names}."
            )
    yield (
        f"It goes on with {model_to_go_on(choice, bringing.chosen)}. If TypingMind shows another "
        "model, or none, choose it there once."
    )


def _not_brought(conversation: Conversation, zone: tzinfo, *, is_known: bool) -> Iterator[str]:
    """Yield sentences on what cannot be brought of a conversation, and its other branches."""
    not_included = [] if is_known else ["the system prompt"]
    for kind, number in conversation.left.items():
        noun, of, after_noun = kind.partition(" of ")  # "pages of a canvas"
        not_included.append(counted(number, kind, f"{noun}s{of}{after_noun}"))
    if not_included:
        yield f'Not in this export of "{cut_title(conversation.title)}", or only by name: {", ".join(not_included)}.'
    other_branches = conversation.branch_ends[1:]
    if other_branches:
        numbers = [
            f"{number} (to {iso_day(end, zone) or 'an unknown day'})"
            for number, end in enumerate(other_branches[:_MOST_TITLES], 2)
        ]
        branches = counted(len(other_branches), "other branch", "other branches")
        yield f'"{cut_title(conversation.title)}" has {branches}, which --branch brings: {", ".join(numbers)}.'
