"""What a changed memproc.toml changes at once, and what it changes after a restart only."""

from dataclasses import replace
from pathlib import Path

from daemon.inbox.plain_settings import WatchPlan
from daemon.inbox.reload import needs_restart, stand_of

PLAN = WatchPlan(
    inbox=Path("/ada/inbox"),
    updated=Path("/ada/updated"),
    backups=Path("/ada/backups"),
    state=Path("/ada/state"),
    settle_seconds=5.0,
    rescan_seconds=300.0,
    mode="auto",
    subfolders=False,
    night="02:00-05:00",
    notify="problems",
    config=Path("/ada/memproc.toml"),
)


def test_settings_that_are_the_same_need_no_restart() -> None:
    assert needs_restart(PLAN, replace(PLAN)) == ()


def test_pauses_the_night_and_notices_count_at_once() -> None:
    after = replace(PLAN, settle_seconds=1.0, rescan_seconds=60.0, night="", notify="never")
    assert needs_restart(PLAN, after) == ()


def test_another_folder_and_another_way_to_watch_are_named_as_they_stand_in_memproc_toml() -> None:
    assert needs_restart(PLAN, replace(PLAN, inbox=Path("/ada/in"), night="")) == ("folders.inbox",)
    everything = replace(
        PLAN, inbox=Path("a"), updated=Path("b"), backups=Path("c"), state=Path("d"), mode="poll", subfolders=True
    )
    assert needs_restart(PLAN, everything) == (
        "folders.inbox", "folders.updated", "folders.backups", "folders.state", "watch.mode", "watch.subfolders",
    )  # fmt: skip


def test_a_file_that_was_written_anew_or_replaced_stands_otherwise(tmp_path: Path) -> None:
    toml = tmp_path / "memproc.toml"
    toml.write_text("[tail]\n")
    first = stand_of(toml)
    assert first == stand_of(toml)
    toml.write_text("[tail]\ntokens = 2000\n")
    second = stand_of(toml)
    (tmp_path / "new").write_text("[tail]\ntokens = 3000\n")
    (tmp_path / "new").replace(toml)
    assert len({first, second, stand_of(toml)}) == 3


def test_no_file_stands_nowhere(tmp_path: Path) -> None:
    assert stand_of(None) is None
    assert stand_of(tmp_path / "memproc.toml") is None
