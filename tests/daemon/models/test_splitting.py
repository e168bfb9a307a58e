"""Chunks that end by the package's vectors; it is an extra, and in the development environment."""

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.archive.memo import keep_prices
from daemon.models import splitting
from daemon.models.splitting import embed_text, price_once, remembering_splitter, splitter
from rules.errors import ConfigurationError
from rules.plan.chunks import SPLITTERS, Spoken
from rules.plan.topics import Minutes, Texts
from tests.chats import export_bytes, long_chat
from tests.stories.person import Person

SIZE = 47
SEA = [
    "Gulls cry over the harbour.",
    "The ferry rolls in the swell.",
    "A storm comes from the sea.",
]
BREAD = [
    "The dough has to rest overnight.",
    "Knead the flour and the yeast.",
    "Rye loaves want a hot oven.",
]

histories = st.lists(
    st.builds(
        lambda text, tokens: (text, tokens),
        st.sampled_from([*SEA, *BREAD, "", "海"]),
        st.integers(0, 30),
    ),
    max_size=40,
)


WINDOW: Texts = (("one", "two"), ("three",), ("four",))
MINUTES: Minutes = ((1, 2), (0, 3), (4, 4))


@dataclass
class Clerk:
    """A state folder, and how many windows were priced there."""

    state: Path
    priced: int = 0

    def prices(
        self, texts: Texts = WINDOW, minutes: Minutes = MINUTES, rule: str = "words 1"
    ) -> Sequence[int]:
        """Price a window as a process of its own does, and keep what is new."""
        new: dict[bytes, bytes] = {}
        with Archive.open(self.state) as archive:
            prices = price_once(archive, rule, self._price, new)(texts, minutes)
            keep_prices(archive, new)
        return tuple(prices)

    def _price(self, texts: Texts, minutes: Minutes) -> Sequence[int]:
        self.priced += 1
        return (0,) * (len(texts) - 2) + (255,)

    def damage(self, prices: bytes) -> None:
        """Change the prices that the archive has kept."""
        with Archive.open(self.state) as archive:
            archive.run("UPDATE bound_prices SET prices = ?", (prices,))


@pytest.fixture
def clerk(tmp_path: Path) -> Clerk:
    return Clerk(tmp_path)


@pytest.fixture
def without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    splitting._model.cache_clear()


def turns(said: list[tuple[str, int]]) -> list[Spoken]:
    return [
        Spoken(role, tokens, text=text) for text, tokens in said for role in ("user", "assistant")
    ]


@pytest.mark.full
def test_the_talk_is_cut_where_it_turns_to_something_else_without_a_word_in_common() -> None:
    pytest.importorskip("wordllama")
    spoken = turns([(text, 10) for text in (*SEA, *BREAD, *BREAD, *BREAD)])

    assert splitter("embedding")(spoken, 0, SIZE, len(spoken)).bounds[0] == 6
    assert SPLITTERS["size"](spoken, 0, SIZE, len(spoken)).bounds[0] == 4


@given(histories, st.integers(0, 80))
@settings(deadline=None)
def test_bounds_by_the_package_stay_as_a_history_grows(
    said: list[tuple[str, int]], upto: int
) -> None:
    pytest.importorskip("wordllama")
    spoken = turns(said)
    earlier = splitter("embedding")(spoken[:upto], 0, SIZE, len(spoken)).bounds

    assert splitter("embedding")(spoken, 0, SIZE, len(spoken)).bounds[: len(earlier)] == earlier


def test_a_text_has_the_same_vector_in_any_company_and_one_without_words_has_none() -> None:
    pytest.importorskip("wordllama")
    before = embed_text(SEA[0])
    embed_text.cache_clear()
    embed_text("something much longer, so that sums could be rounded otherwise " * 50)

    assert embed_text(SEA[0]) == before
    assert not any(embed_text(""))


def test_the_log_is_as_it_was_when_the_package_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wordllama")
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    for name in [name for name in sys.modules if name.startswith("wordllama.inference")]:
        monkeypatch.delitem(sys.modules, name)
    splitting._model.cache_clear()
    splitter("embedding")

    assert (root.level, root.handlers) == before


@pytest.mark.usefixtures("without_the_package")
def test_without_the_package_the_others_still_split() -> None:
    assert splitter("topics") is SPLITTERS["topics"]
    with pytest.raises(ConfigurationError, match="not installed"):
        splitter("embedding")


