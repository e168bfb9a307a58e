"""The example in docs/core-memory.md is a layout that memproc finds once it is installed, and that edits."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "core-memory.md").read_text("utf-8")
TRIED = """
from daemon.config.loading import load_layout
from rules.layers.core_layout import CoreEdit, apply_edit
from rules.layers.core import CoreMemory

layout = load_layout("promises")
memory = CoreMemory(layout.sections)
for edit in [
    CoreEdit("promise_made", {"promise": "To ask about Tomas."}),
    CoreEdit("promise_made", {"promise": "To read the log."}),
    CoreEdit("promise_kept", {"promise": "To ask about Tomas."}),
    CoreEdit("core_memory_append", {"name": "human", "content": "Her name is Nessa."}),
]:
    memory = apply_edit(layout.functions, memory, edit)
print([(section.name, section.value) for section in memory])
print(apply_edit(layout.functions, memory, CoreEdit("promise_made", {"promise": "x" * 1000})).kind)
print(apply_edit(layout.functions, memory, CoreEdit("promise_kept", {"promise": "log"})).kind)
"""


def block(language: str) -> str:
    """The first code block of that language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the example is installed, as pip does it without a network."""
    source, target = tmp_path_factory.mktemp("promises"), tmp_path_factory.mktemp("installed")
    (source / "memproc_promises.py").write_text(block("python"), encoding="utf-8")
    (source / "pyproject.toml").write_text(block("toml"), encoding="utf-8")
    offline = (
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--disable-pip-version-check",
        "--quiet",
    )
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        *offline,
        "--target",
        str(target),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return target


@pytest.mark.full
def test_the_example_is_found_once_it_is_installed_and_its_functions_edit(installed: Path) -> None:
    path = os.pathsep.join([str(installed), str(ROOT), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": path}
    child = subprocess.run(
        [sys.executable, "-c", TRIED],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    sections, too_long, not_found = child.stdout.splitlines()
    assert sections == str(
        [("persona", ""), ("human", "Her name is Nessa."), ("promises", ("To read the log.",))]
    )
    assert (too_long, not_found) == ("over the limit", "not found")


def test_the_page_chooses_the_layout_that_it_registers() -> None:
    assert 'layout = "promises"' in PAGE
    assert "promises = " in block("toml")
