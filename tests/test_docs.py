"""What the documents name is there."""

import re
from pathlib import Path

from daemon.cli import memproc_command
from daemon.cli.manual import man_page

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


def test_every_path_that_a_document_names_exists() -> None:
    for document in DOCUMENTS:
        for path in re.findall(
            r"`((?:daemon|rules|primer|service|tests|docs)/[\w/.]*)`", document.read_text("utf-8")
        ):
            assert (ROOT / path).exists() or (ROOT / "tests" / path).exists(), (
                f"{document.name} names {path}"
            )


def test_every_test_that_the_table_of_requirements_names_exists() -> None:
    table = (ROOT / "docs" / "requirements.md").read_text("utf-8")
    named = re.findall(r"`([\w/]+/test_\w+\.py)(?:::(\w+))?`", table)
    assert len(named) > 20
    for path, test in named:
        content = (ROOT / "tests" / path).read_text("utf-8")
        assert not test or f"def {test}(" in content, f"{path}::{test}"


def test_the_page_of_commands_names_every_command() -> None:
    commands = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for command in memproc_command.list_commands(None):  # type: ignore[arg-type]
        assert f"`memproc {command}" in commands or f"`{command}" in commands, command


def test_every_link_between_documents_leads_to_a_file() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_the_readme_can_be_read_in_one_go() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130


def test_the_man_page_is_that_of_the_commands_as_they_are() -> None:
    assert (ROOT / "docs" / "memproc.1").read_text("utf-8") == man_page(memproc_command), (
        "write it again with: make man"
    )
