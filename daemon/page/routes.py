"""Every address of the page, with the view or the action behind it."""

from collections.abc import Mapping

from daemon.page.app import View
from daemon.page.home import home

VIEWS: Mapping[str, View] = {"/": home}
ACTIONS: Mapping[str, View] = {}
