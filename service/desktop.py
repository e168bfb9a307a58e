"""The commands that show a notice on the desktop: lists of arguments, never a shell; none where there is no way."""

import base64
import json
import shutil
import sys
from collections.abc import Callable
from html import escape

Argv = tuple[str, ...]
Which = Callable[[str], str | None]


def commands(title: str, text: str, system: str = sys.platform, which: Which = shutil.which) -> tuple[Argv, ...]:
    """The commands to try, best first, until one ends with 0. `system` is `sys.platform`'s name.

    Titles and texts are plain: whatever they hold is shown, and nothing of it is interpreted.
    """
    plain = _plain(title), _plain(text)
    if system == "darwin":
        found = _found(which, ("osascript", _osascript(*plain)))
    elif system == "win32":
        found = _found(which, ("powershell", _powershell(*plain)))
    else:
        found = _found(which, ("notify-send", _notify_send(*plain)), ("gdbus", _gdbus(*plain)))
    return found


def _found(which: Which, *ways: tuple[str, Argv]) -> tuple[Argv, ...]:
    return tuple((path, *arguments) for tool, arguments in ways if (path := which(tool)))


def _plain(text: str) -> str:
    """One line of printable characters: a NUL could not even be passed on."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _notify_send(title: str, text: str) -> Argv:
    # The body is read as markup by most desktops, the title by none.
    return ("--app-name=memproc", "--", title, escape(text, quote=False))


def _gdbus(title: str, text: str) -> Argv:
    """The same call that notify-send makes; gdbus is there on most desktops, even where notify-send is not."""
    method = "org.freedesktop.Notifications.Notify"
    values = ("memproc", title, escape(text, quote=False))
    name, summary, body = (json.dumps(value, ensure_ascii=False) for value in values)
    target = ("--session", "--dest=org.freedesktop.Notifications", "--object-path=/org/freedesktop/Notifications")
    return ("call", *target, f"--method={method}", "--", name, "uint32 0", '""', summary, body, "@as []",
            "@a{sv} {}", "int32 -1")  # fmt: skip


def _osascript(title: str, text: str) -> Argv:
    """The texts are arguments of the script, not parts of it."""
    script = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")
    return (*(part for line in script for part in ("-e", line)), "--", title, text)


_TOAST = """
$said = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('{said}')) | ConvertFrom-Json
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02
$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)
$lines = $toast.GetElementsByTagName('text')
$null = $lines.Item(0).AppendChild($toast.CreateTextNode($said.title))
$null = $lines.Item(1).AppendChild($toast.CreateTextNode($said.text))
$program = '{{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($program).Show($toast)
"""


def _powershell(title: str, text: str) -> Argv:
    """The texts travel as base64, so no quote in them can end anything. The odd name is PowerShell's own app id."""
    said = base64.b64encode(json.dumps({"title": title, "text": text}).encode()).decode()
    script = base64.b64encode(_TOAST.format(said=said).encode("utf-16-le")).decode()
    return ("-NoProfile", "-NonInteractive", "-WindowStyle", "Hidden", "-EncodedCommand", script)
