"""The installation: the versions that memproc is made for, and the tokenizer's table."""

import os
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from daemon.status import checks as installation
from daemon.status import doctor as gather
from daemon.status.checks import (
    LITELLM,
    MALICIOUS,
    TABLE,
    litellm,
    packages,
    tokenizer,
    versions,
)
from daemon.status.findings import Machine
from service.command import NOT_HERE, Answer
from tests.daemon.status.places import machine, one


def here() -> Machine:
    return gather.look_at_machine(os.environ, lambda argv: Answer(NOT_HERE))


def test_the_installation_that_runs_these_tests_is_well() -> None:
    for check in (versions, litellm, packages, tokenizer):
        assert {finding.level for finding in check(here())} == {"ok"}


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ("1.105.7", "ok"),
        ("1.109.4", "ok"),
        ("1.105.6", "warning"),
        ("1.110.0", "warning"),
        ("", "error"),
    ]
    + [(version, "error") for version in MALICIOUS],
)
def test_litellm_is_judged_by_its_version(tmp_path: Path, version: str, level: str) -> None:
    assert one(list(litellm(machine(tmp_path, litellm=version)))).level == level


def test_a_malicious_litellm_asks_for_more_than_another_version(tmp_path: Path) -> None:
    assert "change every key" in one(list(litellm(machine(tmp_path, litellm="1.82.8")))).remedy


def test_packages_in_other_versions_than_the_tested_ones_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pins = "pytest==1.0\npydantic==2.1 ; python_version < '4'\nno-such-package==3\n"
    monkeypatch.setattr(gather, "tested_pins", lambda: pins)
    finding = one(list(packages(here())))
    assert finding.level == "warning"
    assert f"pytest {version('pytest')} (tested: 1.0)" in finding.text
    assert finding.text.startswith("2 packages not in the version")
    assert "locks/tested.txt" in finding.remedy


def test_a_package_that_is_pinned_twice_may_have_either_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pins = f"pytest==1.0 ; python_version < '3.12'\npytest=={version('pytest')}\n"
    monkeypatch.setattr(gather, "tested_pins", lambda: pins)
    assert here().untested == ()


def test_a_missing_table_and_a_damaged_one_are_errors(tmp_path: Path) -> None:
    assert one(list(tokenizer(machine(tmp_path)))).level == "error"
    (tmp_path / TABLE).write_bytes(b"cut off")
    assert "damaged" in one(list(tokenizer(machine(tmp_path)))).text


def test_the_person_s_own_folder_of_tables_counts(tmp_path: Path) -> None:
    found = gather.look_at_machine(
        {"TIKTOKEN_CACHE_DIR": str(tmp_path)}, lambda argv: Answer(NOT_HERE)
    )
    assert found.tokenizers == tmp_path


def test_the_range_is_the_one_that_the_package_asks_for() -> None:
    root = Path(installation.__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    (asked,) = (line for line in project["dependencies"] if line.startswith("litellm"))
    oldest, beyond = (".".join(map(str, version)) for version in LITELLM)
    assert asked == f"litellm>={oldest},<{beyond}" + "".join(
        f",!={version}" for version in MALICIOUS
    )
