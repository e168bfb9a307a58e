"""Decides from what the system says about its mounts whether it reports the changes in a folder at all."""

import os
import re
import subprocess
import sys
from pathlib import Path, PurePath

_REMOTE = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "afs", "ceph", "glusterfs", "lustre", "ncpfs"),
        # Folders of the machine around a virtual one; 9p and drvfs are also the Windows drives of WSL.
        *("9p", "drvfs", "virtiofs", "vboxsf", "vmhgfs", "prl_fs"),
    }
)
_ESCAPE = re.compile(r"\\([0-7]{3})")
_MOUNT_LINE = re.compile(r"^.+? on (?P<point>/.*) \((?P<kind>[^,)]+)[^()]*\)$")
_MOUNT_SECONDS = 5
_DRIVE_REMOTE = 4


def without_events(kind: str) -> bool:
    """Whether changes that other machines make on a file system of this `kind` are not reported.

    Of FUSE, only the block devices ("fuseblk") are taken for local disks. An unknown kind counts as local:
    the rescans find what its events leave out.
    """
    return kind in _REMOTE or kind == "fuse" or kind.startswith("fuse.")


def kind_of(mountinfo: str, path: PurePath) -> str:
    """The type of the file system that `path`, absolute and without links, lies on; empty where no mount holds it.

    `mountinfo` is the text of Linux's /proc/self/mountinfo. The longest mount point counts, and of two at
    one place the later, which lies on top.
    """
    mounts = []
    for line in mountinfo.splitlines():
        place, _, source = line.partition(" - ")
        fields, kind = place.split(" "), source.split(" ")[0]
        if len(fields) > 4 and kind:
            mounts.append((_ESCAPE.sub(lambda found: chr(int(found[1], 8)), fields[4]), kind))
    return _innermost(mounts, path)


def kind_in_list(mounts: str, path: PurePath) -> str:
    """The same out of what macOS's `mount` prints: `//anna@nas/share on /Volumes/share (smbfs, nodev)`."""
    found = [_MOUNT_LINE.match(line) for line in mounts.splitlines()]
    return _innermost([(line["point"], line["kind"]) for line in found if line], path)


def kind_here(folder: Path) -> str:
    """The type of the file system that `folder` lies on; empty where this system does not say."""
    path = Path(os.path.realpath(folder))
    if sys.platform == "win32":
        return _drive(path)
    if sys.platform == "darwin":
        return kind_in_list(_mount_list(), path)
    try:
        return kind_of(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape"), path)
    except OSError:
        return ""


def _innermost(mounts: list[tuple[str, str]], path: PurePath) -> str:
    deepest, innermost = -1, ""
    for point, kind in mounts:
        depth = len(PurePath(point).parts)
        if depth >= deepest and path.is_relative_to(point):
            deepest, innermost = depth, kind
    return innermost


def _mount_list() -> str:
    try:
        done = subprocess.run(["/sbin/mount"], capture_output=True, timeout=_MOUNT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="surrogateescape")


def _drive(path: Path) -> str:
    if sys.platform != "win32":
        return ""
    import ctypes

    # A share without a drive letter starts with two backslashes.
    if path.drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(f"{path.drive}\\") == _DRIVE_REMOTE:
        return "smbfs"
    return ""
