// A track in columns of differences, decoded; where it was at a moment; and how it is played.
function sums(column, unit = 1) {
  let sum = 0;
  return column.map(step => (sum += step) * unit);
}
// Speeds are km/h, errors metres or null; before the points of `gap` the way is unknown.
const readTrack = columns => columns?.t?.length ? {
  t: sums(columns.t), lat: sums(columns.lat, 1e-6), lon: sums(columns.lon, 1e-6), speed: columns.speed.map(s => s * 0.36),
  eph: columns.eph.map(e => e < 0 ? null : e / 10), gap: new Set(columns.gaps),
} : null;

// The last point that is not later than a moment.
function pointAt(track, time) {
  let low = 0, high = track.t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (track.t[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}
// Between two points, or null in a gap and outside the track.
function positionAt(track, time) {
  if (!track || time < track.t[0] || time > track.t.at(-1)) return null;
  const i = pointAt(track, time), next = Math.min(i + 1, track.t.length - 1);
  if (time === track.t[i] || next === i) return { i, lat: track.lat[i], lon: track.lon[i], eph: track.eph[i] };
  if (track.gap.has(next)) return null;
  const part = (time - track.t[i]) / (track.t[next] - track.t[i]), between = c => c[i] + part * (c[next] - c[i]);
  return { i: next, lat: between(track.lat), lon: between(track.lon), eph: track.eph[next] };
}
// Its lines, divided at the gaps.
function runsOf(track) {
  const runs = [];
  track?.t.forEach((_, i) => { if (!i || track.gap.has(i)) runs.push([]); runs.at(-1).push([track.lat[i], track.lon[i]]); });
  return runs;
}

// A slider in seconds since `from`, and a button that plays all in a minute; `moment` is called with each time.
function makePlayer(slider, play, from, to, moment) {
  let begun = null;
  const stop = () => { begun = null; play.textContent = "▶"; play.setAttribute("aria-pressed", false); };
  const show = time => { slider.value = Math.round((time - from) / 1000); moment(time); };
  const step = time => {
    if (!begun || !slider.isConnected) return;
    const at = begun.from + (time - begun.at) / 60000 * (to - from);
    show(Math.min(at, to));
    if (at < to) requestAnimationFrame(step); else stop();
  };
  slider.min = 0; slider.max = Math.ceil((to - from) / 1000);
  slider.step = Math.max(1, Math.round((to - from) / 2000000));
  slider.addEventListener("input", () => { stop(); moment(from + slider.value * 1000); });
  play.addEventListener("click", () => {
    if (begun) return stop();
    const at = from + slider.value * 1000;
    begun = { at: performance.now(), from: at < to - 1000 ? at : from };
    play.textContent = "⏸"; play.setAttribute("aria-pressed", true);
    requestAnimationFrame(step);
  });
  stop();
  return show;
}
