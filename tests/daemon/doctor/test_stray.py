"""Code that runs at every start of Python: whose is it?"""

import os
from pathlib import Path

import pytest

from daemon.status import doctor as gather
from daemon.status.checks import leftovers, start_files
from service.ask import NOT_HERE, Answer
from tests.daemon.doctor.places import machine, one, package

CODE = b"import os; os.getcwd()\n"


def test_what_packages_have_brought_and_what_only_names_folders_is_well(tmp_path: Path) -> None:
    at = machine(tmp_path)
    package(at.site_packages[0], "good", {"good.pth": CODE})
    (at.site_packages[0] / "mine.pth").write_bytes(b"# import nothing\n/somewhere/else\n")
    (at.site_packages[0] / "_virtualenv.pth").write_bytes(b"import _virtualenv")
    assert one(list(start_files(at))).level == "ok"


@pytest.mark.parametrize("code", [CODE, b"/a/folder\nimport\tsys\n"])
def test_code_of_nobody_is_told_with_its_path(tmp_path: Path, code: bytes) -> None:
    at = machine(tmp_path)
    path = at.site_packages[0] / "odd.pth"
    path.write_bytes(code)
    found = one(list(start_files(at)))
    assert found.level == "warning"
    assert str(path) in found.told
    assert found.mend.endswith(f"rm {path}")


@pytest.mark.parametrize("name", ["good.pth", "_virtualenv.pth"])
def test_a_known_name_with_other_code_is_told(tmp_path: Path, name: str) -> None:
    at = machine(tmp_path)
    package(at.site_packages[0], "good", {"good.pth": CODE})
    (at.site_packages[0] / name).write_bytes(CODE + b"import base64\n")
    assert one(list(start_files(at))).level == "warning"


def test_the_malicious_file_is_an_error_even_where_a_package_names_it(tmp_path: Path) -> None:
    at = machine(tmp_path)
    package(at.site_packages[0], "litellm", {"litellm_init.pth": CODE})
    assert one(list(start_files(at))).level == "error"


def test_the_installation_that_runs_these_tests_has_nothing_stray() -> None:
    found = gather.machine(os.environ, lambda argv: Answer(NOT_HERE))
    assert one(list(start_files(found))).level == "ok"


@pytest.mark.parametrize("place", [".config/sysmon/sysmon.py", ".config/systemd/user/sysmon.service"])
def test_what_the_malicious_versions_leave_behind_is_an_error(tmp_path: Path, place: str) -> None:
    assert one(list(leftovers(machine(tmp_path)))).level == "ok"
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).touch()
    assert one(list(leftovers(machine(tmp_path)))).level == "error"
