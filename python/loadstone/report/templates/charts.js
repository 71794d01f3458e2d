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

  // "@name" is the theme's colour "name".
  const coloured = (value, palette) => {
    if (typeof value === "string") return value[0] === "@" ? palette[value.slice(1)] : value;
    if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map((one) => coloured(one, palette));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, coloured(one, palette)]));
  };

  const draw = ({ at, data, layout }) => {
    const palette = palettes[dark.matches && !printing ? "dark" : "light"];
    const width = printing ? (at.closest(".multiples") ? 322 : 668) : at.clientWidth;
    const height = layout.height * (printing ? 0.8 : 1);
    at.style.height = `${height}px`;
    Plotly.react(at, coloured(data, palette), { ...coloured(layout, palette), width, height }, config);
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
