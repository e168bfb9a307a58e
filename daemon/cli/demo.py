"""Process a sample conversation with the built-in engine; no key, no network: `memproc demo`."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

import click
from platformdirs import user_cache_path

from daemon.archive.chats import known_chats
from daemon.archive.memories import memories
from daemon.cli.chats import versions_command
from daemon.cli.memory_text import describe_memory
from daemon.cli.plan import plan_command
from daemon.cli.run import run_command
from daemon.cli.settings import Settings, program
from daemon.files.candidates import put_sample
from daemon.files.lock import Busy, hold
from daemon.files.private import make_private
from daemon.status.printable import visible
from rules.errors import FileTrouble

_NAME = re.compile(r"demo(-[0-9]+)?")
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
    """The settings of the demo's own folder."""

    def say_which_file(self) -> None:
        """Say nothing: in a demo it is clear which memproc.toml counts."""


@click.command
@click.pass_context
def demo_command(ctx: click.Context) -> int:
    """Process a sample conversation, from its export to its memories.

    It lies in a folder that is kept until the next demo.
    """
    with _fresh_folder() as home, ctx.scope():
        ctx.obj = settings = DemoSettings(home / _TOML, quiet=False)
        _title("The plan (memproc plan)")
        ctx.invoke(plan_command, paths=(), as_json=False)
        _title("The work (memproc run)")
        code = int(ctx.invoke(run_command, paths=(), dry_run=False, as_json=False))
        with settings.archive() as archive:
            chat_id = known_chats(archive)[0].chat_id
            made = memories(archive, chat_id)
        _title("What is kept (memproc versions)")
        ctx.invoke(versions_command, chat=chat_id, as_json=False)
        _title("One memory (memproc show)")
        click.echo(visible("\n".join(describe_memory(made[len(made) // 2]))))
    click.echo(visible(f"\nEverything is in {home} until the next demo. To look at it:"))
    for rest in (f"memories {chat_id}", f"versions {chat_id}", f"restore {chat_id} 1"):
        click.echo(visible(f"    {settings.command(rest)}"))
    click.echo("\nIn your browser, with each memory next to what was said:")
    click.echo(visible(f"    {program()} open --demo"))
    return code


def newest_demo() -> DemoSettings:
    """Return the settings of the demo that was begun last. Raises FileTrouble without one."""
    base = user_cache_path("memproc", appauthor=False)
    kept = [toml for toml in base.glob(f"demo*/{_TOML}") if _NAME.fullmatch(toml.parent.name)]
    if not kept:
        raise FileTrouble("There is no demo to show yet.", "Make one with: memproc demo")
    return DemoSettings(max(kept, key=lambda toml: toml.stat().st_mtime_ns), quiet=False)


@contextmanager
def _fresh_folder() -> Iterator[Path]:
    """Yield a new folder for this demo: `demo`, or `demo-2` and so on while others run.

    Folders of demos that are over are removed.
    """
    base = user_cache_path("memproc", appauthor=False)
    make_private(base)
    with ExitStack() as held:
        for number in count(1):
            home = base / ("demo" if number == 1 else f"demo-{number}")
            try:
                held.enter_context(hold(home.with_suffix(".lock"), "shows the demo"))
            except Busy:
                continue
            break
        for old in sorted(base.glob("demo*")):
            if old == home:
                shutil.rmtree(old)
            elif _NAME.fullmatch(old.name):
                with suppress(Busy), hold(old.with_suffix(".lock"), "shows the demo"):
                    shutil.rmtree(old)
        make_private(home)
        settings = _SETTINGS.format(port=_FIRST_PORT + number - 1)
        (home / _TOML).write_text(settings, encoding="utf-8")
        put_sample(home / "inbox")
        yield home


def _title(text: str) -> None:
    click.echo(f"\n== {text}\n")
