"""A link is good once and for two minutes; a session lasts while it is used; a form belongs to its session."""

import os
import stat
from pathlib import Path
from time import time

from daemon.page.sessions import (
    LINK_SECONDS,
    SESSION_SECONDS,
    answer_challenge,
    follow_link,
    form_token,
    is_form_token,
    is_session,
    new_link,
)


def age(state: Path, kind: str, seconds: float) -> None:
    """Let everything of that kind be so old."""
    for file in (state / "page").glob(f"{kind}-*"):
        os.utime(file, (time() - seconds, time() - seconds))


def test_a_link_is_exchanged_for_a_session_once(tmp_path: Path) -> None:
    link = new_link(tmp_path)
    session = follow_link(tmp_path, link)
    assert session is not None
    assert is_session(tmp_path, session)
    assert follow_link(tmp_path, link) is None


def test_a_link_that_is_too_old_leads_nowhere(tmp_path: Path) -> None:
    link = new_link(tmp_path)
    age(tmp_path, "link", LINK_SECONDS + 1)
    assert follow_link(tmp_path, link) is None
    assert list((tmp_path / "page").iterdir()) == []


def test_an_invented_secret_is_neither_link_nor_session(tmp_path: Path) -> None:
    new_link(tmp_path)
    for invented in ("", "x", "../secret", "a" * 10_000):
        assert follow_link(tmp_path, invented) is None
        assert not is_session(tmp_path, invented)


def test_a_session_that_is_not_used_for_long_ends(tmp_path: Path) -> None:
    session = follow_link(tmp_path, new_link(tmp_path)) or ""
    age(tmp_path, "session", SESSION_SECONDS + 1)
    assert not is_session(tmp_path, session)


def test_a_session_lasts_from_its_last_use_on(tmp_path: Path) -> None:
    session = follow_link(tmp_path, new_link(tmp_path)) or ""
    for _ in range(3):
        for file in (tmp_path / "page").glob("session-*"):
            last_used = file.stat().st_mtime - (SESSION_SECONDS - 60)
            os.utime(file, (last_used, last_used))
        assert is_session(tmp_path, session)


def test_who_reads_the_folder_learns_no_secret(tmp_path: Path) -> None:
    link = new_link(tmp_path)
    session = follow_link(tmp_path, new_link(tmp_path)) or ""
    files = [file for file in (tmp_path / "page").iterdir() if file.name != "secret"]
    assert not any(link in file.name or session in file.name or file.read_bytes() for file in files)
    assert stat.S_IMODE((tmp_path / "page").stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_form_is_of_one_session(tmp_path: Path) -> None:
    ours, other = (follow_link(tmp_path, new_link(tmp_path)) or "" for _ in range(2))
    assert is_form_token(ours, form_token(ours))
    assert not is_form_token(ours, form_token(other))
    assert not is_form_token(ours, "")


def test_a_proof_needs_the_folder_and_the_challenge(tmp_path: Path) -> None:
    assert answer_challenge(tmp_path, "a") == answer_challenge(tmp_path, "a")
    assert answer_challenge(tmp_path, "a") != answer_challenge(tmp_path, "b")
    assert answer_challenge(tmp_path, "a") != answer_challenge(tmp_path / "other", "a")
