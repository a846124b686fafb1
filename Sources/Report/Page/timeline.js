const SVG = "http://www.w3.org/2000/svg";
function element(name, attributes = {}, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}
// The time line: speed or accuracy as an area, gaps hatched, firings in rows above it.
function makeTimeline(box, select) {
  if (data.from == null) return null;
  const svg = element("svg", { "aria-hidden": "true", focusable: "false" }, box);
  const span = Math.max(1000, data.to - data.from);
  let width = 0, measure = "speed", chosen = 0, moment = null, x = () => 0, cursor;
  const left = 12, right = 12;

  function draw() {
    svg.replaceChildren();
    width = box.clientWidth;
    if (!width) return;
    const inner = width - left - right;
    x = time => left + inner * (time - data.from) / span;
    // Firings side by side share a row; those that would cover each other get a row of their own.
    const rows = [], marks = [];
    for (const firing of data.firings) {
      if (firing.t == null) continue;
      const at = x(firing.t);
      let row = rows.findIndex(last => at - last >= 23);
      if (row < 0 && rows.length < 6) row = rows.push(-Infinity) - 1;
      if (row < 0) row = rows.indexOf(Math.min(...rows));
      rows[row] = at;
      marks.push({ firing, at, row });
    }
    const band = Math.max(1, rows.length) * 24 + 8, chart = track ? 44 : 4, base = band + chart, height = base + 24;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    if (track) area(band, chart, inner);
    axis(base, inner);
    for (const { at, row, firing } of marks)
      element("path", { d: `M${at.toFixed(1)} ${band - 8 - row * 24}V${base}`, class: "stem", style: `--c:${firing.color}` }, svg);
    cursor = element("path", { class: "hair" }, svg);
    cursor.dataset.base = base;
    for (const { firing, at, row } of marks) {
      const mark = element("g", { class: `firing${firing.n === chosen ? " chosen" : ""}`, style: `--c:${firing.color}`,
        transform: `translate(${at.toFixed(1)} ${band - 16 - row * 24})` }, svg);
      element("circle", { r: 11 }, mark);
      element("text", { y: 4, "text-anchor": "middle" }, mark, firing.n);
      element("title", {}, mark, `${firing.n}  ${clock(firing.t)}  ${firing.event}: ${firing.title}`);
      mark.addEventListener("click", event => { event.stopPropagation(); select(firing.n, "line"); });
    }
    show(moment);
  }

  function area(top, height, inner) {
    const values = measures[measure].values, bins = Math.max(1, Math.floor(inner / 2));
    const highest = new Array(bins).fill(null);
    for (let i = 1; i < track.t.length; i++) {
      if (track.gap.has(i) || values[i] == null) continue;
      const from = Math.max(0, Math.floor((track.t[i - 1] - data.from) / span * bins));
      const to = Math.min(bins - 1, Math.floor((track.t[i] - data.from) / span * bins));
      for (let b = from; b <= to; b++) highest[b] = Math.max(highest[b] ?? 0, values[i]);
    }
    // Few fixes are far off; they shall not press the rest down.
    const sorted = highest.filter(v => v != null).sort((a, b) => a - b);
    const most = Math.max(1, (sorted[Math.floor(sorted.length * 0.99)] ?? 1) * 1.1);
    let d = "", isOpen = false, last = 0;
    highest.forEach((value, b) => {
      const at = (left + b * inner / bins).toFixed(1), end = (left + (b + 1) * inner / bins).toFixed(1);
      if (value == null) { if (isOpen) d += `V${top + height}Z`; isOpen = false; return; }
      const y = (top + height - 4 - (height - 8) * Math.min(1, value / most)).toFixed(1);
      d += isOpen ? `V${y}H${end}` : `M${at} ${top + height}V${y}H${end}`;
      isOpen = true;
    });
    if (isOpen) d += `V${top + height}Z`;
    for (const i of track.gap) {
      const [from, to] = [x(track.t[i - 1]), x(track.t[i])];
      const gap = element("rect", { x: from.toFixed(1), y: top, width: Math.max(1.5, to - from).toFixed(1), height, class: "hole" }, svg);
      element("title", {}, gap, `No fix from ${clock(track.t[i - 1])} to ${clock(track.t[i])}`);
    }
    element("path", { d, class: "profile" }, svg);
    for (const [time, , , why] of data.excluded ?? []) {
      const tick = element("path", { d: `M${x(time).toFixed(1)} ${top + height}v-7`, class: "excluded" }, svg);
      element("title", {}, tick, `${clock(time)}: ${why}`);
    }
    element("text", { x: width - right, y: top + 10, "text-anchor": "end", class: "most" }, svg, `${Math.round(most)} ${measures[measure].unit}`);
  }

  function axis(base, inner) {
    element("path", { d: `M${left} ${base}H${width - right}`, class: "axis" }, svg);
    const steps = [1, 5, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000, 7776000];
    const wanted = span / 1000 / Math.max(2, inner / 90), step = (steps.find(s => s >= wanted) ?? 31536000) * 1000;
    let ticks = 0;
    const first = Math.ceil((data.from + offsetAt(data.from)) / step) * step;
    for (let shown = first; ticks++ < 100; shown += step) {
      const time = shown - offsetAt(shown - offsetAt(shown));
      if (time > data.to) break;
      const at = x(time), isDay = step >= 86400000 || (shown % 86400000 === 0);
      element("path", { d: `M${at.toFixed(1)} ${base}v5`, class: "axis" }, svg);
      if (at < left + 16 || at > width - right - 16) continue;
      element("text", { x: at, y: base + 17, "text-anchor": "middle" }, svg, isDay ? local(time).slice(5, 10) : clock(time, step < 60000));
    }
  }

  function show(time) {
    moment = time;
    if (cursor) cursor.setAttribute("d", time == null ? "" : `M${x(time).toFixed(1)} 0V${cursor.dataset.base}`);
  }
  let onHover = () => {};
  const point = event => {
    const at = event.clientX - svg.getBoundingClientRect().left;
    onHover(Math.max(data.from, Math.min(data.to, data.from + span * (at - left) / Math.max(1, width - left - right))));
  };
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  new ResizeObserver(() => { if (box.clientWidth !== width) draw(); }).observe(box);
  draw();
  return {
    show, draw,
    set measure(name) { measure = name; draw(); },
    set onHover(action) { onHover = action; },
    choose(n) { chosen = n; draw(); },
  };
}
