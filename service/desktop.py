"""Build the command that shows a desktop notice: a list of arguments, never a shell."""

import base64
import json
import shutil
import sys
from collections.abc import Callable
from html import escape

FindProgram = Callable[[str], str | None]
_APPLESCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)
# The odd name is PowerShell's own app id: a notice has to come from an app that Windows knows.
_POWERSHELL = """
$notice = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('{notice}')) \
| ConvertFrom-Json
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, \
ContentType = WindowsRuntime]
$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02
$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)
$lines = $toast.GetElementsByTagName('text')
$null = $lines.Item(0).AppendChild($toast.CreateTextNode($notice.title))
$null = $lines.Item(1).AppendChild($toast.CreateTextNode($notice.text))
$program = '{{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($program).Show($toast)
"""


def notice_command(
    title: str, text: str, system: str = sys.platform, find: FindProgram = shutil.which
) -> tuple[str, ...] | None:
    """Return the command that shows a notice, or None where its program is missing.

    Title and text are shown literally; nothing in them is interpreted. `system` is as in
    `sys.platform`.
    """
    program, arguments = {
        "darwin": ("osascript", _osascript),
        "win32": ("powershell", _powershell),
    }.get(system, ("notify-send", _notify_send))
    path = find(program)
    return (path, *arguments(_in_one_line(title), _in_one_line(text))) if path else None


def _in_one_line(text: str) -> str:
    """Keep printable characters only; a NUL could not even be passed as an argument."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _notify_send(title: str, text: str) -> tuple[str, ...]:
    # The body is read as markup by most desktops, the title by none.
    return ("--app-name=memproc", "--", title, escape(text, quote=False))


def _osascript(title: str, text: str) -> tuple[str, ...]:
    """Pass the texts as the script's arguments, so that they are no part of its code."""
    return (*(word for line in _APPLESCRIPT for word in ("-e", line)), "--", title, text)


def _powershell(title: str, text: str) -> tuple[str, ...]:
    """Pass the texts as base64, so that no quote in them can end a string."""
    notice = base64.b64encode(json.dumps({"title": title, "text": text}).encode()).decode()
    script = base64.b64encode(_POWERSHELL.format(notice=notice).encode("utf-16-le")).decode()
    return ("-NoProfile", "-NonInteractive", "-WindowStyle", "Hidden", "-EncodedCommand", script)
