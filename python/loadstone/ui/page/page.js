// Which part of the page is shown; what all parts share.
import { showHome } from "./list.js";
import { showRun } from "./run.js";

const parts = { home: document.getElementById("home"), run: document.getElementById("run") };
let leave = () => {};
let first = true;

const show = () => {
  leave();
  const name = new URLSearchParams(location.hash.slice(1)).get("run");
  const part = name ? "run" : "home";
  for (const [key, element] of Object.entries(parts)) element.hidden = key !== part;
  leave = name ? showRun(name) : showHome();
  // Who uses a screen reader or the keyboard goes on at the beginning of what has appeared.
  if (!first) parts[part].querySelector("h1").focus();
  first = false;
};

addEventListener("hashchange", () => {
  // The link to the content is no part of its own.
  if (location.hash === "#main") document.getElementById("main").focus();
  else show();
});
show();
