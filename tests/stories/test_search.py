"""`memproc search`: beginnings, the nearest word, and the command that opens what was found."""

import io
from contextlib import redirect_stdout

import pytest

from daemon.cli import main
from tests.chats import assistant, chat, export_bytes, user
from tests.stories.cycle import ENGINE
from tests.stories.person import Person

OLD = "We lit the lighthouse 🌊 in the Große Straße and talked of storms for a while. " * 8


TURNS = [turn for number in range(1, 21) for turn in (user(OLD, number), assistant(OLD, number))]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person with a chat of which the beginning is in memories."""
    ada = Person(tmp_path_factory.mktemp("ada"))
    ada.settings(ENGINE)
    ada.drop(export_bytes(chat(*TURNS, id="aaa", chatID="aaa", chatTitle="Aria")))
    assert ada.memproc("run", "--yes").code == 0
    assert ada.memproc("facts", "Aria", "add", "Ada keeps a zeppelin").code == 0
    return ada


def _on_a_terminal(person: Person, *words: str) -> list[str]:
    with redirect_stdout(_Terminal()) as printed:
        assert main(["--config", str(person.toml), "search", *words]) == 0
    return [line.strip() for line in printed.getvalue().splitlines()]


def test_a_hit_names_its_memory_and_on_a_terminal_the_command_that_opens_it(ada: Person) -> None:
    lines = _on_a_terminal(ada, "lighthouse", "--in", "raw", "--limit", "100")
    assert any(line.endswith("you, in memory 1") for line in lines)
    assert "memproc show aaa 1" in lines
    assert ada.memproc("show", "aaa", "1").code == 0
    assert "memproc facts aaa" in _on_a_terminal(ada, "zeppelin")
    assert "memproc show" not in ada.memproc("search", "lighthouse").out, "for people alone"


def test_a_short_word_is_a_beginning_where_nothing_else_is_found(ada: Person) -> None:
    assert "storms" in ada.memproc("search", "sto").out
    assert "storms" in ada.memproc("search", "grosse 🌊 strasse").out


def test_a_mistyped_word_is_answered_with_the_nearest_that_there_is(ada: Person) -> None:
    ended = ada.memproc("search", "ligthhouse")
    assert "Nothing holds all of: ligthhouse\nThe nearest that there is: lighthouse\n" in ended.out
    assert "We lit the lighthouse" in ended.out
    assert ada.memproc("search", "xylophone").out == "Nothing holds all of: xylophone\n"


def test_a_chat_is_found_by_a_word_of_its_title(ada: Person) -> None:
    assert ada.memproc("search", "Zinnia").out == "Nothing holds all of: Zinnia\n"
    again = chat(*TURNS, id="aaa", chatID="aaa", chatTitle="Zinnia nights ⭐")
    ada.drop(export_bytes(again))
    assert ada.memproc("run", "--yes").code == 0
    assert ada.memproc("search", "zinn").out.startswith("Zinnia nights ⭐, a chat\n")
    assert "a chat" in ada.memproc("search", "⭐").out
    assert "memproc memories aaa" in _on_a_terminal(ada, "zinnia", "--in", "titles")
