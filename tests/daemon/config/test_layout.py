"""Layouts of the core memory are found by their entry points, and what is wrong with one says whose it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.config.loading import core_layout, load_layout
from daemon.config.memory_tables import CoreSettings
from rules.errors import ConfigurationError
from rules.layers.core import Section
from rules.layers.core_layout import ChatLayout

Install = Callable[..., None]
GOOD = '''
from rules.layers.core import Section

def mood_set(memory, mood):
    """Say what mood you are in.

    mood: One word.
    """
    return memory.with_value("mood", mood)

class Moods:
    sections = [Section("mood", "", 20, "calm")]
    functions = [mood_set]
'''
FAULTY = {
    "there is no such module": ("import nowhere_at_all", "ModuleNotFoundError"),
    "raises on import": ("raise RuntimeError('not today')", "RuntimeError: not today"),
    "has no such class": ("x = 1", "AttributeError"),
    "wants arguments": (f"{GOOD}\n    def __init__(self, one): ...", "TypeError"),
    "has no sections": ("class Moods:\n    functions = ()", "AttributeError"),
    "has no functions": ("class Moods:\n    sections = ()", "AttributeError"),
    "sections are none": (GOOD.replace('[Section("mood", "", 20, "calm")]', '["mood"]'), "AttributeError"),
    "a first value over its limit": (GOOD.replace("20", "3"), "OverLimit"),
    "two sections of one name": (GOOD.replace("calm\")", "calm\")] * 2 + ["), "two sections have the same name"),
    "two functions of one name": (GOOD.replace("[mood_set]", "[mood_set, mood_set]"), "two functions have the same"),
    "no docstring": (GOOD.replace('"""', "#").replace("\n    mood: One", "#"), 'the function "mood_set" has no docstr'),
    "an undocumented parameter": (GOOD.replace("mood: One word.", "One word."), 'has no line "mood: ..."'),
}  # fmt: skip


@pytest.fixture
def install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Install:
    """Lays a distribution with a layout on the path, as an installer leaves it."""
    load_layout.cache_clear()
    request.addfinalizer(load_layout.cache_clear)

    def lay(source: str, name: str = "moods", distribution: str = "moods-of-mine") -> None:
        place = tmp_path / distribution
        module = f"{distribution.replace('-', '_')}_{tmp_path.name.replace('-', '_')}"
        about = place / f"{distribution.replace('-', '_')}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        (about / "entry_points.txt").write_text(f"[memproc.core_memory]\n{name} = {module}:Moods\n")
        (place / f"{module}.py").write_text(source)
        monkeypatch.syspath_prepend(place)

    return lay


def error(name: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        load_layout(name)
    assert caught.value.exit_code == 2
    return caught.value


def test_memproc_s_own_layout_is_found_like_any_other() -> None:
    layout = load_layout("chat")
    assert tuple(layout.sections) == tuple(ChatLayout().sections)
    assert tuple(layout.functions) == tuple(ChatLayout().functions)


def test_an_installed_layout_is_found_by_its_name(install: Install) -> None:
    install(GOOD)
    layout = load_layout("moods")
    assert layout.sections == (Section("mood", "", 20, "calm"),)
    assert [function.__name__ for function in layout.functions] == ["mood_set"]


def test_an_unknown_layout_is_told_with_those_that_are_installed(install: Install) -> None:
    install(GOOD)
    fault = error("chats")
    assert fault.message == 'core.layout: no layout of the core memory is called "chats".'
    assert fault.next_step.endswith("to one that is installed: chat, moods.")


@pytest.mark.parametrize(("source", "reason"), FAULTY.values(), ids=FAULTY.keys())
def test_a_layout_that_cannot_be_used_is_told_with_the_name_of_its_distribution(
    install: Install, source: str, reason: str
) -> None:
    install(source)
    fault = error("moods")
    assert fault.message.startswith(
        'core.layout: the layout "moods" of moods-of-mine cannot be used: '
    )
    assert reason in fault.message
    assert "Mend moods-of-mine" in fault.next_step


def test_a_name_that_two_distributions_use_is_nobody_s(install: Install) -> None:
    install(GOOD)
    install(GOOD, distribution="moods-of-others")
    fault = error("moods")
    assert (
        fault.message
        == 'core.layout: moods-of-mine and moods-of-others each have a layout called "moods".'
    )


def core(**settings: object) -> CoreSettings:
    return CoreSettings.model_validate(settings)


def test_without_a_word_in_the_settings_the_layout_is_as_it_comes() -> None:
    assert tuple(core_layout(core()).sections) == tuple(ChatLayout().sections)


def test_settings_that_are_not_written_leave_the_layout_s_own() -> None:
    persona, human = core_layout(
        core(sections={"persona": {"limit": 300}, "human": {"value": ["One."]}})
    ).sections
    own, other = ChatLayout().sections
    assert persona == Section("persona", own.description, 300)
    assert human == Section("human", other.description, 2000, ("One.",))


def test_a_section_of_one_s_own_has_the_defaults_of_the_settings() -> None:
    sections = core_layout(
        core(sections={"human": {"limit": 0}, "promises": {"description": "Kept or not."}})
    ).sections
    assert [section.name for section in sections] == ["persona", "promises"]
    assert sections[1] == Section("promises", "Kept or not.", 2000)


def test_a_first_value_over_a_layout_s_own_limit_is_told_with_its_section(install: Install) -> None:
    install(GOOD)
    with pytest.raises(ConfigurationError, match=r'"mood" would have 21 of 20 characters'):
        core_layout(core(layout="moods", sections={"mood": {"value": "x" * 21}}))
