"""What stands on the page in words."""

import time
from collections.abc import Iterator

import pytest

from daemon.files.clock import in_full
from daemon.page.words import after_name, minute, time_element, with_commands


@pytest.fixture
def india(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is five hours and a half east of Greenwich."""
    if not hasattr(time, "tzset"):
        pytest.skip("the time zone of a process cannot be set on this system")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "IST-5:30")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("india")
def test_times_are_local_and_carry_their_zone() -> None:
    assert minute("2026-03-15T20:00:00.000Z") == "16 March 2026, 01:30"
    marked = time_element("2026-03-15T20:00:00.000Z")
    assert marked == '<time datetime="2026-03-16T01:30:00+05:30">16 March 2026, 01:30</time>'
    assert time_element(None) == minute("<b>") == "at an unknown time"
    assert in_full("2026-03-15T20:00:00.000Z") == "2026-03-16 01:30:00"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (
            "See what happened with: memproc logs",
            "See what happened with: <code>memproc logs</code>",
        ),
        ("Say `memproc accept x` then.", "Say <code>memproc accept x</code> then."),
        (
            "To set one: memproc key set x. More.",
            "To set one: <code>memproc key set x</code>. More.",
        ),
        ("<b>It</b> goes on by itself.", "&lt;b&gt;It&lt;/b&gt; goes on by itself."),
        ("With: memproc show <i>", "With: <code>memproc show &lt;i&gt;</code>"),
    ],
)
def test_a_command_in_a_sentence_stands_as_one_and_nothing_is_markup(
    sentence: str, shown: str
) -> None:
    assert with_commands(sentence) == shown


def test_a_name_is_not_said_twice() -> None:
    assert after_name("Doc.pdf is a PDF.", "Doc.pdf") == "It is a PDF."
    assert after_name('"A talk": it is cut off.', "A talk") == "It is cut off."
    assert after_name("Doc.pdfs are none.", "Doc.pdf") == "Doc.pdfs are none."
    assert after_name("nothing to do", "Doc.pdf") == "Nothing to do"
