"""The chat client in `client/`, served at an origin of its own and driven by its keys and buttons."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from tests.chats import CHAT_ID, Json

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver as Browser

LIMIT_SECONDS = 20.0
SCRIPT_SECONDS = 5
"""Longer than any expression takes; in a page that goes away meanwhile, it may never be answered."""
_FOLDER = Path(__file__).parent / "client"
_SHADOW = "const root = document.getElementById('memproc-bridge')?.shadowRoot;"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served_client() -> Iterator[str]:
    """The address of a client with an empty store: each is another origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(_FOLDER)))
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _value_in_page(condition: Callable[[], Any]) -> Any:
    """The value of a condition; None where the page has gone away before it could say."""
    from selenium.common.exceptions import JavascriptException, TimeoutException

    try:
        return condition()
    except TimeoutException:
        return None
    except JavascriptException as fault:
        if "unloaded" not in str(fault):
            raise
        return None


@dataclass(frozen=True)
class ChatClient:
    """A browser at the client's page."""

    browser: "Browser"
    address: str

    def run(self, script: str, *arguments: object) -> Any:
        """The value of an expression in the page, awaited."""
        wrapped = (
            "const done = arguments[arguments.length - 1];"
            f"(async () => ({script}))().then(value => done([value]), fault => done(String(fault)))"
        )
        self.browser.set_script_timeout(SCRIPT_SECONDS)
        answer = self.browser.execute_async_script(wrapped, *arguments)
        assert isinstance(answer, list), answer
        return answer[0] if answer else None

    def begin(self, *chats: Json, script: str = "", chat_id: str = CHAT_ID) -> None:
        """Fill an empty store, add the extension's URL, and open a chat."""
        everything = {
            "origin": self.address.rstrip("/"),
            "storageTypes": "all",
        }  # of a port of before
        self.browser.execute_cdp_cmd("Storage.clearDataForOrigin", everything)
        self.browser.get(self.address)
        self.until(
            lambda: self.run("typeof app === 'object' && 'put' in app"), "the client has begun"
        )
        for each in chats:
            self.run("app.put(JSON.parse(arguments[0]))", json.dumps(each))
        self.run(
            "localStorage.setItem('TM_useExtensionURLs', arguments[0])",
            json.dumps([script] if script else []),
        )
        self.browser.get("about:blank")
        self.load(chat_id)

    def load(self, chat_id: str = CHAT_ID) -> None:
        """Load the page anew, at a chat."""
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}#chat={chat_id}")
        self.until(
            lambda: self.run(  # on a slow machine the script is there later than its page
                "typeof app === 'object' && app.messages?.length > 0"
                " && document.readyState === 'complete'"
            ),
            "the chat is open",
        )

    def until(self, condition: Callable[[], Any], what: str, seconds: float = LIMIT_SECONDS) -> Any:
        """Wait for a condition; the first true value. A page that is being loaded anew meets none."""
        end = monotonic() + seconds
        while not (value := _value_in_page(condition)):
            assert monotonic() < end, (
                f"not within {seconds} seconds: {what}; the pill says {self.pill()!r}"
            )
            sleep(0.02)
        return value

    def stored(self, chat_id: str = CHAT_ID) -> Json:
        """The chat as an export would have it."""
        chat = json.loads(self.run("JSON.stringify(await app.get(arguments[0]) ?? null)", chat_id))
        assert isinstance(chat, dict)
        return chat

    def drawn(self) -> list[str]:
        """The uuids of the messages on the page."""
        uuids = self.run(
            "[...document.querySelectorAll('[class*=message-id-]')].map(block => block.uuid)"
        )
        assert isinstance(uuids, list)
        return uuids

    def pill(self) -> str:
        """What the pill says; empty where it is hidden or not there."""
        script = f"{_SHADOW} return root && !root.host.hidden ? root.querySelector('.pill').textContent : ''"
        return str(self.browser.execute_script(script))

    def panel(self, selector: str) -> Any:
        """An element of the pill or its panel, as soon as it is there."""
        script = f"{_SHADOW} return root?.querySelector(arguments[0])"
        return self.until(lambda: self.browser.execute_script(script, selector), selector)

    def says(self, text: str, seconds: float = LIMIT_SECONDS) -> str:
        """Wait until the pill says this among other things; all that it says."""
        return str(
            self.until(
                lambda: next((pill for pill in [self.pill()] if text in pill), ""),
                repr(text),
                seconds,
            )
        )

    def press(self) -> None:
        """Press the pill."""
        self.panel(".pill").click()

    def pair(self, code: str, port: int | None = None) -> None:
        """Enter the six digits."""
        self.says("press to pair")
        self.press()
        if port is not None:
            self.panel("[name=port]").clear()
            self.panel("[name=port]").send_keys(str(port))
        self.panel("[name=code]").send_keys(code)
        self.panel("form button").click()

    def type(self, text: str) -> None:
        """Type into the message box."""
        self.browser.find_element("css selector", "textarea").send_keys(text)

    def say(self, text: str) -> None:
        """Say something, and wait until it is answered."""
        count = self.run("app.messages.length")
        self.type(text + "\n")
        self.until(lambda: self.run("app.messages.length") >= count + 2, "an answer")

    def reaches_rest(self, chat_id: str = CHAT_ID) -> None:
        """Wait until no round is under way for a chat."""
        self.until(lambda: not self.round_of(chat_id).get("state"), "the round is over")

    def round_of(self, chat_id: str = CHAT_ID) -> Json:
        """What the extension keeps of a chat."""
        kept = self.run(
            "new Promise(resolve => { const opening = indexedDB.open('memproc', 1); opening.onsuccess = () => {"
            " const asked = opening.result.transaction('kept').objectStore('kept').get('round/' + arguments[0]);"
            " asked.onsuccess = () => { opening.result.close(); resolve(asked.result ?? {}); }; }; })",
            chat_id,
        )
        assert isinstance(kept, dict)
        return kept

    def open_panel(self) -> None:
        """Open what is behind the pill."""
        if not self.panel(".panel").is_displayed():
            self.panel(".more").click()

    def go(self, chat_id: str) -> None:
        """Open another chat by its link."""
        self.run("location.hash = '#chat=' + arguments[0]", chat_id)
        self.until(
            lambda: self.run(
                "app.chat.chatID === arguments[0] && app.messages.length > 0", chat_id
            ),
            chat_id,
        )

    def is_intact(self) -> bool:
        """Whether every block of the client is where the client has put it and says what it said."""
        return bool(self.run("(app.check(), app.violations.length === 0)"))
