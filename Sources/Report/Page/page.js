// The parts together: what is chosen in one is chosen in all.
{
  const byId = id => document.getElementById(id);
  let chosen = 0;
  const items = new Map(data.firings.map(f => [f.n, byId(`firing-${f.n}`)]));

  function select(n, from) {
    const firing = data.firings[n - 1];
    if (!firing || n === chosen && from === "list") return;
    chosen = n;
    map.choose(n);
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

  const map = makeMap(byId("map"), select);
  const timeline = makeTimeline(byId("line"), select);
  const slider = byId("slider"), output = byId("cursor");

  function moment(time, prefix = "") {
    timeline?.show(time);
    const there = positionAt(time);
    map.moment(there);
    const text = prefix + (there ? describe(there.i, time) : track ? `${clock(time)}, no position` : clock(time));
    output.textContent = text;
    slider.value = Math.round((time - data.from) / 1000);
    slider.setAttribute("aria-valuetext", text);
  }
  map.onHover = time => moment(time);
  if (timeline) timeline.onHover = time => moment(time);

  if (track) {
    byId("scrub").hidden = byId("bar").hidden = false;
    slider.max = Math.ceil((data.to - data.from) / 1000);
    slider.step = Math.max(1, Math.round((data.to - data.from) / 1000 / 2000));
    slider.addEventListener("input", () => moment(data.from + slider.value * 1000));
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
      map.draw(input.value);
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
