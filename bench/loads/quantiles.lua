-- What wrk counts, as a line of JSON in milliseconds.
function done(summary, latency, requests)
  local bad = summary.errors
  print(string.format('{"p50":%g,"p90":%g,"p95":%g,"p99":%g,"max":%g,"sent":%d,"failed":%d}',
    latency:percentile(50) / 1000, latency:percentile(90) / 1000, latency:percentile(95) / 1000,
    latency:percentile(99) / 1000, latency.max / 1000, summary.requests,
    bad.connect + bad.read + bad.write + bad.status + bad.timeout))
end
