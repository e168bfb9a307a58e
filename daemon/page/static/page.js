// Drag and drop, and parts of the page that are loaded again while something is running.
// The page works without: a file can be chosen in the form, and a reload shows what has happened.
"use strict";

const LIVE_MILLISECONDS = 2000;

function watchPart(part) {
  const load = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(part.dataset.live, { credentials: "same-origin" });
      if (answer.status === 204) return location.reload();
      if (answer.ok) part.innerHTML = await answer.text(); // our own template, in which all text is escaped
    } catch { /* memproc has ended or begins anew: the next time tells */ }
  };
  setInterval(load, LIVE_MILLISECONDS);
}

function acceptDrops(form) {
  const input = form.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"])
    form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
  for (const name of ["dragleave", "drop"])
    form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  input.addEventListener("change", () => input.files.length && form.requestSubmit());
}

// Parts that take a second to find out come once the rest is shown, one after the other.
async function loadParts() {
  for (const part of document.querySelectorAll("[data-once]")) {
    try {
      const answer = await fetch(part.dataset.once, { credentials: "same-origin" });
      if (answer.ok) part.innerHTML = await answer.text(); // our own template, in which all text is escaped
    } catch { return; }
  }
}

loadParts();
document.querySelectorAll("[data-live]").forEach(watchPart);
document.querySelectorAll("form.drop").forEach(acceptDrops);
