// The live map: what the daemon says, on a map and in a list. Every text of a reminder or place is set as text.
const byId = id => document.getElementById(id), root = document.documentElement;
const make = (name, props = {}, ...children) => { const e = Object.assign(document.createElement(name), props); e.append(...children); return e; };
const button = (textContent, onclick, className = "") => make("button", { type: "button", textContent, onclick, className });
const state = { me: null, fixAt: 0, lost: false, away: false, status: {}, link: {}, reminders: new Map(), places: [], groups: [], fences: [], firings: [], past: null, categories: new Map(), hidden: new Set(), follow: true, view: null, chosen: null, ghost: null, seq: null, ledger: null, note: "" };

// ---- the service
async function answer(response) {
  if (response.status === 204) return {};
  const given = await response.json().catch(() => ({}));
  if (response.ok) return given;
  throw Object.assign(new Error(given.says ?? `The service answered ${response.status}`), { status: response.status, ...given.parameters });
}
const get = (name, args = {}) => fetch(`api/${name}?${encodeURIComponent(JSON.stringify(args))}`).then(answer);
const post = (path, args) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(args) }).then(answer);
// A change, whose outcome is said; undefined where it was refused.
async function change(name, args, done) {
  try { const a = await post(`api/${name}`, args); say(done); return a; } catch (error) { say(error.message); }
}

