"""List every address of the page with its view (GET) or its action (POST)."""

from collections.abc import Mapping

from daemon.page import actions, files, money, run_plans, setup
from daemon.page.actions import CORE, runs, starts
from daemon.page.app import View
from daemon.page.chat import chat_page
from daemon.page.hits import search_page
from daemon.page.home import home_page, log_page
from daemon.page.live import live_page
from daemon.page.memory import memory_page, retry_page, words_page
from daemon.page.mind import (
    core_page,
    evaluation_page,
    facts_page,
    kept_page,
    post_keep,
)
from daemon.page.reading import place_page, reading_page
from daemon.page.settings_form import change_settings, settings_page, undo_change
from daemon.page.versions import comparison_page, undo_page, version_page

_KEPT = "/chat/{chat}/kept"
_FACTS = "/chat/{chat}/facts"
_MEMORY = "/memory/{memory}"
_ASKED = "The models are being asked. It takes a minute or so; the new edition then appears here."
_WRITTEN_AGAIN = (
    "The memory is being written again, with what it lacked in view. It takes a minute or so; the "
    "new edition then appears here."
)
_EVALUATED = "The persona is being asked. It takes some minutes; the figures then appear here."

VIEWS: Mapping[str, View] = {
    "/": home_page,
    "/live": live_page,
    "/log": log_page,
    "/start": setup.setup_page,
    "/start/trial": setup.trial_page,
    "/start/trial/live": setup.live_trial,
    "/about": setup.about_page,
    "/service": setup.service_page,
    "/settings": settings_page,
    "/inbox": run_plans.inbox_page,
    "/inbox/plan-line": run_plans.waiting_page,
    "/bring": files.bring_page,
    "/money": money.money_page,
    "/pairing": setup.pairing_page,
    "/pairing/code": setup.code_page,
    "/search": search_page,
    "/chat/{chat}": chat_page,
    "/chat/{chat}/core": core_page,
    "/chat/{chat}/facts": facts_page,
    "/chat/{chat}/kept": kept_page,
    "/chat/{chat}/evaluation": evaluation_page,
    "/chat/{chat}/plan": run_plans.plan_page,
    "/chat/{chat}/plan-line": run_plans.plan_line,
    "/chat/{chat}/messages/{key}": place_page,
    "/chat/{chat}/read": reading_page,
    "/chat/{chat}/download": files.download_page,
    "/chat/{chat}/undo": undo_page,
    "/chat/{chat}/versions": comparison_page,
    "/chat/{chat}/versions/{number:int}": version_page,
    "/memory/{memory}": memory_page,
    "/memory/{memory}/retry": retry_page,
    "/memory/{memory}/words": words_page,
}
ACTIONS: Mapping[str, View] = {
    "/drop": files.drop,
    "/inbox/aside": files.post_aside,
    "/inbox/back": files.post_back,
    "/inbox/run": run_plans.run_inbox,
    "/bring/plan": files.plan_bring,
    "/bring/go": files.post_bring,
    "/run/stop": runs("/", "stop"),
    "/service/pause": runs("/service", "pause"),
    "/service/resume": runs("/", "resume"),
    "/settings/change": change_settings,
    "/settings/undo": undo_change,
    "/start/folders": runs("/start", "init", "--yes"),
    "/start/service": runs("/start", "service", "install"),
    "/start/sample": setup.take_sample,
    "/start/models": setup.look_for_models,
    "/start/model": setup.use_model,
    "/pairing/code": setup.show_code,
    "/pairing/{device}/forget": runs("/pairing", "pair", "forget", "--", "{device}"),
    "/keys/set": setup.on_key("set"),
    "/keys/test": setup.on_key("test"),
    "/keys/forget": setup.on_key("forget"),
    "/chat/{chat}/accept": runs("/", "accept", "--", "{chat}"),
    "/chat/{chat}/run": run_plans.post_run,
    "/chat/{chat}/evaluation": starts(
        "/chat/{chat}/evaluation", _EVALUATED, "eval", "--again", "--yes", "--", "{chat}"
    ),
    "/chat/{chat}/core/undo": runs(CORE, "core", "{chat}", "undo"),
    "/chat/{chat}/core/{section}/set": actions.post_section,
    "/chat/{chat}/core/{section}/release": runs(CORE, "core", "{chat}", "release", "{section}"),
    "/chat/{chat}/facts/add": runs(_FACTS, "facts", "{chat}", "add", "--", "{text}"),
    "/chat/{chat}/facts/{number:int}/forget": runs(_FACTS, "facts", "{chat}", "forget", "{number}"),
    "/chat/{chat}/keep": post_keep,
    "/chat/{chat}/let-go": runs("/chat/{chat}", "release", "--", "{chat}", "{words}"),
    "/chat/{chat}/kept/{number:int}/yes": runs(_KEPT, "keep", "--yes", "{number}", "--", "{chat}"),
    "/chat/{chat}/kept/{number:int}/release": runs(_KEPT, "release", "--", "{chat}", "{number}"),
    "/chat/{chat}/versions/{number:int}": runs(
        "/chat/{chat}", "restore", "--yes", "--", "{chat}", "{number}"
    ),
    "/memory/{memory}/pin": runs(_MEMORY, "pin", "--", "{memory}"),
    "/memory/{memory}/unpin": runs(_MEMORY, "unpin", "--", "{memory}"),
    "/memory/{memory}/recall": runs(_MEMORY, "recall", "--", "{memory}"),
    "/memory/{memory}/use": runs(_MEMORY, "use", "--", "{memory}", "{edition}"),
    "/memory/{memory}/retry": starts(
        _MEMORY, _ASKED, "retry", "--say", "{guidance}", "--", "{memory}"
    ),
    "/memory/{memory}/missed": starts(
        _MEMORY, _WRITTEN_AGAIN, "retry", "--missed", "--", "{memory}"
    ),
}