@pytest.mark.usefixtures("without_the_package")
@pytest.mark.parametrize(
    ("command", "code"), [(("config", "check"), 2), (("plan",), 2), (("run",), 1)]
)
def test_without_the_package_every_command_says_what_to_install(
    tmp_path: Path, command: tuple[str, ...], code: int
) -> None:
    person = Person(tmp_path / "ada")
    person.toml.write_text(
        person.toml.read_text().replace('bounds = "size"', 'bounds = "embedding"')
    )
    person.drop(export_bytes(long_chat(6000, tokens_each=300)))

    ended = person.memproc(*command)

    assert ended.code == code, ended
    assert "pip install '.[embedding]'" in ended.err
    assert not person.updated()


@pytest.mark.full
def test_a_conversation_is_cut_by_vectors_from_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("wordllama")
    person = Person(tmp_path / "ada")
    person.toml.write_text(
        person.toml.read_text().replace('bounds = "size"', 'bounds = "embedding"')
    )
    person.drop(export_bytes(long_chat(8000, tokens_each=300)))

    assert person.memproc("config", "check").code == 0
    ended = person.memproc("run")

    assert (ended.code, ended.err) == (0, "")
    assert len(person.updated()) == 1


def test_a_window_is_priced_once_for_every_process(clerk: Clerk) -> None:
    assert [clerk.prices(), clerk.prices()] == [(0, 255)] * 2
    assert clerk.priced == 1


@pytest.mark.parametrize(
    ("texts", "minutes", "rule"),
    [
        ((("one", "two"), ("three",), ("four!",)), MINUTES, "words 1"),
        ((("one",), ("two", "three"), ("four",)), MINUTES, "words 1"),
        ((("one two",), ("three",), ("four",)), MINUTES, "words 1"),
        (WINDOW, ((1, 2), (3, 0), (4, 4)), "words 1"),
        (WINDOW, MINUTES, "words 2"),
    ],
    ids=["an edited message", "other turns", "other messages", "another minute", "another rule"],
)
def test_a_window_is_priced_again_if_anything_of_it_is_another(
    clerk: Clerk, texts: Texts, minutes: Minutes, rule: str
) -> None:
    clerk.prices()
    clerk.prices(texts, minutes, rule)
    assert clerk.priced == 2


@pytest.mark.parametrize("damaged", [b"", b"\0", b"\0\0\0"])
def test_too_few_or_too_many_prices_are_not_believed_and_mended(
    clerk: Clerk, damaged: bytes
) -> None:
    clerk.prices()
    clerk.damage(damaged)
    assert [clerk.prices(), clerk.prices()] == [(0, 255)] * 2
    assert clerk.priced == 2


@given(histories, st.integers(0, 3))
@settings(deadline=None)
def test_bounds_are_the_same_whether_prices_are_known_or_not(
    said: list[tuple[str, int]], begin: int
) -> None:
    spoken = turns(said)
    plain = SPLITTERS["topics"](spoken, begin, SIZE, len(spoken))
    with Archive.memory() as archive:
        for is_known in (False, True):
            new: dict[bytes, bytes] = {}
            split = remembering_splitter("topics", archive, new)
            assert split(spoken, begin, SIZE, len(spoken)) == plain
            assert not (is_known and new)
            keep_prices(archive, new)


def test_bounds_by_vectors_are_priced_once_too() -> None:
    pytest.importorskip("wordllama")
    spoken = turns([(text, 10) for text in (*SEA, *BREAD, *BREAD, *BREAD)])
    first: dict[bytes, bytes] = {}
    second: dict[bytes, bytes] = {}
    with Archive.memory() as archive:
        before = remembering_splitter("embedding", archive, first)(spoken, 0, SIZE, len(spoken))
        keep_prices(archive, first)
        after = remembering_splitter("embedding", archive, second)(spoken, 0, SIZE, len(spoken))

    assert before == after == splitter("embedding")(spoken, 0, SIZE, len(spoken))
    assert first
    assert not second


def test_bounds_by_size_alone_have_no_prices_to_keep() -> None:
    with Archive.memory() as archive:
        assert remembering_splitter("size", archive, {}) is SPLITTERS["size"]
