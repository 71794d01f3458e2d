// Questions to the server, and words for the reader.
const lost = document.getElementById("lost");

const answered = async (request) => {
  let reply;
  try {
    reply = await request;
  } catch {
    lost.textContent = "The server does not answer. Runs go on without it: start `loadstone ui` again.";
    lost.hidden = false;
    return null;
  }
  lost.hidden = true;
  const type = reply.headers.get("Content-Type") || "";
  const content = type.startsWith("application/json") ? await reply.json() : { error: await reply.text() };
  return { ok: reply.ok, content };
};

// What is at `path`; null when nobody answers.
export const ask = (path) => answered(fetch(path));
export const send = (path, content) =>
  answered(fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) }));

// Says something to those who cannot see it change.
export const tell = (words) => {
  const told = document.getElementById("told");
  if (told.textContent !== words) told.textContent = words;
};

export const make = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside);
  return made;
};

export const text = (id, words) => {
  const element = document.getElementById(id);
  if (element.textContent !== words) element.textContent = words;
};
