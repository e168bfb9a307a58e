"""What a person does on the page, in a real browser, and what becomes of it in the archive."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from daemon.files.candidates import SAMPLE_FILE
from tests.browser.conftest import Opened
from tests.chats import chat, conversation, export_bytes
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
LIGHTHOUSE = "The lighthouse"
VIEWS = (
    "",
    "/start",
    "/inbox",
    "/money",
    "/log",
    "/service",
    "/about",
    "/settings",
    "/pairing",
    "/search?words=harbour",
    "CHAT",
    "CHAT/core",
    "CHAT/facts",
    "CHAT/evaluation",
    "CHAT/kept",
    "CHAT/plan",
    "CHAT/read?sheet=2",
    "CHAT/versions?from=1",
    "CHAT/versions/1",
    "MEMORY",
    "MEMORY/words",
    "MEMORY/retry",
)


def text(page: Opened) -> str:
    """What the page says below its bar."""
    return page.browser.find_element(By.TAG_NAME, "main").text


def shows(page: Opened, words: str) -> bool:
    """Whether the page says so, at once or when the next one has come."""
    wait = WebDriverWait(page.browser, 60, ignored_exceptions=(WebDriverException,))
    try:
        return wait.until(lambda _: words in text(page))
    except TimeoutException:
        return False


def go(page: Opened, address: str) -> None:
    """Open an address of the page."""
    page.browser.get(page.address + address)


def press(page: Opened, label: str) -> None:
    """Press a button or a link by what stands on it, once it is there."""
    stands = f"//main//*[self::button or self::a][normalize-space()='{label}']"
    WebDriverWait(page.browser, 60).until(lambda browser: browser.find_elements(By.XPATH, stands))[
        0
    ].click()


def is_open(summary: WebElement) -> bool:
    """Whether what stands behind it is shown."""
    return summary.find_element(By.XPATH, "..").get_attribute("open") is not None


def chat_id(page: Opened, title: str) -> str:
    """The id of a chat, as `memproc chats` tells it."""
    chats = json.loads(page.person.memproc("chats", "--json").out)["chats"]
    return str(next(known["chat_id"] for known in chats if known["title"] == title))


def memory_id(page: Opened) -> str:
    """The newest memory of the chat of many memories."""
    listed = json.loads(page.person.memproc("memories", LIGHTHOUSE, "--json").out)["memories"]
    return str(
        max((one for one in listed if one["level"] == 1), key=lambda one: one["number"])[
            "memory_id"
        ]
    )


def address_of(page: Opened, view: str) -> str:
    """The address of a view, with the ids of this archive in it."""
    return view.replace("CHAT", f"/chat/{chat_id(page, LIGHTHOUSE)}").replace(
        "MEMORY", f"/memory/{memory_id(page)}"
    )


def test_home_shows_each_chat_with_its_sizes(page: Opened) -> None:
    go(page, "")
    assert LIGHTHOUSE in text(page)
    assert shows(page, "tokens in all")
    strips = page.browser.find_elements(By.CSS_SELECTOR, "svg.strip")
    assert "word for word" in str(strips[0].get_attribute("aria-label"))


def test_a_chat_shows_its_memories_in_order_and_opens_a_fold(page: Opened) -> None:
    go(page, address_of(page, "CHAT"))
    assert shows(page, "Fold f")
    summaries = page.browser.find_elements(By.CSS_SELECTOR, ".is-fold summary")
    while closed := [
        summary for summary in summaries if summary.is_displayed() and not is_open(summary)
    ]:
        closed[0].click()
    assert shows(page, "Memory 1")


def test_a_memory_stands_beside_its_messages_with_the_quote_marked(page: Opened) -> None:
    go(page, address_of(page, "MEMORY"))
    quote = page.browser.find_element(By.CSS_SELECTOR, "blockquote").text
    marked = page.browser.find_element(By.TAG_NAME, "mark").get_attribute("textContent") or ""
    assert " ".join(marked.split()) in " ".join(quote.split())


def test_the_words_stand_beside_a_memory_and_on_a_phone_are_folded_below_it(page: Opened) -> None:
    try:
        for width, is_beside in ((1200, True), (390, False)):
            page.browser.set_window_size(width, 1000)
            go(page, address_of(page, "MEMORY"))
            mark = page.browser.find_element(By.TAG_NAME, "mark")
            is_seen = "return arguments[0].checkVisibility({contentVisibilityAuto: true})"
            assert page.browser.execute_script(is_seen, mark) is is_beside
        page.browser.find_element(By.CSS_SELECTOR, ".beside > summary").click()
        assert page.browser.execute_script(is_seen, mark)
    finally:
        page.browser.set_window_size(1200, 1000)


def test_words_that_are_marked_in_a_memory_are_kept_with_one_press_and_released(
    page: Opened,
) -> None:
    go(page, address_of(page, "MEMORY"))
    form = page.browser.find_element(By.CSS_SELECTOR, "article form.keep")
    article = form.find_element(By.XPATH, "ancestor::article")
    words = page.browser.execute_script(
        """
        const node = arguments[0].querySelector(".words p:not(.soft)").firstChild;
        const range = document.createRange();
        range.setStart(node, 0);
        range.setEnd(node, Math.min(30, node.length));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        return getSelection().toString();
        """,
        article,
    )
    wait = WebDriverWait(page.browser, 10)
    button = form.find_element(By.TAG_NAME, "button")
    assert wait.until(lambda _: button.get_attribute("textContent") == "Keep these words")
    # On a wide screen a closed part is shown next to the memory, which the driver takes for hidden.
    ActionChains(page.browser).scroll_to_element(button).move_to_element(button).click().perform()
    assert shows(page, "Kept, word for word: passage 1")
    assert " ".join(words.split()) in " ".join(text(page).split())
    listed = json.loads(page.person.memproc("keep", LIGHTHOUSE, "--json").out)["passages"]
    assert [passage["text"] for passage in listed] == [words.strip()]
    press(page, "Release it")
    assert shows(page, "Released: passage 1")
    assert json.loads(page.person.memproc("keep", LIGHTHOUSE, "--json").out)["passages"] == []


def test_a_memory_is_pinned_and_unpinned(page: Opened) -> None:
    go(page, address_of(page, "MEMORY"))
    press(page, "Pin")
    assert shows(page, "it stays as it is")
    assert "pinned" in page.person.memproc("show", memory_id(page)).out
    press(page, "Unpin")
    assert shows(page, "may be rewritten again")


def test_the_core_memory_is_set_released_and_undone(page: Opened) -> None:
    go(page, address_of(page, "CHAT/core"))
    page.browser.find_element(By.CSS_SELECTOR, "summary").click()
    field = page.browser.find_element(By.ID, "text-persona")
    field.clear()
    field.send_keys("I keep the light <b>burning</b>.")
    press(page, "Save")
    assert shows(page, "I keep the light <b>burning</b>."), (
        "what people write is text, never markup"
    )
    assert "I keep the light <b>burning</b>." in page.person.memproc("core", LIGHTHOUSE).out
    press(page, "Let the persona edit it again")
    assert shows(page, "is released")
    press(page, "Take back the newest edit")
    assert shows(page, "Taken back")


def test_a_fact_is_added_found_and_forgotten(page: Opened) -> None:
    go(page, address_of(page, "CHAT/facts"))
    page.browser.find_element(By.ID, "fact").send_keys(
        "The harbour log lies in the biscuit tin.", Keys.ENTER
    )
    assert shows(page, "Added as fact")
    page.browser.find_element(By.ID, "words").send_keys("biscuit tin", Keys.ENTER)
    assert shows(page, "Fact 1")
    go(page, "/search?words=biscuit+tin&in=facts")
    assert [mark.text for mark in page.browser.find_elements(By.TAG_NAME, "mark")] == [
        "biscuit",
        "tin",
    ]
    page.browser.find_element(By.CSS_SELECTOR, "article .who a").click()
    press(page, "Forget")
    assert shows(page, "is forgotten")


def test_an_export_that_is_chosen_goes_into_the_inbox(page: Opened, tmp_path: Path) -> None:
    export = tmp_path / "new one.json"
    export.write_bytes(
        export_bytes(chat(*conversation(4, 400), id="new", chatID="new", chatTitle="New"))
    )
    go(page, "")
    page.browser.find_element(By.ID, "export").send_keys(str(export))
    until((page.person.inbox / "new one.json").exists)
    assert (page.person.inbox / "new one.json").read_bytes() == export.read_bytes()


def test_each_of_several_dropped_files_has_its_line_and_a_wrong_one_is_refused(
    page: Opened, tmp_path: Path
) -> None:
    files = []
    for name in ("first.json", "second.json"):
        files.append(tmp_path / name)
        files[-1].write_bytes(export_bytes(chat(*conversation(4, 40), chatID=name)))
    files.append(tmp_path / "Doc.pdf")
    files[-1].write_bytes(b"%PDF-1.7 a letter")
    go(page, "")
    chosen = page.browser.find_element(By.ID, "export")
    chosen.send_keys("\n".join(str(path) for path in files))
    assert shows(page, "Doc.pdf Not taken. It is a PDF.")
    for path in files[:2]:
        until((page.person.inbox / path.name).exists)
        assert shows(page, f"{path.name} Received.")
    assert not (page.person.inbox / "Doc.pdf").exists()


def test_a_file_that_is_dropped_on_any_view_is_taken_and_the_inbox_shown(page: Opened) -> None:
    for number, view in enumerate(("/money", "/settings", "/search?words=x")):
        name = f"on {number}.json"
        content = export_bytes(chat(*conversation(4, 40), id=name, chatID=name)).decode()
        go(page, view)
        page.browser.execute_script(
            """const files = new DataTransfer();
            files.items.add(new File([arguments[1]], arguments[0]));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
            """,
            name,
            content,
        )
        until((page.person.inbox / name).exists)
        until(lambda: page.browser.current_url.endswith("/inbox"))


def test_home_shows_what_another_program_drops_without_a_reload(page: Opened) -> None:
    go(page, "")
    page.browser.execute_script("window.isTheSame = true")
    page.person.drop(export_bytes(chat(*conversation(4, 40), chatID="late")), "late.json")
    assert shows(page, "late.json")
    assert page.browser.execute_script("return window.isTheSame")


def test_home_says_when_memproc_does_not_answer(page: Opened) -> None:
    go(page, "")
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.browser.execute_cdp_cmd("Network.enable", {})
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    assert shows(page, "memproc does not answer")
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})
    until(lambda: "does not answer" not in text(page))


def test_a_plan_says_what_is_due(page: Opened) -> None:
    go(page, address_of(page, "CHAT/plan"))
    assert shows(page, "Plan")


def test_a_version_shows_what_would_change_before_it_is_put_back(page: Opened) -> None:
    go(page, f"{address_of(page, 'CHAT')}/versions/1")
    assert shows(page, "What would change if you went back to it")
    press(page, "Go back to version 1")
    assert shows(page, "Restored")
    assert shows(page, "a version from before")
    assert page.person.memproc("accept", LIGHTHOUSE).code == 0
    assert (
        page.person.memproc("run").code == 0
    )  # the views that follow show a chat with memories again


def test_the_settings_show_no_key(page: Opened) -> None:
    go(page, "/settings")
    page.browser.find_element(By.ID, "key").send_keys("sk-ant-secret-of-nobody")
    assert "sk-ant-secret-of-nobody" not in page.browser.page_source


def test_the_sample_is_taken_on_the_first_day(page: Opened) -> None:
    (page.person.inbox / SAMPLE_FILE).unlink(missing_ok=True)
    go(page, "/start")
    press(page, "Try the sample")
    assert shows(page, "The sample conversation") or shows(page, SAMPLE_FILE)
    assert (page.person.inbox / SAMPLE_FILE).is_file()


@pytest.mark.parametrize("width", [390, 1200])
def test_no_view_is_wider_than_the_screen(page: Opened, width: int) -> None:
    page.browser.set_window_size(width, 1000)
    for view in VIEWS:
        go(page, address_of(page, view))
        inner, scroll = page.browser.execute_script(
            "return [innerWidth, document.documentElement.scrollWidth]"
        )
        assert scroll <= inner, view
        filled = page.browser.find_elements(By.CSS_SELECTOR, "main .go")
        assert len(filled) <= 1, view
    page.browser.set_window_size(1200, 1000)


@pytest.mark.parametrize("view", [*VIEWS, "/bring", "/nowhere"])
def test_axe_finds_nothing_that_keeps_anybody_out(page: Opened, view: str) -> None:
    from axe_selenium_python import Axe  # type: ignore[import-untyped]

    go(page, address_of(page, view))
    axe = Axe(page.browser)
    axe.inject()
    violations = axe.run()["violations"]
    assert violations == [], [(one["id"], one["nodes"][0]["html"]) for one in violations]


def test_the_console_of_the_browser_stays_empty(page: Opened) -> None:
    log: Callable[[str], list[dict[str, str]]] = page.browser.get_log
    log("browser")
    for view in VIEWS:
        go(page, address_of(page, view))
    assert [entry for entry in log("browser") if entry["level"] in ("WARNING", "SEVERE")] == []


def test_the_first_key_leads_past_the_bar(page: Opened) -> None:
    go(page, "")
    page.browser.switch_to.active_element.send_keys(Keys.TAB)
    assert page.browser.switch_to.active_element.text == "Skip to the content"
