"""The list of hosts that keys may go to: the person's alone, and no unfinished file beside it."""

from daemon.files.write import TEMPORARY
from daemon.models.agreed_hosts import allow, hosts_file


def test_what_a_killed_command_left_beside_the_list_is_swept_at_the_next_change() -> None:
    path = allow("openai", "a.example.org")
    left = path.with_name(f"{TEMPORARY}of-a-kill")
    left.write_bytes(b"# Hosts that keys")
    allow("openai", "b.example.org")
    assert not left.exists()
    assert list(hosts_file().parent.iterdir()) == [path]
