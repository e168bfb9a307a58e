// Drag and drop, and parts of the page that are loaded again while something is running.
// The page works without: a file can be chosen in the form, and a reload shows what has happened.
"use strict";

const LIVE_MILLISECONDS = 2000;

function watchPart(part) {
  const load = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(part.dataset.live);
      if (answer.status === 204) return location.reload();
      if (answer.ok) part.innerHTML = await answer.text(); // our own template, in which all text is escaped
    } catch { /* memproc has ended or begins anew: the next time tells */ }
  };
  setInterval(load, LIVE_MILLISECONDS);
}

// Home asks for marks, and loads the parts again whose mark has changed. Other tabs, commands and the daemon
// change them too.
function watchHome({ live: address, ...shown }) {
  let marks = shown;
  let misses = 0;
  const look = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(address).catch(() => null);
      misses = answer ? 0 : misses + 1;
      document.getElementById("silent").hidden = misses < 2;
      if (!answer?.ok) return;
      const { work, chats } = await answer.json();
      const changed = [marks.work !== work && "work", marks.chats !== chats && "chats"].filter(Boolean);
      if (changed.length) await replaceParts(changed);
      marks = { work, chats };
    } catch { /* memproc has ended or begins anew: the next time tells */ }
  };
  look();
  setInterval(look, LIVE_MILLISECONDS);
  document.addEventListener("visibilitychange", look);
}

async function replaceParts(names) {
  const query = new URLSearchParams(location.search);
  query.set("live", "1");
  const answer = await fetch(`/?${query}`);
  if (!answer.ok) throw new Error("no page");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html"); // our own template
  for (const name of names) {
    const [old, fresh] = [document, page].map((root) => root.querySelectorAll(`[data-part="${name}"]`));
    if (document.activeElement?.closest(`[data-part="${name}"]`)?.querySelector("input[type=search]:focus, select:focus"))
      continue; // someone is typing there
    old.forEach((part, index) => fresh[index] && part.replaceWith(fresh[index]));
  }
  await loadParts();
}

// Files are sent one after the other, each with its line; without JavaScript the form sends them all.
function uploadLine(name) {
  const list = document.getElementById("uploads");
  const [line, title, state] = ["li", "strong", "span"].map((tag) => document.createElement(tag));
  title.className = "name";
  title.textContent = name;
  state.textContent = "waits";
  line.append(title, " ", state);
  list.append(line);
  list.hidden = false;
  return { line, state };
}

function send(form, file, { line, state }) {
  return new Promise((done) => {
    const body = new FormData();
    body.append("form_token", form.elements.form_token.value);
    body.append("export", file);
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => {
      state.textContent = `is being sent, ${Math.round((100 * event.loaded) / event.total)} %`;
    };
    request.onload = () => {
      let refused = ["It could not be received. Load the page again, then try once more."];
      try { if (request.status === 200) refused = JSON.parse(request.responseText).refused; } catch { /* an error's page */ }
      if (request.status === 413) refused = ["This file is larger than 4 GiB. Put it into the inbox folder by hand."];
      line.className = refused.length ? "skipped" : "done";
      const why = refused.join(" "), isNamed = why.startsWith(`${file.name} `); // the line begins with the name
      state.textContent = why ? `Not taken. ${isNamed ? "It" + why.slice(file.name.length) : why}` : "Received.";
      done(!refused.length);
    };
    request.onerror = () => {
      line.className = "skipped";
      state.textContent = "The upload broke off. Drop the file again.";
      done(false);
    };
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.send(body);
  });
}

async function sendAll(form, files) {
  const lines = [...files].map((file) => [file, uploadLine(file.name)]);
  for (const [file, line] of lines) await send(form, file, line);
  form.reset();
  if (!lines.some(([, { line }]) => line.className === "skipped") && form.dataset.then) location.assign(form.dataset.then);
}

function acceptDrops(form) {
  const input = form.querySelector("input[type=file]");
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
  for (const name of ["dragenter", "dragover"])
    document.addEventListener(name, (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      form.classList.add("over");
    });
  document.addEventListener("dragleave", (event) => event.relatedTarget || form.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    form.classList.remove("over");
    if (!holdsFiles(event)) return;
    event.preventDefault();
    sendAll(form, event.dataTransfer.files);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); sendAll(form, input.files); });
  input.addEventListener("change", () => input.files.length && sendAll(form, input.files));
}

// One button is filled: that of the plan, else the first.
function fillOneButton() {
  const filled = [...document.querySelectorAll("main .go")];
  const planned = filled.find((button) => button.closest("[data-once]")) ?? filled[0];
  for (const button of filled) button.classList.toggle("go", button === planned);
}

// Parts that take a second to find out come once the rest is shown, one after the other.
async function loadParts() {
  for (const part of document.querySelectorAll("[data-once]")) {
    try {
      const answer = await fetch(part.dataset.once);
      if (answer.ok) part.innerHTML = await answer.text(); // our own template, in which all text is escaped
    } catch { return; }
    fillOneButton();
  }
  fillOneButton();
}

// Times are those of memproc's computer; where this browser is in another zone, they say which.
for (const time of document.querySelectorAll("time")) {
  const zone = /(?:Z|([+-])(\d\d):(\d\d))$/.exec(time.dateTime);
  const minutes = zone?.[1] ? Number(`${zone[1]}1`) * (60 * zone[2] + Number(zone[3])) : 0;
  if (-new Date(time.dateTime).getTimezoneOffset() !== minutes) time.append(` (UTC${zone?.[1] ? zone[0] : ""})`);
}

// What is marked of a message is kept; without a mark, all of it.
function keepMarked(form) {
  const button = form.querySelector("button");
  const marked = () => {
    const selection = getSelection(), words = form.closest("article").querySelector(".words");
    const isInside = [selection.anchorNode, selection.focusNode].every((node) => words.contains(node));
    return isInside ? selection.toString() : "";
  };
  document.addEventListener("selectionchange", () => {
    const words = marked();
    if (words || !form.contains(document.activeElement)) form.elements.words.value = words;
    button.textContent = form.elements.words.value ? "Keep these words" : "Keep";
  });
  button.addEventListener("mousedown", (event) => event.preventDefault()); // or the mark would go
}

// A long list is filtered as one types; without JavaScript the form asks for the list again.
function filterList(input) {
  const entries = [...document.getElementById(input.dataset.filters).querySelectorAll("[data-title]")];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const entry of entries)
      entry.hidden = !words.every((word) => entry.dataset.title.includes(word)) && !entry.querySelector(":checked");
  });
}

loadParts();
document.querySelectorAll("section[data-live]").forEach(watchPart);
document.querySelectorAll("h1[data-live]").forEach((title) => watchHome({ ...title.dataset }));
document.querySelectorAll("form.drop").forEach(acceptDrops);
document.querySelectorAll("form.keep").forEach(keepMarked);
document.querySelectorAll("[data-filters]").forEach(filterList);
