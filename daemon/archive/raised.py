"""Caps that the person has raised for a while; memproc.toml stays as they wrote it."""

import json

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign, sign
from rules.money.price import NAMES, Amounts, Which


def raise_cap(archive: Archive, which: Which, amount: int, until: str, now: str) -> None:
    """Let a cap be `amount` picodollars until `until` (UTC). Durable when this returns."""
    set_sign(archive, _name(which), json.dumps({"amount": amount, "until": until}), now)


def raised(archive: Archive, caps: Amounts, now: str) -> Amounts:
    """The caps that count at `now`: those of memproc.toml, or those that they were raised to."""
    return Amounts(*(max(caps.of(which), _raised(archive, which, now)) for which in NAMES))


def _raised(archive: Archive, which: Which, now: str) -> int:
    found = sign(archive, _name(which))
    said = json.loads(found.value) if found else None
    return int(said["amount"]) if said and now < said["until"] else 0


def _name(which: Which) -> str:
    return f"budget_{which}"
