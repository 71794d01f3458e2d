// The runs of the folder: open one, its report, or compare two.
import { ask, make } from "./ask.js";
import { fill } from "./form.js";

const EVERY_MS = 5000;
const FIRST = 50;
const rows = document.getElementById("rows");
const compare = document.getElementById("compare");
const older = document.getElementById("more-runs");
let shown = FIRST;
let last = "";

const checked = () => [...rows.querySelectorAll("input:checked")].map((one) => one.value);

const cell = (label, kind, ...inside) => make("td", { role: "cell", "data-label": label, class: kind }, ...inside);

const row = (one, chosen) => {
  const live = one.state === "running" || one.state === "starting";
  const ended = one.state === "ended";
  const open = make("a", { href: `#run=${encodeURIComponent(one.name)}` }, one.name);
  const path = `runs/${encodeURIComponent(one.name)}/report`;
  const readable = ended || one.state === "search" || one.state === "broken off";
  const report = readable ? make("a", { href: path, "aria-label": `Report of ${one.name}` }, "report") : "–";
  const box = make("input", { type: "checkbox", value: one.name, "aria-label": `Compare ${one.name}` });
  box.checked = chosen.includes(one.name);
  const verdict = live ? one.state : [one.state === "ended" ? "" : one.state, one.verdict].filter(Boolean).join(": ");
  return make("tr", { role: "row" },
    make("th", { role: "rowheader", scope: "row" }, one.state === "search" ? one.name : open),
    cell("begun", "", one.started_at.replace("T", " ").replace("+00:00", " UTC")),
    cell("load", "", [one.what, one.load].filter(Boolean).join(", ")),
    cell("verdict", one.kind, verdict),
    cell("report", "", report),
    cell("compare", "", ended ? box : "–"));
};

const refresh = async (force = false) => {
  const reply = await ask("runs");
  if (!reply || !reply.ok) return;
  const said = JSON.stringify([reply.content, shown]);
  if (said === last && !force) return;
  last = said;
  const held = document.activeElement;
  const [tag, word] = rows.contains(held) ? [held.tagName, held.value || held.getAttribute("href")] : [];
  const chosen = checked();
  rows.replaceChildren(...reply.content.slice(0, shown).map((one) => row(one, chosen)));
  // The list is made anew under the hands of who uses the keyboard: they stay where they were.
  if (tag) [...rows.querySelectorAll(tag)].find((one) => (one.value || one.getAttribute("href")) === word)?.focus();
  document.getElementById("no-runs").hidden = reply.content.length > 0;
  older.hidden = reply.content.length <= shown;
  counted();
};

const counted = () => { compare.disabled = checked().length !== 2; };

const refused = (words, withAWayOut) => {
  document.getElementById("compare-error").textContent = words;
  document.getElementById("compare-anyway").hidden = !withAWayOut;
};

// Asked for before it is shown: a comparison that is refused is told here, where something can be done.
const compareThem = async (anyway) => {
  const [newer, earlier] = checked();
  const query = new URLSearchParams({ old: earlier, new: newer, ...(anyway && { anyway: "yes" }) });
  const reply = await ask(`comparable?${query}`);
  if (!reply) return;
  const why = reply.ok ? reply.content.refused : reply.content.error;
  if (!why) location.href = `compare?${query}`;
  refused(why, reply.content.anyway);
  if (reply.content.anyway) document.getElementById("anyway").focus();
};

rows.addEventListener("change", () => { counted(); refused("", false); });
older.addEventListener("click", () => { shown += FIRST; refresh(); });
document.getElementById("list").addEventListener("submit", (event) => {
  event.preventDefault();
  compareThem(false);
});
document.getElementById("anyway").addEventListener("click", () => {
  if (checked().length === 2) compareThem(true);
});

export const showHome = () => {
  document.title = "Loadstone";
  fill();
  refresh(true);
  const timer = setInterval(refresh, EVERY_MS);
  return () => clearInterval(timer);
};
