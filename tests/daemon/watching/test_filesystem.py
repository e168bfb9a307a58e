"""On which file systems the system's events can be trusted, and how the inbox is watched then."""

import errno
from pathlib import Path, PurePosixPath

import pytest

from daemon.inbox.filesystem import kind_here, kind_in_list, kind_of, without_events
from daemon.inbox.mode import decide, without_native

LINUX = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
31 27 0:40 / /home/anna/nas rw,relatime shared:5 master:2 - nfs4 nas:/export rw,vers=4.2
32 27 0:41 / /home/anna/my\040share rw - cifs //nas/my\040share rw
33 27 0:42 / /mnt/c rw,noatime - 9p C:\134 rw,dirsync
34 27 0:43 / /home/anna/far rw - fuse.sshfs anna@far: rw
35 27 8:17 / /media/stick rw - fuseblk /dev/sdb1 rw
36 27 0:44 / /auto rw - autofs systemd-1 rw
37 36 0:45 / /auto rw - nfs nas:/auto rw
"""

MACOS = """/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
//anna@nas._smb._tcp.local/My%20(old)%20share on /Volumes/My (old) share (smbfs, nodev, nosuid, mounted by anna)
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/anna/memproc/inbox", "ext4"),
        ("/home/anna/nas", "nfs4"),
        ("/home/anna/nas/inbox", "nfs4"),
        ("/home/anna/nasty/inbox", "ext4"),
        ("/home/anna/my share/inbox", "cifs"),
        ("/mnt/c/Users/Anna/inbox", "9p"),
        ("/home/anna/far/inbox", "fuse.sshfs"),
        ("/media/stick/inbox", "fuseblk"),
        ("/auto/inbox", "nfs"),
    ],
)
def test_the_innermost_mount_says_what_the_inbox_lies_on(path: str, kind: str) -> None:
    assert kind_of(LINUX, PurePosixPath(path)) == kind


def test_mounts_that_say_nothing_are_no_kind() -> None:
    assert kind_of("", PurePosixPath("/inbox")) == ""
    assert kind_of("nonsense\n\n1 2 - \n", PurePosixPath("/inbox")) == ""


@pytest.mark.parametrize(
    ("path", "kind"), [("/Users/anna/memproc/inbox", "apfs"), ("/Volumes/My (old) share/inbox", "smbfs")]
)
def test_the_list_of_mount_says_it_on_macos(path: str, kind: str) -> None:
    assert kind_in_list(MACOS, PurePosixPath(path)) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "fuse.sshfs", "vboxsf"])
def test_what_other_machines_write_is_not_reported(kind: str) -> None:
    assert without_events(kind)
    assert decide("auto", kind, failures=0).used == "poll"
    assert kind in decide("auto", kind, failures=0).why


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "apfs", "tmpfs", "overlay", "fuseblk", "ntfs3", ""])
def test_a_local_disk_reports_its_changes(kind: str) -> None:
    assert not without_events(kind)
    assert decide("auto", kind, failures=0).used == "native"


def test_this_machine_says_what_a_folder_lies_on(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/proc")
    assert kind_here(link) == "proc"


def test_what_memproc_toml_says_goes_before_the_kind() -> None:
    assert decide("native", "nfs4", failures=0).used == "native"
    assert decide("poll", "ext4", failures=0).used == "poll"


def test_three_silent_watches_in_a_row_are_followed_by_polling() -> None:
    assert decide("auto", "ext4", failures=2).used == "native"
    given_up = decide("auto", "ext4", failures=3)
    assert given_up.used == "poll"
    assert "3 times in a row" in given_up.why


def test_a_person_who_wants_events_keeps_them() -> None:
    assert decide("native", "ext4", failures=3).used == "native"


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (errno.EMFILE, "sudo sysctl fs.inotify.max_user_instances="),
        (errno.ENOSPC, "sudo sysctl fs.inotify.max_user_watches="),
    ],
)
def test_where_inotify_is_used_up_the_line_that_mends_it_is_told(number: int, line: str) -> None:
    instead = without_native("auto", OSError(number, "limit reached"))
    assert instead.used == "poll"
    assert line in instead.why


def test_where_events_alone_are_wanted_and_refused_the_rescans_remain() -> None:
    assert without_native("native", OSError(errno.EMFILE, "limit reached")).used == "none"
