"""End a command that was told to stop, where no answer of a model is lost."""

from time import monotonic, sleep

from daemon.models.ask import Unsent

_LOOK_SECONDS = 0.25


class ToldToStop(Unsent):
    """The command was told to end, and this is a good place for it."""


class Stopping:
    """Whether a command was told to end; it ends only where no answer of a model is lost."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask(self, *_: object) -> None:
        """Ask it to end soon. Takes no lock, so a signal handler may call it."""
        self._is_asked = True

    def check(self) -> None:
        """Raise ToldToStop if the end was asked for."""
        if self._is_asked:
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        """Wait for `seconds`. Raises ToldToStop as soon as the end is asked for."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            self.check()
            sleep(min(left, _LOOK_SECONDS))
