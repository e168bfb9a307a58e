"""Who may use the page: one-time links, the sessions that they are exchanged for, and the token of every form.

`memproc open` makes a link, which is good once and for two minutes. The browser that follows it gets a session, which
lasts until it was not used for thirty days. Both are kept as empty private files that are named by a hash, so that
nobody who reads the folder can use them, and of two who follow a link at the same moment only one removes its file.
"""

import hmac
import os
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from time import time

from daemon.files.private import make_private
from daemon.files.reasons import file_errors

LINK_SECONDS = 120
SESSION_SECONDS = 30 * 24 * 3600


def new_link(state: Path) -> str:
    """Make a one-time link's secret, to be handed to the person's browser. Raises FileTrouble."""
    return _keep(state, "link")


def follow_link(state: Path, link: str) -> str | None:
    """Exchange a link for the secret of a new session; None where it is unknown, used or too old."""
    file = _file(state, "link", link)
    try:
        made_at = file.stat().st_mtime
        file.unlink()
    except FileNotFoundError:
        return None
    return _keep(state, "session") if time() - made_at <= LINK_SECONDS else None


def is_session(state: Path, session: str) -> bool:
    """Whether this is the secret of a session that still lasts; using it makes it last longer."""
    file = _file(state, "session", session)
    try:
        lasts = time() - file.stat().st_mtime <= SESSION_SECONDS
        if lasts:
            os.utime(file)
    except FileNotFoundError:
        return False
    return lasts


def form_token(session: str) -> str:
    """The token that stands in every form of this session, and can be made from its secret alone."""
    return hmac.new(session.encode(), b"form", sha256).hexdigest()


def is_form_token(session: str, token: str) -> bool:
    """Whether a form with this token came from a page that we made for this session."""
    return hmac.compare_digest(form_token(session).encode(), token.encode())


def _keep(state: Path, kind: str) -> str:
    folder = _folder(state)
    make_private(folder)
    _sweep(folder)
    secret = token_urlsafe(32)
    with file_errors(folder, "written"):
        os.close(os.open(_file(state, kind, secret), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return secret


def _sweep(folder: Path) -> None:
    """Remove what has run out."""
    for kind, seconds in (("link", LINK_SECONDS), ("session", SESSION_SECONDS)):
        for file in folder.glob(f"{kind}-*"):
            if time() - file.stat().st_mtime > seconds:
                file.unlink(missing_ok=True)


def _folder(state: Path) -> Path:
    return state / "page"


def _file(state: Path, kind: str, secret: str) -> Path:
    return _folder(state) / f"{kind}-{sha256(secret.encode()).hexdigest()}"


def answer_challenge(state: Path, challenge: str) -> str:
    """Answer to a challenge that only who can read our state folder can give: so `memproc open` knows the page as ours.

    Another program may hold the port, and must not get the secret of a link.
    """
    return hmac.new(_own_secret(state), challenge.encode(), sha256).hexdigest()


def _own_secret(state: Path) -> bytes:
    folder = _folder(state)
    make_private(folder)
    file = folder / "secret"
    with file_errors(file, "written"):
        try:
            handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return file.read_bytes()
        with os.fdopen(handle, "wb") as new:
            new.write(secret := token_urlsafe(32).encode())
        return secret
