"""memproc.toml: the shipped file is the defaults, and what a file says is what counts."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import tomli
from pydantic import ValidationError

from daemon.config.as_toml import default_file, reasons_in
from daemon.config.loading import load_folders, parse_settings
from daemon.config.settings import ChatSettings, ChatTables, Config
from rules.errors import ConfigurationError
from tests.settings_files import PAGE, TOML, page

pytestmark = pytest.mark.usefixtures("home")

PLACE = Path("/etc/memproc/memproc.toml")


def read(text: str, place: Path = PLACE) -> Config:
    return parse_settings(text.encode(), place)


def test_the_shipped_file_says_exactly_what_the_defaults_are() -> None:
    defaults = Config().model_dump(mode="json")
    assert defaults["chats"].pop("override") == []  # TOML cannot say so and let a person add one
    assert defaults["budget"].pop("price") == []

    assert tomli.loads(default_file()) == defaults


def test_what_is_said_of_overrides_names_every_table_that_they_may_have() -> None:
    words = reasons_in(ChatSettings)["override"]

    assert [
        table for table in ChatTables.model_fields if not re.search(rf"\b{table}\b", words)
    ] == []


def test_the_examples_in_the_shipped_file_count_once_their_mark_is_taken_away() -> None:
    text, examples = re.subn(r"(?m)^#(?=[^\s#])", "", default_file())

    config = read(text)

    assert examples == 30
    assert [one.chat for one in config.chats.override] == ["Talks with Ada*", "k3v9xq2m7p"]
    assert [one.chunk.tokens for one in config.chats.override] == [4000, 2000]
    assert config.models.options_for("ollama_chat/any") == {
        "temperature": 0.7,
        "timeout": 600,
        "api_base": "http://127.0.0.1:11434",
        "num_ctx": 16384,
    }
    assert config.models.options_for("anthropic/any") == {"temperature": 0.7, "timeout": 600}


def test_the_shipped_file_means_what_the_defaults_mean() -> None:
    config, default = read(default_file()), Config()

    assert load_folders(config) == load_folders(default)
    assert config.model_dump(exclude={"folders"}) == default.model_dump(exclude={"folders"})


def test_the_shipped_file_gives_a_reason_above_every_table_and_every_setting() -> None:
    lines = default_file().splitlines()
    for above, line in pairwise(lines):
        if " = " in line and not line.startswith("#"):
            assert above.startswith("# "), line


def test_the_file_at_the_root_and_the_page_of_settings_are_what_the_tables_make() -> None:
    for path, made in ((TOML, default_file()), (PAGE, page())):
        assert path.read_text("utf-8") == made, "write it again with: make settings"


def test_an_empty_file_is_the_defaults() -> None:
    assert read("") == Config()


def test_what_is_left_out_has_its_default() -> None:
    config = read("[tail]\ntokens = 50_000\n")

    assert config.tail.tokens == 50_000
    assert config.tail.step == Config().tail.step


def test_every_setting_arrives() -> None:
    config = read(
        """
        folders = { inbox = "/a", updated = "/b", backups = "/c", state = "/d" }
        chats = { include = ["Ada*", "x1"], exclude = ["Ada 2"], override = [{ chat = "x", tail.step = 1 }] }
        models.agent = "anthropic/claude-sonnet-5-5"
        models.context_manager = "openrouter/a/b:free"
        models.fallback = "x/y"
        models.window = 8192
        models.concurrency = 16
        models.batch = "always"
        models.options = { temperature = 0.5, "x/*" = { stop = ["a"] } }
        tail = { tokens = 2000, step = 0 }
        chunk = { tokens = 500, bounds = "size" }
        memory = { hindsight = 3, editions = "as-of", zone = "Asia/Tokyo" }
        fold = { budget = 20000, wishes = 900 }
        core = { enabled = false, layout = "own", form = "json", sections = { log = { limit = 9, value = ["a"] } } }
        facts = { enabled = false, budget = 200, embedding = "x/y" }
        keep = { budget = 300 }
        texts = { folder = "/e" }
        output = { mode = "keep-originals" }
        watch = { settle_seconds = 1.5, mode = "poll", subfolders = true }
        schedule.night = ""
        notify.when = "never"
        page.enabled = false
        page.port = 27200
        recall.connector = true
        recall.keep = true
        recall.mention = true
        recall.origins = ["https://chat.example.org"]
        bridge.origins = ["https://chat.example.org:8443"]
        budget.run_usd = 1
        budget.day_usd = 2.5
        budget.month_usd = 0
        budget.unpriced = true
        budget.above_step = true
        budget.price = [{ model = "x/*", as_of = "2026-11-21", input = 1, output = 2, above = 10, input_above = 3 }]
        """
    )

    assert config.model_dump() == {
        "folders": {"inbox": "/a", "updated": "/b", "backups": "/c", "state": "/d"},
        "chats": {
            "include": ("Ada*", "x1"),
            "exclude": ("Ada 2",),
            "override": [{"chat": "x", "tail": {"step": 1}}],
        },
        "models": {
            "agent": "anthropic/claude-sonnet-5-5",
            "context_manager": "openrouter/a/b:free",
            "fallback": "x/y",
            "window": 8192,
            "concurrency": 16,
            "batch": "always",
            "options": {"temperature": 0.5, "x/*": {"stop": ["a"]}},
        },
        "tail": {"tokens": 2000, "step": 0},
        "chunk": {"tokens": 500, "bounds": "size"},
        "memory": {
            "hindsight": 3,
            "editions": "as-of",
            "zone": "Asia/Tokyo",
        },
        "fold": {"budget": 20000, "wishes": 900},
        "core": {
            "enabled": False,
            "layout": "own",
            "form": "json",
            "sections": {"log": {"limit": 9, "value": ("a",)}},
        },
        "facts": {"enabled": False, "budget": 200, "embedding": "x/y"},
        "keep": {"budget": 300},
        "texts": {"folder": "/e"},
        "output": {"mode": "keep-originals"},
        "watch": {"settle_seconds": 1.5, "mode": "poll", "subfolders": True},
        "schedule": {"night": ""},
        "notify": {"when": "never"},
        "page": {"enabled": False, "port": 27200},
        "recall": {
            "mention": True,
            "connector": True,
            "keep": True,
            "origins": ("https://chat.example.org",),
        },
        "bridge": {"origins": ("https://chat.example.org:8443",)},
        "budget": {
            "run_usd": 1.0,
            "day_usd": 2.5,
            "month_usd": 0.0,
            "unpriced": True,
            "above_step": True,
            "price": [
                {
                    "model": "x/*",
                    "as_of": "2026-11-21",
                    "input": 1,
                    "output": 2,
                    "above": 10,
                    "input_above": 3,
                }
            ],
        },
    }


def test_a_configuration_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError):
        Config().tail.tokens = 1


def test_relative_paths_begin_at_the_folder_of_the_file(tmp_path: Path) -> None:
    config = read(
        'folders.inbox = "in"\ntexts.folder = "../texts"', tmp_path / "etc" / "memproc.toml"
    )

    assert config.folders.inbox == str(tmp_path / "etc" / "in")
    assert config.texts.folder == str(tmp_path / "texts")


def test_a_tilde_is_the_home_folder_in_every_path(home: Path) -> None:
    config = read('folders.backups = "~/old"\ntexts.folder = "~/texts"')

    assert load_folders(config).backups == home / "old"
    assert config.texts.folder == str(home / "texts")


def test_the_default_folders_lie_in_the_home_folder(home: Path) -> None:
    default = load_folders(Config())

    assert default.inbox == home / "memproc" / "inbox"
    assert default.updated == home / "memproc" / "updated"
    assert default.backups == home / "memproc" / "backups"
    assert default.state.is_relative_to(home)


def test_without_a_home_folder_the_defaults_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, "nowhere")

    with pytest.raises(ConfigurationError, match=r"folders\.inbox: ~ has no home folder"):
        load_folders(Config())


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    assert parse_settings(b"\xef\xbb\xbf[chunk]\r\ntokens = 900\r\n", PLACE).chunk.tokens == 900


def test_reading_the_configuration_loads_no_heavy_library() -> None:
    code = "import sys, daemon.config; print(*sorted({'litellm', 'rich', 'tiktoken'} & set(sys.modules)))"
    root = str(Path(__file__).parents[3])

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": root},
    )

    assert done.stdout.strip() == ""
