"""Settings are changed on the page, in the file that the commands read, and undone there."""

import re
import shutil
from collections.abc import Iterator

import pytest

from tests.chats import chat, conversation, export_bytes
from tests.stories.person import Person
from tests.stories.test_page import ADDRESS, Browser, buttons

__all__ = ["buttons"]
pytestmark = pytest.mark.usefixtures("buttons")
KEY = "sk-ant-secret-of-nobody"


@pytest.fixture
def browser(lived: Person) -> Iterator[Browser]:
    """The browser of somebody with a chat of Claude's and an address of their own."""
    before = lived.home.with_name("before")
    shutil.copytree(lived.home, before)
    yield Browser(lived)
    shutil.rmtree(lived.home)
    before.rename(lived.home)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """The same person, whose folder each test gets as it was."""
    person = Person(tmp_path_factory.mktemp("lived") / "ada")
    person.settings(
        '# Ada\'s own.\n[models.options."ollama_chat/*"]\n'
        f'api_base = "http://127.0.0.1:11434"\nx_key = "{KEY}"\n'
    )
    person.drop(export_bytes(chat(*conversation(20, 400))), "lighthouse.json")
    assert person.memproc("run").code == 0
    return person


def _seen(browser: Browser) -> str:
    found = re.search(r'name="seen" value="(\w+)"', browser.source("/settings"))
    assert found
    return found[1]


def _change(browser: Browser, typed: dict[str, str], status: int = 200, seen: str = "") -> str:
    """The text of the page after this was typed into the form."""
    return browser.send("/settings/change", status, seen=seen or _seen(browser), **typed)


@pytest.mark.full
def test_a_setting_is_changed_with_its_comments_kept_and_undone_by_a_press(
    browser: Browser,
) -> None:
    toml = browser.person.toml
    before = toml.read_text()
    text = _change(browser, {"tail.tokens": "2000"})
    assert "Wrote tail.tokens = 2000" in text
    assert toml.read_text() == before.replace("tokens = 1600", "tokens = 2000")
    assert "# Ada's own." in toml.read_text()
    assert "tokens = 2000" in browser.person.memproc("config", "show").out
    assert "Undo the last change" in text
    assert "of before is back" in browser.send("/settings/undo", seen=_seen(browser))
    assert toml.read_text() == before


def test_several_views_go_by_a_changed_setting_at_once(browser: Browser) -> None:
    _change(browser, {"budget.day_usd": "3"})
    assert "$3.00" in browser.open("/money")


@pytest.mark.full
def test_a_night_is_two_times_or_none(browser: Browser) -> None:
    night = {"schedule.night.from": "01:00", "schedule.night.to": "04:30"}
    assert 'night = "01:00-04:30"' in _change(browser, night)
    half = {**night, "schedule.night.to": ""}
    refused = _change(browser, half, 409)
    assert "must be empty or two times of day" in refused
    empty = dict.fromkeys(night, "")
    assert 'night = ""' in _change(browser, empty)


@pytest.mark.full
def test_what_is_refused_is_told_and_stays_in_its_field(browser: Browser) -> None:
    before, seen = browser.person.toml.read_text(), _seen(browser)
    for typed, reason in (
        ({"tail.tokens": "900"}, "Newest tokens that stay word for word: must be at least 1600"),
        ({"tail.tokens": "many"}, "Newest tokens that stay word for word: must be a whole number"),
        ({"fold.budget": "many"}, 'Tokens of all memories, or auto: must be "auto" or a whole'),
        ({"budget.run_usd": "500"}, "Raising a cap stays on the terminal"),
        ({"models.agent": "openai/gpt-6"}, "others stay on the terminal"),
        ({"chunk.bounds": "nowhere"}, "Where a chunk ends: one of topics"),
    ):
        assert reason in _change(browser, typed, 409, seen)
        assert browser.person.toml.read_text() == before
    assert "Nothing was changed." in _change(browser, {}, seen=seen)


def test_what_was_typed_is_not_lost_where_it_is_refused(browser: Browser) -> None:
    token = re.search(r'data-form-token="(\w+)"', browser.source("/money"))
    assert token
    typed = {"form_token": token[1], "seen": _seen(browser), "tail.tokens": "9<9"}
    answer = browser._client.post("/settings/change", data=typed, headers={"Origin": ADDRESS})
    assert 'name="tail.tokens" value="9&lt;9"' in answer.text


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(browser: Browser) -> None:
    seen, toml = _seen(browser), browser.person.toml
    toml.write_text(mine := toml.read_text() + "# A thought.\n")
    typed = {"tail.tokens": "2000"}
    assert "was changed meanwhile" in _change(browser, typed, 409, seen)
    assert "was changed meanwhile" in browser.send("/settings/undo", 409, seen=seen)
    assert toml.read_text() == mine


def test_no_form_asks_for_an_address_an_option_a_folder_or_shows_a_key(browser: Browser) -> None:
    before, source = browser.person.toml.read_text(), browser.source("/settings")
    assert KEY not in source
    assert "(hidden)" in source
    names = set(re.findall(r'<(?:input|select|textarea)[^>]* name="([^"]+)"', source))
    assert not [name for name in names if re.search("api_base|option|host|origin|folder", name)]
    forged = {
        "models.options": "x", "texts.folder": "/tmp", "folders.inbox": "/tmp",
        "bridge.origins": "http://elsewhere", "recall.connector": "true", "page.port": "1",
    }  # fmt: skip
    assert "Nothing was changed." in _change(browser, forged)
    assert browser.person.toml.read_text() == before


def test_models_are_those_of_providers_that_are_in_use(browser: Browser) -> None:
    source = browser.source("/settings")
    assert "<option>anthropic/claude-3-5-sonnet-20241022</option>" in source
    assert "models of anthropic, ollama_chat can be chosen" in browser.open("/settings")
    assert "<option>openai/" not in source
    typed = {"models.agent": "ollama_chat/llama3", "models.fallback": "memproc/extractive"}
    text = _change(browser, typed)
    assert 'models.agent = "ollama_chat/llama3"' in text


def test_every_other_setting_stands_in_a_table_with_its_reason(browser: Browser) -> None:
    text = browser.open("/settings")
    assert "watch.subfolders false Whether folders inside the inbox are watched too." in text
    assert f'folders.inbox "{browser.person.inbox}" Where you put' in text
    source = browser.source("/settings")
    assert "At least four times <code>chunk.tokens</code>" in source, "a line end is no break"
    assert "<code>temperature = 0.7\ntimeout = 600\n</code>" in source, "an example keeps its lines"
