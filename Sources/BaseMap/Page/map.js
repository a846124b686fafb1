// The map: Web Mercator, tiles as images or canvases, and everything else on one canvas above them.
const TILE = 256, RAD = Math.PI / 180, EARTH = 6378137;
const mercator = (lat, lon) => {
  const s = Math.sin(Math.max(-85.0511, Math.min(85.0511, lat)) * RAD);
  return [lon / 360 + 0.5, 0.5 - Math.log((1 + s) / (1 - s)) / (4 * Math.PI)];
};
const unmercator = (x, y) => [Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / RAD, (((x - 0.5) * 360 + 540) % 360 + 360) % 360 - 180];
// The copy of the world that is nearest to where one looks.
const nearest = (x, to) => x + Math.round(to - x);

// `on` has the functions moved, dragged, hold, hover, ghost and pick, which are called with degrees or with what was picked.
function makeMap(box, on) {
  const layer = box.appendChild(Object.assign(document.createElement("div"), { className: "tiles" }));
  const canvas = box.appendChild(document.createElement("canvas"));
  canvas.setAttribute("aria-hidden", "true");
  const pen = canvas.getContext("2d");
  const view = { x: 0.5, y: 0.5, z: 2, width: 0, height: 0 };
  const data = { places: [], found: [], fences: [], firings: [], lines: [], marks: [], me: null, ghost: null, past: null, draft: null, circles: [], chosen: null };
  // A day of positions each second.
  const longestRun = 86400;
  let source = null, hits = [];
  const ratio = () => Math.min(3, devicePixelRatio || 1);
  const world = () => TILE * 2 ** view.z;
  const toScreen = (x, y) => { const w = world(); return [view.width / 2 + (nearest(x, view.x) - view.x) * w, view.height / 2 + (y - view.y) * w]; };
  const at = (lat, lon) => toScreen(...mercator(lat, lon));
  const from = (px, py) => { const w = world(); return unmercator(view.x + (px - view.width / 2) / w, view.y + (py - view.height / 2) / w); };
  const perMetre = lat => world() / (2 * Math.PI * EARTH * Math.cos(lat * RAD));

  // ---- tiles
  const tiles = new Map();
  // What vectors cost is spread over the frames, by tile: the hand that drags comes first.
  const jobs = new Map(), share = 8;
  function spread(key, job) { if (!jobs.size) requestAnimationFrame(work); jobs.set(key, job); }
  function work() {
    const end = performance.now() + share;
    for (const [key, job] of jobs) { jobs.delete(key); job(); if (performance.now() > end) break; }
    if (jobs.size) requestAnimationFrame(work);
  }
  function drawTiles() {
    if (!source) return;
    const z = Math.max(source.min, Math.min(source.max, Math.round(view.z + (source.isVector ? -0.3 : Math.log2(ratio()) * 0.8)))), n = 2 ** z, size = world() / n;
    // Far above the first level there would be thousands.
    if (size < 64) { for (const image of tiles.values()) image.remove(); tiles.clear(); return; }
    const left = view.x * n - view.width / 2 / size, top = view.y * n - view.height / 2 / size, wanted = new Set();
    for (let y = Math.max(0, Math.floor(top)); y <= Math.min(n - 1, Math.floor(top + view.height / size)); y++)
      for (let x = Math.floor(left); x <= Math.floor(left + view.width / size); x++) wanted.add(`${z}/${x}/${y}`);
    for (const key of wanted) {
      if (tiles.has(key)) continue;
      const [, x, y] = key.split("/").map(Number), name = [z, ((x % n) + n) % n, y];
      const image = source.isVector ? document.createElement("canvas") : new Image();
      const here = () => { image.dataset.here = "1"; prune(z); }, away = () => { image.dataset.here = "0"; if (!source.isVector) image.remove(); prune(z); };
      if (source.isVector) {
        image.layers = {};
        const shown = bytes => { if (bytes) image.layers = VectorTiles.decode(bytes); paint(image, z); (bytes ? here : away)(); };
        source.bytes(...name).then(bytes => spread(key, () => { if (tiles.get(key) === image) shown(bytes); }), away);
      } else {
        image.decoding = "async"; image.alt = ""; image.draggable = false;
        image.onload = here; image.onerror = away; image.src = source.url(...name);
      }
      tiles.set(key, image);
      layer.append(image);
    }
    for (const [key, image] of tiles) {
      const [tz, x, y] = key.split("/").map(Number), s = world() / 2 ** tz;
      if (tz === z && !wanted.has(key) || tz !== z && (tz > z + 2 || tz < z - 5)) { if (!source.isVector) image.src = ""; image.remove(); tiles.delete(key); continue; }
      // Whole pixels of the screen, so that no seam shows.
      const r = ratio(), edge = v => Math.round(v * r) / r;
      const x0 = edge(view.width / 2 + (x / 2 ** tz - view.x) * world()), y0 = edge(view.height / 2 + (y / 2 ** tz - view.y) * world());
      const x1 = edge(view.width / 2 + ((x + 1) / 2 ** tz - view.x) * world()), y1 = edge(view.height / 2 + ((y + 1) / 2 ** tz - view.y) * world());
      // Vectors are drawn anew where they would be shown half as large again.
      if (image.layers && image.dataset.here === "1" && tz === z && Math.abs(Math.log2(Math.min(2048, (x1 - x0) * r) / image.width)) > 0.6) spread(key, () => paint(image, z));
      image.style.cssText = `transform:translate(${x0}px,${y0}px);width:${x1 - x0}px;height:${y1 - y0}px;z-index:${tz === z ? 20 : tz < z ? tz - z + 19 : 1}`;
    }
    prune(z);
  }
  function paint(image, z) {
    const size = Math.min(2048, Math.round(world() / 2 ** z * ratio()));
    VectorTiles.draw(image, image.layers, size, Math.max(z, view.z - 0.3), ratio(), theme());
  }
  const theme = () => ({ red: "red", dark: "dark", day: "light" })[document.documentElement.dataset.night] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  function prune(z) {
    if ([...tiles].some(([key, image]) => key.startsWith(`${z}/`) && image.dataset.here === undefined)) return;
    for (const [key, image] of tiles) if (!key.startsWith(`${z}/`)) { image.remove(); tiles.delete(key); }
  }

  // ---- places: single, or the number of those in a square of the screen
  let groups = { key: null, list: [] };
  function grouped() {
    const step = Math.floor(view.z * 2) / 2, key = `${step} ${data.placesKey}`;
    if (groups.key === key) return groups.list;
    const cells = new Map(), cell = TILE * 2 ** step / 44;
    for (const place of data.places) {
      const id = Math.floor(place.x * cell) * 4194304 + Math.floor(place.y * cell), c = cells.get(id);
      const n = place.n ?? 1;
      if (c) { c.n += n; c.x += n * place.x; c.y += n * place.y; c.color = c.color === place.color ? c.color : null; }
      else cells.set(id, { n, x: n * place.x, y: n * place.y, color: place.color, place });
    }
    groups = { key, list: [...cells.values()].map(c => ({ ...c, x: c.x / c.n, y: c.y / c.n })) };
    return groups.list;
  }

  // ---- drawing
  const style = name => getComputedStyle(box).getPropertyValue(name);
  const inSight = ([x, y], m = 30) => x > -m && y > -m && x < view.width + m && y < view.height + m;
  function disc(x, y, r, fill, stroke, width = 1.5) {
    pen.beginPath(); pen.arc(x, y, r, 0, 2 * Math.PI);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (stroke) { pen.strokeStyle = stroke; pen.lineWidth = width; pen.stroke(); }
  }
  // A text that lies over none before it: names that matter most come first.
  let boxes = [];
  const names = [];
  function label(text, x, y, color, halo, align = "start") {
    const width = pen.measureText(text).width, left = align === "center" ? x - width / 2 : x, box = [left - 2, y - 8, left + width + 2, y + 8];
    if (boxes.some(b => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) return;
    boxes.push(box);
    pen.textAlign = align; pen.lineWidth = 3; pen.lineJoin = "round";
    pen.strokeStyle = halo; pen.strokeText(text, x, y); pen.fillStyle = color; pen.fillText(text, x, y);
  }
  // Lines of points of the map; points that fall on one pixel are one.
  function trace(runs) {
    const w = world();
    pen.beginPath();
    for (const run of runs) {
      let last = null, px = 0, py = 0;
      run.forEach(([x, y], i) => {
        last = nearest(x, last ?? view.x);
        const sx = view.width / 2 + (last - view.x) * w, sy = view.height / 2 + (y - view.y) * w;
        if (i && i < run.length - 1 && Math.abs(sx - px) + Math.abs(sy - py) < 1.5) return;
        pen[i ? "lineTo" : "moveTo"](px = sx, py = sy);
      });
    }
  }
  function drawGrid(ink) {
    const [north, west] = from(0, 0), [south] = from(view.width, view.height), degrees = view.width / world() * 360;
    const step = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001].find(s => degrees / s > 3) ?? 0.0005;
    pen.strokeStyle = ink; pen.lineWidth = 0.6; pen.globalAlpha = 0.35; pen.beginPath();
    for (let lon = Math.floor(west / step) * step, i = 0; i < 40; i++, lon += step) { const [x] = at(0, lon); if (x < view.width + 1) { pen.moveTo(x, 0); pen.lineTo(x, view.height); } }
    for (let lat = Math.floor(south / step) * step; lat < north; lat += step) { const [, y] = at(lat, 0); pen.moveTo(0, y); pen.lineTo(view.width, y); }
    pen.stroke(); pen.globalAlpha = 1;
  }
  function drawMarks() {
    const r = ratio(), ink = style("--ink"), paper = style("--paper"), accent = style("--accent");
    if (canvas.width !== Math.round(view.width * r) || canvas.height !== Math.round(view.height * r)) { canvas.width = Math.round(view.width * r); canvas.height = Math.round(view.height * r); }
    pen.setTransform(r, 0, 0, r, 0, 0); pen.clearRect(0, 0, view.width, view.height); pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
    hits = []; boxes = []; names.length = 0;
    if (!source || view.z < source.min - 2) drawGrid(ink);
    for (const fence of data.fences) {
      const p = toScreen(fence.x, fence.y), radius = (fence.r ?? fence.reach) * perMetre(fence.lat);
      if (!inSight(p, radius + 20)) continue;
      pen.setLineDash(fence.state === "inside" ? [] : fence.state === "undecided" ? [2, 3] : [6, 4]);
      pen.globalAlpha = fence.shut ? 0.45 : 1;
      if (fence.lines) {
        pen.beginPath();
        for (const line of fence.lines) { line.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](...toScreen(x, y))); if (!fence.isLine) pen.closePath(); }
        pen.fillStyle = pen.strokeStyle = `${fence.color}${fence.state === "inside" ? "55" : "1c"}`;
        if (fence.isLine) { pen.save(); pen.setLineDash([]); pen.lineWidth = Math.max(4, fence.width_m * perMetre(fence.lat)); pen.stroke(); pen.restore(); } else pen.fill("evenodd");
        pen.strokeStyle = fence.color; pen.lineWidth = fence.id === data.chosen ? 3.5 : 1.8; pen.stroke();
      } else disc(...p, Math.max(radius, 4), `${fence.color}${fence.state === "inside" ? "55" : "1c"}`, fence.color, fence.id === data.chosen ? 3.5 : 1.8);
      pen.setLineDash([]); pen.globalAlpha = 1;
      if (radius > 14 || data.fences.length < 40 || fence.id === data.chosen) names.push([fence.id === data.chosen ? 0 : 2, fence.title, p[0], p[1] - Math.max(fence.lines ? 0 : radius, 4) - 9, ink, paper, "center"]);
      hits.push({ kind: "fence", id: fence.id, p, r: Math.max(radius, 12), says: fence.says ?? fence.title });
    }
    pen.lineCap = pen.lineJoin = "round";
    for (const isCasing of [true, false]) for (const line of data.lines) {
      if (isCasing && line.dash) continue;
      trace(line.runs); pen.setLineDash(!isCasing && line.dash || []);
      pen.strokeStyle = isCasing ? paper : line.color ?? accent; pen.lineWidth = isCasing ? 6 : line.width ?? 3; pen.stroke();
    }
    pen.setLineDash([]);
    for (const g of grouped()) {
      const p = toScreen(g.x, g.y);
      if (!inSight(p)) continue;
      if (g.n > 1) {
        const size = 9 + Math.min(11, Math.log2(g.n) * 1.8);
        disc(...p, size, paper, g.color ?? ink, 2); pen.textAlign = "center"; pen.fillStyle = ink; pen.fillText(g.n < 1000 ? g.n : `${Math.round(g.n / 100) / 10}k`, p[0], p[1] + 0.5);
        hits.push({ kind: "group", at: g, p, r: size });
      } else {
        disc(...p, 5, g.color ?? ink, paper, 1.5); hits.push({ kind: "place", id: g.place.name, p, r: 11, says: g.place.name });
        if (view.z >= 15 || data.places.length < 40) names.push([3, g.place.name, p[0] + 9, p[1], ink, paper]);
      }
    }
    for (const mark of data.marks) {
      const p = toScreen(mark.x, mark.y), [x, y] = p;
      if (!inSight(p)) continue;
      pen.strokeStyle = mark.color ?? ink; pen.fillStyle = paper; pen.lineWidth = 2; pen.beginPath();
      if (mark.shape === "cross") { pen.moveTo(x - 4, y - 4); pen.lineTo(x + 4, y + 4); pen.moveTo(x + 4, y - 4); pen.lineTo(x - 4, y + 4); }
      else if (mark.shape === "square") { pen.rect(x - 5, y - 5, 10, 10); pen.fill(); } else { pen.arc(x, y, 5, 0, 2 * Math.PI); pen.fill(); }
      pen.stroke(); hits.push({ kind: "mark", p, r: 8, says: mark.says });
    }
    const taken = new Map(), spots = [];
    for (const f of data.firings) {
      const p = toScreen(f.x, f.y);
      if (!inSight(p)) continue;
      // Those at one spot stand in a row.
      const spot = `${Math.round(p[0] / 22)} ${Math.round(p[1] / 22)}`, k = taken.get(spot) ?? 0;
      taken.set(spot, k + 1);
      if (k > 3) {
        if (k === 4) spots.push([spot, p]);
        continue;
      }
      pen.setLineDash(f.isLent ? [4, 3] : []); disc(p[0] + 22 * k, p[1], 10, f.seq === data.chosen ? f.color : paper, f.color, 3); pen.setLineDash([]);
      pen.textAlign = "center"; pen.fillStyle = f.seq === data.chosen ? paper : ink; pen.fillText(f.seq, p[0] + 22 * k, p[1] + 0.5);
      hits.push({ kind: "firing", id: f.seq, p: [p[0] + 22 * k, p[1]], r: 12, says: f.says });
    }
    for (const [spot, p] of spots) names.push([1, `+${taken.get(spot) - 4}`, p[0] + 78, p[1], ink, paper]);
    for (const place of data.found) {
      const p = toScreen(place.x, place.y);
      if (!inSight(p)) continue;
      disc(...p, 8, place.color, ink, 2.5); names.push([1, place.name, p[0] + 12, p[1], ink, paper]);
      hits.push({ kind: "place", id: place.name, p, r: 14 });
    }
    for (const c of data.circles) { pen.setLineDash(c.dash ?? []); disc(...at(c.lat, c.lon), c.r * perMetre(c.lat), null, ink, 2); pen.setLineDash([]); }
    if (data.draft) { pen.setLineDash([2, 3]); disc(...at(data.draft.lat, data.draft.lon), Math.max(4, data.draft.r * perMetre(data.draft.lat)), `color-mix(in srgb, ${accent} 18%, transparent)`, accent, 2.5); pen.setLineDash([]); }
    for (const [who, color] of [[data.ghost, "#9c27b0"], [data.me, accent], [data.past, "#c26a00"]]) {
      if (!who) continue;
      const p = at(who.lat, who.lon), radius = (who.eph ?? 0) * perMetre(who.lat);
      if (radius > 9) disc(...p, radius, `color-mix(in srgb, ${color} 18%, transparent)`, color, 1);
      if (who.track != null && who.track >= 0 && who.speed > 0.5) {
        pen.save(); pen.translate(...p); pen.rotate(who.track * RAD); pen.beginPath(); pen.moveTo(0, -19); pen.lineTo(6, -8); pen.lineTo(-6, -8); pen.closePath(); pen.fillStyle = color; pen.fill(); pen.restore();
      }
      disc(...p, 8, color, "#fff", 3);
      if (who === data.ghost) hits.push({ kind: "ghost", p, r: 18 });
    }
    drawScale(ink, paper);
    for (const [, ...name] of names.sort((a, b) => a[0] - b[0])) label(...name);
  }
  function drawScale(ink, paper) {
    const [lat] = unmercator(view.x, view.y), most = Math.min(140, view.width / 3) / perMetre(lat), power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map(f => f * power).find(f => f <= most), w = length * perMetre(lat), y = view.height - 14;
    for (const [color, width] of [[paper, 5], [ink, 2]]) { pen.strokeStyle = color; pen.lineWidth = width; pen.beginPath(); pen.moveTo(12, y - 5); pen.lineTo(12, y); pen.lineTo(12 + w, y); pen.lineTo(12 + w, y - 5); pen.stroke(); }
    label(length < 1000 ? `${length} m` : `${length / 1000} km`, 16, y - 9, ink, paper);
  }

  // ---- one frame for all changes
  let waits = false;
  function update() {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; drawTiles(); drawMarks(); });
  }
  let moved = 0;
  function changed() { update(); clearTimeout(moved); moved = setTimeout(() => on.moved?.(), 150); }

  // ---- moving
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let flight = 0;
  function set(x, y, z) {
    const most = (source?.max ?? 19) + 3;
    view.z = Math.max(Math.log2(Math.max(view.width, 256) / TILE) - 0.5, Math.min(most, z));
    view.x = x - Math.floor(x); view.y = Math.max(0, Math.min(1, y));
    changed();
  }
  function zoomAt(z, px, py) {
    const w = world(), fx = view.x + (px - view.width / 2) / w, fy = view.y + (py - view.height / 2) / w, z1 = Math.max(1, Math.min((source?.max ?? 19) + 3, z)), w1 = TILE * 2 ** z1;
    set(fx - (px - view.width / 2) / w1, fy - (py - view.height / 2) / w1, z1);
  }
  // Glides to a zoom about a point of the screen.
  function glide(by, px = view.width / 2, py = view.height / 2) {
    cancelAnimationFrame(flight);
    if (isCalm) return zoomAt(view.z + by, px, py);
    const z0 = view.z, begun = performance.now();
    const step = time => { const t = Math.min(1, (time - begun) / 180), e = 1 - (1 - t) ** 3; zoomAt(z0 + by * e, px, py); if (t < 1) flight = requestAnimationFrame(step); };
    flight = requestAnimationFrame(step);
  }
  function pan(dx, dy) { const w = world(); set(view.x - dx / w, view.y - dy / w, view.z); }
  function coast(vx, vy) {
    if (isCalm || Math.hypot(vx, vy) < 0.15) return;
    let last = performance.now();
    const step = time => { const dt = time - last; last = time; pan(vx * dt, vy * dt); const k = Math.exp(-dt / 160); vx *= k; vy *= k; if (Math.hypot(vx, vy) > 0.02) flight = requestAnimationFrame(step); };
    flight = requestAnimationFrame(step);
  }
  const fingers = new Map();
  let hold = 0, travelled = 0, speed = [0, 0, 0], dragged = null;
  const local = e => { const a = canvas.getBoundingClientRect(); return [e.clientX - a.left, e.clientY - a.top]; };
  const hit = (x, y) => hits.findLast(h => Math.hypot(h.p[0] - x, h.p[1] - y) <= h.r);
  canvas.addEventListener("pointerdown", e => {
    cancelAnimationFrame(flight); canvas.setPointerCapture(e.pointerId);
    const p = local(e); fingers.set(e.pointerId, p); travelled = 0; speed = [0, 0, e.timeStamp];
    dragged = hit(...p)?.kind === "ghost" ? "ghost" : null;
    clearTimeout(hold);
    if (fingers.size === 1 && !dragged) hold = setTimeout(() => { fingers.clear(); on.hold?.(...from(...p)); }, 550);
  });
  canvas.addEventListener("pointermove", e => {
    const old = fingers.get(e.pointerId), p = local(e);
    if (!old) { const over = hit(...p); canvas.style.cursor = over ? "pointer" : ""; canvas.title = over?.says ?? ""; return on.hover?.(...from(...p), 1 / perMetre(from(...p)[0])); }
    const d = [p[0] - old[0], p[1] - old[1]];
    travelled += Math.hypot(...d);
    if (travelled > 8) clearTimeout(hold);
    if (dragged) { const [lat, lon] = from(...p); on.ghost?.(lat, lon); }
    else if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
      const before = Math.hypot(old[0] - other[0], old[1] - other[1]), after = Math.hypot(p[0] - other[0], p[1] - other[1]);
      pan(d[0] / 2, d[1] / 2);
      if (before > 10 && after > 10) zoomAt(view.z + Math.log2(after / before), (p[0] + other[0]) / 2, (p[1] + other[1]) / 2);
    } else if (travelled > 3) {
      pan(...d); const dt = Math.max(1, e.timeStamp - speed[2]); speed = [0.7 * d[0] / dt + 0.3 * speed[0], 0.7 * d[1] / dt + 0.3 * speed[1], e.timeStamp]; on.dragged?.();
    }
    fingers.set(e.pointerId, p);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, e => {
    clearTimeout(hold);
    if (!fingers.delete(e.pointerId) || name !== "pointerup") return;
    if (travelled <= 8 && !fingers.size && !dragged) {
      const found = hit(...local(e));
      if (found?.kind === "group") { const p = found.p; glide(1.5, ...p); } else on.pick?.(found?.kind, found?.id);
    } else if (!fingers.size && !dragged && e.timeStamp - speed[2] < 60) coast(speed[0], speed[1]);
    dragged = null;
  });
  canvas.addEventListener("contextmenu", e => { e.preventDefault(); clearTimeout(hold); fingers.clear(); on.hold?.(...from(...local(e))); });
  canvas.addEventListener("dblclick", e => glide(1, ...local(e)));
  canvas.addEventListener("wheel", e => { e.preventDefault(); cancelAnimationFrame(flight); zoomAt(view.z - Math.max(-1, Math.min(1, e.deltaY / (e.deltaMode ? 8 : 240))), ...local(e)); }, { passive: false });
  box.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target !== box) return;
    const s = e.shiftKey ? 200 : 70, action = { ArrowLeft: () => pan(s, 0), ArrowRight: () => pan(-s, 0), ArrowUp: () => pan(0, s), ArrowDown: () => pan(0, -s), "+": () => glide(1), "=": () => glide(1), "-": () => glide(-1) }[e.key];
    if (action) { e.preventDefault(); action(); }
  });
  function resize() { const { clientWidth: width, clientHeight: height } = box; if (width && height) { Object.assign(view, { width, height }); drawTiles(); drawMarks(); } }
  new ResizeObserver(resize).observe(box);
  resize();
  const place = p => { const [x, y] = mercator(p.lat, p.lon); return { ...p, x, y }; };
  // A fence of a shape: its lines, its middle, and metres from there to its farthest corner, about.
  function shaped(fence) {
    const points = fence.rings?.flat() ?? [];
    if (!points.length) return fence;
    const [lon, lat] = points[0], x0 = mercator(lat, lon)[0];
    const lines = fence.rings.map(ring => ring.map(([lon, lat]) => { const [x, y] = mercator(lat, lon); return [nearest(x, x0), y]; }));
    const reach = lines.flat().reduce((far, [x, y]) => Math.max(far, Math.hypot(x - x0, y - mercator(lat, lon)[1])), 0) * 2 * Math.PI * EARTH * Math.cos(lat * RAD);
    return { ...fence, lines, lat, lon, reach };
  }
  return {
    // `given` has min, max, isVector and, for vectors, bytes(z, x, y), a promise; for images url(z, x, y).
    tiles(given) { source = given; layer.classList.toggle("vector", !!given.isVector); update(); },
    set(name, value) {
      if (name === "fences") value = value.map(shaped).filter(f => f.lat != null);
      data[name] = ["places", "found", "fences", "firings", "marks"].includes(name) ? value.map(place) : name === "lines" ? value.map(l => ({ ...l, runs: l.runs.map(run => run.map(p => mercator(...p))) })) : value;
      if (name === "places") data.placesKey = (data.placesKey ?? 0) + 1;
      update();
    },
    // A point more of the last line.
    extend(lat, lon) { const run = data.lines.at(-1)?.runs.at(-1); if (!run) return; run.push(mercator(lat, lon)); if (run.length > longestRun) run.shift(); update(); },
    // Shows all points, at most at a zoom.
    fit(points, zoom = 17) {
      const list = points.map(p => mercator(...p)), x0 = list[0][0], xs = list.map(([x]) => nearest(x, x0)), ys = list.map(([, y]) => y), room = Math.min(48, view.width / 8);
      const ends = list => list.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]), [w, e] = ends(xs), [n, s] = ends(ys);
      cancelAnimationFrame(flight);
      set((w + e) / 2, (n + s) / 2, Math.min(zoom, Math.log2(Math.min((view.width - 2 * room) / (e - w), (view.height - 2 * room) / (s - n)) / TILE)));
    },
    go(lat, lon, z = view.z) { cancelAnimationFrame(flight); set(...mercator(lat, lon), z); },
    zoom: glide, at, resize,
    bounds() { if (world() <= view.width) return { north: from(0, 0)[0], west: -180, south: from(0, view.height)[0], east: 180 }; const [north, west] = from(0, 0), [south, east] = from(view.width, view.height); return { north, west, south, east }; },
    centre: () => unmercator(view.x, view.y), get z() { return view.z; }, get width() { return view.width; }, redraw() { drawTiles(); drawMarks(); }, themed() { for (const [key, image] of tiles) if (image.layers && image.dataset.here === "1") spread(key, () => paint(image, Number(key.split("/")[0]))); drawMarks(); },
    isBusy: () => waits || jobs.size > 0 || [...tiles.values()].some(i => i.dataset.here === undefined),
  };
}
