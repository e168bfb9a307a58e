"""The daemon's end of the worker: starts it when there is an order, and notices when it dies or hangs.

Everything here belongs to the daemon's one thread. Its loop hands each WorkerSaid to `heard`, each WorkerEnded to
`ended`, and calls `look` at least every few seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from daemon.inbox.events import Alive, Begun, Done, Failed, SettingsAre, Stopped, event_of
from daemon.inbox.orders import Order, Use
from daemon.inbox.running import Running
from daemon.inbox.start import command
from daemon.inbox.wakes import Put, WorkerEnded

HANG_SECONDS = 900.0
_MARGIN_SECONDS = 60.0
_GRACE_SECONDS = 5.0
_AWAY_SECONDS = 30.0
_NOT_STARTED = 126


@dataclass(frozen=True, slots=True)
class Lost:
    """An order that was not finished because its worker ended, and why: a sentence without its full stop."""

    order: Order
    reason: str


@dataclass(slots=True)
class _Task:
    """The order that was given, and how far it has come."""

    order: Order
    begun: bool = False
    times: int = 1


class Foreman:
    """Lives as long as the daemon; a worker is there only while there is work, and five minutes after."""

    def __init__(
        self,
        put: Put,
        config: Path | None = None,
        worker: Sequence[str] = (),
        hang_seconds: float = HANG_SECONDS,
    ) -> None:
        """`put` takes wakes, `config` is the memproc.toml of `--config`, `worker` another command than the real one.

        A worker that is silent for longer than `hang_seconds`, and longer than it has announced, hangs. What it has
        announced stays so while its order lasts: several calls are under way, and the longest may be the last to end.
        """
        self._put = put
        self._command = list(worker) or command(config)
        self._hang_seconds = hang_seconds
        self._announced_until = 0.0
        self._settings: Use | None = None
        self._used: Use | None = None
        self._running: Running | None = None
        self._task: _Task | None = None
        self._asked = False
        self._reason = ""
        self._kill_at: float | None = None
        self._heard_at = self._looked_at = monotonic()

    def adopt(self, settings: SettingsAre) -> None:
        """The worker goes by these settings from its next order on, even if memproc.toml is broken later."""
        self._settings = Use(settings.path, settings.text, settings.found_here)

    def give(self, order: Order) -> None:
        """Have an order carried out; a worker is started where there is none. Only while the foreman is not busy."""
        if self.busy:
            raise RuntimeError("the worker does one order after the other")
        self._task = _Task(order)
        self._hand_over(order)

    @property
    def busy(self) -> bool:
        """Whether no order can be given now: one is being carried out, or the worker is about to end."""
        return self._task is not None or self._is_ending

    @property
    def doing(self) -> Order | None:
        """The order that was given and has not ended."""
        return self._task.order if self._task else None

    @property
    def pid(self) -> int | None:
        """The worker's process, while there is one."""
        return self._running.pid if self._running else None

    def heard(self, said: Mapping[str, Any]) -> None:
        """Take note of what a WorkerSaid holds."""
        event = event_of(said)
        self._hear(event.silence if isinstance(event, Alive) else 0.0)
        if isinstance(event, Begun) and self._task:
            self._task.begun = True
        elif isinstance(event, Done | Failed | Stopped):
            self._task = None

    def ended(self, code: int) -> Lost | None:
        """After a WorkerEnded with this exit code: the order that was lost with the worker, or None.

        None is lost with a worker that was asked to stop: its order is unfinished, and nothing is wrong with it.
        An order that an idle worker did not take up any more, because it was just going, is given to a new one.
        """
        if self._running:
            self._running.put_away()
        task, reason, killed, asked = self._task, self._reason, self._kill_at is not None, self._asked
        self._running = self._task = self._used = self._kill_at = None
        self._asked = False
        self._reason = ""
        if task is None or asked:
            return None
        if code == 0 and task.times == 1 and not (task.begun or killed):
            self._task = _Task(task.order, times=2)
            self._hand_over(task.order)
            return None
        return Lost(task.order, reason or _in_words(code))

    def silent_for(self, now: float) -> float:
        """Seconds, by the monotonic clock `now`, since the worker was last heard; 0 while it has nothing to do."""
        return now - self._heard_at if self._task else 0.0

    def look(self, now: float) -> None:
        """Notice a worker that hangs, and end it as `kill` does. `now` is the monotonic clock's.

        The loop hears of it as of every other end, by a WorkerEnded.
        """
        if now - self._looked_at > _AWAY_SECONDS:
            # This process was stopped itself, and what the worker said meanwhile still waits to be read.
            self._heard_at = min(now, self._heard_at + now - self._looked_at)
            self._announced_until += now - self._looked_at
        self._looked_at = now
        if self._running and self._kill_at is not None and now > self._kill_at:
            self._running.end(by_force=True)
        elif self._is_ending or now <= self._announced_until:
            return
        elif (silent := self.silent_for(now)) > self._hang_seconds:
            self._reason = f"the worker gave no sign of life for {silent:,.0f} seconds and was ended"
            self.kill()

    def kill(self) -> None:
        """End the worker and all that it started: asked first, and five seconds later, by `look`, made to."""
        if self._running:
            self._reason = self._reason or "the worker was told to end"
            self._running.end(by_force=False)
            self._kill_at = monotonic() + _GRACE_SECONDS

    def ask_to_stop(self) -> None:
        """Let the worker finish the call that is under way, and end, within half a minute. Returns at once."""
        if self._running:
            self._asked = True
            self._running.close()

    def stop(self, seconds: float) -> None:
        """Ask the worker to stop, wait so long, and end it by force after that. No worker is left when this returns.

        What it said to the end waits in the loop's queue.
        """
        if self._running:
            self.ask_to_stop()
            if not self._running.wait(seconds):
                self._running.end(by_force=True)
            self._running.put_away()
            self._running = None

    @property
    def _is_ending(self) -> bool:
        return self._asked or self._kill_at is not None

    def _hear(self, silence: float = 0.0) -> None:
        self._heard_at = monotonic()
        if silence:
            self._announced_until = max(self._announced_until, self._heard_at + silence + _MARGIN_SECONDS)

    def _hand_over(self, order: Order) -> None:
        self._announced_until = 0.0
        self._hear()
        if self._running is None:
            try:
                self._running = Running(self._command, self._put)
            except OSError as fault:
                self._reason = f"the worker could not be started: {fault.strerror}"
                self._put(WorkerEnded(_NOT_STARTED))
                return
        if self._settings is not None and self._settings != self._used:
            self._running.say(self._settings)
            self._used = self._settings
        self._running.say(order)


def _in_words(code: int) -> str:
    if code == -9:
        return "the worker was killed (signal 9), perhaps because memory ran out"
    if code < 0:
        return f"the worker was ended by signal {-code}"
    return f"the worker ended with exit code {code} in the middle of it"
