"""Process a sample conversation with the built-in engine; no key, no network: `memproc demo`."""

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.memories import memories
from daemon.cli.chats import versions_command
from daemon.cli.plan import plan_command
from daemon.cli.run import run_command
from daemon.cli.settings import Settings
from daemon.config.settings import SAMPLE
from daemon.files.backup_index import kept_lines
from daemon.files.candidates import SAMPLE_FILE, put_sample
from daemon.files.lock import Busy, hold
from daemon.files.paths import arrivals_folder, brought_folder, demos_folder, is_demo
from daemon.files.private import make_private
from daemon.recovery.aside import aside_folder
from daemon.reports.memories import shown_report
from daemon.status.printable import make_visible
from rules.errors import FileTrouble, MemprocError

_TOML = "memproc.toml"
_SETTINGS = """\
[folders]
inbox = "inbox"
updated = "updated"
backups = "backups"
state = "state"

[page]
port = {port}
"""
_FIRST_PORT = 27184
"""The page's port in the first of several demos: the one after the person's own."""


class DemoSettings(Settings):
    """The settings in the demo's own folder."""

    def say_which_file(self) -> None:
        """Do nothing: in a demo it is clear which memproc.toml is used."""

    def command(self, rest: str) -> str:
        """Return a command that can be typed."""
        return f"{_program()}{super().command(rest).removeprefix('memproc')}"


@click.command
@click.pass_context
def demo_command(ctx: click.Context) -> int:
    """Process a sample conversation, from its export to its memories.

    It lies in a folder that is kept until the next demo; for good, where it holds other chats, too.
    """
    with _fresh_folder() as home, ctx.scope():
        ctx.obj = settings = DemoSettings(home / _TOML, quiet=False)
        _title("The plan (memproc plan)")
        ctx.invoke(plan_command, paths=())
        _title("The work (memproc run)")
        code = int(ctx.invoke(run_command, paths=(), dry_run=False))
        if chat_id := _show_what_is_kept(ctx, settings):
            click.echo(
                make_visible(f"\nEverything is in {home} until the next demo. To look at it:")
            )
            for rest in (f"memories {chat_id}", f"versions {chat_id}", f"restore {chat_id} 1"):
                click.echo(make_visible(f"    {settings.command(rest)}"))
            click.echo("\nIn your browser, with each memory next to what was said:")
            click.echo(make_visible(f"    {_program()} open --demo"))
        else:
            click.echo(f"\nThe sample was not processed; why is said above. It is in {home}.")
    for older in _demos():
        if older != home and _holds_more(older):
            click.echo(make_visible(f"\nAn older demo holds other chats, and stays in {older}:"))
            click.echo(
                make_visible(f"    {DemoSettings(older / _TOML, quiet=False).command('open')}")
            )
    return code


def newest_demo() -> DemoSettings:
    """Return the settings of the demo that was begun last. Raises FileTrouble if there is none."""
    demos = [toml for toml in demos_folder().glob(f"demo*/{_TOML}") if is_demo(toml.parent)]
    if not demos:
        raise FileTrouble("There is no demo to show yet.", "Make one with: memproc demo")
    return DemoSettings(max(demos, key=lambda toml: toml.stat().st_mtime_ns), quiet=False)


def _show_what_is_kept(ctx: click.Context, settings: Settings) -> str:
    """Show the versions of the sample, and a memory. Return the chat's id; "" if it was skipped."""
    with settings.archive() as archive:
        chat_ids = [chat.chat_id for chat in known_chats(archive)]
        sample_memories = memories(archive, chat_ids[0]) if chat_ids else ()
    if not sample_memories:
        return ""
    _title("What is kept (memproc versions)")
    ctx.invoke(versions_command, chat=chat_ids[0])
    _title("One memory (memproc show)")
    settings.show(shown_report(sample_memories[len(sample_memories) // 2]))
    return chat_ids[0]


def _program() -> str:
    """Return what to type for memproc: its path, if it was started by that and is not on PATH."""
    started = Path(sys.argv[0])
    is_on_path = started.name != "memproc" or shutil.which("memproc")
    return "memproc" if is_on_path else shlex.quote(str(started))


@contextmanager
def _fresh_folder() -> Iterator[Path]:
    """Yield a new folder for this demo: `demo`, or `demo-2` and so on if others are in use.

    A demo is in use while it runs, or if it holds other chats. The folders of all others are
    removed.
    """
    base = demos_folder()
    make_private(base)
    with ExitStack() as locks:
        for number in count(1):
            home = base / ("demo" if number == 1 else f"demo-{number}")
            with suppress(Busy):
                locks.enter_context(hold(home.with_suffix(".lock"), "shows the demo"))
                if not _holds_more(home):
                    break
        for old in _demos():
            if old == home:
                shutil.rmtree(old)
                continue
            with suppress(Busy), hold(old.with_suffix(".lock"), "shows the demo"):
                if not _holds_more(old):
                    shutil.rmtree(old)
        make_private(home)
        settings = _SETTINGS.format(port=_FIRST_PORT + number - 1)
        (home / _TOML).write_text(settings, encoding="utf-8")
        put_sample(home / "inbox")
        yield home


def _demos() -> list[Path]:
    return sorted(path for path in demos_folder().glob("demo*") if path.is_dir() and is_demo(path))


def _holds_more(home: Path) -> bool:
    """Return whether a demo holds, or may hold, a chat other than the sample."""
    state, backups = home / "state", home / "backups"
    folders = (home / "inbox", aside_folder(backups), arrivals_folder(state), brought_folder(state))
    files = {path.name for folder in folders for path in folder.glob("[!.]*")}
    try:
        with Archive.read(state) as archive:
            chat_ids = {chat.chat_id for chat in known_chats(archive)}
        chat_ids.update(line.chat_id for _, line in kept_lines(backups))
    except MemprocError:
        return True
    return bool(files - {SAMPLE_FILE} or chat_ids - {SAMPLE.chat})


def _title(text: str) -> None:
    click.echo(f"\n== {text}\n")
