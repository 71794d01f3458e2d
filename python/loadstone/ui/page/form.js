// The form that starts a run: the scenario's own values as hints, what the command line says at each field.
import { ask, make, send, tell } from "./ask.js";

const FIELDS = ["scenario", "load", "window", "target", "goals", "seed"];
const form = document.getElementById("form");
const at = (name) => document.getElementById(name);
let filled = false;

const options = (title, names) => {
  const group = make("optgroup", { label: title });
  group.append(...names.map((name) => make("option", { value: name }, name)));
  return group;
};

const hint = (name, words) => { at(`${name}-hint`).textContent = words; };

const chosen = async () => {
  wrong([]);
  const name = at("scenario").value;
  const reply = await ask(`scenario?name=${encodeURIComponent(name)}`);
  if (!reply || name !== at("scenario").value) return;
  if (!reply.ok) return wrong([{ field: "scenario", message: reply.content.error }]);
  const { unit, load, window, target, window_s, length_s } = reply.content;
  at("load-label").textContent = unit === "users" ? "Users" : `Load, ${unit}`;
  at("load").placeholder = load === null ? "" : String(load);
  at("window").placeholder = String(window_s);
  at("target").placeholder = target || "started for the run";
  hint("load", load === null ? "" : `The scenario has ${load} ${unit}.`);
  hint("window", `The scenario has ${window_s} s, and takes ${length_s} s in all.`);
  hint("target", target ? `The scenario has ${target}.` : "Loadstone starts the service; or give the URL of one that runs.");
};

const wrong = (problems) => {
  for (const name of FIELDS) {
    const mine = problems.filter((one) => one.field === name).map((one) => one.message);
    at(`${name}-error`).textContent = mine.join("\n");
    if (mine.length) at(name).setAttribute("aria-invalid", "true");
    else at(name).removeAttribute("aria-invalid");
  }
  const elsewhere = problems.filter((one) => !FIELDS.includes(one.field)).map((one) => one.message);
  const count = problems.length;
  const summary = elsewhere.length ? elsewhere.join("\n") : count ? `Nothing was started: ${count === 1 ? "one thing is" : `${count} things are`} wrong.` : "";
  at("form-problem").textContent = summary;
  at("form-problem").hidden = !summary;
  const first = FIELDS.find((name) => problems.some((one) => one.field === name));
  if (first) {
    at(first).closest("details")?.setAttribute("open", "");
    at(first).focus();
  }
};

export const fill = async () => {
  if (filled) return;
  const reply = await ask("scenarios");
  if (!reply || !reply.ok) return;
  const files = reply.content.filter((name) => name.endsWith(".toml"));
  const builtIn = reply.content.filter((name) => !name.endsWith(".toml"));
  at("scenario").replaceChildren(
    ...(files.length ? [options("Files of this folder", files)] : []), options("Built in", builtIn));
  filled = true;
  await chosen();
};

at("scenario").addEventListener("change", chosen);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  tell("The form is checked.");
  const reply = await send("runs", Object.fromEntries(FIELDS.map((name) => [name, at(name).value])));
  button.disabled = false;
  if (!reply) return;
  if (reply.ok) {
    wrong([]);
    location.hash = `run=${encodeURIComponent(reply.content.name)}`;
  } else wrong(reply.content.problems || [{ field: "", message: reply.content.error }]);
});
