// One run: its figures as they come, its verdict as it forms, what can be done to it.
import { make, send, tell, text } from "./ask.js";
import { Chart, onTheme, ready } from "./charts.js";

const at = (id) => document.getElementById(id);
const STATES = {
  starting: ["warn", "Starting: the service is brought up."], running: ["warn", "Running"], ended: ["good", "Ended"],
  "broken off": ["bad", "Broken off: its process is gone. The report completes it from its journal."],
  failed: ["bad", "Not begun: nothing was measured."],
};
const PHASES = { "ramp-up": "ramp-up", steady: "steady state", "ramp-down": "ramp-down" };
const ROLES = { sut: "service", host: "whole machine" };
const TINTS = ["@s1", "@s2", "@s3", "@s4", "@s5", "@s6"];
const SIGNS = { good: "✓", bad: "✗", warn: "!" };
const OPERATIONS = ["operation", "count", "failed", "p50", "p90", "p99", "limit", "within limit"];
const CHECKS = ["check", "verdict", "measured", "expected"];

const number = (value, digits = 1) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: value < 10 ? digits : value < 100 ? 1 : 0 });
const clock = (seconds) => {
  const whole = Math.round(seconds), two = (part) => String(part).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours) return `${hours}:${two(minutes)}:${two(rest)} h`;
  return minutes ? `${minutes}:${two(rest)} min` : `${rest} s`;
};
const badge = (kind, words, reasons) =>
  make("li", { class: `badge ${kind}` }, make("strong", {}, `${SIGNS[kind]} ${words}`), ...reasons.filter(Boolean).map((one) => make("span", {}, one)));
const line = (labels, cells, kinds = []) =>
  make("tr", { role: "row" }, ...cells.map((words, i) => i === 0
    ? make("th", { role: "rowheader", scope: "row" }, words)
    : make("td", { role: "cell", "data-label": labels[i], class: kinds[i] || "" }, words)));
const head = (id, labels, numbers) =>
  at(id).replaceChildren(...labels.map((one, i) => make("th", { role: "columnheader", scope: "col", class: numbers && i ? "number" : "" }, one)));

// A list is only made anew when it says something else: a screen reader stays where it is.
const changed = new Map();
const differs = (key, content) => {
  const words = JSON.stringify(content);
  if (changed.get(key) === words) return false;
  changed.set(key, words);
  return true;
};

const charts = () => {
  const place = at("charts");
  place.replaceChildren();
  return {
    times: new Chart(place, { title: "Response time, ms", note: "Half, 90 % and 99 % of the answers of the last five seconds came within these times; log scale.", lines: [["p50", "@s1"], ["p90", "@s3"], ["p99", "@s2"]], log: true, unit: " ms" }),
    rates: new Chart(place, { title: "Throughput, operations per second", note: "Right answers, and failed ones in red; mean of five seconds.", lines: [["answered", "@s1"], ["failed", "@bad"]], unit: " /s" }),
    load: new Chart(place, { title: "Load", note: "How many there are, and those of them that wait for an answer.", lines: [] }),
    cores: new Chart(place, { title: "CPU, cores busy", note: "Of the generator, of the service where it is known, and of the whole machine.", lines: [["generator", "@s1"], ["service", "@s2"], ["whole machine", "@muted"]] }),
  };
};

class View {
  constructor(name) {
    this.name = name;
    this.path = `runs/${encodeURIComponent(name)}`;
    this.facts = null;
    this.state = "";
    this.outcome = "";
    this.phase = "";
    this.verdicts = "";
    this.causes = 0;
    changed.clear();
    this.charts = charts();
    text("run-folder", name);
    text("run-title", "Run");
    for (const id of ["now", "time-part"]) at(id).hidden = false;
    for (const id of ["said", "after", "failures-part", "notes-part", "operations-part", "checks-part"]) at(id).hidden = true;
    for (const id of ["goals-now", "warnings", "failures", "notes"]) at(id).replaceChildren();
    for (const id of ["now-load", "now-ok", "now-p50", "now-p90", "now-p99", "now-failed"]) text(id, "–");
    for (const id of ["now-waiting", "change-error", "left"]) text(id, "");
    text("verdict-note", "It forms in the steady state.");
    at("progress").value = 0;
    at("report").href = `${this.path}/report`;
    document.title = `${name} – Loadstone`;
    head("operations-head", OPERATIONS, true);
    head("checks-head", CHECKS, false);
    this.standing({ state: "starting", said: "" });
  }

