"""Keep the token of programs and pages that look things up over HTTP; only its hash is stored."""

import hmac
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from daemon.files.private import make_private
from daemon.files.write import replace_file
from rules.errors import ConfigurationError

_SHORTEST = 16
TOKEN_NEEDED = "The token is missing or wrong: memproc mcp token"  # noqa: S105  a sentence


def new_token(state: Path) -> str:
    """Make and return a new token, which replaces the last one. Raise FileTrouble."""
    token = token_urlsafe(32)
    take_token(state, token)
    return token


def take_token(state: Path, token: str) -> None:
    """Keep a token that another program has made, such as TypingMind, in place of the last one.

    Raise ConfigurationError where it is so short that it could be guessed, and FileTrouble.
    """
    if len(token) < _SHORTEST:
        raise ConfigurationError(
            f"A token has at least {_SHORTEST} characters.",
            "Copy it whole, or have one made: memproc mcp token",
        )
    make_private(_file(state).parent)
    replace_file(_file(state), [sha256(token.encode()).hexdigest().encode()])


def is_token(state: Path, token: str) -> bool:
    """Return whether this is the token that was made last."""
    try:
        stored_hash = _file(state).read_bytes()
    except FileNotFoundError:
        return False
    return hmac.compare_digest(stored_hash, sha256(token.encode()).hexdigest().encode())


def is_allowed(state: Path, headers: Headers) -> bool:
    """Return whether a request with these headers carries the token."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and is_token(state, token)


def with_token(app: ASGIApp, state: Path) -> ASGIApp:
    """Return the application, restricted to requests that carry the token."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_allowed(state, Headers(scope=scope)):
            await app(scope, receive, send)
        else:
            await PlainTextResponse(TOKEN_NEEDED, 401)(scope, receive, send)

    return guarded


def _file(state: Path) -> Path:
    return state / "page" / "connector"
