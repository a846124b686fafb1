// The way of the last hours, and trips: drawn, and played with what would have fired where.
let trail = [[]];
function drawTrail() { if (!state.past) map.set("lines", [{ runs: trail }]); }
async function loadTrail() {
  const { track } = await get("track").catch(() => ({}));
  trail = track?.t.length ? runsOf(readTrack(track)) : [[]];
  drawTrail();
}
// The live position goes on where the way has come to.
function walk({ lat, lon }) {
  if (state.past) trail.at(-1).push([lat, lon]); else map.extend(lat, lon);
}

const clock = time => new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
function closePast() {
  if (!state.past) return;
  state.past = null; map.set("past", null);
  loadTrail(); drawFirings();
}
async function openPast() {
  const { trips = [] } = await get("trips", { limit: 100 }).catch(error => ({ trips: [], error }));
  put("past", null, make("h3", { textContent: "Trips" }),
    row("var(--accent)", "inside", "The last hours", "", "", () => openTrack(null)),
    ...trips.map(t => row("var(--accent)", "", `${when(t.start)} to ${when(t.end)}`, length(t.distance_m), "", () => openTrack(t))),
    ...(trips.length ? [] : [make("p", { className: "soft", textContent: "No trips are kept. Keep=30d in section [Track] of georemind.conf keeps them." })]),
    make("div", { className: "acts" }, button("Close", openList)));
}
async function openTrack(trip) {
  const which = trip ? { trip: trip.id } : {};
  let track, firings;
  try {
    [track, firings] = await Promise.all([get("track", which).then(a => readTrack(a.track)), get("played", which).then(a => a.firings)]);
  } catch (error) { return say(error.message); }
  if (!track) return say("There is no way of the last hours yet.");
  const from = track.t[0], to = track.t.at(-1);
  follow(false);
  state.past = which;
  map.set("lines", [{ runs: runsOf(track) }]);
  map.fit(track.t.map((_, i) => [track.lat[i], track.lon[i]]));
  const marks = firings.filter(f => f.lat != null).map((f, i) => ({ seq: i + 1, lat: f.lat, lon: f.lon, color: colorOf(f.category), at: Date.parse(f.time), says: named(f) }));
  const output = make("output", { id: "moment" }), slider = make("input", { type: "range", id: "slider", value: 0, ariaLabel: "Moment of the trip" }), play = make("button", { type: "button", id: "play", ariaLabel: "Play" });
  const rows = firings.map((f, i) => row(colorOf(f.category), "", `${i + 1}  ${named(f)}`, clock(Date.parse(f.time)), f.why ?? f.event, () => show(Date.parse(f.time))));
  put("track", trip?.id ?? "trail", make("h3", { textContent: trip ? `${when(trip.start)}, ${length(trip.distance_m)}` : "The last hours" }),
    make("div", { id: "scrub" }, play, slider, output), make("h2", { textContent: firings.length ? "Would have fired" : "Nothing would have fired" }), ...rows,
    make("div", { className: "acts" }, button("Trips", openPast), button("Close", openList)));
  const show = makePlayer(slider, play, from, to, time => {
    const there = positionAt(track, time), text = `${clock(time)}${there ? `  ${Math.round(track.speed[there.i])} km/h` : ", no position"}`;
    map.set("past", there);
    map.set("firings", marks.filter(m => m.at <= time));
    rows.forEach((r, i) => r.classList.toggle("ahead", Date.parse(firings[i].time) > time));
    output.textContent = text; slider.setAttribute("aria-valuetext", text);
  });
  show(to);
}
