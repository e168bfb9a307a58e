// memproc's extension for TypingMind: it sends the open chat to the memproc of this computer, and puts the compressed
// chat in its place.
//
// TypingMind holds an open chat in memory and writes that whole list back whenever something is said. So a chat is
// written only while it rests, under TypingMind's own lock, in one transaction, and only if what was sent is an exact
// prefix of what stands there; then the view leaves the chat and returns, so that TypingMind reads it anew.
//
// The chat's text goes to memproc on this computer and nowhere else. A program that has taken memproc's port learns
// the text that is sent to it, but no key; and no answer counts that is not signed with the key of the pairing.
(() => {
  "use strict";

  const ELEMENT = "memproc-bridge";
  if (document.getElementById(ELEMENT)) return; // the URL was added twice
  const SCRIPT = document.currentScript?.src ?? "";
  const DEFAULT_PORT = 27183;
  const SYNC_LIMIT = 3 << 20; // bytes; TypingMind's sync skips larger chats
  const LARGEST = 64 << 20; // bytes that memproc takes
  const SECOND = 1000; // milliseconds
  const LOOK = SECOND; // between two looks at the open chat and at the rounds that are under way
  const READ = 2 * SECOND; // between two readings of a chat that changes all the time
  const HANDS_OFF = 3 * SECOND; // no key was pressed for so long before a chat is written
  const SWITCH = 4 * SECOND; // within which TypingMind shows another chat
  const SHOWN = 15 * SECOND; // how long the pill says that something is done
  const AGAIN = 20 * SECOND; // before memproc is asked again that did not answer
  const AUTO_AGAIN = 3600 * SECOND; // before `auto` tries again what was stopped

  const SAYS = {
    unpaired: "memproc: press to pair",
    busy: "Waiting for a pause: the answer or your typing is not finished",
    sending: "Sending the chat to memproc",
    waiting: "memproc has the chat; it waits for its turn",
    ready: "The memories are ready; waiting for a pause to put them into the chat",
    changed: "The chat was changed meanwhile, here or on another device, so nothing was written. Press to send it as it " +
      "is now; memories that are made are not paid again",
    deleted: "The chat was deleted meanwhile; nothing was written",
    stale: "TypingMind wrote its old list over the memories. Press to put them back; no model is asked",
    lost: "TypingMind wrote its old list over the memories. Press to send the chat again; what is made is not paid again",
    unread: "The memories are in the chat, but TypingMind still shows the old list. Reload the page before you go on",
    updated: "TypingMind was updated and keeps its chats in another way now. memproc writes nothing until it knows it",
    foreign: "The answer was not memproc's own, so it was ignored. Does another program hold its port?",
    unknown: "memproc does not know this browser any more. Press to pair again",
    nothing: "Nothing was due; the chat is as it was",
    other: "What came back is not this chat with memories, so nothing was written (memproc has to be set to " +
      "output.mode = \"replace\")",
    full: "The browser has no room left, so nothing was written. Free some space and press again",
    large: "The chat is larger than the 64 MiB that memproc takes",
    forgotten: "memproc has no such job any more. Press to send the chat again; what is made is not paid again",
    undone: "The chat is as it was, with what you have said since",
    fixed: "A memory or an older message was changed since, so this cannot be undone here. " +
      "In a terminal: memproc versions, memproc restore",
    unforeseen: "Something went wrong that nobody foresaw; nothing was written",
  };

  // What the pill says when something does not work. `lasting`: the round is over, and the chat as it was.
  class Trouble extends Error {
    constructor(sentence, lasting = true) {
      super(sentence);
      this.lasting = lasting;
    }
  }
  class NotAtRest extends Error {}

  // ---- what is kept: our own database, apart from TypingMind's

  const answered = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const completed = (transaction) => new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
  });

  async function withOwn(mode, work) {
    const opening = indexedDB.open("memproc", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
    const db = await answered(opening);
    try {
      const transaction = db.transaction("kept", mode);
      const done = completed(transaction);
      done.catch(() => {}); // told by the request that failed
      const value = await work(transaction.objectStore("kept"));
      if (mode === "readwrite") await done;
      return value;
    } finally {
      db.close();
    }
  }
  const kept = (key) => withOwn("readonly", (store) => answered(store.get(key)));
  const keep = (entries) => withOwn("readwrite", (store) => {
    for (const [key, value] of Object.entries(entries))
      value === undefined ? store.delete(key) : store.put(value, key);
  });
  const roundOf = async (id) => (await kept(`round/${id}`)) ?? { state: "" };
  async function setRound(id, changes, more = {}) {
    const round = { ...(await roundOf(id)), ...changes };
    await keep({ [`round/${id}`]: round, ...more });
    tell({ changed: id });
    return round;
  }

  // ---- TypingMind's chats

  const locksOfApp = new Set(); // the names of the locks that TypingMind has asked for
  const lockManager = navigator.locks;
  const ownLock = lockManager?.request.bind(lockManager);
  if (lockManager) lockManager.request = (name, ...rest) => {
    locksOfApp.add(name);
    return ownLock(name, ...rest);
  };
  let keepsOtherwise = false; // TypingMind was seen saving without the lock that we know

  async function withApp(id, mode, work) {
    const opening = indexedDB.open("keyval-store");
    opening.onupgradeneeded = () => opening.transaction.abort(); // it is not there: never make it
    let db, transaction;
    try {
      db = await answered(opening);
      transaction = db.transaction("keyval", mode);
    } catch (fault) {
      db?.close();
      throw new Trouble(SAYS.updated);
    }
    const done = completed(transaction);
    done.catch(() => {});
    try {
      const value = await work(transaction.objectStore("keyval"));
      if (mode === "readwrite") await done;
      return value;
    } catch (fault) {
      try { transaction.abort(); } catch { /* it has ended by itself */ }
      throw fault;
    } finally {
      db.close();
    }
  }
  const locked = (id, work) => {
    if (!ownLock) throw new Trouble(SAYS.updated);
    return ownLock(`CHAT_${id}`, { signal: AbortSignal.timeout(SWITCH) }, work).catch((fault) => {
      throw fault?.name === "TimeoutError" ? new NotAtRest() : fault;
    });
  };
  const glance = (id) => withApp(id, "readonly", (store) => answered(store.get(`CHAT_${id}`)));
  const read = (id) => locked(id, async () => tested(id, await glance(id)));

  // Change one chat in one transaction; `decide` gets it as it stands and returns the whole new one, or null for none.
  const change = (id, decide) => locked(id, () => withApp(id, "readwrite", async (store) => {
    const next = decide(tested(id, await answered(store.get(`CHAT_${id}`))));
    if (next) await answered(store.put(next, `CHAT_${id}`));
    return Boolean(next);
  }));

  // The chat, if it is kept as we know it: the self-test before every reading that is sent and every write.
  function tested(id, chat) {
    if (chat === undefined || chat?.deletedAt) throw new Trouble(SAYS.deleted);
    const known = chat.chatID === id && Array.isArray(chat.messages) &&
      chat.messages.every((message) => message && typeof message === "object");
    if (!known || keepsOtherwise) throw new Trouble(SAYS.updated);
    return chat;
  }

  // No answer is being written: the list ends with a finished answer, and nothing waits to go on.
  function isAtRest(chat) {
    const last = chat.messages.at(-1);
    return last?.role === "assistant" && !last.tool_calls?.length && !last.tmMetadata?.incomplete &&
      !("finish" in last && !last.finish) && !chat.savedControllerState;
  }
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const beginsWith = (messages, prefix) =>
    messages.length >= prefix.length && prefix.every((message, at) => same(message, messages[at]));
  const isOurs = (message) => Boolean(message.memproc);
  const isMemory = (message) => message.memproc?.kind === "memory";
  const uuidsOf = (messages) => new Set(messages.map((message) => message.uuid));
  const deletedIn = (chat) => chat.syncMetadata?.deletedMessageUUIDs ?? [];

  // The chat as it stands, with `messages` for its own and these uuids named as deleted; no other field is touched.
  function rewritten(chat, messages, deleted) {
    const present = uuidsOf(messages);
    const names = [...new Set(deleted)].filter((uuid) => !present.has(uuid));
    const now = new Date();
    return {
      ...chat, messages, updatedAt: chat.updatedAt instanceof Date ? now : now.toISOString(), syncedAt: null,
      syncMetadata: { ...chat.syncMetadata, deletedMessageUUIDs: names },
    };
  }
  function withMemories(chat, before, result, written) {
    if (beginsWith(chat.messages, result.messages)) return null; // they stand there already
    if (!beginsWith(chat.messages, before.messages)) throw new Trouble(SAYS.changed);
    if (!isAtRest(chat)) throw new NotAtRest();
    const standing = new Map(chat.messages.map((message) => [JSON.stringify(message), message]));
    const messages = [
      ...result.messages.map((message) => standing.get(JSON.stringify(message)) ?? message),
      ...chat.messages.slice(before.messages.length),
    ];
    const deleted = [...deletedIn(result), ...deletedIn(chat)];
    return { ...rewritten(chat, messages, deleted), memproc: { v: 1, written, first: result.messages.find(isMemory)?.uuid } };
  }
  function withoutMemories(chat, before, result, wasSynced) {
    if (!beginsWith(chat.messages, result.messages)) throw new Trouble(SAYS.fixed);
    if (!isAtRest(chat)) throw new NotAtRest();
    const named = new Set(deletedIn(result));
    const since = deletedIn(chat).filter((uuid) => !named.has(uuid));
    // Other devices have the memories by now: named as deleted, they do not come back beside what they stood for.
    const memories = wasSynced || chat.syncedAt ? [...uuidsOf(result.messages)] : [];
    const messages = [...before.messages, ...chat.messages.slice(result.messages.length)];
    const next = rewritten(chat, messages, [...deletedIn(before), ...since, ...memories]);
    if (!before.syncMetadata && !next.syncMetadata.deletedMessageUUIDs.length) delete next.syncMetadata;
    delete next.memproc;
    return before.memproc ? { ...next, memproc: before.memproc } : next;
  }
  // Whether the result is this chat, with nothing in it but memories and what was sent, and its end as it was.
  function isResultOf(result, before) {
    if (result?.chatID !== before.chatID || !Array.isArray(result.messages)) return false;
    const known = new Set(before.messages.map((message) => JSON.stringify(message)));
    return same(result.messages.at(-1), before.messages.at(-1)) &&
      result.messages.every((message) => isOurs(message) || known.has(JSON.stringify(message)));
  }

  // ---- memproc on this computer

  const bytesOf = (text) => new TextEncoder().encode(text);
  const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const sha256 = (bytes) => crypto.subtle.digest("SHA-256", bytes);
  const nonce = () => hex(crypto.getRandomValues(new Uint8Array(16)));
  const exported = (chat) => bytesOf(`{"data":{"chats":[${JSON.stringify(chat)}]}}`);
  const isLoopback = (url) => /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//.test(url);
  const ownAddress = isLoopback(SCRIPT) ? new URL(SCRIPT).origin : "";
  let pairing = null; // {address, device, key}: the key cannot be read out of the browser, not even by scripts

  async function fetched(address, path, options) {
    try {
      const reply = await fetch(address + path, { ...options, credentials: "omit", cache: "no-store" });
      return [reply, await reply.arrayBuffer()];
    } catch {
      throw new Trouble(
        `memproc does not answer at ${address}. Is it running, and may this page use the local network?`, false);
    }
  }
  // A call that is signed, whose answer counts only if it is signed too. Returns the answer's JSON.
  async function call(method, path, body = new Uint8Array()) {
    if (body.length > LARGEST) throw new Trouble(SAYS.large);
    const { address, device, key } = pairing;
    const [time, once] = [String(Date.now()), nonce()];
    const sign = (text) => crypto.subtle.sign("HMAC", key, bytesOf(text));
    const headers = {
      "X-Memproc-Device": device, "X-Memproc-Time": time, "X-Memproc-Nonce": once,
      "X-Memproc-Mac": hex(await sign([method, path, time, once, hex(await sha256(body))].join("\n"))),
    };
    if (method === "POST") headers["Content-Type"] = "application/json";
    const [reply, content] = await fetched(address, path, { method, headers, body: method === "POST" ? body : null });
    const expected = hex(await sign([once, reply.status, hex(await sha256(content))].join("\n")));
    if (reply.headers.get("X-Memproc-Mac") !== expected)
      throw new Trouble(reply.status === 401 ? SAYS.unknown : SAYS.foreign, false);
    const value = JSON.parse(new TextDecoder().decode(content));
    if (reply.ok) return value;
    throw new Trouble(reply.status === 404 ? SAYS.forgotten : value.reason || SAYS.unforeseen);
  }
  async function pair(address, code) {
    const body = JSON.stringify({ code, nonce: nonce() });
    const headers = { "Content-Type": "application/json" };
    const [reply, content] = await fetched(address, "/bridge/pair", { method: "POST", headers, body });
    const value = JSON.parse(new TextDecoder().decode(content) || "{}");
    if (!reply.ok) throw new Trouble(value.reason || SAYS.foreign);
    const raw = await sha256(bytesOf(value.token));
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    pairing = { address, device: value.device, key };
    await keep({ pairing });
  }

  // ---- one round: wanted, sent, ready, and then no state again; each step is kept, so a closed page goes on

  const steps = {
    async wanted(id) {
      const chat = await read(id);
      if (!isAtRest(chat)) throw new NotAtRest();
      await keep({ [`before/${id}`]: chat });
      const { job } = await call("POST", "/bridge/jobs", exported(chat));
      await setRound(id, { state: "sent", job, progress: null });
    },
    async sent(id, round) {
      tested(id, await glance(id));
      const job = await call("GET", `/bridge/jobs/${round.job}`);
      if (job.state === "skipped" || job.state === "failed") throw new Trouble(job.reason || SAYS.unforeseen);
      if (job.state !== "done") return setRound(id, { progress: job });
      const answer = await call("GET", `/bridge/jobs/${round.job}/result`);
      const before = await kept(`before/${id}`);
      const result = (answer.data?.chats ?? []).find((chat) => chat.chatID === id);
      if (!isResultOf(result, before)) throw new Trouble(SAYS.other);
      if (beginsWith(before.messages, result.messages)) throw new Trouble(SAYS.nothing);
      await setRound(id, { state: "ready" }, { [`result/${id}`]: result });
    },
    ready: (id) => put(id),
    undoing: (id, round) => undo(id, round),
  };
  // Put the memories into the chat, or back into it.
  async function put(id) {
    const [before, result] = [await kept(`before/${id}`), await kept(`result/${id}`)];
    const written = new Date().toISOString();
    if (isBeingTypedIn(id)) throw new NotAtRest();
    await change(id, (chat) => withMemories(chat, before, result, written));
    const memories = new Set(result.messages.map((message) => message.memproc?.memory).filter(Boolean)).size;
    const said = `Done: the chat begins with ${memories} ${memories === 1 ? "memory" : "memories"}`;
    await afterWrite(id, { state: "", written: true, said, at: Date.now() });
  }
  async function undo(id, round) {
    const [before, result] = [await kept(`before/${id}`), await kept(`result/${id}`)];
    if (isBeingTypedIn(id)) throw new NotAtRest();
    await change(id, (chat) => withoutMemories(chat, before, result, round.wasSynced));
    await afterWrite(id, { state: "", written: false, auto: false, said: SAYS.undone, at: Date.now() });
  }
  // TypingMind must read the chat anew at once: until then, what is said would write the old list back.
  async function afterWrite(id, changes) {
    tell({ written: id });
    await reread(id);
    await setRound(id, changes);
  }
  // One step of every round that is under way, in one tab at a time.
  async function advance() {
    await ownLock("memproc", { ifAvailable: true }, async (lock) => {
      if (!lock || !pairing) return;
      const names = await withOwn("readonly", (store) => answered(store.getAllKeys()));
      for (const name of names.filter((key) => String(key).startsWith("round/"))) {
        const id = name.slice("round/".length);
        const round = await roundOf(id);
        if (round.state && steps[round.state]) await attempt(id, () => steps[round.state](id, round));
      }
    });
  }
  const silentUntil = new Map(); // chat -> when memproc is asked again after it did not answer
  const pauses = new Set(); // chats whose next step waits for a pause
  async function attempt(id, step) {
    if (Date.now() < (silentUntil.get(id) ?? 0)) return;
    try {
      await step();
      pauses.delete(id);
      silentUntil.delete(id);
      if (view.id === id) view.trouble = "";
    } catch (fault) {
      if (fault instanceof NotAtRest) return void pauses.add(id);
      const sentence = sentenceOf(fault);
      if (fault instanceof Trouble && !fault.lasting) {
        silentUntil.set(id, Date.now() + AGAIN);
        if (view.id === id) view.trouble = sentence;
      } else await setRound(id, { state: "", said: sentence, at: 0 }).catch(() => (view.trouble = sentence));
    }
  }
  function sentenceOf(fault) {
    if (fault instanceof Trouble) return fault.message;
    console.warn("memproc", fault);
    return fault?.name === "QuotaExceededError" ? SAYS.full : `${SAYS.unforeseen} (${fault?.name ?? "error"})`;
  }

  // ---- the view of TypingMind: which chat is open, and how it reads one anew

  const openChat = () => /^#.*\bchat=([^&]+)/.exec(location.hash)?.[1] ?? "";
  const textbox = () => document.querySelector("[data-element-id=chat-input-textbox]");
  const blockOf = (uuid) => document.querySelector(`[class~="message-id-${CSS.escape(uuid)}"]`);
  const until = async (isTrue) => {
    const end = Date.now() + SWITCH;
    while (!isTrue() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    return isTrue();
  };
  const typed = new Map(); // chat -> when a key was last pressed in it, in any tab
  const isBeingTypedIn = (id) => Date.now() - (typed.get(id) ?? 0) < HANDS_OFF;
  async function anotherChat(id) {
    const keys = await withApp(id, "readonly", (store) => answered(store.getAllKeys()));
    for (const key of keys.filter((name) => String(name).startsWith("CHAT_") && name !== `CHAT_${id}`)) {
      const chat = await glance(key.slice("CHAT_".length));
      if (chat?.messages?.length && !chat.deletedAt) return chat.chatID;
    }
    return "";
  }
  // Leave the open chat and return, so that TypingMind reads it anew; whatever is typed stays.
  async function reread(id) {
    const isRead = openChat() !== id || await switchedAway(id);
    if (view.id === id) view.isUnread = !isRead;
    changed(id);
  }
  async function switchedAway(id) {
    const [chat, other] = [await glance(id), await anotherChat(id)];
    const shown = document.querySelector('[class*="message-id-"]')?.className;
    if (!shown) return true; // a page that only begins reads it anyway
    const box = textbox();
    const [draft, caret] = [box?.value ?? "", document.activeElement === box && box?.selectionStart];
    if (!other) return draft ? false : (location.reload(), true);
    location.replace(`#chat=${other}`);
    const left = await until(() => document.querySelector('[class*="message-id-"]')?.className !== shown);
    if (openChat() !== other) return left; // the person has gone elsewhere meanwhile
    location.replace(`#chat=${id}`);
    const back = await until(() => chat.messages.slice(-3).some((message) => blockOf(message.uuid)));
    const returned = textbox();
    if (returned && draft && returned.value !== draft) {
      const prototype = Object.getPrototypeOf(returned);
      Object.getOwnPropertyDescriptor(prototype, "value").set.call(returned, draft);
      returned.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (returned && caret !== false) returned.focus({ preventScroll: true });
    return left && back;
  }

  // ---- what is seen: the pill, its panel, and memories under their names

  const host = Object.assign(document.createElement("div"), { id: ELEMENT });
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = `
    <style>
      :host { all: initial; position: fixed; top: 56px; right: 14px; z-index: 2147483000; max-width: min(30rem, 92vw);
        font: 13px/1.4 system-ui, sans-serif; color: #2b2530; }
      :host([hidden]) { display: none; }
      .row { display: flex; justify-content: flex-end; filter: drop-shadow(0 1px 3px #0003); }
      button { font: inherit; color: inherit; background: #fbf8f3; border: 1px solid #cfc4d8; cursor: pointer; }
      button:focus-visible, input:focus-visible { outline: 2px solid #7a5fa0; outline-offset: 1px; }
      .pill { border-radius: 1.1rem 0 0 1.1rem; padding: .25rem .6rem .25rem .8rem; text-align: left; }
      .pill::before { content: "● "; color: #7a5fa0; }
      .pill[data-kind=trouble]::before { color: #b3541e; }
      .pill[data-kind=work]::before { color: #2f7d5b; }
      .more { border-radius: 0 1.1rem 1.1rem 0; border-left: 0; padding: .25rem .7rem; }
      .panel { background: #fbf8f3; border: 1px solid #cfc4d8; border-radius: .7rem; margin-top: .4rem; padding: .7rem .9rem;
        box-shadow: 0 3px 12px #0003; }
      .panel button { border-radius: .5rem; padding: .2rem .7rem; margin: .3rem .3rem 0 0; }
      .panel p { margin: 0 0 .5rem; }
      label { display: block; margin: .3rem 0; }
      input[name=code] { width: 7em; letter-spacing: .2em; font: inherit; }
      input[name=port] { width: 5em; font: inherit; }
      @media (prefers-color-scheme: dark) {
        :host { color: #ece6f2; } button, .panel { background: #2a2530; border-color: #5b5068; }
      }
    </style>
    <div class="row">
      <button class="pill" type="button" role="status"></button>
      <button class="more" type="button" aria-label="memproc: more" aria-expanded="false">⋯</button>
    </div>
    <div class="panel" hidden>
      <p class="why"></p>
      <form hidden>
        <p>In a terminal, <b>memproc pair</b> shows six digits for two minutes. Your browser may ask whether this page may
          use the local network: that is how it reaches memproc on this computer.</p>
        <label>Six digits <input name="code" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" autocomplete="off" required></label>
        <label class="port">Port of memproc <input name="port" inputmode="numeric" pattern="[0-9]{1,5}" required></label>
        <button>Pair</button>
      </form>
      <div class="paired" hidden>
        <label><input type="checkbox" name="auto"> Compress this chat by itself when memories are due</label>
        <button type="button" class="undo">Undo: put the old chat back</button>
        <button type="button" class="forget">Forget the pairing</button>
      </div>
    </div>`;
  const part = (name) => root.querySelector(name);
  const plans = new Map(); // chat -> what memproc said of it, and for which state of the chat
  let view = { id: "" }; // of the open chat: what was read of it, and its round

  const thousands = (tokens) => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`);
  const mebibytes = (bytes) => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
  function planned(plan) {
    if (!plan) return `memproc: ${mebibytes(view.size)}`;
    const cost = plan.usd_likely ? `about $${plan.usd_likely.toFixed(2)}` : "free";
    const due = plan.due ? `${plan.due} ${plan.due === 1 ? "memory" : "memories"} due, ${cost}` : "nothing due";
    return `${thousands(plan.tokens)} tokens, ${due}`;
  }
  function ofRound(round) {
    if (round.state === "wanted") return pauses.has(view.id) ? SAYS.busy : SAYS.sending;
    if (round.state === "undoing") return SAYS.busy;
    if (round.state === "ready") return SAYS.ready;
    const job = round.progress;
    if (job?.state !== "running") return SAYS.waiting;
    const spent = job.usd ? `, $${job.usd.toFixed(2)} so far` : "";
    return job.total ? `Writing memories: ${job.done} of ${job.total}${spent}` : "Writing memories";
  }
  // The pill's sentence, and whether it is trouble, work or neither.
  function sentence() {
    const round = view.round ?? { state: "" };
    const isNew = round.said && (!round.at || Date.now() - round.at < SHOWN);
    if (view.isUnread) return [SAYS.unread, "trouble"];
    if (view.trouble) return [view.trouble, "trouble"];
    if (!pairing) return [SAYS.unpaired, ""];
    if (round.state) return [ofRound(round), "work"];
    if (view.stale) return [view.stale, "trouble"];
    if (isNew) return [round.said, round.at ? "" : "trouble"];
    const large = view.size > SYNC_LIMIT ? `; TypingMind's sync skips it until it is smaller (${mebibytes(view.size)} of 3)` : "";
    return [planned(plans.get(view.id)) + large, large ? "trouble" : ""];
  }
  function setText(element, text) {
    if (element.textContent !== text) element.textContent = text; // a screen reader speaks what is set
  }
  function draw() {
    if (!document.body.contains(host)) document.body.append(host);
    host.hidden = !view.isKnown;
    const [text, kind] = sentence();
    setText(part(".pill"), text);
    part(".pill").dataset.kind = kind;
    part("form").hidden = Boolean(pairing) && view.trouble !== SAYS.unknown;
    part(".port").hidden = Boolean(ownAddress);
    part(".port input").disabled = Boolean(ownAddress);
    part(".paired").hidden = !part("form").hidden;
    part(".undo").hidden = !view.round?.written;
    part("[name=auto]").checked = Boolean(view.round?.auto);
    const plan = plans.get(view.id);
    setText(part(".why"), pairing ? plan?.reason || (plan?.due ? `At most $${plan.usd_most.toFixed(2)}.` : "") : "");
  }
  function openPanel(isOpen) {
    part(".panel").hidden = !isOpen;
    part(".more").setAttribute("aria-expanded", String(isOpen));
    if (isOpen && !part("form").hidden) part("[name=code]").focus();
  }
  async function press() {
    const { id, round, stale } = view;
    if (view.isUnread) return location.reload();
    if (!pairing || view.trouble === SAYS.unknown) return openPanel(true);
    silentUntil.delete(id);
    view.trouble = "";
    if (round.state) return openPanel(true);
    const plan = plans.get(id);
    if (!stale && !round.said && plan && !plan.due) return openPanel(true);
    const isHeld = stale === SAYS.stale;
    await attempt(id, () => setRound(id, { state: isHeld ? "ready" : "wanted", said: "" }));
  }
  part(".pill").addEventListener("click", press);
  part(".more").addEventListener("click", () => openPanel(part(".panel").hidden));
  part(".undo").addEventListener("click", () => {
    openPanel(false);
    attempt(view.id, () => setRound(view.id, { state: "undoing", said: "" }));
  });
  part("[name=auto]").addEventListener("change", (event) =>
    attempt(view.id, () => setRound(view.id, { auto: event.target.checked, tried: null })));
  part(".forget").addEventListener("click", async () => {
    pairing = null;
    await keep({ pairing: undefined });
    tell({ pairing: true });
  });
  part("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { code, port } = Object.fromEntries(new FormData(event.target));
    try {
      await pair(ownAddress || `http://127.0.0.1:${port}`, code);
      view.trouble = "";
      part("form").reset();
      openPanel(false);
      tell({ pairing: true });
    } catch (fault) {
      setText(part(".pill"), (view.trouble = sentenceOf(fault)));
    }
  });
  part("[name=port]").defaultValue = String(DEFAULT_PORT);

  // Memories under their names: attributes on TypingMind's own blocks, and style; no node is moved or written to.
  const style = document.createElement("style");
  style.textContent = `
    [data-memproc=inside], [data-memproc=closed] > * { display: none !important; }
    [data-memproc-title]::before { display: block; max-width: 44rem; margin: .2rem auto; padding: .25rem .8rem; cursor: pointer;
      border-left: 3px solid #7a5fa0; opacity: .85; font-size: .9rem; content: "▸ " attr(data-memproc-title); }
    [data-memproc=open]::before { content: "▾ " attr(data-memproc-title); }`;
  const opened = new Set(); // the memories that the person has opened
  function titleOf(message) {
    if (message.memproc.kind !== "memory") return message.memproc.kind === "opening" ? "Before the memories" : "After the memories";
    const text = typeof message.content === "string" ? message.content : message.content?.[0]?.text ?? "";
    return /(Memor(?:y|ies) [^.?\n]+)/.exec(text)?.[1] ?? "Memory";
  }
  function grouped(messages) {
    const groups = new Map(); // uuid -> the memory it belongs to, with a title at its first message
    const begun = new Set();
    for (const message of messages.filter((each) => ["opening", "memory", "closing"].includes(each.memproc?.kind))) {
      const name = message.memproc.memory ?? message.memproc.kind;
      groups.set(message.uuid, { name, title: begun.has(name) ? "" : titleOf(message) });
      begun.add(name);
    }
    return groups;
  }
  function setAttributes(element, values) {
    for (const [name, value] of Object.entries(values))
      if (value === null) element.removeAttribute(name);
      else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  function collapse() {
    for (const block of document.querySelectorAll('[class*="message-id-"]')) {
      const group = view.groups?.get(/message-id-(\S+)/.exec(block.className)?.[1]);
      const isOpen = group && opened.has(group.name);
      const state = !group ? null : group.title ? (isOpen ? "open" : "closed") : isOpen ? null : "inside";
      if (!state && !block.hasAttribute("data-memproc")) continue;
      const title = group?.title || null;
      setAttributes(block, {
        "data-memproc": state, "data-memproc-title": title, "aria-label": title,
        role: state === "closed" ? "button" : null, tabindex: title && "0",
      });
    }
  }
  function toggle(event) {
    const uuid = event.target.dataset?.memprocTitle && /message-id-(\S+)/.exec(event.target.className)?.[1];
    const group = uuid && view.groups?.get(uuid);
    if (!group || (event.type === "keydown" && event.key !== "Enter")) return;
    if (!opened.delete(group.name)) opened.add(group.name);
    collapse();
  }

  // ---- the loop: look at the open chat when something has changed, and take one step where a round is under way

  const channel = new BroadcastChannel("memproc");
  const tell = (message) => {
    channel.postMessage(message);
    if (!message.typed) changed(message.changed ?? view.id);
  };
  const changed = (id) => {
    if (id === view.id) view.isDirty = true;
  };
  channel.onmessage = async ({ data }) => {
    if (data.typed) typed.set(data.typed, Date.now());
    if (data.written) await reread(data.written);
    if (data.pairing) pairing = (await kept("pairing")) ?? null;
    if (!data.typed) changed(data.changed ?? view.id);
  };
  async function look() {
    const id = openChat();
    if (id !== view.id) view = { id, isDirty: true, readAt: 0, round: { state: "" } };
    if (!id || !view.isDirty || Date.now() - view.readAt < READ) return;
    Object.assign(view, { isDirty: false, readAt: Date.now() });
    const chat = await glance(id);
    view.isKnown = Array.isArray(chat?.messages);
    view.round = await roundOf(id);
    if (!view.isKnown) return;
    noticeLocks(id, chat.messages);
    const bytes = bytesOf(JSON.stringify(chat));
    view.size = bytes.length;
    view.groups = grouped(chat.messages);
    view.stale = await staleness(id, chat);
    if (view.round.written && chat.syncedAt && !view.round.wasSynced) await setRound(id, { wasSynced: true });
    if (pairing && isAtRest(chat) && !view.round.state && !view.stale)
      await attempt(id, async () => plan(id, chat, hex(await sha256(bytes))));
  }
  // What is due in the chat as it stands; for a chat on `auto`, also begin.
  async function plan(id, chat, digest) {
    if (plans.get(id)?.digest !== digest)
      plans.set(id, { ...(await call("POST", "/bridge/plan", exported(chat))), digest });
    const { auto, tried } = view.round;
    const isTried = tried?.digest === digest && Date.now() - tried.at < AUTO_AGAIN;
    if (auto && plans.get(id).due && !isTried)
      await setRound(id, { state: "wanted", said: "", tried: { digest, at: Date.now() } });
  }
  // The field of the chat outlives a stale list that is written over the messages.
  async function staleness(id, chat) {
    const first = chat.memproc?.first;
    if (!first || chat.messages.some((message) => message.uuid === first)) return "";
    const [before, result] = view.round.written ? [await kept(`before/${id}`), await kept(`result/${id}`)] : [];
    if (before && beginsWith(chat.messages, before.messages) && !beginsWith(chat.messages, result.messages)) return SAYS.stale;
    return chat.messages.some(isMemory) ? "" : SAYS.lost;
  }
  // What was said here was saved by TypingMind in this tab: if it asked for no lock of that name, it has another way.
  function noticeLocks(id, messages) {
    const said = messages.findLast((message) => message.role === "user")?.uuid ?? "";
    const isHere = Date.now() - typedHere < 4 * READ && blockOf(said);
    if (view.said !== undefined && said !== view.said && isHere && !locksOfApp.has(`CHAT_${id}`)) keepsOtherwise = true;
    view.said = said;
  }
  let typedHere = 0;
  function noteTyping(event) {
    if (event.target === host) return;
    const now = Date.now();
    if (now - typedHere > LOOK) tell({ typed: openChat() });
    typed.set(openChat(), typedHere = now);
  }
  async function loop() {
    try {
      await look();
      await advance();
    } catch (fault) {
      view.trouble = sentenceOf(fault);
      view.isKnown = true;
    }
    collapse();
    draw();
    setTimeout(loop, LOOK);
  }
  async function begin() {
    pairing = (await kept("pairing")) ?? null;
    document.head.append(style);
    for (const name of ["keydown", "input", "pointerdown"]) document.addEventListener(name, noteTyping, true);
    for (const name of ["click", "keydown"]) document.addEventListener(name, toggle);
    for (const name of ["keydown", "keyup", "keypress"]) host.addEventListener(name, (event) => event.stopPropagation());
    addEventListener("hashchange", () => setTimeout(() => changed(view.id), LOOK));
    let isCollapsing = false;
    new MutationObserver((records) => {
      if (records.every((record) => record.target === host)) return;
      changed(view.id);
      if (isCollapsing) return;
      isCollapsing = true;
      setTimeout(() => { isCollapsing = false; collapse(); }, 50);
    }).observe(document.body, { childList: true, subtree: true });
    loop();
  }
  begin();
})();
