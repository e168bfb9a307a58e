// A chat client of our own that keeps and shows chats as TypingMind was seen to do, for the tests of the bridge.
//
// A chat lies in IndexedDB under CHAT_<id>. The open one is held in memory: whatever is said, edited or deleted is saved
// by passing that whole list to a get, a merge and a put under the Web Lock CHAT_<id>. Only a change of the hash to
// another chat reads anew. The blocks on the page belong to this client, which notes whoever moves or rewrites them.
"use strict";

const DRAWN = 200; // of a longer chat, the last ones are drawn
const app = {
  id: "", chat: null, messages: [], // the open chat, as it was read and as it has become since
  editing: null, drafts: new Map(), streams: new Map(), // chat -> the words of the answer that is under way
  wordMs: 20, answer: "Yes, I remember that well.", violations: [], sent: [], // what reached the model
};
window.app = app;
const box = document.querySelector("textarea");
const list = document.querySelector(".messages");

const answered = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const database = new Promise((resolve, reject) => {
  const opening = indexedDB.open("keyval-store");
  opening.onupgradeneeded = () => opening.result.createObjectStore("keyval");
  opening.onsuccess = () => resolve(opening.result);
  opening.onerror = () => reject(opening.error);
});
const store = async (mode) => (await database).transaction("keyval", mode).objectStore("keyval");
app.get = async (id) => answered((await store("readonly")).get(`CHAT_${id}`));
app.put = async (chat) => answered((await store("readwrite")).put(chat, `CHAT_${chat.chatID}`));
app.remove = async (id) => answered((await store("readwrite")).delete(`CHAT_${id}`));
const textOf = (message) => typeof message.content === "string" ? message.content
  : (message.content ?? []).map((part) => part.text ?? "").join("");

// The whole list takes the place of what is stored, whatever that is by now.
app.save = (id, messages, fields = {}) => app.saved = navigator.locks.request(`CHAT_${id}`, async () => {
  const stored = await app.get(id);
  if (stored) await app.put({ ...stored, ...fields, messages });
});

async function route() {
  const id = /chat=([^&]+)/.exec(location.hash)?.[1];
  if (!id || id === app.id) return; // an empty hash leaves the chat that is open
  const edited = app.editing && app.messages.find((message) => message.uuid === app.editing);
  if (app.id) app.drafts.set(app.id, edited ? textOf(edited) : box.value); // leaving ends an edit; its new words are lost
  app.setEditing(null);
  app.attach(); // leaving a chat empties its message box of files
  app.id = id;
  app.messages = [];
  draw();
  let chat, saved;
  do { // what is being saved is read with it
    saved = app.saved;
    await saved;
    chat = await app.get(id);
  } while (app.saved !== saved);
  if (app.id !== id) return;
  app.chat = chat;
  app.messages = chat?.messages ?? [];
  box.value = app.drafts.get(id) ?? "";
  draw();
}

function blockFor(message) {
  const wrapper = document.createElement("div");
  wrapper.innerHTML = '<div data-element-id="response-block"><span class="tools"><button type="button" class="edit">' +
    'Edit</button> <button type="button" class="delete">Delete</button></span><p></p></div>';
  wrapper.uuid = message.uuid;
  wrapper.querySelector(".edit").onclick = () => app.edit(message.uuid);
  wrapper.querySelector(".delete").onclick = () => app.delete(message.uuid);
  return wrapper;
}
let standing = []; // the blocks as we have left them, with what they say
function check() {
  const children = [...list.children];
  standing.forEach(({ block, text }, at) => {
    if (children[at] !== block) app.violations.push(`block ${at} was moved`);
    else if (block.querySelector("p")?.textContent !== text) app.violations.push(`block ${at} was rewritten`);
  });
}
app.check = check;
function draw() {
  check();
  const first = Math.max(0, app.messages.length - DRAWN);
  const stream = app.streams.get(app.id);
  const wanted = app.messages.slice(first).map((message, at) => ({ message, index: first + at }));
  const old = new Map([...list.children].map((block) => [block.uuid, block]));
  const blocks = wanted.map(({ message, index }) => {
    const block = old.get(message.uuid) ?? blockFor(message);
    block.className = `rounded ${message.role} message-index-${index} message-id-${message.uuid}`;
    const text = textOf(message);
    if (block.querySelector("p").textContent !== text) block.querySelector("p").textContent = text;
    return block;
  });
  if (stream !== undefined) { // the answer under way has no uuid yet
    const block = old.get("stream") ?? blockFor({ uuid: "stream" });
    block.className = "rounded assistant";
    block.querySelector("p").textContent = stream;
    blocks.push(block);
  }
  blocks.forEach((block, at) => {
    if (list.children[at] !== block) list.insertBefore(block, list.children[at] ?? null);
  });
  while (list.children.length > blocks.length) list.lastChild.remove();
  standing = blocks.map((block) => ({ block, text: block.querySelector("p").textContent }));
  document.querySelector("h1").textContent = app.chat?.chatTitle ?? "";
  document.querySelectorAll("nav a").forEach((link) => link.classList.toggle("current", link.hash === `#chat=${app.id}`));
}

