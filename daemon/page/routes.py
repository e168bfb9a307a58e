"""List every address of the page, with its view or action."""

from collections.abc import Mapping

from daemon.page import actions, files, money, own_model, run_plans, setup
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
    post_agree,
    post_evaluation,
    post_keep,
    post_let_go,
    post_missed,
    post_release,
)
from daemon.page.reading import place_page, reading_page
from daemon.page.settings_form import change_settings, settings_page, undo_change
from daemon.page.versions import comparison_page, undo_page, version_page

VIEWS: Mapping[str, View] = {
    "/": home_page,
    "/live": live_page,
    "/log": log_page,
    "/start": setup.setup_page,
    "/about": setup.about_page,
    "/service": setup.service_page,
    "/settings": settings_page,
    "/inbox": run_plans.inbox_page,
    "/inbox/due": run_plans.waiting_page,
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
    "/chat/{chat}/due": run_plans.due_page,
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
    "/run/stop": actions.stop_run,
    "/service/pause": actions.pause_daemon,
    "/service/resume": actions.resume_daemon,
    "/settings/change": change_settings,
    "/settings/undo": undo_change,
    "/start/folders": setup.make_folders,
    "/start/service": setup.install_service,
    "/start/sample": setup.take_sample,
    "/start/models": own_model.look_for_models,
    "/start/model": own_model.use_model,
    "/pairing/code": setup.show_code,
    "/pairing/{device}/forget": setup.forget_device,
    "/keys/set": setup.post_key,
    "/keys/test": setup.post_test_key,
    "/keys/forget": setup.post_forget_key,
    "/chat/{chat}/accept": actions.post_accept,
    "/chat/{chat}/run": run_plans.post_run,
    "/chat/{chat}/evaluation": post_evaluation,
    "/chat/{chat}/core/undo": actions.undo_core,
    "/chat/{chat}/core/{section}/set": actions.post_section,
    "/chat/{chat}/core/{section}/release": actions.post_section_release,
    "/chat/{chat}/facts/add": actions.post_fact,
    "/chat/{chat}/facts/{number:int}/forget": actions.post_forget_fact,
    "/chat/{chat}/keep": post_keep,
    "/chat/{chat}/let-go": post_let_go,
    "/chat/{chat}/kept/{number:int}/yes": post_agree,
    "/chat/{chat}/kept/{number:int}/release": post_release,
    "/chat/{chat}/versions/{number:int}": actions.post_restore,
    "/memory/{memory}/pin": actions.on_memory("pin"),
    "/memory/{memory}/unpin": actions.on_memory("unpin"),
    "/memory/{memory}/recall": actions.on_memory("recall"),
    "/memory/{memory}/use": actions.on_memory("use", "edition"),
    "/memory/{memory}/retry": actions.post_retry,
    "/memory/{memory}/missed": post_missed,
}
