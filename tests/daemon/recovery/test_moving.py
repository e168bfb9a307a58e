"""Everything in one file for a new computer, and nothing taken over from one that is not in order."""

import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import pytest

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.outputs import Output, last_output, record_output
from daemon.archive.row_lines import store_lines
from daemon.config.loading import load
from daemon.files.backup import check_backups, keep_original, versions_of
from daemon.files.lock import Busy, hold
from daemon.files.paths import Folders, archive_path
from daemon.files.private import make_private
from daemon.files.write import put_in_place
from daemon.recovery import unpacking
from daemon.recovery.parcel import ARCHIVE, MANIFEST, SETTINGS, export_archive, look_into
from daemon.recovery.unpacking import Unpacked, import_archive
from rules.errors import ArchiveError, ConfigurationError, FileTrouble, MemprocError, NotFound

NOW = "2026-03-02T10:00:00.000Z"
LATER = "2026-03-02T11:00:00.000Z"
EXPORT = b'{"data":{"chats":[]}}'


def folders_in(home: Path) -> Folders:
    return Folders(home / "inbox", home / "updated", home / "backups", home / "state")


def lived(home: Path, chat_id: str = "k3v9xq2m7p") -> Folders:
    """A computer on which a chat was worked on: its archive, its original, its updated export."""
    folders = folders_in(home)
    for folder in (folders.updated, folders.backups, folders.state):
        make_private(folder)
    keep_original(folders.backups, chat_id, "Aria", [EXPORT], NOW)
    updated = folders.updated / f"Aria ({chat_id}).json"
    updated.write_bytes(EXPORT)
    with Archive.open(folders.state) as archive:
        archive.run(
            "INSERT INTO chat (chat_id, title, head, tail, last_seen) VALUES (?, 'Aria', x'', x'', ?)",
            (chat_id, NOW),
        )
        record_output(
            archive, Output(chat_id, str(updated), sha256(EXPORT).hexdigest(), "", "", NOW)
        )
    return folders