// What is said or changed goes into the list in memory, and that list into the store.
function show(id, messages) {
  if (app.id !== id) return;
  app.messages = messages;
  draw();
}
app.say = async (text) => {
  const { id } = app;
  const messages = [...app.messages, {
    role: "user", content: [{ type: "text", text }], uuid: crypto.randomUUID(), createdAt: new Date().toISOString(),
  }];
  app.streams.set(id, "");
  show(id, messages);
  await app.save(id, messages);
  await stream(id, messages);
};
app.regenerate = async () => {
  const { id } = app;
  const messages = app.messages.slice(0, app.messages.findLastIndex((message) => message.role === "user") + 1);
  app.streams.set(id, "");
  show(id, messages);
  await app.save(id, messages);
  await stream(id, messages);
};
async function stream(id, messages) {
  app.sent.push(messages.map(textOf));
  for (const word of app.answer.split(/(?<= )/)) {
    app.streams.set(id, (app.streams.get(id) ?? "") + word);
    draw();
    await new Promise((resolve) => setTimeout(resolve, app.wordMs));
  }
  const text = app.streams.get(id);
  app.streams.delete(id);
  const usage = { completion_tokens: 7, prompt_tokens: 100, total_tokens: 107 };
  const whole = [...messages, {
    content: [{ type: "text", text }], id: `msg_${Date.now()}`, type: "message", role: "assistant", model: "m",
    stop_reason: "end_turn", stop_sequence: null, usage, finish: "end_turn", createdAt: new Date().toISOString(),
    uuid: crypto.randomUUID(),
  }];
  show(id, whole);
  await app.save(id, whole);
}
app.setEditing = (uuid) => {
  app.editing = uuid;
  document.querySelector("form output").hidden = !uuid;
  document.querySelector("form output").toggleAttribute("data-element-id", Boolean(uuid));
  if (uuid) document.querySelector("form output").dataset.elementId = "edit-message-label";
};
app.edit = (uuid) => {
  if (app.streams.has(app.id)) return;
  app.setEditing(uuid);
  box.value = textOf(app.messages.find((message) => message.uuid === uuid));
  box.focus();
};
app.update = async (uuid, text) => {
  const { id } = app;
  const content = [{ type: "text", text }];
  const messages = app.messages.map((message) =>
    message.uuid === uuid ? { ...message, content, updatedAt: new Date().toISOString() } : message);
  show(id, messages);
  await app.save(id, messages);
};
app.delete = async (uuid) => {
  const { id } = app;
  const messages = app.messages.filter((message) => message.uuid !== uuid);
  show(id, messages);
  const deleted = app.chat.syncMetadata?.deletedMessageUUIDs ?? [];
  app.chat = { ...app.chat, syncMetadata: { deletedMessageUUIDs: [...deleted, uuid].slice(-100) } };
  await app.save(id, messages, { syncMetadata: app.chat.syncMetadata });
};

// Files in the message box, which are shown above it; with none, it is empty.
app.attach = (...names) => document.querySelector(".files").replaceChildren(...names.map((name) =>
  Object.assign(document.createElement("div"), { className: "isolate group/attachment", textContent: name })));

function submit() {
  const text = box.value.trim();
  if (!text || !app.id || app.streams.has(app.id)) return; // an answer under way is waited for
  app.attach();
  box.value = "";
  app.drafts.delete(app.id);
  const uuid = app.editing;
  app.setEditing(null);
  return uuid ? app.update(uuid, text) : app.say(text);
}
document.querySelector("form").onsubmit = (event) => { event.preventDefault(); submit(); };
document.querySelector(".again").onclick = () => app.regenerate();
box.onkeydown = (event) => {
  if (event.key === "Escape" && app.editing) {
    app.setEditing(null);
    box.value = "";
  }
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  submit();
};

async function begin() {
  const keys = await answered((await store("readonly")).getAllKeys());
  const chats = await Promise.all(keys.filter((key) => key.startsWith("CHAT_")).map((key) => app.get(key.slice(5))));
  document.querySelector("nav").replaceChildren(...chats.map((chat) =>
    Object.assign(document.createElement("a"), { href: `#chat=${chat.chatID}`, textContent: chat.chatTitle })));
  addEventListener("hashchange", route);
  await route();
  for (const url of JSON.parse(localStorage.getItem("TM_useExtensionURLs") ?? "[]"))
    document.body.append(Object.assign(document.createElement("script"), { src: url, async: true }));
}
begin();
