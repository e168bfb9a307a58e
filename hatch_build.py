"""Write the commit that a wheel or an sdist is built from into it, for `memproc -V`."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMIT = "commit.txt"


class CommitHook(BuildHookInterface[Any]):
    """Adds the file with the commit; an editable checkout asks git itself, whenever it is asked."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, with the commit of the checkout, or with the one that an sdist has."""
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()  # hatchling takes files, not texts
        path = Path(self.folder.name) / COMMIT
        path.write_text(f"{_commit_of(Path(self.root))}\n", encoding="utf-8")
        inside = f"daemon/{COMMIT}" if self.target_name == "wheel" else COMMIT
        build_data["force_include"][str(path)] = inside

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file again, once it is packed."""
        if version != "editable":
            self.folder.cleanup()


def _commit_of(root: Path) -> str:
    """Return the commit that a tree was checked out at or packed from; empty where nothing says it."""
    packed = root / COMMIT
    if packed.is_file():
        return packed.read_text(encoding="utf-8").strip()
    if not (root / ".git").exists():
        return ""
    ended = subprocess.run(  # git, as the person has it
        ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout.strip()
