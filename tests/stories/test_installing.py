"""Somebody installs memproc from nothing: they get what was tested, though an index offers newer packages."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINS = [line.split()[0] for line in (ROOT / "locks" / "tested.txt").read_text().splitlines()]
(TESTED,) = (pin.removeprefix("litellm==") for pin in PINS if pin.startswith("litellm=="))
NEWER = "1.109.99"  # of LiteLLM: pyproject.toml allows it
UV = Path(sysconfig.get_path("scripts")) / "uv"


def put_package(shelf: Path, name: str, version: str) -> None:
    """Put a package without content on the shelf."""
    stem = f"{name.replace('-', '_')}-{version}"
    with zipfile.ZipFile(shelf / f"{stem}-py3-none-any.whl", "w") as wheel:
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        wheel.writestr(f"{stem}.dist-info/METADATA", about)
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """memproc and all that it asks for, as tested, and a newer LiteLLM."""
    folder = tmp_path_factory.mktemp("shelf")
    for pin in (*PINS, f"litellm=={NEWER}"):
        put_package(folder, *pin.split("=="))
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    command = (sys.executable, "-c", build, str(folder))
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def install(*command: str, shelf: Path, home: Path) -> str:
    """Install memproc by this command; return the version of LiteLLM that came with it."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "UV_TOOL_DIR": str(home / "tools")}
    from_shelf = ("--no-index", "--find-links", str(shelf), "memproc-daemon")
    subprocess.run(
        (*command, *from_shelf), cwd=ROOT, env=environ, check=True, capture_output=True, timeout=120
    )
    (litellm,) = home.glob("**/litellm-*.dist-info")
    return litellm.name.removeprefix("litellm-").removesuffix(".dist-info")


@pytest.mark.full
@pytest.mark.parametrize("constraints", [(), ("-c", "locks/tested.txt")])
def test_pip_takes_what_was_tested_where_it_is_told_to(
    shelf: Path, tmp_path: Path, constraints: tuple[str, ...]
) -> None:
    pip = (sys.executable, "-m", "pip", "install", "--target", str(tmp_path / "packages"))
    got = install(*pip, *constraints, shelf=shelf, home=tmp_path)
    assert got == (TESTED if constraints else NEWER)


@pytest.mark.full
@pytest.mark.parametrize("constraints", [(), ("-c", "locks/program.txt")])
def test_uv_takes_what_was_tested_where_it_is_told_to(
    shelf: Path, tmp_path: Path, constraints: tuple[str, ...]
) -> None:
    uv = (str(UV), "tool", "install", "--no-cache", "--python", sys.executable)
    got = install(*uv, *constraints, shelf=shelf, home=tmp_path)
    assert got == (TESTED if constraints else NEWER)