// ---- words
const RADIAN = Math.PI / 180;
function metresBetween(a, b) {
  const p = (b.lat - a.lat) * RADIAN, q = (b.lon - a.lon) * RADIAN, h = Math.sin(p / 2) ** 2 + Math.cos(a.lat * RADIAN) * Math.cos(b.lat * RADIAN) * Math.sin(q / 2) ** 2;
  return 2 * 6371008.8 * Math.asin(Math.sqrt(Math.min(1, h)));
}
const length = m => m < 1000 ? `${Math.round(m)} m` : `${(m / 1000).toFixed(m < 10000 ? 1 : 0)} km`;
const span = s => s < 3 ? "now" : s < 120 ? `${Math.round(s)} s old` : s < 7200 ? `${Math.round(s / 60)} min old` : `${Math.round(s / 3600)} h old`;
function when(text) {
  const t = new Date(text), today = new Date().toDateString() === t.toDateString();
  return t.toLocaleString([], { ...(today ? {} : { month: "short", day: "numeric" }), hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}
// Gates of `why` that shut a fence, in words.
const gates = { state: "put off", if_inside: "this visit", min_speed: "too slow", max_speed: "too fast" };
// A title, with the person or vehicle that it is about.
const named = ({ title, who }) => who ? `${title} (${who})` : title;
const safe = color => /^#[0-9A-F]{6}$/i.test(color ?? "") ? color : "#5a6b7b";
const colorOf = category => safe(state.categories.get((category ?? "").toLowerCase()));
function say(text) { state.note = text ?? ""; byId("say").textContent = state.note; clearTimeout(say.timer); say.timer = setTimeout(() => { state.note = ""; show(); }, 12000); show(); }
function show() {
  const me = state.me, age = me ? (Date.now() - state.fixAt) / 1000 : 0, s = state.status, words = [];
  if (state.away) words.push("No connection to the daemon: what you see may be old.");
  if (s.anchor?.alarm) words.push(`${s.anchor.says}.`);
  if (state.lost && !s.anchor?.lost) words.push("The position is lost.");
  if (s.store_trouble) words.push(`The store fails: ${s.store_trouble}.`);
  if (s.clock_trusted === false) words.push("The clock is not trusted: times wait.");
  const isBad = words.length > 0 || me && age > 120;
  words.push(me ? `${me.lat.toFixed(5)}, ${me.lon.toFixed(5)}${me.eph == null ? "" : `  ±${length(me.eph)}`}${me.speed > 0.5 ? `  ${Math.round(me.speed * 3.6)} km/h` : ""}  ${span(age)}` : "No position yet");
  const line = [words.join(" "), state.note, location.protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(location.hostname) ? "This connection is not encrypted." : ""].filter(Boolean).join("\n");
  if (byId("state").textContent !== line) byId("state").textContent = line;
  byId("state").className = isBad ? "bad" : "";
}
setInterval(() => { if (!document.hidden) show(); }, 1000);

// ---- the map
const later = (run, wait) => { let timer = 0; return () => { clearTimeout(timer); timer = setTimeout(run, wait); }; };
const map = makeMap(byId("map"), {
  moved: later(loadBox, 120), dragged: () => { follow(false); showAnchor.isHeld = true; }, hold: (lat, lon) => openAdd({ lat, lon }),
  ghost: (lat, lon) => setGhost({ lat, lon }),
  pick: (kind, id) => kind === "fence" ? openReminder(id) : kind === "firing" ? state.past || openFiring(id) : kind === "place" ? openPlace(id) : openList(),
});
function follow(yes) { state.follow = yes; document.querySelector("[data-do=follow]").setAttribute("aria-pressed", yes); if (yes && state.me) map.go(state.me.lat, state.me.lon); }
const here = () => state.ghost ? { here: { latitude: state.ghost.lat, longitude: state.ghost.lon, eph_m: state.ghost.eph } } : {};
const loadGhost = later(() => { loadFences(); refresh(); }, 60);
function setGhost(at) {
  state.ghost = at && { ...at, eph: Math.min(state.me?.eph ?? 10, 1000) };
  document.querySelector("[data-do=ghost]").setAttribute("aria-pressed", !!at);
  map.set("ghost", state.ghost);
  loadGhost();
}
function box() { const b = map.bounds(), c = x => Math.max(-90, Math.min(90, x)); return { south: c(b.south), north: c(b.north), west: b.west, east: b.east }; }
async function loadFences() {
  const { fences } = await get("fences", { ...box(), ...here() }).catch(() => ({}));
  if (!fences) return;
  state.fences = fences.map(f => ({
    ...f, title: named(f), color: safe(f.color), lat: f.place?.lat, lon: f.place?.lon, r: f.place?.radius_m, far: f.edge_m,
    state: f.presence === "unknown" || Math.abs(f.edge_m ?? Infinity) < (f.error_m ?? 0) && (f.presence === "inside") !== (f.edge_m <= 0) || Math.abs(f.edge_m ?? Infinity) < (f.error_m ?? 0) / 2 ? "undecided" : f.presence,
    rings: f.region && rings(f.region), isLine: f.region?.type?.includes("Line"),
  }));
  drawFences();
}
function rings(region) { const c = region.coordinates; return { Polygon: c, MultiPolygon: c?.flat?.(), LineString: [c], MultiLineString: c }[region.type] ?? []; }
function drawFences() { map.set("fences", state.fences.filter(f => !state.hidden.has(f.category ?? ""))); if (!state.view) drawList(); }
async function loadPlaces() {
  const { places, groups } = await get("places", { ...box(), without: [...state.hidden], limit: 500, cells: Math.max(4, Math.min(24, Math.round(map.width / 70))) }).catch(() => ({}));
  if (!places) return;
  state.places = places;
  map.set("places", [...places.map(p => ({ name: p.name, lat: p.latitude, lon: p.longitude, color: safe(p.color) })), ...groups.map(g => ({ n: g.count, lat: g.latitude, lon: g.longitude, color: safe(g.color) }))]);
}
function loadBox() { loadPlaces(); loadFences(); }
function drawFirings() { if (!state.past) map.set("firings", state.firings.filter(f => f.lat != null).slice(-500).map(f => ({ seq: f.seq, lat: f.lat, lon: f.lon, color: colorOf(f.category) }))); }

// ---- the list
function row(color, shape, title, far, small, action) {
  const dot = make("span", { className: `dot ${shape}` }); dot.style.setProperty("--c", color);
  return make("button", { type: "button", className: "row", onclick: action }, dot, make("span", { textContent: title }), make("span", { className: "far", textContent: far }), ...(small ? [make("small", { textContent: small })] : []));
}
function put(view, id, ...content) {
  const isSame = state.view === view && state.chosen === id, panel = byId("panel"), at = panel.scrollTop, focus = [...byId("body").querySelectorAll("button")].indexOf(document.activeElement);
  if (view !== "track") closePast();
  if (view !== "reminder") showAnchor(null);
  state.view = view; state.chosen = id; map.set("chosen", id); if (view !== "add") map.set("draft", null);
  byId("body").replaceChildren(...content);
  panel.scrollTop = isSame ? at : 0;
  if (isSame && focus >= 0) byId("body").querySelectorAll("button")[focus]?.focus();
}
function openList() { drawList(); byId("panel").scrollTop = 0; }
function drawList() {
  const anchored = f => state.reminders.get(f.id)?.anchor_watch, words = f => anchored(f) ? f.far == null ? "" : `${length(f.far + f.r)} from it` : f.state === "inside" ? "inside" : f.state === "undecided" ? "at the edge" : f.far == null ? "" : length(Math.abs(f.far));
  const near = state.fences.filter(f => !state.hidden.has(f.category ?? "")).sort((a, b) => (a.far ?? 1e9) - (b.far ?? 1e9)).slice(0, 30);
  const timed = [...state.reminders.values()].filter(r => r.rings || r.next_due).sort((a, b) => (a.rings ?? a.next_due) < (b.rings ?? b.next_due) ? -1 : 1).slice(0, 10);
  put(null, null,
    make("h2", { textContent: state.ghost ? "If you were at the ghost" : "Near you" }),
    ...(near.length ? near.map(f => row(f.color, `${f.state}${f.shut ? " shut" : ""}`, f.title, words(f), f.shut ? `shut by: ${f.shut.map(name => gates[name] ?? name.replaceAll("_", " ")).join(", ")}` : "", () => openReminder(f.id))) : [make("p", { className: "soft", textContent: "No fences here. Hold the map, or press A, to add a reminder." })]),
    ...(timed.length ? [make("h2", { textContent: "Next times" }), ...timed.map(r => row(colorOf(r.category), "", named(r), when(r.rings ?? r.next_due), "", () => openReminder(r.id)))] : []),
    make("h2", { textContent: "Fired" }),
    ...state.firings.slice(-50).reverse().map(f => row(colorOf(f.category), "", `${f.seq}  ${named(f)}`, when(f.time), f.why ?? f.event, () => openFiring(f.seq))));
}
function openFiring(seq) {
  const f = state.firings.find(f => f.seq === seq);
  if (!f) return;
  byId("say").textContent = `Firing ${f.seq}: ${named(f)}`;
  if (f.lat != null) { follow(false); map.go(f.lat, f.lon, Math.max(map.z, 14)); }
  openReminder(f.reminder_id, f);
}
async function openReminder(id, firing, isWanted = () => true) {
  const key = firing ? firing.seq : id;
  const fence = state.fences.find(f => f.id === id), at = firing ?? fence;
  if (!firing && state.chosen !== id && at?.lat != null) { follow(false); map.go(at.lat, at.lon, Math.max(map.z, 14)); }
  const [{ why }, { reminder }] = await Promise.all([get("why", { id, ...here() }).catch(() => ({})), get("show", { id }).catch(() => ({}))]);
  if (!isWanted()) return;
  const acts = make("div", { className: "acts" });
  const act = (text, name, args, done, cls) => acts.append(button(text, async () => { if (await change(name, { id, ...args }, done)) openList(); }, cls));
  if (reminder && state.link.may_change) {
    if (reminder.anchor_watch) { act("Silence 10 min", "snooze", { until: "10min" }, "Silent for 10 minutes.", "main"); act("Raise", "remove", {}, "The anchor is up. Undo sets the watch again."); }
    else { act("Done", "done", {}, "Done. Undo takes it back.", "main"); act("Snooze 20 min", "snooze", { until: "20min" }, "Snoozed for 20 minutes."); }
    if (reminder.kind === "location" && !reminder.anchor_watch) act("Next visit", "snooze", { until: "next-visit" }, "Put off until the next visit.");
    if (fence?.presence === "inside" && !reminder.anchor_watch) act("When I leave", "snooze", { until: "until-leave" }, "Put off until you leave.");
    if (reminder.state === "done" || reminder.state === "fired") act("Again", "reopen", {}, "Armed again.");
    if (!reminder.anchor_watch) act("Remove", "remove", {}, "Removed. Undo takes it back.");
  }
  if (state.link.may_change) acts.append(button("Undo last", undo));
  acts.append(button("Close", openList));
  state.open = reminder;
  showAnchor(reminder?.anchor_watch ? reminder : null);
  put("reminder", key, make("h3", { textContent: named(reminder ?? firing ?? { title: id }) }),
    ...(firing ? [make("p", { textContent: `${when(firing.time)}: ${firing.why ?? firing.event}` })] : []),
    ...(reminder?.anchor_watch && reminder.place ? [make("div", { id: "anchor" }, ...anchorView(reminder))] : []),
    ...(reminder?.notes ? [make("p", { textContent: reminder.notes })] : []), acts,
    make("h2", { textContent: why ? `${state.ghost ? "At the ghost: " : ""}${why.summary}` : "The reminder is not there any more." }),
    ...(why?.gates ?? []).map(g => make("div", { className: `gate${g.passed ? "" : " no"}` }, ...(reminder?.anchor_watch ? [] : [make("b", { textContent: g.passed ? "✓" : "✗", ariaLabel: g.passed ? "passed" : "shut" })]), make("span", { textContent: g.says }), ...(g.remedy && !g.passed ? [make("small", { textContent: `opens when ${g.remedy}` })] : []))));
}
// The anchor, its circle and the widest swing, on the map; the way of the night is there already. They stay in sight with
// the boat until a hand moves the map.
function showAnchor(reminder) {
  const id = reminder?.id ?? null, { lat, lon, radius_m } = reminder?.place ?? {}, isNew = id !== showAnchor.id;
  showAnchor.id = id;
  if (isNew) showAnchor.isHeld = false;
  if (!reminder && !isNew) return;
  map.set("marks", reminder ? [{ lat, lon, shape: "cross", says: "Anchor" }] : []);
  map.set("circles", reminder ? [{ lat, lon, r: radius_m }, { lat, lon, r: reminder.swing?.largest_m ?? 0, dash: [2, 4] }] : []);
  if (reminder && isNew) follow(false);
  if (reminder && !showAnchor.isHeld) seeAnchor(reminder.place, isNew);
}
function seeAnchor({ lat, lon, radius_m }, isNew) {
  const reach = radius_m * 1.3 / 111195, east = reach / Math.cos(lat * RADIAN), me = state.me, margin = reach / 6;
  const points = [[lat - reach, lon - east], [lat + reach, lon + east], ...(me ? [[me.lat - margin, me.lon - margin], [me.lat + margin, me.lon + margin]] : [])];
  // The search lies over the northern end.
  const ys = points.map(p => p[0]), top = Math.max(...ys);
  points.push([top + (top - Math.min(...ys)) * 0.35, lon]);
  const b = map.bounds(), isSeen = points.every(([y, x]) => y > b.south && y < b.north && x > b.west && x < b.east);
  if (isNew || !isSeen) map.fit(points, 19);
}
// The anchor: the alarm, how far it is and where, large enough to be read from the bunk.
function anchorView(reminder) {
  const { lat, lon, radius_m } = reminder.place, { says, alarm, lost } = reminder.anchor ?? {}, me = state.me, isLost = !!lost || state.lost, rose = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
  const news = says ? [make("p", { className: alarm || lost ? "alarm" : "soft", textContent: says })] : [];
  if (!me) return [...news, make("p", { className: "anchor", textContent: "no position" })];
  const far = metresBetween(me, { lat, lon }), a = lat * RADIAN, b = me.lat * RADIAN, d = (lon - me.lon) * RADIAN;
  const bearing = (Math.atan2(Math.sin(d) * Math.cos(a), Math.cos(b) * Math.sin(a) - Math.sin(b) * Math.cos(a) * Math.cos(d)) / RADIAN + 360) % 360;
  return [
    ...news,
    make("p", { className: `anchor${far > radius_m || alarm || isLost ? " bad" : ""}`, textContent: isLost ? "position lost" : `${length(far)}  ${String(Math.round(bearing) % 360).padStart(3, "0")}° ${rose[Math.round(bearing / 45) % 8]}` }),
    make("p", { className: "soft", textContent: `${isLost ? `last ${length(far)} ` : ""}of ${length(radius_m)}${reminder.swing ? `, ${length(Math.max(reminder.swing.largest_m, isLost ? 0 : far))} at most since ${when(reminder.swing.since)}` : ""}` }),
  ];
}
async function undo() { const a = await change("undo", {}, ""); if (a) say(a.change ? `Took back: ${a.change.method} ${a.change.title}` : "Nothing to take back."); }
// What is open is read again; one that was closed meanwhile stays closed.
function refresh() {
  if (state.view !== "reminder" || document.hidden) return;
  const key = state.chosen, firing = state.firings.find(f => f.seq === key);
  openReminder(firing?.reminder_id ?? key, firing, () => state.view === "reminder" && state.chosen === key);
}
setInterval(refresh, 2000);
function openPlace(name) {
  const p = state.places.find(p => p.name === name);
  if (!p) return;
  const acts = make("div", { className: "acts" });
  if (state.link.may_change) acts.append(button("Remind me here", () => openAdd({ lat: p.latitude, lon: p.longitude, place: p }), "main"), button("Edit", () => openEdit(p)), button("Remove", async () => { if (await change("remove-place", { name, unless_used: true }, `Removed ${name}.`)) openList(); }));
  acts.append(button("Close", openList));
  put("place", name, make("h3", { textContent: p.name }), make("p", { className: "soft", textContent: [p.category, length(p.radius_m), p.notes].filter(Boolean).join(", ") }), acts);
}

// ---- forms
const field = (name, props) => make("input", { name, ...props }), option = (value, textContent, selected) => make("option", { value, textContent, selected });
const categories = chosen => make("select", { name: "category", ariaLabel: "Category" }, option("", "no category", !chosen), ...state.names.map(c => option(c, c, c.toLowerCase() === chosen?.toLowerCase())));
// A form whose refusal is said where it was filled in; `send` answers what is said at its success.
function form(title, parts, acts) {
  const wrong = make("p", { className: "wrong", role: "alert" }), f = make("form", { className: "form" }, ...parts, wrong);
  const run = async send => { wrong.textContent = ""; try { say(await send(Object.fromEntries(new FormData(f)))); openList(); loadBox(); } catch (error) { wrong.textContent = error.message; (error.field && f.elements[error.field.split(".").pop()])?.focus(); } };
  const line = make("div", { className: "acts" });
  acts.forEach(([text, send], i) => line.append(i ? button(text, () => f.reportValidity() && run(send)) : make("button", { textContent: text, className: "main" })));
  line.append(button("Cancel", openList)); f.append(line);
  f.addEventListener("submit", e => { e.preventDefault(); run(acts[0][1]); });
  return [make("h3", { textContent: title }), f];
}
function openAdd({ lat, lon, place }) {
  if (!state.link.may_change) return say("This link may only view.");
  const radius = field("radius_m", { type: "number", value: Math.round(place?.radius_m ?? 150), min: 20, max: 100000, required: true, ariaLabel: "Radius in metres" });
  const title = field("title", { placeholder: place ? `What, at ${place.name}` : "What", required: true, maxLength: 500, ariaLabel: "Title" });
  const draft = () => map.set("draft", { lat, lon, r: Number(radius.value) || 0 });
  const document = given => ({ kind: "location", title: given.title, on: given.on, place: place ? { name: place.name, lat, lon, radius_m: Number(given.radius_m) } : { lat, lon, radius_m: Number(given.radius_m) }, ...(given.on === "dwell" ? { dwell_s: 600 } : {}), ...(given.category ? { category: given.category } : {}), ...(given.every ? { every_visit: true } : {}) });
  put("add", null, ...form(place ? place.name : `${lat.toFixed(5)}, ${lon.toFixed(5)}`, [
    title, make("select", { name: "on", ariaLabel: "When" }, option("arrive", "when I come"), option("depart", "when I leave"), option("dwell", "when I stay for 10 minutes")), radius, categories(place?.category),
    make("label", {}, field("every", { type: "checkbox" }), "at every visit"),
  ], [
    ["Add reminder", async given => { const reminder = document(given); await post("api/check", { reminder }); await post("api/add", { reminder }); return `Added ${given.title}.`; }],
    ["Save as place", async given => { await post("api/place", { name: given.title, latitude: lat, longitude: lon, radius_m: Number(given.radius_m), ...(given.category ? { category: given.category } : {}) }); return `Saved ${given.title}.`; }],
  ]));
  radius.addEventListener("input", draft); draft(); title.focus();
}
function openEdit(p) {
  put("edit", p.name, ...form(p.name, [field("new_name", { value: p.name, required: true, ariaLabel: "Name" }), field("radius_m", { type: "number", value: Math.round(p.radius_m), min: 1, ariaLabel: "Radius in metres" }), categories(p.category)],
    [["Save", async given => { await post("api/edit-place", { name: p.name, new_name: given.new_name, category: given.category, ...(p.region ? {} : { radius_m: Number(given.radius_m) }) }); return `Saved ${given.new_name}.`; }]]));
}

// ---- what comes
async function loadReminders() {
  const all = new Map(); let next;
  do { const page = await get("reminders", next ? { after: next } : {}); for (const r of page.reminders) all.set(r.id, r); next = page.next; } while (next);
  state.reminders = all;
}
async function loadCategories() {
  const list = (await get("categories")).categories;
  state.names = list.map(c => c.name); state.categories = new Map(list.map(c => [c.name.toLowerCase(), c.color]));
  byId("chips").replaceChildren(...list.map(c => {
    const dot = make("span", { className: "dot" }), chip = button("", () => { const off = !state.hidden.has(c.name); state.hidden[off ? "add" : "delete"](c.name); chip.setAttribute("aria-pressed", !off); drawFences(); loadPlaces(); });
    dot.style.setProperty("--c", safe(c.color)); chip.setAttribute("aria-pressed", !state.hidden.has(c.name)); chip.append(dot, c.name);
    return chip;
  }));
}
const loadStatus = async () => { state.status = (await get("status").catch(() => ({}))).status ?? state.status; show(); };
setInterval(() => { if (!document.hidden && state.status.anchor) loadStatus(); }, 5000);
const reload = later(async () => { await loadReminders().catch(() => {}); loadStatus(); loadFences(); refresh(); if (!state.view) drawList(); }, 100);
// Firings may come twice, by the stream and by the log; each is taken once. How many were new.
function takeRows(rows) {
  const known = new Set(state.firings.map(f => f.seq)), fresh = rows.filter(f => !known.has(f.seq));
  if (!fresh.length) return 0;
  state.firings = [...state.firings, ...fresh].sort((a, b) => a.seq - b.seq);
  state.seq = state.firings.at(-1).seq;
  drawFirings(); if (!state.view) drawList();
  return fresh.length;
}
let events = null;
function listen() {
  if (events) return;
  events = new EventSource(`events${state.seq === null ? "" : `?after=${state.seq}`}`);
  const on = (name, run) => events.addEventListener(name, e => run(JSON.parse(e.data)));
  on("fix", ({ fix, lost }) => {
    state.lost = lost;
    if (fix) {
      const first = !state.me, age = (Date.now() - Date.parse(fix.time)) / 1000;
      state.me = fix; state.fixAt = first && age > 0 && age < 1e6 ? Date.now() - age * 1000 : Date.now();
      map.set("me", fix); if (!lost) walk(fix);
      if (first && !showAnchor.id) map.go(fix.lat, fix.lon, 14); else if (state.follow && !state.past) map.go(fix.lat, fix.lon);
      if (!state.ghost) loadNear();
    }
    if (state.view === "reminder" && state.open?.anchor_watch) {
      byId("anchor")?.replaceChildren(...anchorView(state.open));
      if (!showAnchor.isHeld) seeAnchor(state.open.place, false);
    }
    show();
  });
  on("ledger", async ({ ledger, head }) => {
    // Another ledger is another list. A page that was away reads what it missed.
    if (state.ledger !== ledger) { state.firings = []; state.seq = null; }
    state.ledger = ledger;
    for (let after = state.seq ?? Math.max(0, head - 500); after < head;) {
      const { rows } = await get("log", { after, limit: 500 }).catch(() => ({ rows: [] }));
      if (!rows.length || state.ledger !== ledger) break;
      takeRows(rows); after = rows.at(-1).seq;
    }
    state.seq ??= head;
  });
  on("firing", f => {
    if (takeRows([f])) { say(`${named(f)}: ${f.why ?? f.event}`); loadStatus(); refresh(); }
  });
  on("changed", ({ what }) => { if (what === "places") loadPlaces(); else if (what === "categories") loadCategories(); else reload(); });
  on("ended", () => { stop(); state.away = true; begin(); }); on("away", () => { state.away = true; show(); }); on("back", () => { state.away = false; loadStatus(); reload(); });
  events.onopen = () => { state.away = false; loadTrail(); loadStatus(); reload(); };
  events.onerror = () => { state.away = true; show(); if (events.readyState === 2) { stop(); setTimeout(begin, 3000); } };
}
const loadNear = later(loadFences, 250);
function stop() { events?.close(); events = null; }
document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); else if (state.link.name) listen(); });

