"""Conversations are chosen out of two thousand, in a real browser."""

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from tests.browser.conftest import Opened
from tests.browser.test_page import go, press, shows
from tests.exports.files import zip_bytes
from tests.foreign import talks, trees
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
MANY = 2_000
FILE = "all of it.zip"


def test_one_of_two_thousand_conversations_comes_home(page: Opened, tmp_path: Path) -> None:
    from axe_selenium_python import Axe  # type: ignore[import-untyped]

    every = [talks.chatgpt(f"c{number}", 1, day=number) for number in range(MANY - 1)]
    every.append(talks.chatgpt("aria", 40, title="Aria at the <sea>", words=400))
    export = tmp_path / FILE
    export.write_bytes(zip_bytes({"conversations-000.json": trees.exported(*every)}))
    go(page, "")
    page.browser.find_element(By.ID, "export").send_keys(str(export))
    until((page.person.inbox / FILE).exists)
    assert shows(page, "You choose what to bring from it.")
    page.browser.find_element(By.LINK_TEXT, "Choose conversations…").click()
    boxes = page.browser.find_elements(By.NAME, "chat")
    assert len(boxes) == MANY
    assert boxes[0].is_displayed()
    page.browser.find_element(By.ID, "find").send_keys("aria SEA")
    assert not boxes[0].is_displayed()
    assert (
        len(page.browser.find_elements(By.CSS_SELECTOR, "#conversations li:not([hidden]) input"))
        == 1
    )
    for width in (390, 1200):
        page.browser.set_window_size(width, 1000)
        inner, scroll = page.browser.execute_script(
            "return [innerWidth, document.documentElement.scrollWidth]"
        )
        assert scroll <= inner
    go(page, "/bring?file=all+of+it.zip&find=aria")  # axe takes minutes for all of them
    axe = Axe(page.browser)
    axe.inject()
    assert axe.run()["violations"] == []
    page.browser.find_element(By.NAME, "chat").click()
    press(page, "See the plan")
    assert shows(page, '80 messages become the chat "Aria at the <sea>".')
    assert not [path for path in page.person.updated() if "Aria at the" in path.name]
    press(page, "Bring it")
    until(lambda: any("Aria at the" in path.name for path in page.person.updated()))
    assert shows(page, "Aria at the <sea>")
    (page.person.inbox / FILE).unlink()  # the stories that follow have nothing to skip
