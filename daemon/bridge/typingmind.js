// memproc's extension for TypingMind: it sends the open chat to the memproc of this computer, and puts the compressed
// chat in its place.
//
// TypingMind holds an open chat in memory and writes that whole list back whenever something is said. So a chat is
// written only while it rests, under TypingMind's own lock, in one transaction, and only if what was sent is an exact
// prefix of what stands there; then the view leaves the chat and returns, so that TypingMind reads it anew.
//
// The chat goes to memproc on this computer alone, and no answer counts that is not signed with the pairing's key.
(() => {
  "use strict";
  if (document.getElementById("memproc-bridge")) return; // the URL was added twice
  const LARGEST = 64 << 20; // bytes that memproc takes
  const SECOND = 1000; // milliseconds
  const READ = 2 * SECOND, HANDS_OFF = 3 * SECOND; // between two readings; without a key pressed, before a write
  const SHOWN = 15 * SECOND, SWITCH = 4 * SECOND; // for the word of what is done; for TypingMind to show another chat
  const TIDY = 60 * SECOND, DAY = 24 * 3600 * SECOND, UNDO_DAYS = 90; // what is kept of a chat, and how long
  const ASK = 20 * SECOND; // before a chat that rests is planned again: something may have been added in memproc
  const PATIENCE = 180 * SECOND, AGAIN = 20 * SECOND; // for an answer; before memproc is asked again that gave none

  const SAYS = {
    unpaired: "memproc: press to pair",
    busy: "Waiting for a pause in the chat: no answer under way, no key pressed",
    sending: "Sending the chat to memproc",
    undoing: "Putting the old chat back at the next pause",
    files: "Waiting until the files in the message box are sent or taken out: they would be lost",
    ready: "The memories are ready; waiting for a pause to put them into the chat",
    changed: "The chat was changed meanwhile, here or on another device; nothing was written. Press to send it anew",
    deleted: "The chat was deleted meanwhile; nothing was written",
    stale: "TypingMind wrote its old list over the memories. Press to put them back; no model is asked",
    unread: "The chat was written, but TypingMind still shows the old one. Press to load the page before you go on",
    updated: "TypingMind was updated and keeps its chats in another way now. memproc writes nothing until it knows it",
    foreign: "The answer was not memproc's own, so it was ignored. Does another program hold its port?",
    unknown: "memproc does not know this browser. In a terminal: memproc pair. Then press here",
    untold: "Forgotten here, but memproc did not answer and still lists this browser. In a terminal: memproc pair forget",
    other: "What came back is not this chat with memories, so nothing was written. It needs output.mode = \"replace\"",
    full: "The browser has no room left, so nothing was written. Free some space and press again",
    large: "The chat is larger than the 64 MiB that memproc takes",
    fixed: "What was written was changed since, so it cannot be undone here. In a terminal: memproc restore",
    unforeseen: "Something went wrong that nobody foresaw; nothing was written",
  };
  class NotAtRest extends Error {}
  class Trouble extends Error {} // ends a round with a sentence, and the chat as it was
  class Silence extends Trouble {} // may pass: the round waits

  // ---- two databases: TypingMind's own, which is never made or changed in form, and ours beside it
  const OURS = ["memproc", "kept"], THEIRS = ["keyval-store", "keyval"];
  const answered = (request) => new Promise((resolve, reject) =>
    Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  async function within([name, store], mode, work) {
    const isOurs = name === OURS[0];
    const opening = indexedDB.open(name);
    opening.onupgradeneeded = () => isOurs ? opening.result.createObjectStore(store) : opening.transaction.abort();
    const db = await answered(opening).catch((fault) => { throw isOurs ? fault : new Trouble(SAYS.updated); });
    try {
      if (!db.objectStoreNames.contains(store)) throw new Trouble(SAYS.updated);
      const transaction = db.transaction(store, mode);
      const done = new Promise((resolve, reject) =>
        Object.assign(transaction, { oncomplete: resolve, onabort: () => reject(transaction.error) }));
      done.catch(() => {}); // the request that failed tells it too
      const value = await work(transaction.objectStore(store));
      await done;
      return value;
    } finally {
      db.close();
    }
  }
  const keysOf = (place) => within(place, "readonly", (store) => answered(store.getAllKeys()));
  const kept = (key) => within(OURS, "readonly", (store) => answered(store.get(key)));
  const putAll = (store, entries) => {
    for (const [key, value] of Object.entries(entries)) value === undefined ? store.delete(key) : store.put(value, key);
  };
  const keep = (entries) => within(OURS, "readwrite", (store) => putAll(store, entries));
  const roundOf = async (id) => (await kept(`round/${id}`)) ?? {};
  const setRound = (id, changes, more = {}) => within(OURS, "readwrite", async (store) => {
    const round = { ...await answered(store.get(`round/${id}`)), ...changes };
    const ended = round.state ? {} : { [`pending/${id}`]: undefined }; // a round that is over has nothing under way
    putAll(store, { ...ended, [`round/${id}`]: round, ...more });
    return round;
  }).then((round) => {
    if (view.id === id) view.round = round;
    draw(tell({ changed: id }));
  });

  const lock = navigator.locks.request.bind(navigator.locks);
  const glance = (id) => within(THEIRS, "readonly", (store) => answered(store.get(`CHAT_${id}`)));
  // The self-test before whatever is sent or written: the chat, if it is kept as we know it.
  function tested(id, chat) {
    if (chat === undefined || chat?.deletedAt) throw new Trouble(SAYS.deleted);
    const isKnown = chat.chatID === id && Array.isArray(chat.messages);
    if (!isKnown || !chat.messages.every((each) => each?.role || each?.type)) throw new Trouble(SAYS.updated);
    return chat;
  }

  // ---- what a chat becomes
  // No answer is being written: the list ends with a finished one, and nothing waits to go on.
  function isAtRest(chat) {
    const last = chat.messages.at(-1);
    return last?.role === "assistant" && !last.tool_calls?.length && !last.tmMetadata?.incomplete &&
      !("finish" in last && !last.finish) && !chat.savedControllerState;
  }
  const text = (message) => JSON.stringify(message);
  const beginsWith = (messages, prefix) =>
    messages.length >= prefix.length && prefix.every((message, at) => text(message) === text(messages[at]));
  const isMemory = (message) => message.memproc?.kind === "memory";
  const uuidsOf = (messages) => messages.map((message) => message.uuid);
  const deletedIn = (chat) => chat.syncMetadata?.deletedMessageUUIDs ?? [];

  // The chat as it stands, with these messages for its own and these uuids named as deleted; no other field is touched.
  function rewritten(chat, messages, deleted) {
    const present = new Set(uuidsOf(messages));
    const deletedMessageUUIDs = [...new Set(deleted)].filter((uuid) => !present.has(uuid));
    const updatedAt = chat.updatedAt instanceof Date ? new Date() : new Date().toISOString();
    const syncMetadata = { ...chat.syncMetadata, deletedMessageUUIDs };
    return { ...chat, messages, updatedAt, syncedAt: null, syncMetadata };
  }
  function withMemories(chat, { before, result }) {
    if (beginsWith(chat.messages, result.messages)) return null; // they stand there already
    if (!beginsWith(chat.messages, before.messages)) throw new Trouble(SAYS.changed);
    if (!isAtRest(chat)) throw new NotAtRest();
    const standing = new Map(chat.messages.map((message) => [text(message), message]));
    const messages = result.messages.map((message) => standing.get(text(message)) ?? message);
    const later = chat.messages.slice(before.messages.length);
    const next = rewritten(chat, [...messages, ...later], [...deletedIn(result), ...deletedIn(chat)]);
    return { ...next, memproc: { v: 1, first: messages.find(isMemory).uuid } };
  }
  // The chat as it was. It has the old messages already where a stale list was written over the memories.
  function withoutMemories(chat, { before, result }, wasSynced) {
    const standing = [result, before].find(({ messages }) => beginsWith(chat.messages, messages));
    if (!standing) throw new Trouble(SAYS.fixed);
    if (!isAtRest(chat)) throw new NotAtRest();
    const since = deletedIn(chat).filter((uuid) => !deletedIn(result).includes(uuid));
    // Other devices have the memories by now: named as deleted, they do not come back beside what they stood for.
    const memories = wasSynced || chat.syncedAt ? uuidsOf(result.messages) : [];
    const messages = [...before.messages, ...chat.messages.slice(standing.messages.length)];
    const next = rewritten(chat, messages, [...deletedIn(before), ...since, ...memories]);
    if (!before.syncMetadata && !deletedIn(next).length) delete next.syncMetadata;
    return { ...next, memproc: before.memproc };
  }
  // Whether a result is this chat, with nothing in it but memories and what was sent, and its end as it was.
  function isResultOf(result, before) {
    const known = new Set(before.messages.map(text));
    const hasItsEnd = text(result?.messages.at(-1)) === text(before.messages.at(-1));
    const isExpected = (message) => message.memproc || known.has(text(message));
    return hasItsEnd && result.messages.some(isMemory) && result.messages.every(isExpected);
  }

  // ---- memproc on this computer
  const bytesOf = (string) => new TextEncoder().encode(string);
  const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const digest = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));
  const exported = (chat) => bytesOf(`{"data":{"chats":[${JSON.stringify(chat)}]}}`);
  // memproc's, where it has served this script itself; else the person names the port
  const ownAddress = /^http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(document.currentScript?.src)?.[0] ?? "";
  let pairing = null; // {address, device, key}: the key cannot be read out of the browser, not even by scripts
  async function fetched(address, path, options) {
    try {
      const always = { signal: AbortSignal.timeout(PATIENCE), credentials: "omit", cache: "no-store" };
      const reply = await fetch(address + path, { ...options, ...always });
      return [reply, new Uint8Array(await reply.arrayBuffer())];
    } catch {
      throw new Silence(`memproc does not answer at ${address}. Does it run, and may this page use the local network?`);
    }
  }
  // A call that is signed, and whose answer counts only if it is signed too.
  async function call(method, path, body) {
    if (body?.length > LARGEST) throw new Trouble(SAYS.large);
    const { address, device, key } = pairing;
    const [time, once] = [String(Date.now()), hex(crypto.getRandomValues(new Uint8Array(16)))];
    const signed = async (...lines) => hex(await crypto.subtle.sign("HMAC", key, bytesOf(lines.join("\n"))));
    const headers = {
      "X-Memproc-Device": device, "X-Memproc-Time": time, "X-Memproc-Nonce": once,
      "X-Memproc-Mac": await signed(method, path, time, once, await digest(body ?? new Uint8Array())),
      ...(body && { "Content-Type": "application/json" }),
    };
    const [reply, content] = await fetched(address, path, { method, headers, body });
    if (reply.headers.get("X-Memproc-Mac") !== await signed(once, reply.status, await digest(content)))
      throw new Silence(reply.status === 401 ? SAYS.unknown : SAYS.foreign);
    const value = JSON.parse(new TextDecoder().decode(content));
    if (!reply.ok) throw new Trouble(value.reason);
    return value;
  }
  async function pair(address, code) {
    const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }) };
    const [reply, content] = await fetched(address, "/bridge/pair", options);
    const { device, token, reason } = JSON.parse(new TextDecoder().decode(content));
    if (!reply.ok) throw new Trouble(reason || SAYS.foreign);
    const raw = await crypto.subtle.digest("SHA-256", bytesOf(token));
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    pairing = { address, device, key };
    await keep({ pairing });
    silentUntil = 0;
    tell({ pairing: true });
  }

  // ---- a round: each step is kept before the next, so that a page that was closed goes on
  // `pending/ID` holds what was sent and what came back; `written/ID` the same of the last round, which serves undo.
  const steps = {
    async wanted(id) {
      const before = await lock(`CHAT_${id}`, async () => tested(id, await glance(id)));
      if (!isAtRest(before) || await hasFiles(id)) throw new NotAtRest();
      await keep({ [`pending/${id}`]: { before } });
      const { job } = await call("POST", "/bridge/jobs", exported(before));
      await setRound(id, { state: "sent", job, doing: SAYS.sending });
    },
    async sent(id, { job }) {
      const { state, says } = await call("GET", `/bridge/jobs/${job}`);
      if (["waiting", "running"].includes(state)) return setRound(id, { doing: says });
      if (state === "unchanged") return setRound(id, { state: "", said: says, at: Date.now() });
      if (state !== "done") throw new Trouble(says);
      const { before } = await kept(`pending/${id}`);
      const { data } = await call("GET", `/bridge/jobs/${job}/result`);
      const result = data.chats.find((chat) => chat.chatID === id);
      if (!isResultOf(result, before)) throw new Trouble(SAYS.other);
      await setRound(id, { state: "ready" }, { [`pending/${id}`]: { before, result } });
    },
    async ready(id) {
      const pending = await kept(`pending/${id}`);
      await write(id, (chat) => withMemories(chat, pending));
      const count = new Set(pending.result.messages.filter(isMemory).map((message) => message.memproc.memory)).size;
      const said = `Done: the chat begins with ${count} ${count === 1 ? "memory" : "memories"}`;
      const done = { state: "", said, at: Date.now(), writtenAt: Date.now(), canUndo: true };
      await setRound(id, done, { [`written/${id}`]: pending });
    },
    async undoing(id, { wasSynced }) {
      const written = await kept(`written/${id}`);
      await write(id, (chat) => withoutMemories(chat, written, wasSynced));
      const done = { state: "", said: "The chat is as it was, with what was said since", at: Date.now() };
      const over = { canUndo: false, wasSynced: false, auto: false };
      await setRound(id, { ...done, ...over }, { [`written/${id}`]: undefined });
    },
  };
  // Files in the message box are lost where its chat is left, which every write does. Each tab that shows some holds a
  // shared lock by the chat's name, which ends with the tab, whatever becomes of it.
  const holds = new Map(); // chat -> ends the lock of this tab
  const FILES = "memproc/files/";
  const filesHere = () => [...document.querySelectorAll('[class*="group/attachment"]')].some((file) =>
    !file.closest('[class*="message-id-"]'));
  function noteFiles() {
    const id = shownChat(), has = Boolean(id) && filesHere();
    for (const [other, end] of holds) if (other !== id || !has) holds.delete(other, end());
    if (has && !holds.has(id)) lock(FILES + id, { mode: "shared" }, () => new Promise((end) => holds.set(id, end)));
  }
  async function hasFiles(id) {
    const { held } = await navigator.locks.query();
    return held.some(({ name }) => name === FILES + id) || (shownChat() === id && filesHere());
  }
  // Change one chat in one transaction: `decide` gets it as it stands and returns the whole new one, or null for none.
  // Every tab then reads it anew at once: until then, what is said there writes the old list back.
  async function write(id, decide) {
    if (Date.now() - (typed.get(id) ?? 0) < HANDS_OFF || await hasFiles(id)) throw new NotAtRest();
    await lock(`CHAT_${id}`, () => within(THEIRS, "readwrite", async (store) => {
      const next = decide(tested(id, await answered(store.get(`CHAT_${id}`))));
      if (shownChat() === id && filesHere()) throw new NotAtRest();
      if (next) await answered(store.put(next, `CHAT_${id}`));
      if (next && view.id === id) Object.assign(view, { groups: grouped(next.messages), stale: null }); // drawn at once
    }));
    tell({ written: id });
    await reread(id);
  }
  // One step of every round that is under way, in one tab at a time.
  const advance = () => lock("memproc", { ifAvailable: true }, async (held) => {
    if (!held || !pairing) return;
    for (const id of (await keysOf(OURS)).filter((key) => key.startsWith("round/")).map((key) => key.slice(6))) {
      const round = await roundOf(id);
      if (round.state) await attempt(id, () => steps[round.state](id, round));
    }
  });
  // What is kept of a chat goes when the chat has gone from TypingMind's store, seen twice, and never where that store
  // seems to hold no chat at all; in the bin a chat is still there. The old chat that serves Undo goes after its days.
  const OF_CHAT = /^(?:round|written|pending)\/(.+)$/;
  let seenGone = new Set(), tidyAt = 0;
  async function tidy() {
    if (Date.now() < tidyAt) return;
    tidyAt = Date.now() + TIDY;
    const chats = new Set((await keysOf(THEIRS)).filter((key) => /^CHAT_/.test(key)).map((key) => key.slice(5)));
    const ours = new Set((await keysOf(OURS)).map((key) => OF_CHAT.exec(key)?.[1]).filter(Boolean));
    const gone = new Set([...ours].filter((id) => chats.size && !chats.has(id)));
    for (const id of ours) {
      const { canUndo, writtenAt } = await roundOf(id);
      if (gone.has(id) && seenGone.has(id)) await forgetChats([id]);
      else if (canUndo && !writtenAt) await setRound(id, { writtenAt: Date.now() });
      else if (canUndo && Date.now() - writtenAt > UNDO_DAYS * DAY)
        await setRound(id, { canUndo: false }, { [`written/${id}`]: undefined });
    }
    seenGone = gone;
  }
  const forgetChats = (ids) => keep(Object.fromEntries(ids.flatMap((id) =>
    ["round", "written", "pending"].map((kind) => [`${kind}/${id}`, undefined]))));
  let silentUntil = 0; // when memproc is asked again that did not answer
  async function attempt(id, step) {
    if (Date.now() < silentUntil) return noteChange();
    let trouble = "";
    try {
      await step();
    } catch (fault) {
      if (fault instanceof NotAtRest) return;
      trouble = sentenceOf(fault);
      if (fault instanceof Silence) silentUntil = Date.now() + AGAIN;
      else await setRound(id, { state: "", said: trouble, at: 0 }).then(() => (trouble = ""), () => {});
    }
    if (view.id === id) view.trouble = trouble;
  }
  function sentenceOf(fault) {
    if (fault instanceof Trouble) return fault.message;
    console.warn("memproc", fault);
    return fault?.name === "QuotaExceededError" ? SAYS.full : `${SAYS.unforeseen} (${fault?.name})`;
  }

  // ---- TypingMind's view: which chat is open, and how it is made to read one anew
  let left = ""; // the chat that is being left and returned to: for the person it stays open
  const shownChat = () => /\bchat=([^&]+)/.exec(location.hash)?.[1] ?? "", openChat = () => left || shownChat();
  const textbox = () => document.querySelector("[data-element-id=chat-input-textbox]");
  const blocks = () => document.querySelectorAll('[class*="message-id-"]');
  const uuidOf = (block) => /message-id-(\S+)/.exec(block?.className)?.[1];
  const typed = new Map(); // chat -> when a key was last pressed in it, in any tab
  async function until(isTrue) {
    const end = Date.now() + SWITCH;
    while (!isTrue() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    return isTrue();
  }
  async function anotherChat(id) {
    for (const key of (await keysOf(THEIRS)).filter((name) => /^CHAT_/.test(name) && name !== `CHAT_${id}`)) {
      const chat = await glance(key.slice(5));
      if (chat?.messages?.length && !chat.deletedAt) return chat.chatID;
    }
    return "";
  }
  // Leave the chat and return, so that TypingMind reads it anew.
  async function reread(id) {
    if (openChat() !== id || !blocks().length) return; // a page that only begins reads it anyway
    const [last, other] = [(await glance(id)).messages.at(-1), await anotherChat(id)];
    const [box, shown] = [textbox(), uuidOf(blocks()[0])];
    const [draft, hasFocus] = [box?.value, box && document.activeElement === box];
    if (!other && !draft) return location.reload();
    left = other && id;
    if (other) location.replace(`#chat=${other}`);
    const hasLeft = other && await until(() => uuidOf(blocks()[0]) !== shown);
    left = "";
    if (view.id === id) Object.assign(view, { isUnread: !hasLeft, changedAt: Date.now() });
    if (shownChat() !== other) return; // the person has gone elsewhere meanwhile
    location.replace(`#chat=${id}`);
    await until(() => [...blocks()].some((block) => uuidOf(block) === last.uuid));
    const returned = textbox();
    if (draft && returned && returned.value !== draft) {
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(returned), "value").set.call(returned, draft);
      returned.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (hasFocus) returned?.focus({ preventScroll: true });
  }

  // ---- what is seen: the pill with its panel, and memories under their names
  const host = Object.assign(document.createElement("div"), { id: "memproc-bridge", hidden: true });
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = `<style>
      :host { position: fixed; top: 56px; right: 14px; z-index: 2147483000; max-width: min(28rem, 92vw);
        font: 13px/1.4 system-ui, sans-serif; color-scheme: light dark; color: CanvasText; }
      div:first-of-type { display: flex; justify-content: flex-end; } [hidden] { display: none !important; }
      button, .panel { font: inherit; color: inherit; background: Canvas; border: 1px solid #8885; border-radius: .5rem;
        padding: .3rem .7rem; text-align: left; text-wrap: pretty; } .pill, .panel { box-shadow: 0 1px 4px #0003; }
      p { margin: 0 0 .5rem; } label { display: flex; align-items: baseline; gap: .4rem; margin: .4rem 0; }
      .pill { padding: .4rem .8rem; border-left: 4px solid #7a5fa0; border-radius: .8rem 0 0 .8rem; }
      .pill.trouble { border-left-color: #b3541e; } .pill.work { border-left-color: #2f7d5b; }
      div:has(+ [hidden]) .pill { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4;
        overflow: clip; overflow-clip-margin: content-box; }
      .keep { margin-right: .4rem; border-radius: .8rem; }
      .more { border-radius: 0 .8rem .8rem 0; margin-left: -1px; } .panel { margin-top: .4rem; padding: .8rem; }
    </style>
    <div><button class="keep" hidden>Keep these words</button><button class="pill" aria-live="polite"></button><button class="more" aria-label="More">⋯</button></div>
    <div class="panel" hidden><p class="why"></p>
      <form><p>In a terminal, <b>memproc pair</b> shows six digits for two minutes. Your browser may ask whether this
          page may use the local network: that is how it reaches memproc on this computer.</p>
        <label>Six digits <input name="code" inputmode="numeric" pattern="\\s*([0-9]\\s*){6}" size="7" required></label>
        <label class="port">Port of memproc <input name="port" pattern="[0-9]+" size="6" value="27183" required></label>
        <button>Pair</button></form>
      <section><label><input type="checkbox" name="auto"> Compress this chat by itself when memories are due</label>
        <button class="stop">Stop waiting</button> <button class="undo">Undo: put the old chat back</button>
        <button class="forget">Forget the pairing</button></section></div>`;
  const part = (selector) => root.querySelector(selector);
  const plans = new Map(); // chat -> what memproc said of it, with the digest of the chat that it was said of
  let view = { id: "" }; // of the open chat: what was read of it, and its round
  const isRefused = (round) => round.said && !round.at; // what was done was said at a time, and passes
  // The pill's sentence, and whether it tells of trouble, of work, or of neither.
  function sentence() {
    const { round, trouble, size, id } = view;
    if (view.isUnread || trouble) return [view.isUnread ? SAYS.unread : trouble, "trouble"];
    if (!pairing) return [SAYS.unpaired, ""];
    const doing = { wanted: view.isResting ? SAYS.sending : SAYS.busy, sent: round.doing };
    if (view.hasFiles && round.state && round.state !== "sent") return [SAYS.files, "work"];
    if (round.state) return [doing[round.state] ?? SAYS[round.state], "work"];
    if (view.stale) return [SAYS.stale, "trouble"];
    if (isRefused(round)) return [round.said, "trouble"];
    if (round.said && Date.now() - round.at < SHOWN) return [round.said, ""];
    const { says, isUnplanned } = plans.get(id) ?? {};
    return [says ?? `memproc: ${(size / (1 << 20)).toFixed(1)} MiB`, isUnplanned ? "trouble" : ""];
  }
  function draw() {
    if (!host.isConnected) document.body.append(host);
    host.hidden = !view.isKnown || view.id !== openChat();
    if (host.hidden) return;
    const [[words, kind], { state, canUndo, auto }] = [sentence(), view.round];
    const paired = pairing && view.trouble !== SAYS.unknown;
    if (part(".pill").textContent !== words) part(".pill").textContent = words; // what is set is read out aloud
    part(".why").textContent = (paired && plans.get(view.id)?.why) || "";
    part(".pill").className = `pill ${kind}`;
    const seen = { ".keep": paired && marked(), form: !paired, ".port": !ownAddress, section: paired, ".stop": state, ".undo": canUndo && !state };
    for (const [selector, isSeen] of Object.entries(seen)) part(selector).hidden = !isSeen;
    part("[name=auto]").checked = Boolean(auto);
  }
  const FORGET = "Forget the pairing", SURELY = "Press again to forget it. Undo of every chat goes from this browser; " +
    "memproc restore stays";
  async function forget() {
    if (part(".forget").textContent !== SURELY) return void (part(".forget").textContent = SURELY);
    const telling = call("POST", "/bridge/forget", bytesOf("{}")).then(() => "", ({ message }) =>
      message === SAYS.unknown ? "" : SAYS.untold);
    const chats = (await keysOf(OURS)).map((key) => OF_CHAT.exec(key)?.[1]).filter(Boolean);
    await lock("memproc", () => forgetChats(chats));
    await keep({ pairing: undefined });
    Object.assign(view, { round: {}, stale: null });
    tell({ pairing: (pairing = null) ?? true });
    openPanel(false);
    view.trouble = await telling;
  }
  function openPanel(isOpen) {
    part(".panel").hidden = !isOpen;
    part(".forget").textContent = FORGET;
    part(".more").ariaExpanded = String(isOpen);
    if (isOpen && !part("form").hidden) part("[name=code]").focus();
  }
  function set(changes, more, id = view.id) {
    silentUntil = 0;
    Object.assign(view, { trouble: "", round: { ...view.round, ...changes } }); // said at once, and kept below
    draw();
    return lock("memproc", () => attempt(id, () => setRound(id, changes, more)));
  }
  function press() {
    const { id, round, stale, trouble } = view;
    const { due, made, ready, isUnplanned } = plans.get(id) ?? { due: true };
    const isDue = stale || due || made || ready || isUnplanned || isRefused(round);
    const hasWork = trouble ? trouble !== SAYS.unknown : !round.state && isDue;
    if (view.isUnread) location.reload();
    else if (!pairing || !hasWork) openPanel(true);
    else if (round.state) set({});
    else if (stale) set({ state: "ready", said: "" }, { [`pending/${id}`]: stale });
    else set({ state: "wanted", said: "" });
  }
  // What is marked within one message of the conversation.
  function marked() {
    const { anchorNode, focusNode } = document.getSelection(), words = document.getSelection().toString().trim();
    const blockOf = (node) => (node?.closest ? node : node?.parentElement)?.closest('[class*="message-id-"]');
    const [block, end] = [anchorNode, focusNode].map(blockOf), message = uuidOf(block);
    return words && block && block === end && !view.groups?.has(message) ? { message, words } : null;
  }
  async function keepMarked() {
    const { id } = view, asked = marked();
    if (!asked) return;
    const calling = call("POST", "/bridge/keep", bytesOf(JSON.stringify({ chat: id, ...asked })));
    const said = await calling.then(({ says }) => says, sentenceOf);
    document.getSelection().removeAllRanges();
    await lock("memproc", () => setRound(id, { said, at: Date.now() }));
  }
  part(".keep").onmousedown = (event) => event.preventDefault(); // or the mark would go
  part(".keep").onclick = keepMarked;
  document.addEventListener("selectionchange", () => view.round && draw());
  part(".pill").onclick = press;
  part(".more").onclick = () => openPanel(part(".panel").hidden);
  part(".stop").onclick = () => set({ state: "", said: "", auto: false });
  part(".undo").onclick = () => set({ state: "undoing", said: "" }).then(() => openPanel(false));
  part("[name=auto]").onchange = (event) => set({ auto: event.target.checked, tried: null });
  part(".forget").onclick = forget;
  part("form").onsubmit = async (event) => {
    event.preventDefault();
    const address = ownAddress || `http://127.0.0.1:${part("[name=port]").value}`;
    const code = part("[name=code]").value.replace(/\s/g, ""); // spaces come along when digits are pasted
    view.trouble = await pair(address, code).then(() => part("form").reset() ?? "", sentenceOf);
    openPanel(Boolean(view.trouble));
  };

  // Memories: attributes on TypingMind's own blocks, and style; no node is moved or written to.
  const style = Object.assign(document.createElement("style"), { textContent: `
    [data-memproc=inside], [data-memproc=closed] > * { display: none !important; }
    [data-memproc-title]::before { display: block; max-width: 44rem; margin: .2rem auto; padding: .25rem .8rem;
      border-left: 3px solid #7a5fa0; font-size: .9em; cursor: pointer; content: "▸ " attr(data-memproc-title); }
    [data-memproc=open]::before { content: "▾ " attr(data-memproc-title); }` });
  const opened = new Set(); // the memories that the person has opened
  const titles = { opening: () => "Before the memories", closing: () => "After the memories", memory: (content) =>
    /Memor(?:y|ies) [^.?\n]+/.exec(typeof content === "string" ? content : content?.[0]?.text)?.[0] ?? "Memory" };
  function grouped(messages) { // uuid -> the memory it belongs to, with a title at its first message
    const [groups, names] = [new Map(), new Map()];
    for (const { uuid, content, memproc } of messages.filter((message) => titles[message.memproc?.kind])) {
      const name = memproc.memory ?? memproc.kind;
      groups.set(uuid, { name, title: names.has(name) ? null : titles[memproc.kind](content) });
      names.set(name, groups.get(uuid).title ?? names.get(name));
    }
    const [first] = groups.values();
    if (first?.name !== "opening") return groups;
    // The opening stands for all of them: they come out when it is opened.
    first.title = inAll([...names].filter(([name]) => !(name in titles)).map(([, title]) => title));
    for (const group of [...groups.values()].slice(1)) group.isBehind = true;
    return groups;
  }
  // What many titles say together: "13 memories, March to June 2024".
  function inAll(named) {
    const counts = named.map((title) => /^Memories (\d+) to (\d+)/.exec(title) ?? [0, 1, 1]);
    const count = counts.reduce((sum, [, from, to]) => sum + Number(to) - Number(from) + 1, 0);
    const words = `${count} ${count === 1 ? "memory" : "memories"}`;
    const monthsOf = (title = "") => [.../, ([^:]*)/.exec(title)?.[1].matchAll(/([A-Z]\p{L}+)(?: (\d{4}))?/gu) ?? []];
    const [begun, ended] = [monthsOf(named[0]), monthsOf(named.at(-1)).at(-1)];
    if (!begun.length || !ended) return words;
    const [, month, year = begun.at(-1)[2]] = begun[0];
    const since = year !== ended[2] ? `${month} ${year} to ` : month !== ended[1] ? `${month} to ` : "";
    return `${words}, ${since}${ended[1]} ${ended[2]}`;
  }
  function collapse() {
    for (const block of blocks()) {
      const group = view.groups?.get(uuidOf(block)) ?? {};
      const isHidden = group.isBehind && !opened.has("opening");
      const title = isHidden ? null : group.title ?? null, isOpen = !isHidden && opened.has(group.name);
      const state = !group.name || (isOpen && !title) ? null : isOpen ? "open" : title ? "closed" : "inside";
      if (!state && !("memproc" in block.dataset)) continue;
      const values = { "data-memproc": state, "data-memproc-title": title, tabindex: title && "0" };
      for (const [key, value] of Object.entries(values))
        value === null ? block.removeAttribute(key) : block.setAttribute(key, value);
    }
  }
  function toggle(event) {
    const group = event.target.dataset?.memprocTitle && view.groups?.get(uuidOf(event.target));
    if (!group || (event.type === "keydown" && event.key !== "Enter")) return;
    if (!opened.delete(group.name)) opened.add(group.name);
    collapse();
  }

  // ---- the loop: look at the open chat where something has changed, and take a step where a round is under way
  const channel = new BroadcastChannel("memproc");
  const noteChange = () => void (view.changedAt = Date.now());
  const tell = (message) => noteChange(channel.postMessage(message));
  channel.onmessage = async ({ data }) => {
    if (data.typed) return void typed.set(data.typed, Date.now());
    if (data.written) await reread(data.written);
    if (data.pairing) pairing = await kept("pairing");
    noteChange();
  };
  async function look() {
    const id = openChat();
    if (id !== view.id) view = { id, changedAt: Date.now(), readAt: 0, misses: 0, round: {} };
    // TypingMind shows a change before it keeps it, so a chat is read until nothing has changed for a while.
    const isOld = !document.hidden && Date.now() - (plans.get(id)?.at ?? Infinity) > ASK;
    if (!id || Date.now() - view.readAt < READ || (view.readAt > view.changedAt + READ && !isOld)) return;
    view.readAt = Date.now();
    const chat = await glance(id);
    view.round = await roundOf(id);
    view.misses = chat || !blocks().length ? 0 : view.misses + 1;
    view.isKnown = Boolean(chat) || view.misses > 2; // a chat that is shown, and kept elsewhere than where we look
    if (!chat && !view.isKnown) return noteChange();
    if (!Array.isArray(chat?.messages)) throw new Trouble(SAYS.updated);
    const [body, stale] = [exported(chat), await staleness(id, chat)];
    Object.assign(view, { size: body.length, groups: grouped(chat.messages), stale, isResting: isAtRest(chat) });
    if (view.round.canUndo && chat.syncedAt && !view.round.wasSynced) await setRound(id, { wasSynced: true });
    if (!view.isResting) noteChange();
    draw(); // memproc may take its time
    if (view.isResting && pairing && !view.round.state && !stale) await attempt(id, () => plan(id, body));
  }
  // Ask what is due in the chat as it stands, and after a while again; for a chat on `auto`, also begin. Why nothing
  // could be planned is said until it can be, and is no word of a round.
  async function plan(id, body) {
    const [of, known] = [await digest(body), plans.get(id)];
    if (known?.of !== of || Date.now() - known.at > ASK)
      plans.set(id, { ...await call("POST", "/bridge/plan", body).catch(unplanned), of, at: Date.now() });
    // A refusal is of the chat as it was sent; it goes when the chat has changed.
    if (known && known.of !== of && isRefused(view.round)) await setRound(id, { said: "" });
    const { auto, tried } = view.round; // what was stopped is tried again when the chat has changed
    const { due, ready } = plans.get(id);
    if (auto && (due || ready) && tried !== of) await setRound(id, { state: "wanted", said: "", tried: of });
  }
  function unplanned(fault) {
    if (fault instanceof Silence || !(fault instanceof Trouble)) throw fault;
    return { says: fault.message, isUnplanned: true };
  }
  // What to put back where a stale list was written over the memories: the chat's own field outlives that.
  async function staleness(id, chat) {
    const { first } = chat.memproc ?? {};
    if (!first || !view.round.canUndo || uuidsOf(chat.messages).includes(first)) return null;
    const written = await kept(`written/${id}`);
    return beginsWith(chat.messages, written.before.messages) ? written : null;
  }
  function noteTyping(event) {
    if (event.target === host) return;
    channel.postMessage({ typed: openChat() });
    typed.set(openChat(), Date.now());
  }
  async function loop() {
    if (document.querySelector("[data-element-id=edit-message-label]")) noteTyping({}); // leaving would end the edit
    noteFiles();
    try {
      await look();
      view.hasFiles = Boolean(view.id) && await hasFiles(view.id);
      await advance();
      await tidy();
    } catch (fault) {
      Object.assign(view, { trouble: sentenceOf(fault), isKnown: true });
    }
    collapse();
    draw();
    setTimeout(loop, SECOND);
  }
  async function start() {
    pairing = await kept("pairing");
    document.head.append(style);
    addEventListener("hashchange", draw); // what is seen would belong to another chat
    for (const name of ["keydown", "input", "pointerdown", "drop", "paste", "change"]) document.addEventListener(name, noteTyping, true);
    for (const name of ["click", "keydown"]) document.addEventListener(name, toggle);
    for (const name of ["keydown", "keyup"]) host.addEventListener(name, (event) => event.stopPropagation());
    new MutationObserver(() => noteChange(noteFiles(collapse()))).observe(document.body, { childList: true, subtree: true });
    loop();
  }
  start();
})();
