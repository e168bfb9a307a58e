"""The inputs that the fuzzer found worth keeping: few, and together they reach all that it has reached."""

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

_FOLDER = Path(__file__).with_name("corpus")
_WHEN = (1980, 1, 1, 0, 0, 0)


def kept(target: str) -> Iterator[bytes]:
    """Every input that is kept for this target."""
    path = _FOLDER / f"{target}.zip"
    if path.exists():
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield archive.read(name)


def keep(target: str, inputs: Iterable[Path]) -> int:
    """Keep these inputs and no others; how many bytes that takes. The same inputs make the same file."""
    path = _FOLDER / f"{target}.zip"
    _FOLDER.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for chosen in sorted(inputs):
            entry = zipfile.ZipInfo(chosen.name, _WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, chosen.read_bytes())
    return path.stat().st_size
