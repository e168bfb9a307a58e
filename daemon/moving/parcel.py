"""A moving file as it is opened: a ZIP with just the files of its list of contents, none larger than that says."""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.files.packed import BLOCK
from daemon.files.trouble import told
from daemon.moving.manifest import LARGEST_MANIFEST, MANIFEST, Entry, Manifest, read_manifest, refused

_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What the standard library raises for a broken ZIP."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def look_into(path: Path) -> Manifest:
    """What a moving file says that it holds; its names are proved, and nothing else yet. Raises FileTrouble."""
    with opened(path) as package:
        return manifest_of(package)


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The ZIP; whatever is broken in it becomes a refusal."""
    try:
        with told(path, "read"), zipfile.ZipFile(path) as package:
            yield package
    except _DAMAGE as fault:
        raise refused("it is damaged or cut off, or no moving file") from fault


def manifest_of(package: zipfile.ZipFile) -> Manifest:
    """The list of contents, where the ZIP holds just these files, each once, and no links or folders."""
    infos = {info.filename: info for info in package.infolist()}
    if MANIFEST not in infos or len(infos) != len(package.infolist()):
        raise refused("it has no list of contents, or a name twice")
    for info in infos.values():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or kind not in (0, stat.S_IFREG) or info.flag_bits & 1 or info.compress_type not in _METHODS:
            raise refused(f"{info.filename!r} in it is no plain file")
    with package.open(MANIFEST) as file:
        listed = file.read(LARGEST_MANIFEST + 1)
    if len(listed) > LARGEST_MANIFEST:
        raise refused("its list of contents is too long")
    manifest = read_manifest(listed)
    if {entry.name for entry in manifest.files} | {MANIFEST} != infos.keys():
        raise refused("it holds other files than its list of contents says")
    return manifest


def content(package: zipfile.ZipFile, entry: Entry) -> Iterator[bytes]:
    """A file of the ZIP, never more of it than the list says."""
    left = entry.size
    with package.open(entry.name) as file:
        while block := file.read(min(BLOCK, left + 1)):
            left -= len(block)
            if left < 0:
                raise refused(f"{entry.name!r} in it is larger than its list of contents says")
            yield block
