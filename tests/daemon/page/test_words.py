"""What stands on the page in words."""

import pytest

from daemon.page.words import about_it, with_commands


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
    assert about_it("Doc.pdf is a PDF.", "Doc.pdf") == "It is a PDF."
    assert about_it("Doc.pdfs are none.", "Doc.pdf") == "Doc.pdfs are none."
    assert about_it("nothing was to do", "Doc.pdf") == "Nothing was to do"
