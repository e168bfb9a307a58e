"""Every address of the page, with the view or the action behind it."""

from collections.abc import Mapping

from daemon.page import actions
from daemon.page.app import View
from daemon.page.chat import chat, version
from daemon.page.home import home
from daemon.page.memory import memory

VIEWS: Mapping[str, View] = {
    "/": home,
    "/chat/{chat}": chat,
    "/chat/{chat}/versions/{number:int}": version,
    "/memory/{memory}": memory,
}
ACTIONS: Mapping[str, View] = {
    "/chat/{chat}/versions/{number:int}": actions.restore,
    "/memory/{memory}/pin": actions.pin,
    "/memory/{memory}/unpin": actions.unpin,
    "/memory/{memory}/recall": actions.recall,
    "/memory/{memory}/use": actions.use,
}