  standing({ state, said }) {
    if (differs("said", said)) text("said", said);
    at("said").hidden = !said;
    if (state === this.state) return;
    this.state = state;
    const [kind, usual] = STATES[state];
    const words = state === "ended" && this.outcome && this.outcome !== "complete" ? `${usual}: ${this.outcome}` : usual;
    at("state").className = `lead ${kind}`;
    text("state", words);
    tell(words);
    const live = state === "running" || state === "starting";
    at("going").hidden = at("acts").hidden = !live;
    at("change").hidden = state !== "running";
    at("after").hidden = live;
    at("report").hidden = state === "failed";
  }

  begun(facts) {
    this.facts = facts;
    text("run-title", facts.name);
    const words = facts.unit === "users" ? "Users" : `Load, ${facts.unit}`;
    text("new-load-label", words);
    text("load-name", facts.unit === "users" ? "Users" : facts.things === "sessions" ? "Sessions" : "Requests at once");
    if (document.activeElement !== at("new-load")) at("new-load").value = facts.asked;
  }

  seconds(told) {
    const { times, rates, load, cores } = this.charts;
    for (const one of told.seconds) {
      const x = one.second + 1;
      for (const p of ["p50", "p90", "p99"]) times.add(p, x, one[`${p}_ms`]);
      rates.add("answered", x, one.ok_per_s);
      rates.add("failed", x, one.failed_per_s);
      load.add(this.facts.things, x, one.load, "@ink");
      load.add("waiting", x, one.waiting, "@s1");
    }
    for (const one of told.resources)
      for (const [role, busy] of Object.entries(one.cores)) {
        const name = ROLES[role] || role;
        cores.add(name, one.second + 1, busy, TINTS[cores.lines.size % TINTS.length]);
      }
    const now = told.seconds[told.seconds.length - 1];
    if (now) this.now(now, told);
    if (told.failures.length && differs("failures", told.failures)) this.failed(told.failures);
    if (told.notes.length && differs("notes", told.notes)) {
      at("notes").replaceChildren(...told.notes.map((one) => make("li", {}, one)));
      at("notes-part").hidden = false;
      tell(told.notes[told.notes.length - 1]);
    }
    this.draw();
  }

  now(now, told) {
    text("now-load", number(now.load));
    text("now-waiting", `${number(now.waiting)} waiting${told.wanted === null ? "" : `; ${number(told.wanted, 2)} asked for by hand`}`);
    text("now-ok", number(now.ok_per_s));
    for (const p of ["p50", "p90", "p99"]) text(`now-${p}`, number(now[`${p}_ms`], 2));
    text("now-failed", number(now.failed));
    text("now-dropped", now.dropped ? `and ${number(now.dropped)} dropped in all` : "in all");
    text("left", `${PHASES[now.phase]}, ${clock(now.second + 1)} of ${clock(this.facts.total_s)}: ${clock(told.left_s)} left`);
    at("progress").value = Math.min(1, (now.second + 1) / this.facts.total_s);
    if (now.phase !== this.phase) {
      this.phase = now.phase;
      tell(`The ${PHASES[now.phase]} has begun.`);
    }
  }

  failed(failures) {
    at("failures-part").hidden = false;
    at("failures").replaceChildren(...failures.map((one) => make("li", {}, make("strong", {}, `${one.operation}: ${one.count} by ${one.cause}`),
      one.example === null || one.at_s === null ? "" : `, the first at ${one.at_s.toFixed(1)} s: ${one.example}`)));
    if (failures.length > this.causes && this.facts) tell(`Failed: ${failures[failures.length - 1].told}`);
    this.causes = failures.length;
  }

