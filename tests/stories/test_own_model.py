"""A model on one's own machine, from an empty home: set up, tried, planned in hours, and run."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tomli

from daemon.cli import main
from tests.chats import export_bytes, long_chat
from tests.server.models import Model
from tests.server.own import Kind, Own, clever, stupid
from tests.server.reply import Script
from tests.server.server import ModelServer
from tests.server.setup import Setup
from tests.stories.person import Ended

pytestmark = pytest.mark.timeout(250)
NAME = "qwen2.5-7b-instruct"
EXPORT = export_bytes(long_chat(8_000, tokens_each=300))
FULL: Mapping[Kind, str] = {
    "llama.cpp": f"hosted_vllm/{NAME}",
    "ollama": f"ollama_chat/{NAME}",
    "lm-studio": f"lm_studio/{NAME}",
}


@dataclass(frozen=True)
class Home:
    """Somebody's empty home, with keys for cloud models in the environment, and a model server."""

    folder: Path
    own: Own
    url: str

    def memproc(self, *arguments: str) -> Ended:
        """Run a command in this process, at 80 columns."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patched:
            for name, value in self.environment.items():
                patched.setenv(name, value)
            with redirect_stdout(out), redirect_stderr(err), chdir(self.folder):
                code = main(list(arguments))
        return Ended(code, out.getvalue(), err.getvalue())

    @property
    def environment(self) -> dict[str, str]:
        places = {name: str(self.folder / name) for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return {
            "HOME": str(self.folder),
            "COLUMNS": "80",
            "OPENAI_API_KEY": "sk-kept",
            "XDG_CONFIG_HOME": str(self.folder / ".config"),
            **places,
        }

    def asked(self, *arguments: str) -> Any:
        """What a command prints for programs."""
        return json.loads(self.memproc(*arguments, "--json").out)

    @property
    def settings(self) -> Any:
        return tomli.loads((self.folder / ".config/memproc/memproc.toml").read_text("utf-8"))


@contextmanager
def home_with(folder: Path, own: Own, script: Script = clever) -> Iterator[Home]:
    folder.mkdir()
    models = {NAME: Model(own.window)}
    with ModelServer(Setup(script=script, own=own, models=models)) as server:
        yield Home(folder, own, server.url)


@pytest.mark.parametrize(
    "kind",
    [
        "llama.cpp",
        pytest.param("ollama", marks=pytest.mark.full),
        pytest.param("lm-studio", marks=pytest.mark.full),
    ],
)
def test_one_command_sets_a_model_up_and_the_next_ones_plan_and_run_with_it(
    tmp_path: Path, kind: Kind
) -> None:
    with home_with(tmp_path / "ada", Own(kind, NAME, 16_384, slots=2)) as ada:
        begun = ada.memproc("init", "--local", f"{ada.url}/v1", "--yes")
        assert (begun.code, begun.err) == (0, "")
        said = " ".join(begun.out.split())
        assert "it reads 400 and writes 20 tokens a second" in said
        assert 'copies a quote, and keeps "I" and "you" apart' in said
        assert f"{FULL[kind]} writes and analyses for every chat" in said

        models = ada.settings["models"]
        assert (models["agent"], models["context_manager"]) == (FULL[kind], FULL[kind])
        assert models["concurrency"] == 6, "the slots are those of that server alone"
        table = models["options"][FULL[kind]]
        assert table["api_base"].startswith(ada.url)
        assert table["num_ctx" if kind == "ollama" else "window"] == 16_384
        assert table["concurrency"] == (2 if kind == "llama.cpp" else 1)
        assert ("does not say whether it answers more at once" in said) is (kind != "llama.cpp")
        assert table["timeout"] == 300, "the least; what is asked, and the trial, give more"

        (ada.folder / "memproc/inbox/export.json").write_bytes(EXPORT)
        asked = len(ada.own.asked)
        planned = " ".join(ada.memproc("plan").out.split())
        assert "Costs nothing, and takes about" in planned
        assert "on this server" in planned
        (plan,) = ada.asked("plan")["chats"]
        assert plan["money"]["seconds"] > 0
        assert plan["money"]["trial"]["copies_a_quote"]
        assert FULL[kind] in " ".join(ada.memproc("status").out.split())
        assert FULL[kind] in " ".join(ada.memproc("doctor", "--all").out.split())
        assert len(ada.own.asked) == asked, "none of them asks the server"

        ended = ada.memproc("run")
        assert ended.code == 0, ended.err
        assert len(ada.own.asked) > asked
        assert set(ada.own.keys) <= {"Bearer none", "Bearer fake-api-key"}


def test_a_model_that_misses_its_trial_is_told_everywhere(tmp_path: Path) -> None:
    with home_with(tmp_path / "ada", Own("llama.cpp", NAME, 8192), stupid) as ada:
        said = " ".join(ada.memproc("init", "--local", ada.url, "--yes").out.split())
        assert 'does not copy a quote, and does not keep "I" and "you" apart' in said
        assert "The built-in engine writes better ones" in said
        (finding,) = (
            each for each in ada.asked("doctor")["findings"] if each["name"] == "own models"
        )
        assert finding["level"] == "warning"


@pytest.mark.parametrize(
    ("kind", "setting"), [("llama.cpp", "-c 8192"), ("lm-studio", "a Context Length of 8192")]
)
def test_a_context_of_4096_is_a_matter_of_the_servers_setting(
    tmp_path: Path, kind: Kind, setting: str
) -> None:
    with home_with(tmp_path / "ada", Own(kind, NAME, 4096)) as ada:
        refused = ada.memproc("init", "--local", ada.url, "--yes")
        assert refused.code == 2
        assert f"Start its server with {setting}" in " ".join(refused.err.split())
        assert ada.settings["models"]["agent"] == "chat", "nothing was changed"


def test_without_a_yes_nothing_is_written(tmp_path: Path) -> None:
    with home_with(tmp_path / "ada", Own("llama.cpp", NAME, 8192)) as ada:
        assert ada.memproc("init", "--yes").code == 0
        ended = ada.memproc("init", "--local", ada.url)
        assert ended.code == 1
        assert "Nothing was changed." in ended.out
        assert ada.settings["models"]["agent"] == "chat"


@pytest.mark.parametrize(
    "url",
    [
        "http://8.8.8.8:8080",
        "http://169.254.169.254/latest",
        "http://0.0.0.0:8080",
        "http://ada:secret@127.0.0.1:8080",
        "ftp://127.0.0.1",
    ],
)
def test_nothing_but_this_machine_and_the_local_network_is_asked(tmp_path: Path, url: str) -> None:
    home = Home(tmp_path, Own("llama.cpp", NAME, 8192), "")
    refused = home.memproc("init", "--local", url, "--yes")
    assert refused.code == 2
    assert "secret" not in refused.err + refused.out


def test_sizes_are_fitted_again_with_a_new_trial(tmp_path: Path) -> None:
    with home_with(tmp_path / "ada", Own("llama.cpp", NAME, 8192)) as ada:
        assert ada.memproc("init", "--local", ada.url, "--yes").code == 0
        before = ada.settings["chunk"]["tokens"]
        toml = ada.folder / ".config/memproc/memproc.toml"
        toml.write_text(toml.read_text("utf-8").replace("window = 8192", "window = 24576"))
        fitted = ada.memproc("config", "fit", FULL["llama.cpp"])
        assert fitted.code == 0
        assert "was tried" in fitted.out
        assert ada.settings["chunk"]["tokens"] > before
