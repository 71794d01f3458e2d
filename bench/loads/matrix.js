// The matrix of matrix.toml for k6.
import http from "k6/http";
import { check } from "k6";

const pages = {
  home: { path: "/", next: [["list", 0.7], ["home", 1]] },
  list: { path: "/list.html", next: [["item", 0.6], ["list", 0.9], ["home", 1]] },
  item: { path: "/item.html", next: [["list", 0.6], ["home", 1]] },
};
export const options = { vus: 64, duration: `${__ENV.SECONDS}s`, thresholds: { checks: ["rate==1"] } };
let now = "home";

export default function () {
  const page = now;
  const answer = http.get(__ENV.URL + pages[page].path);
  check(answer, {
    status: (r) => r.status === 200,
    title: (r) => r.body.includes(`<title>${page}`),
  });
  const u = Math.random();
  now = pages[page].next.find(([, until]) => u < until)[0];
}
