"""What a person reads and does on the page, asked as their browser asks for it."""

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from html import unescape
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from daemon.cli import main
from daemon.config.loading import load, load_folders
from daemon.files.candidates import SAMPLE_FILE, sample
from daemon.files.lock import hold
from daemon.models import own_server
from daemon.page.access import LARGEST_FORM
from daemon.page.app import Desk, application
from daemon.page.home import address_of_problem
from daemon.page.routes import ACTIONS, VIEWS
from daemon.page.sessions import new_link
from daemon.status.status import StatusProblem
from service.command import memproc_argv
from tests.chats import assistant, chat, conversation, export_bytes, user
from tests.server.own import Own
from tests.server.server import ModelServer
from tests.server.setup import Setup
from tests.stories.person import Person
from tests.waiting import until

PORT = 27183
ADDRESS = f"http://127.0.0.1:{PORT}"
LIGHTHOUSE = "The lighthouse"
SEE_OTHER, TOO_LARGE = 303, 413


class Browser:
    """A browser that has followed a link of `memproc open`, and sends forms as it does."""

    def __init__(self, person: Person) -> None:
        config = load(person.toml)
        self.person, self.state = person, load_folders(config).state
        app = application(Desk(config, load_folders(config), person.toml), PORT, VIEWS, ACTIONS)
        self._client = TestClient(app, base_url=ADDRESS, headers={"Sec-Fetch-Site": "same-origin"})
        self.open("/enter", link=new_link(self.state))

    def open(self, address: str, status: int = 200, **query: str) -> str:
        """The text of a page, without its markup."""
        return self._text(self._client.get(address, params=query or None), status)

    def source(self, address: str) -> str:
        """The markup of a page."""
        return self._client.get(address).text

    def send(self, address: str, status: int = 200, **fields: str) -> str:
        """The text of the page that is shown after a form was sent."""
        token = re.search(r'data-form-token="(\w+)"', self.source("/money"))
        assert token
        sent = {"form_token": token[1], **fields}
        return self._text(
            self._client.post(address, data=sent, headers={"Origin": ADDRESS}), status
        )

    def upload(self, name: str, content: bytes, status: int = 200) -> str:
        """The text of the page that is shown after a file was chosen."""
        token = re.search(r'data-form-token="(\w+)"', self.source("/"))
        assert token
        sent, file = {"form_token": token[1]}, {"export": (name, content)}
        return self._text(
            self._client.post("/drop", data=sent, files=file, headers={"Origin": ADDRESS}), status
        )

    def _text(self, response: object, status: int) -> str:
        assert getattr(response, "status_code") == status, getattr(response, "text")  # noqa: B009  httpx is untyped here
        without_tags = re.sub(r"<[^>]+>", " ", str(getattr(response, "text")))  # noqa: B009
        return " ".join(unescape(without_tags).split())


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Somebody with a chat of many memories, folds among them."""
    somebody = Person(tmp_path_factory.mktemp("page") / "ada", layers=True)
    somebody.settings("[fold]\nbudget = 2500\n[page]\nport = 27183\n")
    somebody.drop(export_bytes(chat(*conversation(30, 400))), "lighthouse.json")
    assert somebody.memproc("run").code == 0
    return somebody


@pytest.fixture
def buttons(monkeypatch: pytest.MonkeyPatch) -> None:
    """What buttons do to the end is done in this process, which has all modules loaded."""
    monkeypatch.setattr(subprocess, "run", in_this_process)


@pytest.fixture
def browser(lived: Person, buttons: None) -> Browser:
    """Their browser."""
    return Browser(lived)


def in_this_process(
    argv: list[str], *, input: str, **_: object
) -> "subprocess.CompletedProcess[str]":
    """What `subprocess.run` gives back of a memproc command."""
    command = memproc_argv(None)
    assert argv[: len(command)] == command
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input.encode()), "utf-8"))
        code = main(argv[len(command) :])
    return subprocess.CompletedProcess(argv, code, out.getvalue(), err.getvalue())


def chat_address(person: Person, title: str = LIGHTHOUSE) -> str:
    """Where a chat stands."""
    chats = json.loads(person.memproc("chats", "--json").out)["chats"]
    return "/chat/" + str(next(known["chat_id"] for known in chats if known["title"] == title))


def memory_address(person: Person) -> str:
    """Where the newest memory of a chunk stands."""
    listed = json.loads(person.memproc("memories", LIGHTHOUSE, "--json").out)["memories"]
    newest = max(
        (memory for memory in listed if memory["level"] == 1),
        key=lambda memory: int(memory["number"]),
    )
    return f"/memory/{newest['memory_id']}"


def test_who_has_followed_no_link_sees_how_to_get_one(lived: Person) -> None:
    browser = Browser(lived)
    browser._client.cookies.clear()
    for address in VIEWS:
        text = browser.open(re.sub(r"{[^}]+}", "1", address), status=401)
        assert "memproc open" in text
        assert LIGHTHOUSE not in text


def test_a_link_is_good_once(lived: Person) -> None:
    browser, link = Browser(lived), new_link(load_folders(load(lived.toml)).state)
    browser.open("/enter", link=link)
    browser.open("/enter", status=401, link=link)


def test_a_form_of_another_session_is_refused(browser: Browser) -> None:
    assert "Load it again" in browser.send(
        "/settings/change", status=403, form_token="0" * 64, **{"budget.day_usd": "4"}
    )


def test_home_has_each_chat_with_its_sizes_and_what_was_spent(browser: Browser) -> None:
    text = browser.open("/")
    assert LIGHTHOUSE in text
    assert "tokens in all" in text
    assert "word for word" in browser.source("/")


def test_the_first_day_has_four_steps(browser: Browser) -> None:
    text = browser.open("/start")
    assert all(
        step in text
        for step in ("1. Folders", "2. A key, or none", "3. Run automatically", "4. Your first")
    )


def test_a_press_offers_what_answers_on_this_computer_and_nothing_else_can_be_named(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Look for a model here" in browser.open("/start")
    own = Own("llama.cpp", "qwen2.5-7b-instruct", 8192)
    with ModelServer(Setup(own=own)) as server:
        monkeypatch.setattr(own_server, "USUAL", (server.url,))
        assert own.asked == [], "nothing is asked before the press"
        text = browser.send("/start/models")
        assert "llama.cpp" in text
        assert "qwen2.5-7b-instruct" in text
    assert own.keys == []
    assert "Nothing answers at the usual ports" in browser.send("/start/models")
    refused = browser.send("/start/model", root="http://192.168.1.20:8080", model="x", status=409)
    assert "That is no server that was offered." in refused


def test_a_chat_has_its_memories_and_folds_by_date(browser: Browser) -> None:
    text = browser.open(chat_address(browser.person))
    assert re.search(r"Fold f+\d+: \d+ memories", text)
    assert "The memories in it" in text


def test_a_memory_stands_beside_its_messages_with_its_quote_marked(browser: Browser) -> None:
    source = browser.source(memory_address(browser.person))
    quote = re.search(r"<blockquote id=.*?>(.*?)</blockquote>", source, re.DOTALL)
    marked = re.search(r"<mark id=.*?>(.*?)</mark>", source, re.DOTALL)
    assert quote
    assert marked
    assert " ".join(unescape(marked[1]).split()) in " ".join(unescape(quote[1]).split())
    assert "What the persona keeps" in source, "a chat without an agent has no name but its title"


def test_a_memory_shows_the_passage_that_it_quotes_and_all_messages_behind_a_link(
    browser: Browser,
) -> None:
    address = memory_address(browser.person)
    source = browser.source(address)
    assert 'href="#said-1"' in source, "the quote leads to where it was said"
    assert '<mark id="said-1">' in source
    assert 'href="#quote-1"' in source, "and from there back to the quote"
    assert '<blockquote id="quote-1">' in source
    memory = json.loads(browser.person.memproc("show", address.rpartition("/")[2], "--json").out)
    messages = len(memory["keys"])
    assert f"All {messages} messages" in browser.open(address)
    assert source.count('<p class="who">') < messages
    assert browser.source(f"{address}/words").count('<p class="who">') == messages


def test_memories_lead_to_those_before_and_after_them(browser: Browser) -> None:
    address = memory_address(browser.person)
    source = browser.source(address)
    before = re.search(r'href="(/memory/\w+)" rel="prev"', source)
    assert before
    assert 'rel="next"' not in source, "it is the newest"
    assert f'href="{address}" rel="next"' in browser.source(before[1])


@pytest.mark.full
def test_a_memory_is_pinned_unpinned_and_shown_in_another_edition(browser: Browser) -> None:
    address = memory_address(browser.person)
    assert "it stays as it is" in browser.send(f"{address}/pin")
    assert "pinned" in browser.open(address)
    assert "may be rewritten again" in browser.send(f"{address}/unpin")
    assert "edition" in browser.send(f"{address}/use", status=409, edition="9")
    assert "guidance" in browser.source(f"{address}/retry")


def test_what_a_person_writes_into_the_core_memory_is_text_and_no_markup(browser: Browser) -> None:
    address = f"{chat_address(browser.person)}/core"
    assert "I keep the light <b>burning</b>." in browser.send(
        f"{address}/persona/set", text="I keep the light <b>burning</b>."
    )
    assert "<b>burning" not in browser.source(address)
    assert "is released" in browser.send(f"{address}/persona/release")
    assert "Taken back" in browser.send(f"{address}/undo")


def test_a_fact_is_added_found_and_forgotten(browser: Browser) -> None:
    address = f"{chat_address(browser.person)}/facts"
    added = re.search(
        r"Added as fact (\d+)",
        browser.send(f"{address}/add", text="The log lies in the biscuit tin."),
    )
    assert added
    assert "Added" in browser.send(f"{address}/add", text="The lamp is new.")
    text = browser.open(address)
    assert text.index("The lamp is new.") < text.index("biscuit tin"), "the newest is first"
    assert "<mark>biscuit</mark>" in browser.source("/search?words=biscuit+tin&in=facts")
    assert "is forgotten" in browser.send(f"{address}/{added[1]}/forget")


@pytest.mark.full
def test_what_was_added_is_told_beside_the_download_until_an_export_brings_it(
    browser: Browser,
) -> None:
    address = chat_address(browser.person)
    browser.send(f"{address}/facts/add", text="The key hangs behind the clock.")
    assert "not in the file to download yet" in browser.open(f"{address}/plan-line")
    assert browser.person.memproc("run").code in (0, 1)
    assert "not in the file to download yet" not in browser.open(f"{address}/plan-line")


@pytest.mark.full
def test_what_is_found_opens_where_it_stands(browser: Browser) -> None:
    source = browser.source("/search?words=harbour")
    addresses = set(re.findall(r'href="(/(?:memory|chat)/[^"]+)"', source))
    assert addresses
    for address in sorted(addresses)[:5]:
        assert "harbour" in browser.open(unescape(address)).lower()


def test_a_mistyped_word_is_answered_with_the_nearest_on_the_page_too(browser: Browser) -> None:
    text = browser.open("/search?words=harbuor")
    assert "Nothing holds all of: harbuor. The nearest that there is: harbour ." in text
    assert 'href="/search?words=harbour"' in browser.source("/search?words=harbuor")
    assert "Nothing holds all of: xylophone" in browser.open("/search?words=xylophone")


def test_the_whole_conversation_is_read_from_the_first_day_to_the_live_tail(
    browser: Browser,
) -> None:
    address, read = f"{chat_address(browser.person)}/read", []
    memories: list[str] = []
    sheet = browser.source(address)
    while True:
        read += re.findall(r'<article id="([^"]+)"', sheet)
        memories += re.findall(r'<strong><a href="/memory/\w+">Memory (\d+)', sheet)
        later = re.search(r'href="([^"]+)" rel="next"', sheet)
        if not later:
            break
        sheet = browser.source(unescape(later[1]))
    assert "In no memory yet" in sheet, "the live tail comes last"
    told = re.search(r"([\d,]+) messages from", browser.open(address))
    assert told
    assert len(read) == len(set(read)) == int(told[1].replace(",", ""))
    numbers = list(map(int, dict.fromkeys(memories)))
    assert numbers == list(range(1, len(numbers) + 1)), "each memory is beside its words, in order"


def test_a_search_within_the_conversation_leads_to_the_place_with_the_words_marked(
    browser: Browser,
) -> None:
    address = chat_address(browser.person)
    assert 'name="chat"' in browser.source(f"{address}/read")
    source = browser.source(f"/search?words=harbour&in=raw&chat={address.rpartition('/')[2]}")
    (place, *_) = re.findall(r'href="(/chat/[^"]+/messages/[^"]+)"', source)
    answer = browser._client.get(unescape(place), follow_redirects=False)
    shown, _, key = answer.headers["location"].partition("#")
    sheet = browser.source(shown)
    (message,) = re.findall(rf'<article id="{key}">.*?</article>', sheet, re.DOTALL)
    assert re.search("<mark>harbour", message, re.IGNORECASE)
    assert "not in the conversation" in browser.open(f"{address}/messages/none", status=409)


def test_a_day_of_the_conversation_is_gone_to(browser: Browser) -> None:
    address = f"{chat_address(browser.person)}/read"
    assert '<h2 id="day-2024-11-08">' in browser.source(f"{address}?day=2024-11-08")
    assert '<h2 id="day-2024-11-07">' in browser.source(f"{address}?day=yesterday")
    assert "In no memory yet" in browser.open(f"{address}?day=2099-01-01")
    assert browser.open(f"{address}?sheet=0") == browser.open(f"{address}?sheet=x")


@pytest.mark.full
def test_a_message_that_was_edited_or_deleted_is_read_as_what_it_is(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    messages = conversation(20, 400)
    person.drop(export_bytes(chat(*messages)), "lighthouse.json")
    assert person.memproc("run").code == 0
    hidden = [user("[laughs]: **Salt** <b>wind</b>.", 90), assistant("So be it.", 91)]
    person.drop(export_bytes(chat(*messages[:-2], *hidden)), "lighthouse.json")
    assert person.memproc("run").code == 0
    text = Browser(person).open(f"{chat_address(person)}/read?sheet=99")
    assert "deleted by you since What it said" in text
    assert "[laughs]: Salt <b>wind</b>." in text


@pytest.mark.usefixtures("buttons")
def test_marked_words_are_kept_with_their_markdown(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    told = user("The **salt** wind is *mine*.", 90)
    person.drop(export_bytes(chat(*conversation(20, 400), told)), "lighthouse.json")
    assert person.memproc("run").code == 0
    browser, address = Browser(person), chat_address(person)
    kept = browser.send(f"{address}/keep", key=str(told["uuid"]), words="salt wind is mine.")
    assert "Kept, word for word" in kept
    assert "salt** wind is *mine*." in kept
    (place,) = re.findall(r'href="(/chat/[^"]+/messages/[^"]+)"', browser.source(f"{address}/kept"))
    assert "<strong>salt</strong> wind is <em>mine</em>." in browser.source(unescape(place))


def test_home_says_once_what_the_last_run_has_skipped(browser: Browser) -> None:
    path = browser.person.drop(b'{"messages": []}', "shared.json")
    assert browser.person.memproc("run", path).code == 1
    home = browser.open("/")
    path.unlink()
    assert home.count("It is a Share file") == 1
    assert "Received. It waits for a run." not in home
    assert "The last run by hand" not in home, "that would be the same once more"


@pytest.mark.full
@pytest.mark.parametrize(
    "names", [[f"wrong {number}.json" for number in range(26)], ["Aria: the sea.json"]]
)
def test_home_tells_of_each_file_that_a_run_has_skipped_however_many_and_of_any_name(
    browser: Browser, names: list[str]
) -> None:
    paths = [browser.person.drop(b'{"messages": []}', name) for name in names]
    assert browser.person.memproc("run").code == 1
    home = browser.open("/")
    chats = browser.person.memproc("status").out.partition("Chats, the newest first")[2]
    for path in paths:
        path.unlink()
    assert not any(name in chats for name in names), "they are no chats"
    assert "It waits for a run." not in home
    assert home.count("Skipped. It is a Share file") == len(names)


def test_a_file_that_is_exported_again_after_it_was_skipped_waits_for_a_run(
    browser: Browser,
) -> None:
    path = browser.person.drop(b'{"messages": []}', "again.json")
    assert browser.person.memproc("run").code == 1
    path.write_bytes(export_bytes(chat(*conversation(2, 40), id="again", chatID="again")))
    home = browser.open("/")
    path.unlink()
    assert "Received. It waits for a run." in home


def test_money_shows_the_caps_and_only_a_terminal_raises_one(browser: Browser) -> None:
    assert "Nothing was spent in the last thirty days." in browser.open("/money")
    browser.send("/money/cap", status=404, usd="12", which="day")
    assert browser.person.memproc("budget", "raise", "--day", "12").code == 0
    assert "$12.00 (raised from $10.00)" in browser.open("/money")


def test_a_plan_says_what_a_run_would_do_before_it_is_started(browser: Browser) -> None:
    address = chat_address(browser.person)
    assert "Plan for " in browser.open(f"{address}/plan")
    assert browser.open(f"{address}/plan-line")


@pytest.mark.full
def test_a_run_is_started_and_ends(browser: Browser) -> None:
    assert browser.person.memproc("run").code in (0, 1), (
        "what other stories have changed or dropped is processed"
    )
    outputs = {path: path.stat().st_mtime_ns for path in browser.person.updated()}
    assert browser.send(f"{chat_address(browser.person)}/run")
    until(lambda: json.loads(browser.person.memproc("status", "--json").out)["run"] is None)
    assert browser._client.get("/live?live=1").status_code == 200
    assert {path: path.stat().st_mtime_ns for path in browser.person.updated()} == outputs, (
        "nothing was new"
    )


@pytest.mark.usefixtures("buttons")
def test_what_is_dropped_while_no_daemon_runs_is_planned_and_run_by_a_button(
    tmp_path: Path,
) -> None:
    person = Person(tmp_path / "ada")
    browser = Browser(person)
    assert "Nothing runs by itself" in browser.open("/")
    assert "Drop an export" in browser.open("/inbox")
    person.drop(b"# Notes", "notes.md")
    text = browser.upload("lighthouse.json", export_bytes(chat(*conversation(20, 400))))
    assert "Inbox" in text
    assert f"{LIGHTHOUSE} lighthouse.json" in text
    assert "It costs nothing." in text
    assert "notes.md would be skipped" in text
    assert browser.send("/inbox/run")
    until(lambda: bool(person.updated()))
    until(lambda: json.loads(person.memproc("status", "--json").out)["run"] is None)
    home = browser.open("/")
    assert "Download for TypingMind" in home
    assert "notes.md" in home
    assert browser.source("/").count('href="/inbox"') > 1, "what needs the person has its button"
    assert "new memories" not in browser.open("/inbox")
    assert "Process all" not in browser.open("/inbox"), "nothing is due"
    person.toml.write_text("[tail]\ntokens = -1\n")
    assert "tail.tokens" in browser.open("/inbox")


def test_a_problem_has_the_button_that_helps() -> None:
    buttons = {
        "the settings": "/settings",
        "lighthouse.json": "/inbox",
        "the timed job verify": "/log",
    }
    for what, address in buttons.items():
        assert address_of_problem(StatusProblem(what, "It is odd.", "Look at it.")) == address


def test_the_page_tells_what_happened(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    browser = Browser(person)
    assert "Nothing yet." in browser.open("/log")
    person.drop(export_bytes(chat(user("Hello?"))), "short.json")
    assert person.memproc("run").code == 0
    text = browser.open("/log")
    assert ", of short.json, is unchanged: It has 2 tokens" in text
    assert text.index("Nothing to do for short.json") < text.index("is unchanged"), (
        "the newest stands first"
    )


def test_the_settings_tell_what_counts_and_show_no_key(browser: Browser) -> None:
    text = browser.open("/settings")
    assert str(browser.person.toml) in text
    assert 'name="fold.budget" value="2500"' in browser.source("/settings")
    assert "No key is saved" in text


def test_a_key_that_cannot_be_one_is_told_in_its_own_words(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant of-nobody")
    text = browser.open("/settings")
    assert "ANTHROPIC_API_KEY in the environment has a space" in text
    assert "No key is saved" not in text


def test_a_key_is_kept_tried_and_forgotten_and_never_shown(browser: Browser) -> None:
    kept = browser.send("/keys/set", provider="anthropic", key="sk-ant-secret-of-nobody")
    assert "anthropic" in kept
    assert "sk-ant-secret-of-nobody" not in browser.source("/settings")
    assert browser.send("/keys/forget", provider="anthropic")
    assert browser.send("/keys/set", status=409, provider="nobody", key="x")


def test_an_export_that_is_dropped_goes_into_the_inbox_beside_one_of_that_name(
    browser: Browser,
) -> None:
    export = export_bytes(chat(*conversation(4, 400), id="new", chatID="new", chatTitle="New"))
    browser.upload("../new one.json", export)
    browser.upload("new one.json", export)
    assert (browser.person.inbox / "new one.json").read_bytes() == export
    assert (browser.person.inbox / "new one 2.json").read_bytes() == export


def test_a_form_is_bounded_and_an_export_has_a_limit_of_its_own(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{chat_address(browser.person)}/facts/add"
    assert "more than memproc takes at once" in browser.send(
        address, status=413, text="x" * (LARGEST_FORM + 1)
    )
    unsaid = browser._client.post(
        address, content=iter([b"text=", b"x" * LARGEST_FORM]),
        headers={"Origin": ADDRESS, "Content-Type": "application/x-www-form-urlencoded"},
    )  # fmt: skip
    assert unsaid.status_code == TOO_LARGE, "nobody has to say beforehand how much will come"
    browser.upload("large.json", b" " * (LARGEST_FORM + 1))
    assert (browser.person.inbox / "large.json").stat().st_size == LARGEST_FORM + 1
    monkeypatch.setattr("daemon.page.access.LARGEST_UPLOAD", LARGEST_FORM)
    assert "more than memproc takes" in browser.upload(
        "larger.json", b" " * (2 * LARGEST_FORM + 1), status=TOO_LARGE
    )
    assert not (browser.person.inbox / "larger.json").exists()
    (browser.person.inbox / "large.json").unlink()


@pytest.mark.full
def test_the_sample_is_taken(browser: Browser) -> None:
    browser.send("/start/sample")
    assert (browser.person.inbox / SAMPLE_FILE).read_bytes() == sample()


def test_the_updated_export_is_downloaded_as_it_lies_in_its_folder(browser: Browser) -> None:
    (path,) = browser.person.updated()
    response = browser._client.get(f"{chat_address(browser.person)}/download")
    assert response.content == path.read_bytes()
    assert path.name in unquote(response.headers["content-disposition"])


@pytest.mark.full
@pytest.mark.usefixtures("buttons")
def test_a_version_shows_what_would_change_before_it_is_put_back(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    for turns in (20, 30):
        person.drop(export_bytes(chat(*conversation(turns, 400))), "lighthouse.json")
        assert person.memproc("run").code == 0
    browser, address = Browser(person), chat_address(person)
    assert "Undo the last run" in browser.open("/")
    assert "What would change if you went back to it" in browser.open(f"{address}/undo")
    assert "What would change if you went back to it" in browser.open(f"{address}/versions/1")
    assert "sent now" in browser.open("/")
    assert "Restored" in browser.send(f"{address}/versions/1")
    for page in ("/", address):
        shown = browser.open(page)
        assert "its updated export is a version from before" in shown
        assert "memproc accept " in shown
        assert "sent now" not in shown, "the file to download is no compressed chat"
    home = browser.open("/")
    assert "Undo the restore" in home
    assert "compressed already" not in home
    assert browser.open(f"{address}/versions/99", status=409)
    assert f'"{address}/versions/1"' in browser.source(address)


def test_a_file_named_in_the_wrong_folder_is_not_shown_where_it_is_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, downloads = Person(tmp_path / "ada"), tmp_path / "downloads"
    downloads.mkdir()
    (downloads / "mine.json").touch()
    assert person.memproc("run", "mine.json").code == 1
    monkeypatch.chdir(downloads)
    assert "mine.json" not in Browser(person).open("/")


@pytest.mark.full
def test_any_two_versions_are_compared(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    for turns in (20, 25, 30):
        person.drop(export_bytes(chat(*conversation(turns, 400))), "lighthouse.json")
        assert person.memproc("run").code == 0
    browser, address = Browser(person), chat_address(person)
    kept = json.loads(person.memproc("versions", LIGHTHOUSE, "--json").out)["versions"]
    assert len(kept) > 1
    first, last = (str(kept[place]["number"]) for place in (0, -1))
    text = browser.open(f"{address}/versions?from={first}&to={last}")
    told = json.loads(person.memproc("diff", LIGHTHOUSE, first, last, "--json").out)
    assert f"{told['messages_before']} messages, {told['memories_before']} memories" in text
    assert f"{told['messages_after']} messages, {told['memories_after']} memories" in text
    assert f"Go back to version {first}" in text
    assert f"Go back to version {last}" in text
    assert "the two say the same" in browser.open(f"{address}/versions?from={last}&to={last}")
    assert "The present one" in browser.open(f"{address}/versions?from={first}")
    assert "no version 0" in browser.open(f"{address}/versions?from=x", 409)
    begun = browser.open(f"{address}/versions")
    assert f"Version {last} " in begun, "it begins with the two newest that differ"
    assert "Compressed into memory" in begun
    (updated,) = person.updated()
    updated.unlink()
    assert "no updated export" in browser.open(f"{address}/versions?from={first}&to=now", 409)
    assert LIGHTHOUSE in browser.send(f"{address}/accept")


def test_the_service_is_paused_and_resumed_and_about_tells_the_version(browser: Browser) -> None:
    assert "Nothing runs by itself" in browser.open("/service")
    with hold(browser.state / "daemon.lock"):
        assert "until you say" in browser.send("/service/pause")
        assert "memproc is paused." in browser.open("/service")
        browser.send("/service/resume")
        assert "memproc is running." in browser.open("/service")
    assert version("memproc-daemon") in browser.open("/about")


@pytest.mark.full
@pytest.mark.usefixtures("buttons")
def test_a_title_of_any_length_is_cut_on_every_view(tmp_path: Path) -> None:
    person, title = Person(tmp_path / "ada"), "On and on it goes, " * 50
    person.settings("[page]\nport = 27183\n")
    talk = chat(*conversation(30, 400), chatTitle=title)
    person.drop(
        export_bytes(
            talk, chat(user("Hello?"), id="another001", chatID="another001", chatTitle=title)
        ),
        "a.json",
    )
    assert person.memproc("run").code == 0
    browser, address = Browser(person), f"/chat/{talk['id']}"
    views = (
        "core",
        "facts",
        "kept",
        "plan",
        "plan-line",
        "read",
        "undo",
        "versions?from=1",
        "evaluation",
    )
    for view in ("/", "/inbox", "/money", "/search?words=on"):
        assert title[:100] not in browser.source(view), view
    assert title[:150] not in browser.source("/log"), "only a file's name is longer"
    assert title[:100] not in browser.open(address), "only the heading's hint has it whole"
    for view in views:
        assert title[:100] not in browser.source(f"{address}/{view}"), view


def test_an_address_that_is_none_is_a_page_in_words(browser: Browser) -> None:
    assert browser.open("/nowhere", status=404)
    assert 'knows no chat "none"' in browser.open("/chat/none", status=409)
