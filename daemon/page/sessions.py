"""Decide who may use the page: one-time links, sessions, and the token of every form.

`memproc open` makes a link that works once, for two minutes. The browser that follows it gets a
session, which ends when it is unused for thirty days. Both are stored as empty private files named
by a hash: reading the folder gives no access, and of two browsers that follow a link at once only
one can remove its file.
"""

import hmac
import os
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from time import time

from daemon.files.private import make_new, make_private
from daemon.files.reasons import file_errors

LINK_SECONDS = 120
SESSION_SECONDS = 30 * 24 * 3600


def new_link(state: Path) -> str:
    """Make a one-time link for the user's browser, and return its secret. Raises FileTrouble."""
    return _keep(state, "link")


def follow_link(state: Path, link: str) -> str | None:
    """Exchange a link for a new session's secret; return None if it is unknown, used or expired."""
    file = _file(state, "link", link)
    try:
        made_at = file.stat().st_mtime
        file.unlink()
    except FileNotFoundError:
        return None
    return _keep(state, "session") if time() - made_at <= LINK_SECONDS else None


def is_session(state: Path, session: str, prolong: bool = True) -> bool:
    """Return whether a session's secret is valid.

    A valid session is prolonged if `prolong` is true.
    """
    file = _file(state, "session", session)
    try:
        lasts = time() - file.stat().st_mtime <= SESSION_SECONDS
        if lasts and prolong:
            os.utime(file)
    except FileNotFoundError:
        return False
    return lasts


def form_token(session: str) -> str:
    """Derive the token that each form of a session carries from the session's secret."""
    return hmac.new(session.encode(), b"form", sha256).hexdigest()


def is_form_token(session: str, token: str) -> bool:
    """Return whether the form came from a page that we made for this session."""
    return hmac.compare_digest(form_token(session).encode(), token.encode())


def _keep(state: Path, kind: str) -> str:
    folder = _folder(state)
    make_private(folder)
    for name, seconds in (("link", LINK_SECONDS), ("session", SESSION_SECONDS)):
        for file in folder.glob(f"{name}-*"):  # remove what has expired
            if time() - file.stat().st_mtime > seconds:
                file.unlink(missing_ok=True)
    secret = token_urlsafe(32)
    with file_errors(folder, "written"):
        make_new(_file(state, kind, secret)).close()
    return secret


def _folder(state: Path) -> Path:
    return state / "page"


def _file(state: Path, kind: str, secret: str) -> Path:
    return _folder(state) / f"{kind}-{sha256(secret.encode()).hexdigest()}"


def answer_challenge(state: Path, challenge: str) -> str:
    """Answer a challenge as only a process that can read our state folder can.

    It proves to `memproc open` that the page is ours: another program may hold the port, and must
    not get a link.
    """
    folder = _folder(state)
    make_private(folder)
    file = folder / "secret"
    with file_errors(file, "written"):
        try:
            new = make_new(file)
        except FileExistsError:
            secret = file.read_bytes()
        else:
            with new:
                new.write(secret := token_urlsafe(32).encode())
    return hmac.new(secret, challenge.encode(), sha256).hexdigest()
