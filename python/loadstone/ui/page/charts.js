// Lines over time, drawn by Plotly in the frame and the colours of the reports.
import { ask, make } from "./ask.js";

const MOST = 1200;
const CONFIG = { displayModeBar: false, scrollZoom: false, doubleClick: false, showTips: false };
const dark = matchMedia("(prefers-color-scheme: dark)");
let frame;

const plotly = () => new Promise((done) => {
  if (window.Plotly) return done();
  const script = make("script", { src: "plotly.js" });
  script.onload = done;
  document.head.append(script);
});

// The library and the frame of all charts; once.
export const ready = async () => {
  if (!frame) frame = (await ask("frame.json")).content;
  await plotly();
};

export class Chart {
  // `lines`: name and colour of each. `log`: times on a logarithmic axis.
  constructor(place, { title, note, lines, log = false, unit = "" }) {
    this.title = title;
    this.at = make("div", { class: "plot", role: "img", "aria-label": `${title}. ${note}` });
    this.heading = make("strong", {}, title);
    place.append(make("figure", {}, make("figcaption", {}, this.heading, make("span", {}, note)), this.at));
    this.lines = new Map();
    this.log = log;
    this.unit = unit;
    for (const [name, colour] of lines) this.line(name, colour);
  }

  line(name, colour) {
    if (!this.lines.has(name)) this.lines.set(name, { colour, x: [], y: [] });
    return this.lines.get(name);
  }

  add(name, x, y, colour) {
    const line = this.line(name, colour);
    line.x.push(x);
    line.y.push(y);
    if (line.x.length > MOST) for (const axis of ["x", "y"]) line[axis] = line[axis].filter((_, i) => i % 2 === 0);
  }

  draw(facts) {
    const palette = frame[dark.matches ? "dark" : "light"];
    const data = [...this.lines].filter(([, line]) => line.y.some((one) => one !== null)).map(([name, line]) => ({
      type: "scatter", mode: "lines", name, x: line.x.slice(), y: line.y.slice(), connectgaps: false,
      line: { color: line.colour, width: 1.6 }, hovertemplate: `%{y:.3~f}${this.unit}`,
    }));
    const [from, to] = facts.steady_s;
    // The whole span of a short run; of a long one, what has passed is never a sliver at the edge.
    const passed = Math.max(0, ...data.map((one) => one.x[one.x.length - 1] || 0));
    const end = Math.max(passed, Math.min(facts.total_s, Math.max(60, 1.5 * passed)));
    const shade = (x0, x1) => ({ type: "rect", x0, x1, yref: "paper", y0: 0, y1: 1, fillcolor: "@shade", line: { width: 0 }, layer: "below" });
    const layout = structuredClone(frame.layout);
    Object.assign(layout, {
      shapes: [shade(0, from), shade(to, end)], showlegend: true, width: this.at.clientWidth,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 12 } },
      margin: { l: 54, r: 14, t: 34, b: 42 },
    });
    Object.assign(layout.xaxis, { range: [0, end], title: { text: "seconds since the run began", standoff: 8, font: { size: 12 } } });
    Object.assign(layout.yaxis, this.log ? { type: "log", dtick: 1, minorloglabels: "none" } : { rangemode: "tozero", nticks: 5 });
    this.at.style.height = `${layout.height}px`;
    Plotly.react(this.at, coloured(data, palette), coloured(layout, palette), CONFIG);
  }
}

export const onTheme = (redraw) => {
  dark.addEventListener("change", redraw);
  return () => dark.removeEventListener("change", redraw);
};