// ---- hands
const nights = { auto: "as the system", day: "day", dark: "dark", red: "red for the night" };
function night(next) {
  root.dataset.night = next; document.querySelector("[data-do=night]").setAttribute("aria-label", `Colours: ${nights[next]}`);
  try { localStorage.night = next; } catch {}
  map.themed();
}
const hold = () => { showAnchor.isHeld = true; }, zoom = by => { hold(); map.zoom(by); };
byId("map").addEventListener("wheel", hold, { passive: true });
const actions = {
  in: () => zoom(1), out: () => zoom(-1), follow: () => follow(!state.follow),
  night: () => { const all = Object.keys(nights); night(all[(all.indexOf(root.dataset.night) + 1) % all.length]); say(`Colours: ${nights[root.dataset.night]}`); },
  past: () => openPast(),
  ghost: () => { const [lat, lon] = map.centre(); setGhost(state.ghost ? null : { lat, lon }); openList(); },
};
byId("buttons").addEventListener("click", e => actions[e.target.closest("button")?.dataset.do]?.());
byId("height").addEventListener("click", () => { const all = ["42vh", "78vh", "18vh"], now = root.style.getPropertyValue("--sheet") || all[0]; root.style.setProperty("--sheet", all[(all.indexOf(now) + 1) % 3]); });
const search = later(async () => {
  const words = byId("words").value.trim(), list = byId("found"), [latitude, longitude] = map.centre();
  if (!words) { list.hidden = true; return map.set("found", []); }
  const { places } = await get("find", { words, latitude, longitude, limit: 20 }).catch(() => ({ places: [] }));
  map.set("found", places.map(p => ({ name: p.name, lat: p.latitude, lon: p.longitude, color: safe(p.color) })));
  list.replaceChildren(...(places.length ? places.map(p => make("li", {}, row(safe(p.color), "", p.name, p.distance_m == null ? "" : length(p.distance_m), p.category ?? "", () => { follow(false); map.go(p.latitude, p.longitude, 16); list.hidden = true; state.places.some(q => q.name === p.name) || state.places.push(p); openPlace(p.name); }))) : [make("li", {}, make("p", { className: "soft", textContent: "No place has these words." }))]));
  list.hidden = false;
}, 150);
byId("words").addEventListener("input", search);
byId("search").addEventListener("submit", e => { e.preventDefault(); byId("found").querySelector("button")?.click(); });
byId("search").addEventListener("keydown", e => { if (e.key === "Escape") { byId("words").value = ""; search(); byId("map").focus(); } });
byId("panel").addEventListener("keydown", e => { if (e.key === "Escape") { openList(); byId("map").focus(); } });
byId("map").addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target !== byId("map")) return;
  const seqs = state.firings.map(f => f.seq), i = seqs.indexOf(state.chosen), go = n => { const f = state.firings[Math.max(0, Math.min(seqs.length - 1, n))]; if (f) openFiring(f.seq); };
  const [lat, lon] = map.centre();
  const run = { n: () => go(i < 0 ? seqs.length - 1 : i + 1), p: () => go(i < 0 ? seqs.length - 1 : i - 1), f: actions.follow, g: actions.ghost, t: actions.past, d: actions.night, a: () => openAdd({ lat, lon }), s: () => say(byId("state").textContent), escape: openList, "/": () => byId("words").focus() }[e.key.toLowerCase()];
  if (run) { e.preventDefault(); run(); }
});

