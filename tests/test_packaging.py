"""What is installed is whole, and nobody else owns our four names."""

import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("daemon", "rules", "primer", "service")
LOCKS = ("build", "development", "program")


def locked_text(name: str) -> str:
    return (ROOT / "locks" / f"{name}.txt").read_text()


def pins(name: str) -> set[str]:
    """Return the packages of a lock, each with its version; what else a line says is where it is needed."""
    lines = locked_text(name).splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith((" ", "#"))}


def test_no_other_distribution_owns_our_four_names() -> None:
    owners = packages_distributions()
    for name in OURS:
        assert set(owners.get(name, [])) <= {"memproc-daemon"}, f"{name} belongs to {owners[name]}"


def test_the_two_malicious_releases_are_shut_out() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (litellm,) = (line for line in wanted if line.startswith("litellm"))
    assert litellm == "litellm>=1.105.7,<1.110,!=1.82.7,!=1.82.8"
    installed = {found.metadata["Name"]: found.version for found in distributions()}
    assert all(
        f"litellm=={installed['litellm']}" in locked_text(name)
        for name in ("program", "development")
    )


def test_the_locks_name_no_registry_and_pin_by_hash() -> None:
    for name in LOCKS:
        text = locked_text(name)
        assert "://" not in text
        assert all("==" in line for line in pins(name))
        assert text.count("--hash=sha256:") >= len(pins(name))


def test_the_program_and_its_installer_are_locked_to_the_versions_that_are_tested() -> None:
    assert pins("program") <= pins("development")
    assert pins("build") <= pins("development")


def test_the_list_without_hashes_holds_the_same_versions() -> None:
    assert pins("program") <= pins("tested") <= pins("development")
    assert "://" not in locked_text("tested")


def test_the_floors_lie_above_known_holes() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {"python-multipart>=0.0.31", "starlette>=1.3.1,<2"} <= set(wanted)


def test_the_program_is_set_up_without_the_packages_of_its_tests() -> None:
    names = {pin.split("==")[0] for pin in pins("program")}
    assert {"litellm", "tiktoken", "watchdog", "apscheduler", "tomli"} <= names
    assert names.isdisjoint(
        {"pytest", "mypy", "ruff", "hypothesis", "selenium", "mutmut", "wordllama", "mcp"}
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_holds_the_texts_the_sample_and_the_tested_versions(
    wheel: zipfile.ZipFile,
) -> None:
    names = set(wheel.namelist())
    texts = {f"primer/texts/{path.name}" for path in (ROOT / "primer" / "texts").glob("*.md")}
    assert (
        texts
        | {"daemon/files/sample.json", "daemon/archive/schema.sql"}
        | {"daemon/locks/tested.txt"}
        <= names
    )
    (page,) = (name for name in names if name.endswith(".data/data/share/man/man1/memproc.1"))
    assert {name.split("/")[0] for name in names - {page} if ".dist-info" not in name} == set(OURS)


def test_the_command_is_memproc_and_the_distribution_is_not(wheel: zipfile.ZipFile) -> None:
    (entry,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    commands, layouts = wheel.read(entry).decode().strip().split("\n\n")
    assert commands.split() == ["[console_scripts]", "memproc", "=", "daemon.cli:main"]
    assert layouts.split() == [
        "[memproc.core_memory]",
        "chat",
        "=",
        "rules.layers.core_layout:ChatLayout",
    ]
    assert not any(name.startswith("memproc-0") for name in wheel.namelist())
