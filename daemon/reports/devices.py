"""Report the browsers that are paired with memproc."""

from collections.abc import Sequence
from dataclasses import asdict

from daemon.bridge.devices import Device
from daemon.reports.report import Column, Report, ReportTable, Step

_COLUMNS: tuple[Column[Device], ...] = (
    Column("Browser", lambda device: device.name),
    Column("Page", lambda device: device.origin),
    Column("Paired", lambda device: device.day, drop=1),
    Column("Last used", lambda device: device.used or "never"),
    Column("Id", lambda device: device.id),
)
_WHO_CAN_SIGN = (
    "memproc keeps what signs as well as each browser's own key does: who can read the state "
    "folder can sign for a browser until it is forgotten (memproc pair forget ID)"
)


def devices_report(devices: Sequence[Device]) -> Report:
    """Return the paired browsers; their keys are not shown, not even in JSON."""
    browsers = ReportTable(
        "browsers",
        devices,
        _COLUMNS,
        "Nothing is paired.",
        press=lambda device: (
            Step("Forget it", f"pair forget {device.id}", f"/pairing/{device.id}/forget"),
        ),
        data=lambda device: {
            name: value for name, value in asdict(device).items() if name != "key_hex"
        },
    )
    if devices:
        return Report((browsers,), notes=(_WHO_CAN_SIGN,))
    return Report((browsers,), next=(Step("To pair TypingMind in a browser", "pair"),))
