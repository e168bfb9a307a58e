"""Show the help of memproc, or of one of its commands: `memproc help`."""

import click


@click.command
@click.argument("command", nargs=-1)
@click.pass_context
def help_command(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Show the help of memproc, or of COMMAND: `memproc help service install`."""
    place = ctx.find_root()
    for name in command:
        if not isinstance(place.command, click.Group):
            raise click.UsageError(f"{place.command_path} has no commands of its own.")
        _, found, _ = place.command.resolve_command(place, [name])
        if found is not None:
            place = click.Context(found, info_name=name, parent=place)
    click.echo(place.get_help())
