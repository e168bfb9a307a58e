"""Notices for the desktop: the right tool, and no text that could become a command or markup."""

import base64
import json
import re
import shutil
import subprocess

import pytest

from service.desktop import commands

NASTY = 'a\'; rm -rf ~ "$(id)" `id` <b>&\x00\nend'
PLAIN = 'a\'; rm -rf ~ "$(id)" `id` <b>& end'


def everything(tool: str) -> str:
    return f"/bin/{tool}"


def test_linux_is_told_by_notify_send_or_else_by_gdbus() -> None:
    first, second = commands("-t", NASTY, "linux", everything)
    assert first == ("/bin/notify-send", "--app-name=memproc", "--", "-t", PLAIN.replace("&", "&amp;").replace(
        "<", "&lt;").replace(">", "&gt;"))  # fmt: skip
    assert second[0] == "/bin/gdbus"
    assert json.loads(second[second.index("--") + 5]) == first[-1]


def test_macos_gets_the_texts_as_arguments_of_the_script() -> None:
    (argv,) = commands("title", NASTY, "darwin", everything)
    assert argv[0] == "/bin/osascript"
    assert argv[-3:] == ("--", "title", PLAIN)
    assert not any("rm -rf" in part for part in argv[:-1])


def test_windows_gets_the_texts_where_no_quote_can_end_anything() -> None:
    (argv,) = commands("title", NASTY, "win32", everything)
    script = base64.b64decode(argv[-1]).decode("utf-16-le")
    assert "rm -rf" not in script
    said = re.search(r"FromBase64String\('([A-Za-z0-9+/=]+)'\)", script)
    assert said is not None
    assert json.loads(base64.b64decode(said[1])) == {"title": "title", "text": PLAIN}


@pytest.mark.parametrize("system", ["linux", "darwin", "win32", "freebsd14"])
def test_where_there_is_no_desktop_nothing_is_said(system: str) -> None:
    assert commands("title", "text", system, lambda _: None) == ()


@pytest.mark.skipif(shutil.which("gdbus") is None, reason="there is no gdbus here")
def test_gdbus_takes_the_values_as_they_stand() -> None:
    (argv,) = commands("title", NASTY, "linux", lambda tool: shutil.which(tool) if tool == "gdbus" else None)
    said = subprocess.run(argv, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    assert "parsing" not in said.stderr.lower(), said.stderr
