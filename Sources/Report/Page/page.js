// The parts together: what is chosen in one is chosen in all.
const hands = {}, map = makeMap(document.getElementById("map"), hands);
{
  const byId = id => document.getElementById(id);
  let chosen = 0;
  const items = new Map(data.firings.map(f => [f.n, byId(`firing-${f.n}`)]));

  function select(n, from) {
    const firing = data.firings[n - 1];
    if (!firing || n === chosen && from === "list") return;
    chosen = n;
    map.set("chosen", n);
    if (firing.lat != null) {
      const [x, y] = map.at(firing.lat, firing.lon), room = 24;
      if (x < room || y < room || x > box.clientWidth - room || y > box.clientHeight - room) map.go(firing.lat, firing.lon);
    }
    timeline?.choose(n);
    const item = items.get(n), details = item.firstElementChild;
    for (const [number, other] of items) other.classList.toggle("chosen", number === n);
    if (from !== "list") {
      details.open = true;
      if (from !== "keys") details.firstElementChild.focus({ preventScroll: true });
      item.scrollIntoView({ block: "nearest" });
    }
    if (from === "keys") byId("cursor").setAttribute("aria-live", "polite");
    if (firing.t != null) moment(firing.t, from === "keys" ? `Firing ${n}: ${firing.title}. ` : "");
  }

  // ---- the map
  const box = byId("map"), fit = () => map.fit(extent);
  hands.hover = hover;
  hands.pick = (kind, id) => kind === "firing" && select(id, "map");
  function tileSource({ min, max, kind, tiles }) {
    const url = (...name) => `data:image/png;base64,${tiles[name.join("/")] ?? ""}`;
    const bytes = async (...name) => {
      const text = tiles[name.join("/")];
      if (!text) return null;
      const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
      if (packed[0] !== 0x1f || packed[1] !== 0x8b) return packed;
      return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
    };
    return { min, max, url, bytes, isVector: kind === "vector" };
  }
  if (data.tiles) {
    map.tiles(tileSource(data.tiles));
    byId("credit").textContent = (data.tiles.attribution ?? "").replace(/<[^>]*>/g, "").replace(/&copy;/g, "©");
  }
  map.set("fences", data.fences.map((f, i) => ({
    id: i, title: f.name ?? f.title, color: f.color, lat: f.lat, lon: f.lon, r: f.r, isLine: !!f.width, width_m: f.width, state: f.fired ? "inside" : "outside",
    says: `${f.title}${f.name ? ` (${f.name})` : ""}: ${f.kind === "preemptive" ? "time to leave" : f.on}, ${f.fired ? `fired ${f.fired === 1 ? "once" : `${f.fired} times`}` : "has not fired"}`,
    rings: f.lines?.map(line => { const lat = sums(line.filter((_, i) => i % 2 === 0), 1e-6), lon = sums(line.filter((_, i) => i % 2), 1e-6); return lat.map((_, i) => [lon[i], lat[i]]); }),
  })));
  map.set("places", data.places);
  map.set("firings", data.firings.filter(f => f.lat != null).map(f => ({
    ...f, seq: f.n, isLent: !f.own, says: `${f.n}  ${f.t == null ? "" : clock(f.t)}  ${f.event}: ${f.title}`,
  })));
  map.set("marks", [
    ...(data.excluded ?? []).map(([time, lat, lon, why]) => ({ lat: lat * 1e-6, lon: lon * 1e-6, shape: "cross", color: "#c62828", says: `${clock(time)}: ${why}` })),
    ...(track ? [[0, "disc", "Start"], [track.t.length - 1, "square", "End"]].map(([i, shape, name]) => ({ lat: track.lat[i], lon: track.lon[i], shape, says: `${name}, ${clock(track.t[i])}` })) : []),
  ]);
  const color = name => getComputedStyle(box).getPropertyValue(name).trim();
  function drawTrack(measure) {
    if (!track) return;
    const classes = Array.from({ length: 8 }, () => []), point = i => [track.lat[i], track.lon[i]];
    for (let i = 1; i < track.t.length; i++) {
      const list = classes[track.gap.has(i) ? 7 : classOf(measure, i)];
      // A line goes on where it ended.
      if (list.last === i - 1) list.at(-1).push(point(i)); else list.push([point(i - 1), point(i)]);
      list.last = i;
    }
    map.set("lines", classes.map((runs, i) => ({ runs, color: color(i < 7 ? `--t${i}` : "--soft"), ...(i < 7 ? {} : { dash: [2, 6], width: 2 }) })));
  }
  // The moment of the nearest point of the track, within sixteen pixels.
  function hover(lat, lon, perPixel) {
    if (!track) return;
    const [x, y] = mercator(lat, lon), metres = 2 * Math.PI * EARTH * Math.cos(lat * RAD);
    let best = 16 * perPixel / metres, found = null;
    for (let i = 1; i < points.length; i++) {
      if (track.gap.has(i)) continue;
      const [bx, by] = points[i], ax = nearest(points[i - 1][0], bx), ay = points[i - 1][1], px = nearest(x, bx);
      const dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
      const part = square ? Math.max(0, Math.min(1, ((px - ax) * dx + (y - ay) * dy) / square)) : 0;
      const distance = Math.hypot(ax + part * dx - px, ay + part * dy - y);
      if (distance < best) { best = distance; found = track.t[i - 1] + part * (track.t[i] - track.t[i - 1]); }
    }
    if (found != null) moment(found);
  }
  const points = track ? track.t.map((_, i) => mercator(track.lat[i], track.lon[i])) : [];
  let measure = "speed";
  drawTrack(measure);
  fit();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawTrack(measure); map.themed(); });
  const actions = { in: () => map.zoom(1), out: () => map.zoom(-1), all: fit };
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", actions[button.dataset.do]);
  box.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = data.firings.length, run = { 0: fit, n: () => select(Math.min(last, chosen + 1), "keys"), p: () => select(Math.max(1, chosen - 1), "keys") }[event.key.toLowerCase()];
    if (run) { event.preventDefault(); run(); }
  });

  const timeline = makeTimeline(byId("line"), select);
  const slider = byId("slider"), output = byId("cursor");

  function moment(time, prefix = "") {
    timeline?.show(time);
    const there = positionAt(track, time);
    map.set("me", there);
    const text = prefix + (there ? describe(there.i, time) : track ? `${clock(time)}, no position` : clock(time));
    output.textContent = text;
    slider.value = Math.round((time - data.from) / 1000);
    slider.setAttribute("aria-valuetext", text);
  }
  if (timeline) timeline.onHover = time => moment(time);

  if (track) {
    byId("scrub").hidden = byId("bar").hidden = false;
    makePlayer(slider, byId("play"), data.from, data.to, time => moment(time));
    moment(data.from);
    const legend = measure => {
      const { bounds, unit, values } = measures[measure];
      const names = [...bounds.map((b, i) => i ? `${bounds[i - 1]}–${b}` : `≤ ${b}`), `> ${bounds.at(-1)}`];
      byId("legend").replaceChildren(...[...names, ...(values.includes(null) ? ["unknown"] : [])].map((name, i) => {
        const item = document.createElement("li");
        item.className = `class${i}`;
        item.textContent = i === names.length - 1 ? `${name} ${unit}` : name;
        return item;
      }));
    };
    for (const input of document.querySelectorAll("[name=measure]")) input.addEventListener("change", () => {
      drawTrack(measure = input.value);
      if (timeline) timeline.measure = input.value;
      legend(input.value);
    });
    legend("speed");
  }

  for (const [n, item] of items) {
    const details = item.firstElementChild;
    details.addEventListener("toggle", () => { if (details.open) select(n, "list"); });
    details.firstElementChild.addEventListener("keydown", event => {
      const to = { ArrowDown: n + 1, ArrowUp: n - 1, Home: 1, End: items.size }[event.key];
      if (!items.has(to)) return;
      event.preventDefault();
      items.get(to).firstElementChild.firstElementChild.focus();
    });
  }
  if (data.omitted > 0) {
    const note = document.createElement("p");
    note.textContent = `${data.omitted} more fences or places are farther off and not drawn.`;
    document.querySelector("footer").prepend(note);
  }

  // On paper everything is open.
  let wasOpen = [];
  addEventListener("beforeprint", () => {
    wasOpen = [...items.values()].map(item => item.firstElementChild).filter(d => d.open);
    for (const item of items.values()) { item.firstElementChild.removeAttribute("name"); item.firstElementChild.open = true; }
    map.resize();
    timeline?.draw();
  });
  addEventListener("afterprint", () => {
    for (const item of items.values()) { item.firstElementChild.open = false; item.firstElementChild.setAttribute("name", "firing"); }
    for (const details of wasOpen) details.open = true;
  });
  document.documentElement.dataset.ready = "yes";
}