// ---- the beginning
function noLink(text) { byId("body").replaceChildren(make("h3", { textContent: "No link" }), make("p", { textContent: text })); show(); }
function tiles({ min, max, kind, url: address = "tiles/{z}/{x}/{y}" }) {
  const url = (z, x, y) => address.replace("{z}", z).replace("{x}", x).replace("{y}", y);
  return { min, max, url, isVector: kind === "vector", bytes: (...name) => fetch(url(...name)).then(async r => r.ok ? new Uint8Array(await r.arrayBuffer()) : null) };
}
async function begin() {
  // A token in the address opens the session once, and leaves no trace in the history.
  const token = location.hash.slice(1);
  if (/^[\w-]{43}$/.test(token)) history.replaceState(null, "", location.pathname);
  try {
    if (/^[\w-]{43}$/.test(token)) await post("session", { link: token });
    const [session, base] = await Promise.all(["session", "base"].map(name => fetch(name).then(answer)));
    state.link = session.link;
    if (base.kind !== "none") { map.tiles(tiles(base)); byId("credit").textContent = (base.attribution ?? "").replace(/<[^>]*>/g, "").replace(/&copy;/g, "©"); }
    await Promise.all([loadCategories(), loadReminders()]); loadBox(); listen(); openList();
    if (location.hash === "#anchor") openReminder("anchor");
    root.dataset.ready = "1";
  } catch (error) {
    if (error.status === 401) return noLink(error.message);
    state.away = true; show(); setTimeout(begin, 3000);
  }
}
try { if (nights[localStorage.night]) night(localStorage.night); } catch {}
begin();
addEventListener("hashchange", begin);
