"""The timed jobs as the loop sees them: which order is due, and what is written down when it has been carried out."""

from daemon.archive.archive import Archive
from daemon.archive.jobs import begin_job, due_jobs, end_job, jobs, part_to_verify, set_jobs
from daemon.files.clock import here
from daemon.inbox.orders import Maintain, Order, Prune, Retry, Verify
from daemon.inbox.schedule import Schedule
from rules.retention import PARTS, after_failure, next_due, timings
from rules.typingmind.dates import parse_date, write_date


class Duties:
    """Keeps the jobs in the archive and the clock in step."""

    def __init__(self, archive: Archive, schedule: Schedule, night: str) -> None:
        self._archive, self._schedule = archive, schedule
        self._doing: str | None = None
        self.have(night)

    def have(self, night: str) -> None:
        """Have the jobs of these settings, each at its time; what came due meanwhile is due now."""
        self._timings = timings(night)
        set_jobs(self._archive, self._timings, here())
        for job in jobs(self._archive):
            if when := parse_date(job.due_at):
                self._schedule.once(job.name, when)

    def begin(self, now: str) -> Order | None:
        """The order of the job that has been due for longest, which counts as begun; None where none is due."""
        name = next(iter(due_jobs(self._archive, now)), None)
        if name is None:
            return None
        self._doing = name
        begin_job(self._archive, name, now)
        return self._order(name)

    def end(self, error: str | None, now: str, *, failed: bool) -> str:
        """The job that was begun has ended; its name. It is due again at its next time, if it `failed` sooner.

        A job that was done can have found something wrong; that is no reason to do it again in an hour.
        """
        if self._doing is None:
            return ""
        name, self._doing = self._doing, None
        if name not in self._timings:
            return name
        next_time = after_failure if failed else next_due
        again = next_time(self._timings[name], here())
        end_job(self._archive, name, now, write_date(again), error)
        self._schedule.once(name, again)
        return name

    def _order(self, name: str) -> Order:
        if name == "verify":
            return Verify(part_to_verify(self._archive), PARTS)
        orders: dict[str, Order] = {"prune": Prune(), "maintain": Maintain(), "retry": Retry(night=True)}
        return orders[name]
