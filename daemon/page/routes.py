"""Every address of the page, with the view or the action behind it."""

from collections.abc import Mapping

from daemon.page import actions, files, money, pairing, setup
from daemon.page.app import View
from daemon.page.chat import chat
from daemon.page.hits import search
from daemon.page.home import home, log, running
from daemon.page.memory import memory, message, retry
from daemon.page.mind import core, facts
from daemon.page.versions import comparison, undo, version

VIEWS: Mapping[str, View] = {
    "/": home,
    "/running": running,
    "/log": log,
    "/start": setup.start,
    "/settings": setup.settings,
    "/inbox": money.inbox,
    "/money": money.money,
    "/pairing": pairing.pairing,
    "/pairing/code": pairing.code,
    "/search": search,
    "/chat/{chat}": chat,
    "/chat/{chat}/core": core,
    "/chat/{chat}/facts": facts,
    "/chat/{chat}/plan": money.plan,
    "/chat/{chat}/due": money.due,
    "/chat/{chat}/messages/{key}": message,
    "/chat/{chat}/download": files.download,
    "/chat/{chat}/undo": undo,
    "/chat/{chat}/versions": comparison,
    "/chat/{chat}/versions/{number:int}": version,
    "/memory/{memory}": memory,
    "/memory/{memory}/retry": retry,
}
ACTIONS: Mapping[str, View] = {
    "/drop": files.drop,
    "/inbox/run": money.run_inbox,
    "/money/cap": money.raise_cap,
    "/start/folders": setup.make_folders,
    "/start/service": setup.install_service,
    "/start/sample": setup.take_sample,
    "/pairing/code": pairing.show_code,
    "/pairing/{device}/forget": pairing.forget_device,
    "/keys/set": setup.set_key,
    "/keys/test": setup.try_key,
    "/keys/forget": setup.forget_key,
    "/chat/{chat}/accept": actions.accept,
    "/chat/{chat}/run": money.start_run,
    "/chat/{chat}/core/undo": actions.undo_core,
    "/chat/{chat}/core/{section}/set": actions.set_section,
    "/chat/{chat}/core/{section}/release": actions.release_section,
    "/chat/{chat}/facts/add": actions.add_fact,
    "/chat/{chat}/facts/{number:int}/forget": actions.forget_fact,
    "/chat/{chat}/versions/{number:int}": actions.restore,
    "/memory/{memory}/pin": actions.on_memory("pin"),
    "/memory/{memory}/unpin": actions.on_memory("unpin"),
    "/memory/{memory}/recall": actions.on_memory("recall"),
    "/memory/{memory}/use": actions.on_memory("use", "edition"),
    "/memory/{memory}/retry": actions.retry,
}
