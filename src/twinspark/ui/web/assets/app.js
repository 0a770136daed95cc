// Refreshes the parts of a page that say where to load themselves again, and remembers the choice of colours.
"use strict";

const COLOURS = "twinspark-colours";

function applyColours(name) {
  if (name) document.documentElement.dataset.colours = name;
  else delete document.documentElement.dataset.colours;
}

function nextColours() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = document.documentElement.dataset.colours || (isDark ? "dark" : "light");
  return shown === "dark" ? "light" : "dark";
}

function storedColours() {
  try { return localStorage.getItem(COLOURS); } catch { return null; }
}

function storeColours(name) {
  try { localStorage.setItem(COLOURS, name); } catch { /* private windows have no storage */ }
}

// A part is left alone while the reader selects text in it or is on one of its links or buttons.
function isUsed(part) {
  const selection = getSelection();
  const isSelecting = !selection.isCollapsed && part.contains(selection.anchorNode);
  const focused = document.activeElement;
  return isSelecting || (part.contains(focused) && focused.matches("a, button"));
}

function replaceContent(part, html) {
  const scrolls = [...part.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  part.innerHTML = html; // rendered and escaped by the server
  part.querySelectorAll(".scroll").forEach((each, number) => { each.scrollLeft = scrolls[number] || 0; });
  showLocalTimes(part);
}

async function refresh(part) {
  if (document.hidden || isUsed(part)) return;
  const response = await fetch(part.dataset.live, { credentials: "same-origin" });
  if (!response.ok) return;
  if (response.headers.get("X-Reload")) { location.reload(); return; }
  replaceContent(part, await response.text());
}

async function keepFresh(part) {
  const pause = 1000 * Number(part.dataset.seconds || 2);
  for (;;) {
    await new Promise((done) => setTimeout(done, pause));
    try { await refresh(part); } catch { /* the server is restarting */ }
  }
}

function showLocalTimes(root) {
  for (const each of root.querySelectorAll("[data-moment]")) {
    each.title = new Date(1000 * Number(each.dataset.moment)).toLocaleString();
  }
}

function submitByKeyboard(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
}

applyColours(storedColours());
document.getElementById("colours")?.addEventListener("click", () => {
  const chosen = nextColours();
  storeColours(chosen);
  applyColours(chosen);
});
document.getElementById("statement")?.addEventListener("keydown", submitByKeyboard);
document.querySelectorAll("[data-live]").forEach(keepFresh);
showLocalTimes(document);
