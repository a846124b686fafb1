// The data of the page, decoded, and local time.
const data = JSON.parse(document.getElementById("data").textContent);

// Columns of differences become columns of values.
function sums(column, unit = 1) {
  let sum = 0;
  return column.map(step => (sum += step) * unit);
}
const track = data.track && data.track.t.length ? {
  t: sums(data.track.t), lat: sums(data.track.lat, 1e-6), lon: sums(data.track.lon, 1e-6),
  speed: data.track.speed.map(s => s * 0.36), // km/h
  eph: data.track.eph.map(e => e < 0 ? null : e / 10), gap: new Set(data.track.gaps),
} : null;

// The last point of the track that is not later than a moment.
function pointAt(time) {
  let low = 0, high = track.t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (track.t[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}

// Where the device was: between two points, or null in a gap and outside the trip.
function positionAt(time) {
  if (!track || time < track.t[0] || time > track.t.at(-1)) return null;
  const i = pointAt(time), next = Math.min(i + 1, track.t.length - 1);
  if (time === track.t[i] || next === i) return { i, lat: track.lat[i], lon: track.lon[i] };
  if (track.gap.has(next)) return null;
  const part = (time - track.t[i]) / (track.t[next] - track.t[i]);
  return { i: next, lat: track.lat[i] + part * (track.lat[next] - track.lat[i]),
    lon: track.lon[i] + part * (track.lon[next] - track.lon[i]) };
}

// A firing without a position of its own is shown where the device was, or was last seen.
for (const firing of data.firings) {
  firing.own = typeof firing.lat === "number" && typeof firing.lon === "number";
  if (firing.own || !track || firing.t == null) continue;
  const i = pointAt(firing.t), there = positionAt(firing.t) ?? { lat: track.lat[i], lon: track.lon[i] };
  [firing.lat, firing.lon] = [there.lat, there.lon];
}
for (const place of data.places) { place.lat *= 1e-6; place.lon *= 1e-6; }
for (const fence of data.fences) { fence.lat *= 1e-6; fence.lon *= 1e-6; }

// What the map shows at first: what happened; and where nothing did, the fences.
const extent = (() => {
  const points = track ? track.t.map((_, i) => [track.lat[i], track.lon[i]]) : [];
  for (const f of data.firings) if (f.lat != null) points.push([f.lat, f.lon]);
  if (!points.length) for (const f of [...data.fences, ...data.places]) points.push([f.lat, f.lon]);
  return points.length ? points : [[0, 0]];
})();

function offsetAt(time) {
  let offset = 0;
  for (const [from, seconds] of data.offsets) if (time >= from || from === data.offsets[0][0]) offset = seconds;
  return offset * 1000;
}
function local(time) { return new Date(time + offsetAt(time)).toISOString(); }
function clock(time, seconds = true) { return local(time).slice(11, seconds ? 19 : 16); }
// Classes of the two measures: the upper bound of all but the last.
const measures = {
  speed: { unit: "km/h", values: track?.speed ?? [], bounds: (() => {
    const sorted = [...(track?.speed ?? [])].sort((a, b) => a - b);
    const fast = sorted[Math.floor(sorted.length * 0.98)] ?? 0;
    if (fast <= 12) return [1, 3, 5, 7, 9];
    if (fast <= 45) return [5, 10, 15, 20, 30];
    if (fast <= 200) return [10, 30, 50, 80, 110];
    return [50, 150, 300, 500, 750];
  })() },
  eph: { unit: "m", values: track?.eph ?? [], bounds: [3, 5, 10, 20, 50] },
};
function classOf(measure, i) {
  const value = measures[measure].values[i];
  if (value == null) return 6;
  const found = measures[measure].bounds.findIndex(bound => value <= bound);
  return found < 0 ? 5 : found;
}
function describe(i, time) {
  const eph = track.eph[i] == null ? "" : `, ±${track.eph[i] < 10 ? track.eph[i].toFixed(1) : Math.round(track.eph[i])} m`;
  return `${clock(time)}, ${Math.round(track.speed[i])} km/h${eph}`;
}
