"""A model of one's own that fails often does less: it analyses, and the built-in engine writes.

It counts as failing if it missed its trial at the address where it is asked, or if a third of its
first ten answers, with these sizes and since the last trial, could not be used.
"""

import json
from dataclasses import asdict, dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign, sign
from daemon.archive.trials import trial_of, trials
from daemon.config.settings import Config
from daemon.models.catalogue import read_facts
from daemon.models.hosts import is_local
from daemon.models.resolve import window_in
from daemon.models.roles import Roles
from primer.models import ENGINE, Model

FIRST_ANSWERS = 10
_MOST_UNUSABLE = 1 / 3
_ANSWERS_SIGN = "answers "
_OF_MEMORIES = ("quote", "perspective", "analysis", "refinement")


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """How many of a model's first answers about memories were unusable."""

    since: str
    """The sizes and the time of the trial under which they were given."""
    answers: int = 0
    unusable: int = 0

    @property
    def fails_often(self) -> bool:
        """Return whether too many of the first ten answers were unusable."""
        return self.answers >= FIRST_ANSWERS and self.unusable >= _MOST_UNUSABLE * self.answers


def sizes_of(config: Config, roles: Roles) -> str:
    """Return the sizes with which a model writes, in tokens: chunk, tail and window."""
    return f"{config.chunk.tokens} {config.tail.tokens} {roles.window or 0}"


def count_answer(
    archive: Archive, model: str, step: str, sizes: str, now: str, *, is_unusable: bool
) -> None:
    """Count an answer of a model, if it is about a memory and among the first ten."""
    before = _first_answers(archive, model, sizes)
    if step not in _OF_MEMORIES or before.answers >= FIRST_ANSWERS:
        return
    after = replace(before, answers=before.answers + 1, unusable=before.unusable + int(is_unusable))
    set_sign(archive, f"{_ANSWERS_SIGN}{model}", json.dumps(asdict(after)), now)


def has_come_to_fail(archive: Archive, config: Config, roles: Roles) -> bool:
    """Return whether the agent, which has been writing so far, has failed too often by now."""
    return roles.has_agent and not within_ability(archive, config, roles).has_agent


def within_ability(archive: Archive, config: Config, roles: Roles) -> Roles:
    """Return the roles, with the engine in place of an agent of one's own that fails often."""
    agent = roles.agent
    if not is_local(agent):
        return roles
    trial = trial_of(archive, agent.name, agent.base)
    if trial and trial.is_missed:
        why = f"has missed its trial on {trial.at[:10]}"
    else:
        first = _first_answers(archive, agent.name, sizes_of(config, roles))
        if not first.fails_often:
            return roles
        why = f"gave {first.unusable} unusable ones among its first {first.answers} answers"
    limited = (
        f"{agent.name} {why}, so it does the analysis alone: the built-in engine writes quote and "
        "memory, and core memory and facts stay as they are. To have it otherwise, name another "
        f"model or other sizes in memproc.toml, or try it again: memproc config fit {agent.name}"
    )
    return replace(roles, agent=ENGINE, limited=limited)


def why_agent_is_limited(archive: Archive, config: Config) -> str:
    """Return why the agent that memproc.toml names does less; empty where it does not."""
    agent = Model(config.models.agent, config.models.options_for(config.models.agent))
    if not is_local(agent):
        return ""
    window = window_in(agent.name, config.models) or read_facts(agent.name).window
    return within_ability(archive, config, Roles(agent, agent, window=window)).limited


def _first_answers(archive: Archive, model: str, sizes: str) -> FirstAnswers:
    """Return the counts with these sizes since the last trial."""
    trial = trials(archive).get(model)
    since = f"{sizes} {trial.at if trial else ''}"
    stored = sign(archive, f"{_ANSWERS_SIGN}{model}")
    try:
        first = FirstAnswers(**json.loads(stored.value)) if stored else FirstAnswers(since)
    except (TypeError, ValueError, RecursionError):  # written by another program
        return FirstAnswers(since)
    return first if first.since == since else FirstAnswers(since)
