-- The matrix of matrix.toml for wrk. The connections of a thread share one walk: `request` is not told whose turn it is,
-- so an answer is checked to be one of the three pages.
local path, chosen, built = { home = "/", list = "/list.html", item = "/item.html" }, "home", {}

function init(args)
  math.randomseed(1)
  for name, where in pairs(path) do
    built[name] = wrk.format("GET", where)
  end
end

function request()
  local now, u = chosen, math.random()
  if now == "home" then
    chosen = u < 0.7 and "list" or "home"
  elseif now == "list" then
    chosen = u < 0.6 and "item" or u < 0.9 and "list" or "home"
  else
    chosen = u < 0.6 and "list" or "home"
  end
  return built[now]
end

function response(status, headers, body)
  local title = body:match("<title>(%a+)")
  if status ~= 200 or not path[title] then
    error("a wrong answer: " .. status)
  end
end