@pytest.fixture(scope="module")
def computers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of them, old and new, on each of which a chat was worked on; the moving file of the old one; and

    the new one as it is after its archive was lost.
    """
    home = tmp_path_factory.mktemp("computers")
    export_archive(lived(home / "old"), None, home / "all.zip", NOW)
    lived(home / "another", "another")
    without_chats(shutil.copytree(home / "another", home / "emptied"))
    return home


@pytest.fixture
def parcel(tmp_path: Path, computers: Path) -> Path:
    """A moving file of another computer."""
    return Path(shutil.copy(computers / "all.zip", tmp_path))


@pytest.fixture
def another(tmp_path: Path, computers: Path) -> Path:
    """A computer on which another chat was worked on."""
    return shutil.copytree(computers / "another", tmp_path / "new")


@pytest.fixture
def emptied(tmp_path: Path, computers: Path) -> Path:
    """A computer with an empty archive, and with backups and updated exports of one that was lost."""
    return shutil.copytree(computers / "emptied", tmp_path / "new")


def without_chats(home: Path) -> Path:
    """Let the archive there be a new one."""
    for path in (home / "state").glob("archive.sqlite3*"):
        path.unlink()
    with Archive.open(home / "state"):
        return home


def taken_over(home: Path, parcel: Path, *, settings: Path | None = None) -> Unpacked:
    return import_archive(folders_in(home), parcel, NOW, settings=settings)


def chats_in(home: Path) -> list[str]:
    with Archive.read(folders_in(home).state) as archive:
        return [chat.chat_id for chat in known_chats(archive)]


def files_in(home: Path) -> dict[str, bytes]:
    """Every file but locks and what SQLite needs while it reads, by its place."""
    files = (
        path
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(("lock", "-wal", "-shm"))
    )
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def test_everything_goes_over_and_the_accounts_name_the_new_folders(
    tmp_path: Path, parcel: Path
) -> None:
    new = folders_in(tmp_path / "new")
    taken = taken_over(tmp_path / "new", parcel)
    assert (taken.chats, taken.aside) == (1, ())
    assert check_backups(new.backups) == ()
    assert len(versions_of(new.backups, "k3v9xq2m7p")) == 1
    with Archive.read(new.state) as archive:
        last = last_output(archive, "k3v9xq2m7p")
    assert last is not None
    assert Path(last.path) == new.updated / "Aria (k3v9xq2m7p).json"
    assert Path(last.path).read_bytes() == EXPORT


def test_accounts_of_another_system_name_the_new_folders_too(tmp_path: Path) -> None:
    old = lived(tmp_path / "old")
    with Archive.open(old.state) as archive:
        archive.run(
            "UPDATE output SET path = 'C:\\Users\\Ada\\memproc\\updated\\Aria (k3v9xq2m7p).json'"
        )
    taken_over(tmp_path / "new", export_archive(old, None, tmp_path / "all.zip", NOW).path)
    with Archive.read(tmp_path / "new" / "state") as archive:
        last = last_output(archive, "k3v9xq2m7p")
    assert last is not None
    assert Path(last.path) == tmp_path / "new" / "updated" / "Aria (k3v9xq2m7p).json"


AT = "2026-03-02T10:00:00.000Z"
SPENT = (
    "INSERT INTO spending (request, chat_id, model, run, tokens, reserved, settled, at) "
    f"VALUES ('r', 'k3v9xq2m7p', 'm', 'x', 5, {{}}, '{AT}')"
)
LEARNED = "INSERT INTO calibration (model, factor, replies) VALUES ('m', {}, 3)"
REPLY = (
    "INSERT INTO reply (request, model, step, text, finish, tokens_in, tokens_out, tokens_cached, "
    "tokens_cache_written, usd, asked_at, answered_at, chat_id, parameters) "
    f"VALUES ('r', 'm', 'quote', 't', 'stop', {{}}, 0, 0, 0, {{}}, {{}}, '{AT}', 'k', '{{{{}}}}')"
)
FILE = (
    "INSERT INTO arrival (path, device, inode, size, mtime_ns, sha256, state, seen_at, changed_at) "
    f"VALUES ('x', 1, 1, 1, 1, {{}}, {{}}, '{AT}', '{AT}')"
)
NOON = "'2026-03-02T12:00:00.000Z'"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("statement", "column"),
    [
        (SPENT.format("-900000000000000, NULL"), "reserved"),
        (SPENT.format("1, -5"), "settled"),
        (SPENT.format("9223372036854775807, NULL"), "reserved"),
        (LEARNED.format("9e999"), "factor"),
        (LEARNED.format("1e6"), "factor"),
        (LEARNED.format("0"), "factor"),
        (REPLY.format(1, -2.0, NOON), "usd"),
        (REPLY.format(-1, 0.0, NOON), "tokens_in"),
        (REPLY.format(1, 0.0, "'2026-02-31T12:00:00.000Z'"), "asked_at"),
        (REPLY.format(1, 0.0, "'9999-12-31T23:59:59.999Z'"), "asked_at"),
        (FILE.format("'../../x'", "'copied'"), "sha256"),
        (FILE.format("NULL", "'flown'"), "state"),
        ("UPDATE output SET path = '/a/..'", "path"),
        ("UPDATE chat SET head = CAST('{' AS BLOB)", "head"),
    ],
)
def test_what_memproc_would_not_have_written_is_named_and_nothing_is_taken_over(
    tmp_path: Path, emptied: Path, statement: str, column: str
) -> None:
    old = lived(tmp_path / "old")
    with Archive.open(old.state) as archive:
        archive.run(statement)
    path = export_archive(old, None, tmp_path / "all.zip", NOW).path
    before = files_in(emptied)
    with pytest.raises(FileTrouble) as refused:
        taken_over(emptied, path)
    table = statement.split()[2 if statement.startswith("INSERT") else 1]
    assert refused.value.message == (
        "all.zip cannot be taken over: its archive cannot be used. A row of its table "
        f"{table} has a value in {column} that memproc never writes. Nothing was changed."
    )
    assert files_in(emptied) == before


def test_spending_that_cannot_be_added_up_is_refused(tmp_path: Path, emptied: Path) -> None:
    old = lived(tmp_path / "old")
    with Archive.open(old.state) as archive:
        for _ in range(10):
            archive.run(SPENT.format(f"{10**18}, NULL"))
    path = export_archive(old, None, tmp_path / "all.zip", NOW).path
    with pytest.raises(FileTrouble, match="The money in its table spending is more than can"):
        taken_over(emptied, path)


@pytest.mark.skipif("sys.platform == 'win32'")
@pytest.mark.parametrize("mask", [0o022, 0o000])
def test_the_archive_is_private_from_its_first_byte(
    tmp_path: Path, parcel: Path, monkeypatch: pytest.MonkeyPatch, mask: int
) -> None:
    rights: set[int] = set()

    def noted(archive: Archive, lines: BinaryIO) -> None:
        store_lines(archive, lines)
        rights.update(
            stat.S_IMODE(path.stat().st_mode) for path in archive.path.parent.glob("archive*")
        )

    monkeypatch.setattr(unpacking, "store_lines", noted)
    before = os.umask(mask)
    try:
        taken_over(tmp_path / "new", parcel)
    finally:
        os.umask(before)
    assert rights == {0o600}
    assert stat.S_IMODE(archive_path(folders_in(tmp_path / "new").state).stat().st_mode) == 0o600


@pytest.mark.skipif("sys.platform == 'win32'")
def test_only_the_person_can_read_the_file(parcel: Path) -> None:
    assert stat.S_IMODE(parcel.stat().st_mode) == 0o600


def test_no_file_is_overwritten(tmp_path: Path, parcel: Path, another: Path) -> None:
    before = parcel.read_bytes()
    with pytest.raises(FileTrouble, match="exists already"):
        export_archive(folders_in(another), None, parcel, NOW)
    assert parcel.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.zip", "new"]


def test_without_an_archive_there_is_nothing_to_export(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        export_archive(folders_in(tmp_path), None, tmp_path / "all.zip", NOW)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_archive_is_not_packed(tmp_path: Path) -> None:
    old = lived(tmp_path / "old")
    with Archive.open(old.state) as archive:
        archive.run("INSERT INTO message (chat, key, position) VALUES (1, 'a', 0)")
        archive.run(
            "INSERT INTO version (message, number, sha256, digest, seen_at) VALUES (1, 1, 'gone', '', ?)",
            (NOW,),
        )
    with pytest.raises(ArchiveError, match="damaged"):
        export_archive(old, None, tmp_path / "all.zip", NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_while_a_chat_is_worked_on_nothing_is_packed(tmp_path: Path) -> None:
    old = lived(tmp_path / "old")
    with hold(old.state / "lock"), pytest.raises(Busy, match="is working with this archive"):
        export_archive(old, None, tmp_path / "all.zip", NOW)
    with hold(old.state / "daemon.lock"):
        assert export_archive(old, None, tmp_path / "all.zip", NOW).path.exists()


def test_settings_with_a_secret_stay_behind(tmp_path: Path) -> None:
    settings = tmp_path / "memproc.toml"
    settings.write_text(
        '[[chats.override]]\nchat = "Aria"\n[chats.override.models.options]\nmy_password = "hush"\n'
    )
    packed = export_archive(lived(tmp_path / "old"), settings, tmp_path / "all.zip", NOW)
    with zipfile.ZipFile(packed.path) as package:
        assert not any(b"hush" in package.read(name) for name in package.namelist())
        assert SETTINGS not in package.namelist()
    assert packed.manifest.left_out == ("memproc.toml (it holds a secret)",)
    assert taken_over(tmp_path / "new", packed.path).settings is None


def test_settings_are_written_only_where_there_are_none(tmp_path: Path) -> None:
    settings = tmp_path / "memproc.toml"
    settings.write_text("[tail]\ntokens = 20000\n")
    parcel = export_archive(lived(tmp_path / "old"), settings, tmp_path / "all.zip", NOW).path
    taken_over(tmp_path / "new", parcel, settings=tmp_path / "config" / "memproc.toml")
    assert "20000" in (tmp_path / "config" / "memproc.toml").read_text()
    assert taken_over(tmp_path / "other", parcel).settings is None


def test_an_archive_with_chats_is_never_replaced_and_the_person_is_told_how_to_go_on(
    tmp_path: Path, parcel: Path, another: Path
) -> None:
    before = files_in(another)
    with pytest.raises(ArchiveError, match="has 1 chat already") as refusal:
        taken_over(another, parcel)
    assert files_in(another) == before
    assert f"move the folder {another / 'state'} elsewhere" in refusal.value.next_step
    (another / "state").rename(tmp_path / "elsewhere")
    assert taken_over(another, parcel).chats == 1
    with Archive.read(tmp_path / "elsewhere") as archive:
        assert [chat.chat_id for chat in known_chats(archive)] == ["another"]


def test_an_archive_that_cannot_be_read_is_not_replaced_either(parcel: Path, another: Path) -> None:
    path = archive_path(another / "state")
    path.write_bytes(b"This is no database at all." * 200)
    before = files_in(another)
    with pytest.raises(ArchiveError, match="nothing was taken over") as refusal:
        taken_over(another, parcel)
    assert "elsewhere" in refusal.value.next_step
    assert files_in(another) == before


def test_what_lies_in_the_folders_goes_aside(parcel: Path, emptied: Path) -> None:
    taken = taken_over(emptied, parcel)
    assert chats_in(emptied) == ["k3v9xq2m7p"]
    backups, updated, state = taken.aside
    with Archive.read(state) as archive:
        assert not known_chats(archive)
    assert (updated / "Aria (another).json").read_bytes() == EXPORT
    assert check_backups(backups) == ()
    assert len(versions_of(backups, "another")) == 1


@pytest.mark.parametrize("lock", ["lock", "daemon.lock"])
def test_while_another_memproc_is_at_work_nothing_is_taken_over(
    tmp_path: Path, parcel: Path, lock: str
) -> None:
    make_private(tmp_path / "new" / "state")
    with hold(tmp_path / "new" / "state" / lock), pytest.raises(Busy):
        taken_over(tmp_path / "new", parcel)
    assert chats_in(tmp_path / "new") == []


Edit = Callable[[dict[str, bytes]], None]


def remade(parcel: Path, edit: Edit) -> Path:
    """The moving file with other contents; its manifest is made to fit, unless `edit` changes that too."""
    with zipfile.ZipFile(parcel) as package:
        files = {name: package.read(name) for name in package.namelist()}
    edit(files)
    path = parcel.with_name("hostile.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name, content)
    return path


def listed(held: Mapping[str, bytes], **changes: object) -> bytes:
    entries = [
        {"name": name, "size": len(content), "sha256": sha256(content).hexdigest()}
        for name, content in held.items()
        if name != MANIFEST
    ]
    return json.dumps(
        {"memproc": 1, "made_at": NOW, "left_out": [], "files": entries, **changes}
    ).encode()


def with_file(name: str) -> Edit:
    def edit(files: dict[str, bytes]) -> None:
        files[name] = b"hello"
        files[MANIFEST] = listed(files)

    return edit


def unlisted(files: dict[str, bytes]) -> None:
    files["updated/more.json"] = b"hello"


def missing(files: dict[str, bytes]) -> None:
    files.pop("updated/Aria (k3v9xq2m7p).json")


def changed(files: dict[str, bytes]) -> None:
    files["updated/Aria (k3v9xq2m7p).json"] = EXPORT.replace(b"c", b"d")


def bomb(files: dict[str, bytes]) -> None:
    said = json.loads(files[MANIFEST])
    for entry in said["files"]:
        if entry["name"].startswith("updated/"):
            files[entry["name"]] = bytes(50 << 20)
    files[MANIFEST] = json.dumps(said).encode()


def endless(files: dict[str, bytes]) -> None:
    said = json.loads(files[MANIFEST])
    said["files"][0]["size"] = 1 << 60
    files[MANIFEST] = json.dumps(said).encode()


def without_an_archive(files: dict[str, bytes]) -> None:
    files.pop(ARCHIVE)
    files[MANIFEST] = listed(files)


def damaged_archive(files: dict[str, bytes]) -> None:
    files[ARCHIVE] = files[ARCHIVE][:50] + bytes(200) + files[ARCHIVE][250:]
    files[MANIFEST] = listed(files)


def without_words(files: dict[str, bytes]) -> None:
    files[ARCHIVE] += (
        b'message {"id": 1, "chat": 1, "key": "a", "position": 0}\n'
        b'version {"message": 1, "number": 1, "sha256": "", "digest": "", "seen_at": "2026-03-02T10:00:00.000Z"}\n'
    )
    files[MANIFEST] = listed(files)


def no_rows(files: dict[str, bytes]) -> None:
    files[ARCHIVE] = b"These are no rows at all." * 200
    files[MANIFEST] = listed(files)


def newer(files: dict[str, bytes]) -> None:
    files[MANIFEST] = listed(files, memproc=2)


def odd_manifest(files: dict[str, bytes]) -> None:
    files[MANIFEST] = listed(files, files=[{"name": ARCHIVE, "size": True, "sha256": "0" * 64}])


def wrong_settings(files: dict[str, bytes]) -> None:
    files[SETTINGS] = b"[tail]\ntokens = 'many'\n"
    files[MANIFEST] = listed(files)


HOSTILE = [
    *(
        with_file(name)
        for name in [
            "../evil.json", "updated/../../evil.json", "/etc/evil", "updated//evil.json", "updated/./evil.json",
            "updated/..", "state/evil", "evil.json", "updated", "backups/C:evil", "updated\\..\\evil", "updated/a\\b",
            "UPDATED/aria (k3v9xq2m7p).json", "updated/ARIA (k3v9xq2m7p).json", "updated/ .. /x",
            "updated/nul\x00.json",
        ]
    ),
    unlisted, missing, changed, bomb, endless, without_an_archive, damaged_archive, no_rows, newer, odd_manifest,
    wrong_settings, without_words,
]  # fmt: skip


@pytest.mark.parametrize("edit", HOSTILE)
def test_a_hostile_file_is_refused_and_leaves_everything_as_it_was(
    tmp_path: Path, parcel: Path, emptied: Path, edit: Edit
) -> None:
    hostile = remade(parcel, edit)
    before, around = files_in(emptied), sorted(tmp_path.iterdir())
    with pytest.raises((FileTrouble, ArchiveError, ConfigurationError)) as refusal:
        taken_over(emptied, hostile)
    assert refusal.value.next_step
    assert files_in(emptied) == before
    assert sorted(tmp_path.iterdir()) == around


def test_links_and_folders_in_the_file_are_refused(tmp_path: Path, parcel: Path) -> None:
    for mode, name in (
        (stat.S_IFLNK | 0o777, "updated/link.json"),
        (stat.S_IFDIR | 0o700, "updated/folder/"),
    ):
        with zipfile.ZipFile(parcel) as package:
            files = {one: package.read(one) for one in package.namelist()}
        path = tmp_path / f"{mode}.zip"
        with zipfile.ZipFile(path, "w") as package:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            files[name] = b"/etc/passwd"
            for one, content in files.items():
                package.writestr(
                    info if one == name else one, listed(files) if one == MANIFEST else content
                )
        with pytest.raises(FileTrouble, match="no plain file"):
            look_into(path)


@pytest.mark.parametrize("kept", [0, 10, 1000, -1, -30, -2000])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, parcel: Path, kept: int) -> None:
    parcel.write_bytes(parcel.read_bytes()[:kept])
    with pytest.raises(FileTrouble, match="cannot be taken over"):
        taken_over(tmp_path / "new", parcel)
    assert chats_in(tmp_path / "new") == []


@pytest.mark.parametrize("part", range(8))
def test_a_changed_byte_anywhere_is_refused_or_means_nothing(
    tmp_path: Path, parcel: Path, part: int
) -> None:
    content = bytearray(parcel.read_bytes())
    content[len(content) * (2 * part + 1) // 16] ^= 0x41
    parcel.write_bytes(content)
    try:
        taken_over(tmp_path / "new", parcel)
    except MemprocError:
        assert files_in(tmp_path / "new") == {}
    else:
        assert chats_in(tmp_path / "new") == ["k3v9xq2m7p"]


class Killed(BaseException):
    """The process was killed here."""


@pytest.mark.sampled
@pytest.mark.parametrize("at", [0, 2, 3, 6, 7, 8, 9])
def test_an_import_that_was_killed_can_be_repeated_and_nothing_is_lost(
    parcel: Path, emptied: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves: list[Path] = []

    def killed(temp: Path, path: Path) -> None:
        if len(moves) == at:
            raise Killed
        moves.append(path)
        put_in_place(temp, path)

    with monkeypatch.context() as patched:
        patched.setattr(unpacking, "put_in_place", killed)
        with pytest.raises(Killed):
            taken_over(emptied, parcel)
    for opened in (Archive.read, Archive.open):
        with pytest.raises(ArchiveError, match="has not ended") as refusal:
            opened(folders_in(emptied).state)
        assert f"memproc import-archive {parcel} --yes" in refusal.value.next_step
    later = import_archive(folders_in(emptied), parcel, LATER)
    assert (later.chats, chats_in(emptied)) == (1, ["k3v9xq2m7p"])
    assert check_backups(folders_in(emptied).backups) == ()
    kept = [path.parent for path in (emptied / "state").glob("before-import-*/archive.sqlite3")]
    with Archive.read(kept[0]) as archive:
        assert not known_chats(archive)
    assert list((emptied / "updated").glob("before-import-*/Aria (another).json"))
    assert list((emptied / "backups").glob("before-import-*/originals"))
    assert archive_path(folders_in(emptied).state).exists()


def test_what_names_a_host_is_commented_out_and_told(tmp_path: Path, computers: Path) -> None:
    """Who takes over the file has not agreed yet that keys go there; what else stands in it counts."""
    toml = tmp_path / "memproc.toml"
    toml.write_text(
        '[tail]\ntokens = 20000\n[models]\nagent = "openai/gpt-4o"\n[models.options]\ntemperature = 0.5\n'
        '[models.options."anthropic/*"]\napi_base = "https://a.example.org"\n"base\\u005furl" = "http://b.example.org"\n'
        'extra_headers = { Host = "c.example.org", "X-Title" = "memproc" }\n'
        '[models.options."openai/\\"odd\\"*"]\nproxies = ["d.example.org:80", "api_base = 3"]\nseed = 1\n'
        '[[chats.override]]\nchat = "*"\n[chats.override.models]\nagent = "huggingface/https://e.example.org"\n'
        '[chats.override.models.options]\napi_base = "http://127.0.0.1:1"\n'
    )
    parcel = tmp_path / "all.zip"
    export_archive(folders_in(computers / "old"), toml, parcel, NOW)
    taken = taken_over(tmp_path / "new", parcel, settings=tmp_path / "etc" / "memproc.toml")
    written = (tmp_path / "etc" / "memproc.toml").read_text()
    for host in (
        "a.example.org",
        "b.example.org",
        "c.example.org",
        "d.example.org",
        "e.example.org",
        "127.0.0.1",
    ):
        (line,) = [line for line in written.splitlines() if host in line]
        assert line.startswith("#")
        assert any(host in name for name in taken.commented_out)
    assert "models.options.anthropic/*.api_base (a.example.org)" in taken.commented_out
    config = load(tmp_path / "etc" / "memproc.toml")
    assert (config.tail.tokens, config.models.agent) == (20_000, "openai/gpt-4o")
    assert config.models.options_for("anthropic/x") == {
        "temperature": 0.5,
        "extra_headers": {"X-Title": "memproc"},
    }
    assert config.models.options_for('openai/"odd"x') == {"temperature": 0.5, "seed": 1}
    assert config.chats.override[0].models.options == {}

    uncommented = tmp_path / "memproc.toml"
    uncommented.write_text("".join(f"{line.removeprefix('#')}\n" for line in written.splitlines()))
    assert (
        load(uncommented).models.options_for("anthropic/x")["api_base"] == "https://a.example.org"
    )


def test_folders_of_the_other_computer_do_not_count_here(tmp_path: Path, computers: Path) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text(
        '[folders]\ninbox = "~/memproc/inbox"\nupdated = "/srv/ada/updated"\n[tail]\ntokens = 20000\n'
    )
    parcel = tmp_path / "all.zip"
    export_archive(folders_in(computers / "old"), toml, parcel, NOW)
    taken = taken_over(tmp_path / "new", parcel, settings=tmp_path / "etc" / "memproc.toml")
    assert taken.commented_out == ("folders.updated (a folder of the other computer)",)
    assert load(tmp_path / "etc" / "memproc.toml").folders.updated == "~/memproc/updated"
    assert load(tmp_path / "etc" / "memproc.toml").tail.tokens == 20_000


def test_settings_without_a_host_come_along_to_the_byte(tmp_path: Path, computers: Path) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text(
        '# mine\n[models.options]\ntemperature = 0.5\nextra_headers = { Referer = "https://my.example.org" }\n'
    )
    parcel = tmp_path / "all.zip"
    export_archive(folders_in(computers / "old"), toml, parcel, NOW)
    taken = taken_over(tmp_path / "new", parcel, settings=tmp_path / "etc" / "memproc.toml")
    assert (tmp_path / "etc" / "memproc.toml").read_bytes() == toml.read_bytes()
    assert taken.commented_out == ()


def test_what_a_killed_export_or_import_has_left_is_taken_away_by_the_next(
    tmp_path: Path, another: Path
) -> None:
    folders = folders_in(another)
    left = folders.state / ".memproc-killed"
    left.write_bytes(b"unfinished")
    parcel = export_archive(folders, None, tmp_path / "own.zip", NOW).path
    assert not left.exists()
    left.write_bytes(b"unfinished")
    without_chats(another)
    taken_over(another, parcel)
    assert not left.exists()


def test_an_import_that_is_repeated_at_the_same_moment_puts_nothing_in_the_place_of_what_went_aside(
    emptied: Path, parcel: Path
) -> None:
    first = taken_over(emptied, parcel)
    without_chats(emptied)
    second = taken_over(emptied, parcel)
    assert not {*first.aside} & {*second.aside}
    assert all(
        (folder / "archive.sqlite3").exists() for folder in (first.aside[-1], second.aside[-1])
    )
