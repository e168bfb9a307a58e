"""Run every test under the guard, with a home folder of its own, and limit the time of the run."""

import faulthandler
import gc
import os
import shutil
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Generator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import keyring
import pytest
from hypothesis import HealthCheck, settings
from keyring.backends.null import Keyring as NullKeyring

from tests.groups import groups_of
from tests.guard import sitecustomize  # noqa: F401  installs the guard in this process

# Neither a busy machine nor an unlucky draw is a reason to fail: time limits belong into benchmarks.
# The examples differ from run to run, so that a few of them cover as much in the long run.
_PATIENT = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.register_profile("memproc", _PATIENT, max_examples=15)
settings.register_profile(
    "thorough", _PATIENT, max_examples=200
)  # `make test-long`: --hypothesis-profile
settings.load_profile("memproc")

# A run that was started with `nohup` or `&` may ignore Ctrl-C, and so would the processes that it starts. With a handler
# that does nothing, only this process ignores it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda *_: None)

# Use a file system in memory if it is large enough: thousands of archives are flushed, and none outlives its test.
_MEMORY, _MEMORY_NEEDED = Path("/dev/shm"), 2 * 1024**3
if (
    _MEMORY.is_dir()
    and os.access(_MEMORY, os.W_OK)
    and shutil.disk_usage(_MEMORY).free > _MEMORY_NEEDED
):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

_COLLECTED_AFTER = (300_000, 20, 20)
"""How many new objects start a collection of the young ones, and how many collections one of the next generation."""

_EACH_CASE = 4
"""The default suite runs every fourth case, from the first on, of a test marked `sampled`."""

_ERRORS = pytest.StashKey[int]()
_KEEPS_NOTHING = NullKeyring()  # type: ignore[no-untyped-call]  # to make one takes a look at every variable
_NUMBERS = count(1)
_PLACES = {
    "HOME": "",
    "USERPROFILE": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--run-limit",
        type=float,
        default=3600.0,
        help="seconds after which the run ends, whatever hangs",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Limit the time of the run, in this process and each worker: it may also hang between tests and at its end."""
    errors = config.stash[_ERRORS] = os.dup(2)  # while a test runs, 2 is a file of pytest's

    def end() -> None:
        os.write(errors, b"The run took too long, and ends here.\n")
        faulthandler.dump_traceback(errors)
        os._exit(1)

    watchdog = threading.Timer(config.getoption("--run-limit"), end)
    watchdog.daemon = True
    watchdog.start()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Hide from the garbage collector what lives as long as the run: thousands of tests, and all modules.

    It would go through them again and again, for an eighth of the processor's time. Garbage of the collection phase is
    never freed: finding it would take longer than some megabytes are worth.
    """
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)
    gc.enable()
    return collected


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Leave cases that test hardly more than others do to longer suites.

    Of a story marked `variants`, the last case stays and the others become `long`. Of a test marked `sampled`, every
    fourth case stays, from the first on, and the others become `full`.
    """
    kept_stories: set[str] = set()
    cases: Counter[str] = Counter()
    for item in reversed(items):
        if isinstance(item, pytest.Function) and item.get_closest_marker("variants"):
            story = f"{item.path}::{item.originalname}"
            if story in kept_stories:
                item.add_marker(pytest.mark.long)
            kept_stories.add(story)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sampled"):
            test = f"{item.path}::{item.originalname}"
            if cases[test] % _EACH_CASE:
                item.add_marker(pytest.mark.full)
            cases[test] += 1


def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool:
    """End the process when a test reaches its limit, with the stacks of all threads.

    An exception might not end the test: raised inside a lock, it leaves it locked, and pytest's report may wait for it.
    """
    faulthandler.dump_traceback_later(settings.timeout, exit=True, file=item.config.stash[_ERRORS])
    return True


def pytest_timeout_cancel_timer(item: pytest.Item) -> bool:
    """Cancel the timer: the test has ended in time."""
    faulthandler.cancel_dump_traceback_later()
    return True


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all home folders: in its own, pytest reads every entry to number the next, of thousands."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a new home folder for each test; whatever looks for the user's own finds this one."""
    home = homes / str(next(_NUMBERS))
    home.mkdir()
    for name, inside in _PLACES.items():
        monkeypatch.setenv(name, str(home / inside))
    # Files in the temporary folder (reports of mistakes) are put among the homes, and are removed with them.
    monkeypatch.setenv("TMPDIR", str(homes))
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in [
        name for name in os.environ if name.endswith("_API_KEY") or name == "MEMPROC_CONFIG"
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TZ", "UTC")  # an archive takes its zone from here
    # Use a keyring that stores nothing, in this process and in those of stories: the user's own is never asked.
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    keyring.set_keyring(
        _KEEPS_NOTHING
    )  # the library chooses once, and asks the variable no second time
    guard = Path(__file__).parent / "guard"
    monkeypatch.setenv("PYTHONPATH", str(guard))
    return home


@pytest.fixture(scope="module")
def groups_of_three() -> Generator[None]:
    """Make folds of three memories in a whole module, because its conversations are short."""
    with groups_of(3):
        yield
