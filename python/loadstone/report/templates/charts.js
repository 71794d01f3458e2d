// Unpacks Plotly, draws every chart in the theme's colours, and again when the theme, the width or the medium changes.
(async () => {
  "use strict";
  const nonce = document.currentScript.nonce;
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const palettes = read("palettes");
  const charts = Object.entries(read("charts")).map(([id, chart]) => ({ at: document.getElementById(id), ...chart }));
  const packed = document.getElementById("plotly").textContent;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const config = { displayModeBar: false, scrollZoom: false, doubleClick: false, showTips: false };
  let printing = false;

  const unpack = async () => {
    const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.nonce = nonce;
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };

  // On a narrow screen, long words at the left are broken into lines, so that the plot keeps half the width.
  const broken = (words, letters) =>
    words.split(" ").reduce((lines, word) => {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length < letters) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
      return lines;
    }, []);
  // A legend that stands in a column there gets its room above the plot.
  const headed = (layout, data, width) => {
    if (!layout.showlegend || width > 500) return layout;
    const room = 20 * data.filter((one) => one.showlegend !== false).length + 10;
    return {
      ...layout,
      height: layout.height - layout.margin.t + room,
      margin: { ...layout.margin, t: room },
      legend: { ...layout.legend, y: 1.01, yanchor: "bottom" },
    };
  };
  const fitted = (layout, width) => {
    const left = Math.round(width * 0.45);
    const texts = layout.yaxis.ticktext;
    if (!texts || layout.margin.l <= left) return layout;
    const lines = texts.map((words) => broken(words, left / 6.6));
    const taller = Math.max(...lines.map((one) => one.length)) * 17 * texts.length / layout.height;
    return {
      ...layout,
      height: layout.height * Math.max(1, taller),
      margin: { ...layout.margin, l: left },
      yaxis: { ...layout.yaxis, ticktext: lines.map((one) => one.join("<br>")) },
    };
  };

  // Words at ticks and points give way where they would print over others: pointing at the chart tells the value.
  const apart = (at) => {
    const all = (what) => [...at.querySelectorAll(what)];
    const yielding = all(".xtick text, .ytick text, .textpoint text");
    yielding.forEach((one) => { one.style.visibility = ""; });
    const kept = all(".annotation text, .g-xtitle text, .g-ytitle text, .legendtext").map((one) => one.getBoundingClientRect());
    for (const one of yielding) {
      const box = one.getBoundingClientRect();
      const over = (other) =>
        Math.min(box.right, other.right) - Math.max(box.left, other.left) > -3 &&
        Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 4;
      if (kept.some(over)) one.style.visibility = "hidden";
      else kept.push(box);
    }
  };

  const draw = ({ at, data, layout }) => {
    const palette = palettes[dark.matches && !printing ? "dark" : "light"];
    const width = printing ? (at.closest(".multiples") ? 322 : 668) : at.clientWidth;
    const fit = fitted(headed(layout, data, width), width);
    const height = fit.height * (printing ? 0.8 : 1);
    at.style.height = `${height}px`;
    Plotly.react(at, coloured(data, palette), { ...coloured(fit, palette), width, height }, config);
    apart(at);
  };
  const drawAll = () => charts.forEach(draw);

  if (!charts.length) return;
  if (typeof DecompressionStream === "undefined") {
    document.body.classList.add("no-charts");
    return;
  }
  await unpack();
  drawAll();
  document.body.classList.add("drawn");

  dark.addEventListener("change", drawAll);
  // Paper is white and narrow, whatever the screen is.
  addEventListener("beforeprint", () => { printing = true; drawAll(); });
  addEventListener("afterprint", () => { printing = false; drawAll(); });
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (!printing) drawAll(); }, 100);
  });
})();
