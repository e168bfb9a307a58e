"""Notices for the desktop: the right tool, and no text that could become a command or markup."""

import base64
import json
import re

import pytest

from service.desktop import notice_command

NASTY = 'a\'; rm -rf ~ "$(id)" `id` <b>&\x00\nend'
PLAIN = 'a\'; rm -rf ~ "$(id)" `id` <b>& end'


def everything(tool: str) -> str:
    return f"/bin/{tool}"


def test_on_linux_the_text_is_escaped_since_desktops_read_markup() -> None:
    escaped = PLAIN.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    argv = ("/bin/notify-send", "--app-name=memproc", "--", "-t", escaped)
    assert notice_command("-t", NASTY, "linux", everything) == argv


def test_macos_gets_the_texts_as_arguments_of_the_script() -> None:
    argv = notice_command("title", NASTY, "darwin", everything)
    assert argv is not None and argv[0] == "/bin/osascript"
    assert argv[-3:] == ("--", "title", PLAIN)
    assert not any("rm -rf" in part for part in argv[:-1])


def test_windows_gets_the_texts_where_no_quote_can_end_anything() -> None:
    argv = notice_command("title", NASTY, "win32", everything)
    assert argv is not None
    script = base64.b64decode(argv[-1]).decode("utf-16-le")
    assert "rm -rf" not in script
    said = re.search(r"FromBase64String\('([A-Za-z0-9+/=]+)'\)", script)
    assert said is not None
    assert json.loads(base64.b64decode(said[1])) == {"title": "title", "text": PLAIN}


@pytest.mark.parametrize("system", ["linux", "darwin", "win32", "freebsd14"])
def test_where_there_is_no_desktop_nothing_is_said(system: str) -> None:
    assert notice_command("title", "text", system, lambda _: None) is None
