"""Only a browser on this computer that shows our own pages is answered."""

import pytest

from daemon.page.access import refuse_request

PORT = 27183
HOST = {"host": f"127.0.0.1:{PORT}"}
FORM = {"origin": f"http://127.0.0.1:{PORT}", "content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_this_computer_is_answered_by_each_of_its_names(host: str) -> None:
    assert refuse_request("GET", {"host": host}, PORT) is None


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""]
)
def test_a_name_that_was_made_to_point_here_is_refused(host: str) -> None:
    refused = refuse_request("GET", {"host": host}, PORT)
    assert refused is not None
    assert refused.status == 421


@pytest.mark.parametrize(
    "origin",
    ["https://www.typingmind.com", "null", f"http://localhost:{PORT}", "http://127.0.0.1:1"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_from_elsewhere_are_refused(method: str, origin: str) -> None:
    refused = refuse_request(method, {**HOST, **FORM, "origin": origin}, PORT)
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_images_scripts_and_links_from_elsewhere_are_refused(site: str) -> None:
    refused = refuse_request("GET", {**HOST, "sec-fetch-site": site}, PORT)
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_what_the_person_opens_and_our_own_pages_are_answered(site: str) -> None:
    assert refuse_request("GET", {**HOST, "sec-fetch-site": site}, PORT) is None


def test_our_own_form_is_taken() -> None:
    assert refuse_request("POST", {**HOST, **FORM}, PORT) is None


def test_a_form_that_names_no_page_is_refused() -> None:
    refused = refuse_request("POST", {**HOST, "content-type": FORM["content-type"]}, PORT)
    assert refused is not None
    assert refused.status == 403


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/octet-stream"])
def test_what_a_page_may_send_unasked_is_no_form_of_ours(content_type: str) -> None:
    refused = refuse_request("POST", {**HOST, **FORM, "content-type": content_type}, PORT)
    assert refused is not None
    assert refused.status == 415
