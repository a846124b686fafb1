// The map: fences, places, track and firings in metres around the middle, moved and scaled as a whole;
// texts, marks and the grid in pixels, drawn anew for each view.
function makeMap(box, select) {
  const svg = element("svg", { focusable: "false" }, box);
  const grid = element("g", { class: "grid", "aria-hidden": "true" }, svg);
  const world = element("g", {}, svg);
  const marks = element("g", {}, svg);
  const frame = element("g", { class: "frame", "aria-hidden": "true" }, svg);
  const view = { x: 0, y: 0, scale: 1, width: 0, height: 0 };
  const limits = [1e-5, 40];
  const points = track ? track.t.map((_, i) => project(track.lat[i], track.lon[i])) : [];
  const ratio = points => points.map(p => `${p[0].toFixed(2)} ${p[1].toFixed(2)}`).join("L");
  const toScreen = ([x, y]) => [view.width / 2 + (x - view.x) * view.scale, view.height / 2 - (y - view.y) * view.scale];
  const toWorld = (x, y) => [view.x + (x - view.width / 2) / view.scale, view.y - (y - view.height / 2) / view.scale];
  const isNear = ([x, y], margin = 60) => x > -margin && y > -margin && x < view.width + margin && y < view.height + margin;

  // ---- what moves as a whole
  function ring(lat, lon, radius) {
    const corners = [];
    for (let i = 0; i < 72; i++) corners.push(project(...destination(lat, lon, i * Math.PI / 36, radius)));
    return `M${ratio(corners)}Z`;
  }
  for (const fence of data.fences) {
    const title = `${fence.title}${fence.name ? ` (${fence.name})` : ""}: ${fence.kind === "preemptive" ? "time to leave" : fence.on}`
      + `, ${fence.fired ? `fired ${fence.fired === 1 ? "once" : `${fence.fired} times`}` : "has not fired"}`;
    const state = `fence ${fence.fired ? "fired" : "quiet"}`;
    let path;
    if (fence.lines) {
      const d = fence.lines.map(line => {
        const lat = sums(line.filter((_, i) => i % 2 === 0), 1e-6), lon = sums(line.filter((_, i) => i % 2), 1e-6);
        return `M${ratio(lat.map((_, i) => project(lat[i], lon[i])))}${fence.width ? "" : "Z"}`;
      }).join("");
      path = element("path", { d, class: fence.width ? `${state} corridor` : state, style: `--c:${fence.color}` }, world);
      if (fence.width) path.setAttribute("stroke-width", fence.width);
    } else {
      path = element("path", { d: ring(fence.lat, fence.lon, fence.r), class: state, style: `--c:${fence.color}` }, world);
    }
    element("title", {}, path, title);
  }
  for (const place of data.places) {
    const path = element("path", { d: ring(place.lat, place.lon, place.r), class: "fence place", style: `--c:${place.color}` }, world);
    element("title", {}, path, `${place.name}${place.category ? `, ${place.category}` : ""}`);
  }
  const line = element("g", { class: "track", "aria-hidden": "true" }, world);
  function draw(measure) {
    line.replaceChildren();
    const classes = Array.from({ length: 7 }, () => []), gaps = [];
    for (let i = 1; i < points.length; i++) {
      if (track.gap.has(i)) { gaps.push(`M${ratio([points[i - 1], points[i]])}`); continue; }
      const list = classes[classOf(measure, i)];
      // One path goes on where it ended.
      if (list.last === i - 1) list[list.length - 1].push(points[i]); else list.push([points[i - 1], points[i]]);
      list.last = i;
    }
    const casing = classes.flat();
    element("path", { d: casing.map(run => `M${ratio(run)}`).join(""), class: "casing" }, line);
    element("path", { d: gaps.join(""), class: "gap" }, line);
    classes.forEach((runs, i) => {
      if (runs.length) element("path", { d: runs.map(run => `M${ratio(run)}`).join(""), class: `class${i}` }, line);
    });
  }

  // ---- what is drawn anew
  function drawGrid() {
    grid.replaceChildren();
    frame.replaceChildren();
    const corners = [[0, 0], [view.width, 0], [0, view.height], [view.width, view.height]].map(c => unproject(...toWorld(...c)));
    const middle = unproject(view.x, view.y);
    const lats = corners.map(c => c[0]), lons = corners.map(c => {
      let lon = c[1] - middle[1];
      return middle[1] + (lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon);
    });
    const [south, north] = [Math.min(...lats), Math.max(...lats)], [west, east] = [Math.min(...lons), Math.max(...lons)];
    const perDegree = EARTH * RAD * view.scale;
    const digits = step => Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    const degrees = (value, step, letters) => {
      let v = ((value + 540) % 360) - 180;
      if (letters === "NS") v = value;
      return `${Math.abs(v).toFixed(digits(step))}° ${Math.abs(v) < step / 2 ? "" : letters[v < 0 ? 1 : 0]}`;
    };
    const polyline = pairs => `M${pairs.map(p => toScreen(project(...p)).map(v => v.toFixed(1)).join(" ")).join("L")}`;
    const latStep = Math.min(30, roundDown(130 / perDegree)), lonStep = Math.min(30, roundDown(150 / perDegree / Math.max(0.02, Math.cos(middle[0] * RAD))));
    const along = (from, to) => Array.from({ length: 13 }, (_, i) => from + (to - from) * i / 12);
    let lines = 0;
    for (let lat = Math.ceil(south / latStep) * latStep; lat <= north && Math.abs(lat) <= 90 && lines++ < 60; lat += latStep) {
      element("path", { d: polyline(along(west, east).map(lon => [lat, lon])) }, grid);
      const y = toScreen(project(lat, west))[1];
      if (y > 30 && y < view.height - 50) element("text", { x: 6, y: y - 4 }, frame, degrees(lat, latStep, "NS"));
    }
    for (let lon = Math.ceil(west / lonStep) * lonStep; lon <= east && lines++ < 120; lon += lonStep) {
      element("path", { d: polyline(along(Math.max(-90, south), Math.min(90, north)).map(lat => [lat, lon])) }, grid);
      const x = toScreen(project(north, lon))[0];
      if (x > 40 && x < view.width - 90) element("text", { x: x + 4, y: 14 }, frame, degrees(lon, lonStep, "EW"));
    }
    // Scale and north.
    const length = roundDown(Math.min(160, view.width / 3) / view.scale), pixels = length * view.scale;
    element("path", { d: `M12 ${view.height - 20}v6h${pixels.toFixed(1)}v-6`, class: "scale" }, frame);
    element("text", { x: 16, y: view.height - 20, class: "scaletext" }, frame, metres(length));
    const [x, y] = [view.width - 24, view.height - 34];
    const up = project(Math.min(90, middle[0] + 0.01), middle[1]), here = project(...middle);
    const turn = Math.atan2(up[0] - here[0], up[1] - here[1]) / RAD;
    const arrow = element("g", { transform: `translate(${x} ${y}) rotate(${turn.toFixed(1)})`, class: "north" }, frame);
    element("path", { d: "M0-16L6 6L0 2L-6 6Z" }, arrow);
    element("text", { x: 0, y: 20, "text-anchor": "middle", transform: `rotate(${(-turn).toFixed(1)} 0 16)` }, arrow, "N");
  }

  const places = new Map();
  for (const thing of [...data.fences, ...data.places]) {
    if (!thing.name || places.has(thing.name)) continue;
    places.set(thing.name, { at: project(thing.lat, thing.lon), color: thing.color, isFired: thing.fired > 0 });
  }
  const excluded = (data.excluded ?? []).map(([time, lat, lon, why]) => ({ time, why, at: project(lat * 1e-6, lon * 1e-6) }));
  const firings = data.firings.filter(f => f.lat != null).map(f => ({ ...f, at: project(f.lat, f.lon) }));
  let chosen = 0, cursor = null;

  function drawMarks() {
    const focused = marks.contains(document.activeElement) ? document.activeElement.dataset.n : null;
    marks.replaceChildren();
    const taken = [];
    const isFree = b => !taken.some(t => b[0] < t[2] && b[2] > t[0] && b[1] < t[3] && b[3] > t[1]);
    for (const fix of excluded) {
      const at = toScreen(fix.at);
      if (!isNear(at)) continue;
      const cross = element("path", { d: `M${at[0] - 4} ${at[1] - 4}l8 8m0-8l-8 8`, class: "excluded" }, marks);
      element("title", {}, cross, `${clock(fix.time)}: ${fix.why}`);
    }
    if (points.length) {
      const [start, end] = [toScreen(points[0]), toScreen(points.at(-1))];
      element("title", {}, element("circle", { cx: start[0], cy: start[1], r: 5, class: "end" }, marks), `Start, ${clock(track.t[0])}`);
      element("title", {}, element("rect", { x: end[0] - 5, y: end[1] - 5, width: 10, height: 10, class: "end" }, marks), `End, ${clock(track.t.at(-1))}`);
    }
    // Firings in a row where they would cover each other, each tied to its spot.
    const shown = [];
    for (const firing of firings) {
      const spot = toScreen(firing.at);
      if (!isNear(spot, 20)) continue;
      let x = spot[0], y = spot[1], tries = 0;
      const covers = () => shown.some(s => Math.abs(s.x - x) < 23 && Math.abs(s.y - y) < 23);
      while (covers() && tries++ < 40) x += 24;
      shown.push({ firing, spot, x, y });
      taken.push([x - 12, y - 12, x + 12, y + 12]);
    }
    for (const { firing, spot, x, y } of shown) {
      if (x !== spot[0]) element("path", { d: `M${spot[0]} ${spot[1]}L${x} ${y}`, class: "tie" }, marks);
    }
    for (const { firing, x, y } of shown) {
      const mark = element("g", { class: `firing${firing.n === chosen ? " chosen" : ""}${firing.own ? "" : " lent"}`,
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, style: `--c:${firing.color}`, role: "button", tabindex: "-1",
        "data-n": firing.n, "aria-label": `Firing ${firing.n}, ${firing.t == null ? "" : clock(firing.t)}, ${firing.event}: ${firing.title}` }, marks);
      element("circle", { r: 11 }, mark);
      element("text", { y: 4, "text-anchor": "middle" }, mark, firing.n);
      element("title", {}, mark, `${firing.n}  ${firing.t == null ? "" : clock(firing.t)}  ${firing.event}: ${firing.title}`);
      mark.addEventListener("click", event => { event.stopPropagation(); select(firing.n, "map"); });
      if (String(firing.n) === focused) mark.focus({ preventScroll: true });
    }
    for (const [name, place] of [...places].sort((a, b) => b[1].isFired - a[1].isFired)) {
      const at = toScreen(place.at);
      if (!isNear(at, 0)) continue;
      const short = name.length > 28 ? `${name.slice(0, 27)}…` : name, width = short.length * 6.6;
      const spots = [[14, 4, "start"], [-14, 4, "end"], [0, -16, "middle"], [0, 24, "middle"]];
      for (const [dx, dy, anchor] of spots) {
        const left = at[0] + dx - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0);
        const box = [left, at[1] + dy - 11, left + width, at[1] + dy + 4];
        if (box[0] < 2 || box[2] > view.width - 2 || !isFree(box)) continue;
        taken.push(box);
        element("text", { x: at[0] + dx, y: at[1] + dy, "text-anchor": anchor, class: "label" }, marks, short);
        break;
      }
      element("circle", { cx: at[0], cy: at[1], r: 2.5, class: "dot", style: `--c:${place.color}` }, marks);
    }
    drawCursor();
  }
  const pointer = element("circle", { r: 7, class: "cursor" });
  function drawCursor() {
    if (!cursor) return pointer.remove();
    const at = toScreen(project(cursor.lat, cursor.lon));
    pointer.setAttribute("cx", at[0]);
    pointer.setAttribute("cy", at[1]);
    marks.append(pointer);
  }

  let isDrawn = true;
  function update() {
    world.setAttribute("transform", `translate(${view.width / 2} ${view.height / 2}) scale(${view.scale} ${-view.scale}) translate(${-view.x} ${-view.y})`);
    if (!isDrawn) return;
    isDrawn = false;
    requestAnimationFrame(() => { isDrawn = true; drawGrid(); drawMarks(); });
  }
  function show(list, most = limits[1]) {
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y] of list) {
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
    }
    const room = Math.min(48, view.width / 8);
    [view.x, view.y] = [(left + right) / 2, (bottom + top) / 2];
    view.scale = Math.max(limits[0], Math.min(most, (view.width - 2 * room) / Math.max(1, right - left), (view.height - 2 * room) / Math.max(1, top - bottom)));
    update();
  }
  const all = extent.map(p => project(...p));
  // Fences that lie alone are shown with their edge.
  if (!track) for (const f of data.fences) if (f.r && all.length <= data.fences.length + data.places.length)
    for (let i = 0; i < 4; i++) all.push(project(...destination(f.lat, f.lon, i * Math.PI / 2, f.r)));
  const fit = () => show(all, 2);
  function zoom(factor, x = view.width / 2, y = view.height / 2) {
    const fixed = toWorld(x, y);
    view.scale = Math.max(limits[0], Math.min(limits[1], view.scale * factor));
    const moved = toWorld(x, y);
    view.x += fixed[0] - moved[0];
    view.y += fixed[1] - moved[1];
    update();
  }
  function pan(dx, dy) { view.x -= dx / view.scale; view.y += dy / view.scale; update(); }

  // ---- hands
  const fingers = new Map();
  svg.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (!event.target.closest(".firing")) svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", event => {
    const old = fingers.get(event.pointerId);
    if (!old) return hover(event);
    const [x, y] = [event.clientX, event.clientY];
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1], area = svg.getBoundingClientRect();
      const before = Math.hypot(old[0] - other[0], old[1] - other[1]), after = Math.hypot(x - other[0], y - other[1]);
      if (before > 0) zoom(after / before, other[0] - area.left, other[1] - area.top);
    } else {
      pan(x - old[0], y - old[1]);
    }
    fingers.set(event.pointerId, [x, y]);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(name, e => fingers.delete(e.pointerId));
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    const area = svg.getBoundingClientRect();
    zoom(Math.exp(-Math.max(-1, Math.min(1, event.deltaY / 300))), event.clientX - area.left, event.clientY - area.top);
  }, { passive: false });
  let onHover = () => {};
  function hover(event) {
    if (!track) return;
    const area = svg.getBoundingClientRect(), [x, y] = toWorld(event.clientX - area.left, event.clientY - area.top);
    const reach = 16 / view.scale;
    let best = reach, found = null;
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1], points[i]];
      if (track.gap.has(i) || Math.min(a[0], b[0]) - reach > x || Math.max(a[0], b[0]) + reach < x
        || Math.min(a[1], b[1]) - reach > y || Math.max(a[1], b[1]) + reach < y) continue;
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]], square = dx * dx + dy * dy;
      const part = square ? Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / square)) : 0;
      const distance = Math.hypot(a[0] + part * dx - x, a[1] + part * dy - y);
      if (distance < best) { best = distance; found = track.t[i - 1] + part * (track.t[i] - track.t[i - 1]); }
    }
    if (found != null) onHover(found);
  }
  box.addEventListener("keydown", event => {
    const step = 60, index = firings.findIndex(f => f.n === chosen);
    const actions = {
      ArrowLeft: () => pan(step, 0), ArrowRight: () => pan(-step, 0), ArrowUp: () => pan(0, step), ArrowDown: () => pan(0, -step),
      "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: fit,
      n: () => select(data.firings[Math.min(data.firings.length - 1, chosen)]?.n, "keys"),
      p: () => select(data.firings[Math.max(0, (chosen || 2) - 2)]?.n, "keys"),
      Enter: () => event.target.dataset?.n && select(Number(event.target.dataset.n), "map"),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  for (const [sign, name, action] of [["+", "Zoom in", () => zoom(1.6)], ["−", "Zoom out", () => zoom(1 / 1.6)], ["⤢", "Show all", fit]]) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: sign, title: name });
    button.setAttribute("aria-label", name);
    button.addEventListener("click", action);
    buttons.append(button);
  }
  box.append(buttons);

  let wasSized = false;
  function resize() {
    const { clientWidth: width, clientHeight: height } = box;
    if (!width || !height) return;
    Object.assign(view, { width, height });
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (wasSized) update(); else { wasSized = true; fit(); }
  }
  new ResizeObserver(resize).observe(box);
  draw("speed");
  resize();
  return {
    draw, fit, resize,
    set onHover(action) { onHover = action; },
    moment(position) { cursor = position; drawCursor(); },
    choose(n) {
      chosen = n;
      const firing = firings.find(f => f.n === n);
      if (firing) {
        const at = toScreen(firing.at), room = 24;
        if (at[0] < room || at[1] < room || at[0] > view.width - room || at[1] > view.height - room) [view.x, view.y] = firing.at;
      }
      update();
    },
  };
}
