"""The end of a command that was told to stop: at places where no answer of a model is lost."""

from time import monotonic, sleep

from daemon.models.ask import Unsent

_LOOK_SECONDS = 0.25


class ToldToStop(Unsent):
    """The command has been told to end, and this is a good place for it."""


class Stopping:
    """Whether a command has been told to end. It ends where no answer of a model can get lost, not anywhere."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask(self, *_: object) -> None:
        """Let it end soon; may be called by a signal, where a lock might be held."""
        self._is_asked = True

    def check(self) -> None:
        """Raise ToldToStop where that has happened."""
        if self._is_asked:
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        """Wait so long, but not longer than until the command is to end: then ToldToStop is raised."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            self.check()
            sleep(min(left, _LOOK_SECONDS))
