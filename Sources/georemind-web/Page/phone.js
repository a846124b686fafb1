// The page of a phone: its settings for each app, and whether its positions arrive. The token is in the fragment of
// the address, which no request has.
const byId = id => document.getElementById(id);
const make = (name, props = {}, ...children) => { const e = Object.assign(document.createElement(name), props); e.append(...children); return e; };
const part = number => location.hash.slice(1).split("&ntfy=")[number] ?? "", token = () => part(0);
async function get(path) {
  const response = await fetch(path, { headers: { Authorization: `Basic ${btoa(`phone:${token()}`)}` }, cache: "no-store" });
  const given = await response.json().catch(() => ({}));
  if (response.ok) return given;
  throw Object.assign(new Error(given.says ?? `The service answered ${response.status}.`), { status: response.status });
}
function say(kind, head, more = "") {
  byId("state").className = kind;
  for (const [id, text] of [["head", head], ["more", more]]) if (byId(id).textContent !== text) byId(id).textContent = text;
}
const ago = s => s < 120 ? `${Math.round(s)} s` : s < 7200 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;

async function check() {
  const { name, position, problem } = await get("state");
  byId("name").textContent = `Phone ${name}`; document.title = `georemind: ${name}`;
  const head = position ? `Got your position ${ago(position.age_s)} ago${position.accuracy_m == null ? "" : `, ±${Math.round(position.accuracy_m)}\u00a0m`}` : problem ? "No position yet" : "Waiting for the first position";
  say(problem ? "bad" : position ? "good" : "", head, problem ?? (position ? "" : "Set up one of the apps below, and send a position from it."));
}

// The dark modules of a code, row after row, in one path.
function drawing(rows) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", `0 0 ${rows.length} ${rows.length}`); svg.setAttribute("shape-rendering", "crispEdges");
  svg.setAttribute("role", "img"); svg.setAttribute("aria-label", "QR code of this link");
  path.setAttribute("d", rows.map((row, y) => [...row].map((bit, x) => bit === "1" ? `M${x} ${y}h1v1h-1z` : "").join("")).join(""));
  svg.append(path);
  return svg;
}
function field([name, value]) {
  const input = make("input", { value, readOnly: true, onfocus: () => input.select() });
  // Without TLS a page has no clipboard of its own.
  const copy = make("button", { type: "button", textContent: "Copy", ariaLabel: `Copy ${name}`, onclick: () => { input.select(); copy.textContent = document.execCommand("copy") ? "Copied" : "Copy"; } });
  return make("label", { textContent: name }, make("div", { className: "value" }, input, copy));
}
function app({ app, link, code, fields }, index) {
  const open = link ? [make("a", { className: "open", href: link, textContent: `Set up ${app}` })] : [];
  // On the phone itself nobody can scan the screen.
  const scan = code ? [make("details", { open: innerWidth > 760 }, make("summary", { textContent: "QR code, for this page on another screen" }), drawing(code))] : [];
  return make("details", { open: index === 0, className: "app" }, make("summary", { textContent: app }), ...open, ...fields.map(field), ...scan);
}

// The topic of the notifications, which the address has where the phone gets them.
function push() {
  const url = /^https?:\/\/[\w.:[\]-]+\/[\w-]+$/.test(part(1)) ? new URL(part(1)) : null;
  if (!url) return [];
  const link = `ntfy://${url.host}${url.pathname}${url.protocol === "http:" ? "?secure=false" : ""}`;
  return [make("details", { className: "app" }, make("summary", { textContent: "Notifications (ntfy)" }), make("a", { className: "open", href: link, textContent: "Subscribe in ntfy" }), field(["Server", url.origin]), field(["Topic", url.pathname.slice(1)]))];
}

let timer = 0;
async function begin() {
  clearTimeout(timer);
  let wait = 2000;
  try {
    if (!/^[\w-]{43}$/.test(token())) throw Object.assign(new Error("The address of this page ends in a secret, which is missing: open the whole link."), { status: 401 });
    await check();
    if (!byId("apps").firstChild) byId("apps").replaceChildren(...(await get(`setup?origin=${location.origin}`)).setups.map(app), ...push());
    document.documentElement.dataset.ready = "1";
  } catch (error) {
    say("bad", error.status === 401 ? "Wrong link" : "No connection", error.status ? error.message : "The service does not answer. It is tried again.");
    // A wrong link stays wrong, and counts against this address.
    wait = error.status === 401 ? 0 : 10000;
    if (!wait) byId("apps").replaceChildren();
  }
  if (wait) timer = setTimeout(begin, document.hidden ? 10000 : wait);
}
begin();
addEventListener("hashchange", () => { byId("apps").replaceChildren(); begin(); });
