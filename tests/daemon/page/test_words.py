"""What stands on the page in words."""

import pytest

from daemon.page.words import with_commands


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
