// The data of the page, decoded, and local time.
const data = JSON.parse(document.getElementById("data").textContent);

const track = readTrack(data.track);

// A firing without a position of its own is shown where the device was, or was last seen.
for (const firing of data.firings) {
  firing.own = typeof firing.lat === "number" && typeof firing.lon === "number";
  if (firing.own || !track || firing.t == null) continue;
  const i = pointAt(track, firing.t), there = positionAt(track, firing.t) ?? { lat: track.lat[i], lon: track.lon[i] };
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
