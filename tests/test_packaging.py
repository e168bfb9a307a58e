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


def test_no_other_distribution_owns_our_four_names() -> None:
    owners = packages_distributions()
    for name in OURS:
        assert set(owners.get(name, [])) <= {"memproc-daemon"}, f"{name} belongs to {owners[name]}"


def test_the_two_malicious_releases_are_shut_out() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (litellm,) = (line for line in wanted if line.startswith("litellm"))
    assert litellm == "litellm>=1.105.7,<1.110,!=1.82.7,!=1.82.8"
    installed = {found.metadata["Name"]: found.version for found in distributions()}
    assert f"litellm=={installed['litellm']}" in (ROOT / "requirements.lock").read_text()


def test_the_lock_names_no_registry_and_pins_by_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    pinned = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    assert all("==" in line for line in pinned)
    assert lock.count("--hash=sha256:") >= len(pinned)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_holds_the_texts_the_sample_and_the_settings(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    texts = {f"primer/texts/{path.name}" for path in (ROOT / "primer" / "texts").glob("*.md")}
    assert texts | {"daemon/files/sample.json", "daemon/memproc.toml", "daemon/archive/schema.sql"} <= names
    (page,) = (name for name in names if name.endswith(".data/data/share/man/man1/memproc.1"))
    assert {name.split("/")[0] for name in names - {page} if ".dist-info" not in name} == set(OURS)


def test_the_command_is_memproc_and_the_distribution_is_not(wheel: zipfile.ZipFile) -> None:
    (entry,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    commands, layouts = wheel.read(entry).decode().strip().split("\n\n")
    assert commands.split() == ["[console_scripts]", "memproc", "=", "daemon.cli:main"]
    assert layouts.split() == ["[memproc.core_memory]", "chat", "=", "rules.layers.core:ChatLayout"]
    assert not any(name.startswith("memproc-0") for name in wheel.namelist())
