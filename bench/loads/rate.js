// One page at a rate for k6, which drops what finds all its users busy.
import http from "k6/http";

const users = Number(__ENV.USERS);
export const options = {
  summaryTrendStats: ["p(50)", "p(90)", "p(95)", "p(99)", "max"],
  scenarios: {
    page: {
      executor: "constant-arrival-rate",
      rate: Number(__ENV.RATE),
      timeUnit: "1s",
      duration: `${__ENV.SECONDS}s`,
      preAllocatedVUs: users,
      maxVUs: users,
      gracefulStop: "30s",
    },
  },
};

export default function () {
  http.get(__ENV.URL);
}