  record(found) {
    // Of a run that ended before this page looked at it, only the record is known.
    if (found.over && !this.facts) {
      text("run-title", found.name);
      for (const id of ["now", "time-part"]) at(id).hidden = true;
    }
    if (found.over && found.failures.length && differs("failures", found.failures)) this.failed(found.failures);
    const soFar = found.over ? "" : " so far";
    // The state is told after the record.
    this.outcome = found.outcome;
    if (!found.counted && !found.over) return;
    const goals = found.goals.map((one) => badge(one.kind, `${one.name} ${one.verdict}${soFar}`, [`${one.operation ? `${one.operation}: ` : ""}${one.seen}; ${one.asked} asked for`]));
    const whole = found.over ? [badge(found.badge.kind, found.badge.words, found.badge.reasons)] : [];
    if (differs("goals", [found.goals, found.over])) at("goals-now").replaceChildren(...whole, ...goals);
    const verdicts = found.goals.map((one) => `${one.name} ${one.verdict}`).join(", ");
    if (verdicts !== this.verdicts || found.over) tell(`Verdict${soFar}: ${verdicts}`);
    this.verdicts = verdicts;
    const missed = found.checks.filter((one) => one.required && one.verdict === "missed");
    const warnings = [
      ...(found.over ? [] : missed.map((one) => badge("bad", `check ${one.name} missed so far`, [`${one.measured}, expected ${one.expected}`, one.hint]))),
      ...(found.limited_by ? [badge("warn", `limited by ${found.limited_by}`, [])] : []),
      ...found.warnings.map((one) => badge("warn", one, [])),
    ];
    if (differs("warnings", [missed, found.warnings, found.limited_by, found.over])) at("warnings").replaceChildren(...warnings);
    text("verdict-note", found.over ? `${found.outcome}; ${found.load}` : "As it would be if the run ended now.");
    at("operations-part").hidden = at("checks-part").hidden = false;
    if (differs("operations", found.operations)) at("operations").replaceChildren(...found.operations.map((one) => line(OPERATIONS, one, OPERATIONS.map(() => "number"))));
    if (differs("checks", found.checks)) at("checks").replaceChildren(...found.checks.map((one) => line(CHECKS, [one.name, one.verdict, one.measured, one.expected], ["", one.kind])));
  }

  async draw() {
    if (this.drawing || document.hidden) return;
    this.drawing = true;
    await ready();
    if (!this.gone && this.facts) for (const chart of Object.values(this.charts)) chart.draw(this.facts);
    this.drawing = false;
    document.body.classList.add("drawn");
  }
}

let view = null;

at("change").addEventListener("submit", async (event) => {
  event.preventDefault();
  const load = Number(at("new-load").value);
  if (!at("new-load").value.trim() || !Number.isFinite(load)) return text("change-error", "A load is a number.");
  const reply = await send(`${view.path}/load`, load);
  if (reply) text("change-error", reply.ok ? "" : reply.content.error);
});
at("stop").addEventListener("click", () => at("sure").showModal());
at("sure").addEventListener("close", async () => {
  if (at("sure").returnValue !== "stop" || !view) return;
  at("sure").returnValue = "";
  const reply = await send(`${view.path}/stop`, {});
  if (reply) text("change-error", reply.ok ? "" : reply.content.error);
  if (reply?.ok) tell("The run is being stopped.");
});

// Shows the run; gives back what ends that.
export const showRun = (name) => {
  const mine = (view = new View(name));
  const source = new EventSource(`${mine.path}/events`);
  const on = (kind, act) => source.addEventListener(kind, (event) => act(JSON.parse(event.data)));
  on("begun", (told) => { mine.charts = charts(); mine.begun(told); });
  on("seconds", (told) => mine.seconds(told));
  on("record", (told) => mine.record(told));
  on("state", (told) => mine.standing(told));
  on("over", () => source.close());
  source.onerror = () => {
    at("lost").textContent = source.readyState === EventSource.CLOSED
      ? "The server says nothing of this run." : "The server does not answer. The run goes on without it: start `loadstone ui` again.";
    at("lost").hidden = false;
  };
  source.onopen = () => { at("lost").hidden = true; };
  const redraw = () => mine.draw();
  const quiet = onTheme(redraw);
  addEventListener("resize", redraw);
  document.addEventListener("visibilitychange", redraw);
  return () => {
    mine.gone = true;
    source.close();
    quiet();
    removeEventListener("resize", redraw);
    document.removeEventListener("visibilitychange", redraw);
    at("lost").hidden = true;
    view = null;
  };
};
