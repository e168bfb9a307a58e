"""Bring conversations of ChatGPT and Claude into TypingMind: `memproc bring`."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.chat.bring import (
    Bringing,
    Chosen,
    brought_before,
    file_to_plan,
    plan_bringing,
    write_brought,
)
from daemon.cli.plan import plan_command, plans_as_json
from daemon.cli.planned import planned_rows
from daemon.cli.printing import print_json, print_table
from daemon.cli.run import run_command
from daemon.cli.settings import Settings, confirmed, json_option
from daemon.files.foreign import ForeignExport, ListedConversation, read_foreign
from primer.models import own_model
from primer.retirement import heir, successor
from rules.bring.conversation import PROGRAMS
from rules.errors import ChatSkipped, NotFound
from rules.wording import counted

_HEADINGS = ("#", "Title", "Days", "Messages", "Tokens", "Brought before")
_BYTES_A_TOKEN = 4
_CUSTOM = "custom"
_MOST_TITLES = 10


@dataclass(frozen=True, slots=True)
class _Choice:
    """What the person says of the conversations to bring."""

    titles: tuple[str, ...]
    life: str
    branch: int
    model: str
    instructions: str
    untouched: bool


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("words", nargs=-1)
@click.option("--chat", "titles", multiple=True, help="Bring this one: its title, or its number.")
@click.option("--as", "life", default="", help="Make one chat of this name out of several.")
@click.option("--branch", default=1, type=click.IntRange(1), help="Another branch than the last.")
@click.option("--model", default="", help="The model that the persona goes on with.")
@click.option(
    "--instructions",
    default="",
    metavar="WHICH",
    help="The system message: 'custom', or a project of Claude's.",
)
@click.option(
    "--untouched",
    is_flag=True,
    help="Nothing was said in the brought chat in TypingMind since.",
)
@click.option("--yes", is_flag=True, help="Do it without asking.")
@json_option
@click.pass_context
def bring_command(
    ctx: click.Context,
    /,
    file: Path,
    words: tuple[str, ...],
    yes: bool,
    as_json: bool,
    **said: object,
) -> int:
    """List the conversations in FILE, an export of ChatGPT or Claude, or bring those that are named.

    FILE is a ZIP, a JSON file or a folder of them; one in the inbox is found by its name. WORDS
    filter the list. What --chat names is planned first, with its price, and then asked for.
    """
    settings = ctx.ensure_object(Settings)
    choice = _Choice(**said)  # type: ignore[arg-type]  # click gives just these
    path = file if file.exists() else settings.folders.inbox / file
    export = read_foreign(path if path.exists() else file)
    if choice.titles and as_json:
        if yes:
            raise click.UsageError("--json shows the list or the plan, and brings nothing.")
        return _print_plan(settings, export, choice)
    if choice.titles:
        return _bring(ctx, settings, export, choice, yes=yes, again=_as_said(file, choice))
    with settings.archive() as archive:
        rows = list(_rows(export, words, brought_before(archive)))
    if as_json:
        print_json({"conversations": rows, "projects": list(export.projects)})
    else:
        _print_list(settings, export, file, rows)
    return 0


def _rows(
    export: ForeignExport, words: Sequence[str], before: dict[tuple[str, str], list[str]]
) -> Iterator[dict[str, object]]:
    """Yield what the list says of each conversation whose title has all the words."""
    for number, listed in enumerate(export.conversations, 1):
        summary = listed.summary
        if all(word.casefold() in summary.title.casefold() for word in words):
            yield {
                "number": number,
                "id": summary.key,
                "title": summary.title,
                "began": _day(summary.began),
                "ended": _day(summary.ended),
                "messages": summary.messages,
                "tokens": summary.size // _BYTES_A_TOKEN,
                "brought": before.get((summary.source, summary.key), []),
                "program": PROGRAMS[summary.source],
            }


def _day(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d}" if when else ""


def _print_list(
    settings: Settings, export: ForeignExport, file: Path, rows: Sequence[dict[str, object]]
) -> None:
    table = [
        (
            f"{row['number']:,}",
            str(row["title"]),
            " to ".join(dict.fromkeys((str(row["began"]), str(row["ended"])))),
            f"{row['messages']:,}",
            f"about {row['tokens']:,}",
            ", ".join(f"in {title}" for title in row["brought"]),  # type: ignore[attr-defined]
        )
        for row in rows
    ]
    # Where nothing was brought before, titles have the room of that column.
    shown_columns = len(_HEADINGS) if any(row[-1] for row in table) else len(_HEADINGS) - 1
    entries = [row[:shown_columns] for row in table]
    headings = _HEADINGS[:shown_columns]
    print_table(headings, entries, right=(0, 3, 4), prose=(1, 5), drop=(5, 3), pages=True)
    all_of_it = counted(len(export.conversations), "conversation")
    shown = "" if len(rows) == len(export.conversations) else f", {len(rows):,} of them shown"
    settings.say(f"{all_of_it}{shown}, the one last spoken in first.")
    if export.unknown:
        settings.say(
            f"{counted(export.unknown, 'entry', 'entries')} of an unknown shape: left out."
        )
    settings.say(f"To bring one: memproc bring {shlex.quote(str(file))} --chat NUMBER")


def _bring(
    ctx: click.Context,
    settings: Settings,
    export: ForeignExport,
    choice: _Choice,
    *,
    yes: bool,
    again: str,
) -> int:
    """Plan, ask, and bring. Return the exit code."""
    chosen, bringing = _planned(settings, export, choice)
    for sentence in _sentences(export, choice, bringing):
        settings.say(sentence)
    if not bringing.placement.new:
        return 0
    with file_to_plan(settings.folders, bringing) as planned:
        ctx.invoke(plan_command, paths=(planned,))
    if not confirmed(settings, "Bring it?", yes, again):
        return 0
    with settings.context() as context:
        now = _plan(context.archive, export, choice, chosen)
        if now.placement != bringing.placement:
            raise ChatSkipped(
                f'"{bringing.title}" was changed by another memproc meanwhile.', "Say it again."
            )
        path = write_brought(settings.folders, bringing, context.clock())
    code: int = ctx.invoke(run_command, paths=(path,), yes=yes)
    return code


def _print_plan(settings: Settings, export: ForeignExport, choice: _Choice) -> int:
    """Print the plan for programs: the sentences, and what `memproc plan --json` says."""
    _, bringing = _planned(settings, export, choice)
    report: dict[str, object] = {"sentences": list(_sentences(export, choice, bringing))}
    if bringing.placement.new:
        with file_to_plan(settings.folders, bringing) as planned:
            report |= plans_as_json(settings, planned_rows(settings, (planned,)))
    print_json(report)
    return 0


def _planned(
    settings: Settings, export: ForeignExport, choice: _Choice
) -> tuple[list[Chosen], Bringing]:
    """Read what is chosen, and plan it. Raises NotFound, also where no model is known."""
    chosen = _chosen(export, choice)
    with settings.archive() as archive:
        bringing = _plan(archive, export, choice, chosen)
    _refuse_without_model(bringing, _model(choice, chosen))
    return chosen, bringing


def _plan(
    archive: Archive, export: ForeignExport, choice: _Choice, chosen: Sequence[Chosen]
) -> Bringing:
    return plan_bringing(
        archive,
        chosen,
        life=choice.life,
        model=_model(choice, chosen),
        system_message=_system_message(export, choice, chosen),
        untouched=choice.untouched,
    )


def _chosen(export: ForeignExport, choice: _Choice) -> list[Chosen]:
    """Read the conversations that are named. Raises NotFound, or UsageError for what cannot be."""
    listed = list(dict.fromkeys(_find(export, title) for title in choice.titles))
    if len(listed) > 1 and not choice.life:
        raise click.UsageError("Several become one chat: say what it is called, with --as NAME.")
    if len(listed) > 1 and choice.branch > 1:
        raise click.UsageError("--branch is for one conversation.")
    return [Chosen(*export.read(each, choice.branch)) for each in listed]


def _find(export: ForeignExport, written: str) -> ListedConversation:
    """Find a conversation by its title or id, else by its number in the list. Raises NotFound."""
    listed = export.conversations
    fitting = [
        (number, each)
        for number, each in enumerate(listed, 1)
        if written.casefold() in (each.summary.title.casefold(), each.summary.key.casefold())
    ]
    if (
        not fitting
        and written.isascii()
        and written.isdecimal()
        and 0 < int(written) <= len(listed)
    ):
        return listed[int(written) - 1]
    if len(fitting) == 1:
        return fitting[0][1]
    if fitting:
        numbers = ", ".join(f"{number} ({_day(each.summary.ended)})" for number, each in fitting)
        raise NotFound(
            f'{counted(len(fitting), "conversation")} are called "{written}": {numbers}.',
            "Name one by its number.",
        )
    near = get_close_matches(written, [each.summary.title for each in listed], n=3)
    meant = " or ".join(f'"{title}"' for title in near)
    raise NotFound(
        f'{export.name} holds no conversation "{written}".',
        f"Did you mean {meant}?" if near else "List them without --chat.",
    )


def _refuse_without_model(bringing: Bringing, model: str) -> None:
    """Raise NotFound where nothing says which model a new chat goes on with."""
    last = bringing.chosen[-1].conversation
    if not model and not bringing.placement.is_known:
        raise NotFound(
            f'{PROGRAMS[last.source]}\'s export does not say which model "{last.title}" was with.',
            f"Say which one goes on, as in: --model {heir(last.source, '')}",
        )


def _model(choice: _Choice, chosen: Sequence[Chosen]) -> str:
    """Return TypingMind's name of the model that goes on: the person's, else the old one's heir.

    Empty where neither is known.
    """
    last = chosen[-1].conversation
    name = choice.model or (heir(last.source, last.model) if last.model else "")
    newer = successor(name)
    own = own_model([newer.name if newer else name])
    return own.partition("/")[2] if own and not own.startswith("openrouter/") else name


def _system_message(export: ForeignExport, choice: _Choice, chosen: Sequence[Chosen]) -> str:
    """Return the instructions that the person has chosen. Raises NotFound."""
    custom = next(
        (
            each.conversation.instructions
            for each in reversed(chosen)
            if each.conversation.instructions
        ),
        "",
    )
    offered = {**({_CUSTOM: custom} if custom else {}), **export.projects}
    by_name = {name.casefold(): text for name, text in offered.items()}
    if choice.instructions and choice.instructions.casefold() not in by_name:
        raise NotFound(
            f'There are no instructions "{choice.instructions}" in {export.name}.',
            f"There are: {', '.join(offered)}." if offered else "Leave out --instructions.",
        )
    return by_name.get(choice.instructions.casefold(), "")


def _sentences(export: ForeignExport, choice: _Choice, bringing: Bringing) -> Iterator[str]:
    """Yield what the person should know before they agree."""
    placement, title = bringing.placement, bringing.title
    if placement.reason:
        yield f'It becomes a second chat "{title}": {placement.reason}.'
    if not placement.new:
        yield f'Nothing is new: "{title}" holds all of it.'
        return
    messages = counted(bringing.new, "message")
    yield (
        f'{messages} more for "{title}", which stays under its id.'
        if placement.is_known
        else f'{messages} become the chat "{title}".'
    )
    for each in bringing.chosen:
        yield from _losses(each, is_known=placement.is_known)
    yield from _offers(export, choice, bringing)
    if not placement.is_known:
        yield (
            f"It goes on with {_model(choice, bringing.chosen)}. If TypingMind shows another "
            "model, or none, choose it there once."
        )


def _losses(each: Chosen, *, is_known: bool) -> Iterator[str]:
    """Yield what cannot come of a conversation, in numbers, and its other branches."""
    conversation = each.conversation
    kinds = conversation.left.items()
    left = [] if is_known else ["the system prompt"]
    left += [counted(number, kind, _plural(kind)) for kind, number in kinds]
    if left:
        yield f'Of "{conversation.title}" this cannot come, or only by name: {", ".join(left)}.'
    others = conversation.branch_ends[1:]
    if others:
        listed = ", ".join(
            f"{number} (to {_day(end) or 'an unknown day'})"
            for number, end in enumerate(others[:_MOST_TITLES], 2)
        )
        yield (
            f'"{conversation.title}" has {counted(len(others), "other branch", "other branches")}, '
            f"which --branch brings: {listed}."
        )


def _plural(kind: str) -> str:
    noun, of, rest = kind.partition(" of ")
    return f"{noun}s{of}{rest}"


def _offers(export: ForeignExport, choice: _Choice, bringing: Bringing) -> Iterator[str]:
    """Yield which instructions the export has, where none are chosen."""
    if choice.instructions or bringing.placement.is_known:
        return
    if any(each.conversation.instructions for each in bringing.chosen):
        yield (
            "Your custom instructions are in the export; to make them the chat's system message: "
            f"--instructions {_CUSTOM}"
        )
    if export.projects:
        names = ", ".join(list(export.projects)[:_MOST_TITLES])
        yield (
            "The export does not say in which project a conversation was. To take a project's "
            f"instructions as the system message, --instructions with one of: {names}."
        )


def _as_said(file: Path, choice: _Choice) -> str:
    """Return the command that says the same again."""
    words = ["memproc", "bring", str(file)]
    for title in choice.titles:
        words += ["--chat", title]
    for option, value in (
        ("--as", choice.life),
        ("--branch", str(choice.branch) if choice.branch > 1 else ""),
        ("--model", choice.model),
        ("--instructions", choice.instructions),
    ):
        words += [option, value] if value else []
    return shlex.join([*words, *(["--untouched"] if choice.untouched else [])])
