"""Every test runs under the guard, with a home folder of its own."""

import os
from pathlib import Path

import keyring
import pytest
from hypothesis import HealthCheck, settings
from keyring.backends.null import Keyring as NullKeyring

from tests.guard import sitecustomize  # noqa: F401  installs the guard in this process

# Neither a busy machine nor an unlucky draw is a reason to fail: what must be bounded in time is a benchmark.
# The examples are others each time, so that fewer of them see as much in the end.
settings.register_profile(
    "memproc", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.load_profile("memproc")

_PLACES = {
    "HOME": "",
    "USERPROFILE": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
}


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new home folder for each test; whoever looks for the person's finds this one."""
    home = tmp_path_factory.mktemp("home")
    for name, inside in _PLACES.items():
        monkeypatch.setenv(name, str(home / inside))
    for name in [name for name in os.environ if name.endswith("_API_KEY") or name == "MEMPROC_CONFIG"]:
        monkeypatch.delenv(name)
    # A keyring that keeps nothing, in this process and in those of stories: the person's own is never asked.
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    keyring.set_keyring(NullKeyring())  # type: ignore[no-untyped-call]  # the library chooses once, and asks the variable no second time
    guard = Path(__file__).parent / "guard"
    monkeypatch.setenv("PYTHONPATH", str(guard))
    return home
