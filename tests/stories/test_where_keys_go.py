"""A key goes to its provider, and to another host only where the person has agreed, by whatever way it would leave."""

from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from daemon.cli import main
from tests.chats import export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Ended, Person

pytestmark = pytest.mark.timeout(200)
CHAT = export_bytes(long_chat(5400, tokens_each=300))
AGENT = '[models]\nagent = "anthropic/claude-haiku-5-5"\n'
ALLOW = "If you agree: memproc key allow anthropic 127.0.0.1"
NAMED = "anthropic/claude-haiku-5-5 is asked at 127.0.0.1, not at its provider's own address"


@pytest.fixture
def mira(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person with a key in the environment, whose short chat becomes two memories."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    person = Person(tmp_path / "mira", tail=3200, step=800, chunk=800)
    person.drop(CHAT)
    return person


def here(person: Person, *arguments: str) -> Ended:
    """Run the command line in the person's folder, where memproc.toml lies that nobody names."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), chdir(person.home):
        code = main(arguments)
    return Ended(code, out.getvalue(), err.getvalue())


def leads_to(person: Person, server: ServerProcess, more: str = "") -> None:
    person.settings(f'{AGENT}{more}[models.options."anthropic/*"]\napi_base = "{server.url}"\n')


@pytest.mark.full
def test_a_file_that_merely_lies_in_the_folder_gets_no_key_until_the_person_allows_the_host(
    mira: Person, tmp_path: Path, own_home: Path
) -> None:
    with serve(tmp_path / "server") as server:
        leads_to(mira, server)
        assert ALLOW in here(mira, "plan").out
        ended = here(mira, "run")
        assert ended.code == 1
        assert ALLOW in ended.err and "Nothing was sent." in ended.err
        tried = here(mira, "key", "test", "anthropic")
        assert (tried.code, ALLOW in tried.err) == (1, True)
        assert not server.meter.answered and not server.meter.calls
        assert (
            ALLOW in here(mira, "doctor").out.replace("\n", " ")
            or ALLOW in here(mira, "doctor", "--json").out
        )

        allowed = here(mira, "key", "allow", "anthropic", "127.0.0.1")
        assert (allowed.code, str(own_home) in allowed.out) == (0, True)
        assert here(mira, "key", "allow").out == "anthropic 127.0.0.1\n"
        assert NAMED in here(mira, "plan").out
        ended = here(mira, "run")
        assert (ended.code, ended.err) == (0, "")
        assert NAMED in ended.out
        assert server.meter.answered
    assert here(mira, "key", "allow", "anthropic", "127.0.0.1", "--forget").code == 0
    assert "No host is allowed" in here(mira, "key", "allow").out


def test_a_file_that_the_person_named_or_keeps_in_their_own_folder_says_where_keys_go(
    mira: Person, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mira.settings(f'{AGENT}[models.options."anthropic/*"]\napi_base = "http://127.0.0.1:9"\n')
    assert ALLOW in here(mira, "plan").out
    assert NAMED in mira.memproc("plan").out
    with monkeypatch.context() as named:
        named.setenv("MEMPROC_CONFIG", str(mira.toml))
        assert NAMED in here(mira, "plan").out
    folder = own_home / ".config" / "memproc"
    folder.mkdir(parents=True)
    text = mira.toml.read_text()
    for name in ("inbox", "updated", "backups", "state"):
        text = text.replace(f'= "{name}"', f'= "{mira.home / name}"')
    mira.toml.rename(folder / "memproc.toml").write_text(text)
    assert NAMED in here(mira, "plan").out


@pytest.mark.parametrize(
    "more",
    [
        'fallback = "openai/gpt-4o"\n[models.options."openai/*"]\napi_base = "http://127.0.0.1:9"\n',
        'context_manager = "openai/gpt-4o"\n[models.options."openai/*"]\napi_base = "http://127.0.0.1:9"\n',
        '[facts]\nenabled = true\nembedding = "openai/text-embedding-3-small"\n'
        '[models.options."openai/*"]\napi_base = "http://127.0.0.1:9"\n',
        'batch = "always"\n[models.options]\nbase_url = "http://127.0.0.1:9"\n',
        '[[chats.override]]\nchat = "*"\n[chats.override.models.options]\napi_base = "http://127.0.0.1:9"\n',
    ],
    ids=["fallback", "context manager", "embedding", "batch", "override"],
)
def test_every_model_that_is_asked_goes_through_the_same_check(
    mira: Person, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    mira = Person(mira.home, mira.tail, mira.step, mira.chunk, layers=True)
    mira.settings(f"{AGENT}{more}")
    ended = here(mira, "run")
    assert ended.code == 1
    assert "If you agree: memproc key allow" in ended.err


def test_a_host_in_the_environment_is_for_the_key_that_stands_there(
    mira: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    mira.settings(AGENT)
    monkeypatch.setenv("ANTHROPIC_API_BASE", "http://127.0.0.1:9")
    assert NAMED in mira.memproc("plan").out
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    keys = mira.home / "state" / "keys.env"
    keys.parent.mkdir(mode=0o700)
    keys.touch(0o600)
    keys.write_text(f"ANTHROPIC_API_KEY={KEY}\n")
    assert ALLOW in mira.memproc("plan").out
    assert "memproc key allow anthropic 127.0.0.1" in mira.memproc("doctor", "--json").out


def test_what_cannot_be_a_provider_or_a_host_is_refused_and_not_repeated(mira: Person) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    for arguments in (
        [key, "llm.example.org"],
        ["anthropic", key],
        ["anthropic"],
        ["anthropic", "two words"],
    ):
        ended = here(mira, "key", "allow", *arguments)
        assert ended.code == 2
        assert key not in ended.out + ended.err
