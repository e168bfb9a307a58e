"""`memproc calls [CHAT]`: what models were asked, when, and how much it was; the answers only on request."""

from collections.abc import Iterator
from dataclasses import asdict

import click

from daemon.archive.chats import find_chat
from daemon.archive.journal import Reply, replies
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.status.sentences import printable_json, visible


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@json_option
@pass_settings
def calls(settings: Settings, chat: str | None, with_text: bool, as_json: bool) -> int:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        found = replies(archive, find_chat(archive, chat).chat_id if chat else None)
    if as_json:
        shown = [{key: value for key, value in asdict(reply).items() if with_text or key != "text"} for reply in found]
        click.echo(printable_json(shown))
    elif with_text:
        click.echo(visible("\n".join(line for reply in found for line in _in_full(reply))))
    else:
        headings = ("Asked (UTC)", "Step", "Model", "Ended", "In", "Cached", "Out", "Dollars", "Request")
        print_table(headings, [_row(reply) for reply in found], right=(4, 5, 6, 7))
    return 0


def _row(reply: Reply) -> list[str]:
    numbers = (reply.tokens_in, reply.tokens_cached, reply.tokens_out)
    when = reply.asked_at[:19].replace("T", " ")
    money = "unknown" if reply.usd is None else f"{reply.usd:.6f}"
    counted = [f"{number:,}" for number in numbers]
    return [when, reply.step, reply.model, reply.finish, *counted, money, reply.request[:12]]


def _in_full(reply: Reply) -> Iterator[str]:
    yield f"--- {'  '.join(_row(reply))}"
    yield reply.text
    yield ""
