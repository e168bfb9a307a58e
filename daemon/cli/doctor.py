"""Look at everything that memproc needs, and print what was found: `memproc doctor`."""

from contextlib import suppress

import click

from daemon.cli.settings import Settings, pass_settings


@click.command
@click.option(
    "--thorough", is_flag=True, help="Read everything that is kept, however long that takes."
)
@click.option("--all", "show_all", is_flag=True, help="List what is well, too.")
@click.option(
    "--report",
    "for_report",
    is_flag=True,
    help="Print what a bug report needs: versions, counts and settings, nothing of your own.",
)
@pass_settings
def doctor_command(settings: Settings, thorough: bool, show_all: bool, for_report: bool) -> int:
    """Look at everything that memproc needs, and say what mends what is wrong.

    Nothing is sent, and nothing changed. Errors come last, where a terminal shows them. The exit
    code is 0 where nothing is an error, and 1 where something is.
    """
    from daemon.archive.chats import known_chats
    from daemon.remember.chat_notes import memories_of_ending_models, wishes_of_folds
    from daemon.reports.doctor import doctor_report, support_report
    from daemon.status.doctor import examine
    from rules.errors import MemprocError

    findings = examine(
        lambda: settings.config,
        lambda: (settings.config_file.path, settings.config_file.choice),
        thorough,
        (memories_of_ending_models, wishes_of_folds),
    )
    if for_report:
        config, chats = None, None
        with suppress(MemprocError):  # the findings say so if they cannot be read
            config = settings.config
            with settings.archive() as archive:
                chats = known_chats(archive)
        settings.show(support_report(config, chats, findings))
        return 0
    settings.say_which_file()
    settings.show(doctor_report(findings, shows_all=show_all))
    return 1 if any(finding.level == "error" for finding in findings) else 0
