// The data of the page, decoded, and what everything else reckons with: the projection and local time.
const data = JSON.parse(document.getElementById("data").textContent);
const EARTH = 6371008.8, RAD = Math.PI / 180;

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
  const points = [];
  if (track) for (let i = 0; i < track.t.length; i++) points.push([track.lat[i], track.lon[i]]);
  for (const f of data.firings) if (f.lat != null) points.push([f.lat, f.lon]);
  if (!points.length) for (const f of [...data.fences, ...data.places]) points.push([f.lat, f.lon]);
  return points.length ? points : [[0, 0]];
})();

// Azimuthal equidistant around the middle: in metres, true from the middle, and free of seams at the
// antimeridian and the poles (Snyder, Map Projections, 1987, chapter 25; in half angles, so that
// centimetres are left where distances are small).
const origin = (() => {
  let x = 0, y = 0, z = 0;
  for (const [lat, lon] of extent) {
    x += Math.cos(lat * RAD) * Math.cos(lon * RAD);
    y += Math.cos(lat * RAD) * Math.sin(lon * RAD);
    z += Math.sin(lat * RAD);
  }
  return { lat: Math.atan2(z, Math.hypot(x, y)), lon: Math.atan2(y, x) };
})();
function project(lat, lon) {
  const phi = lat * RAD, east = lon * RAD - origin.lon, half = Math.sin(east / 2) ** 2;
  const north = Math.sin((phi - origin.lat) / 2) ** 2;
  const a = Math.min(1, north + Math.cos(origin.lat) * Math.cos(phi) * half);
  const c = 2 * Math.asin(Math.sqrt(a)), k = EARTH * (c < 1e-9 ? 1 : c / Math.sin(c));
  return [k * Math.cos(phi) * Math.sin(east),
    k * (Math.sin(phi - origin.lat) + 2 * Math.sin(origin.lat) * Math.cos(phi) * half)];
}
function unproject(x, y) {
  const rho = Math.hypot(x, y), c = Math.min(rho / EARTH, Math.PI);
  if (rho < 1e-6) return [origin.lat / RAD, origin.lon / RAD];
  const sine = Math.cos(c) * Math.sin(origin.lat) + y * Math.sin(c) * Math.cos(origin.lat) / rho;
  const lon = origin.lon + Math.atan2(x * Math.sin(c),
    rho * Math.cos(origin.lat) * Math.cos(c) - y * Math.sin(origin.lat) * Math.sin(c));
  return [Math.asin(Math.max(-1, Math.min(1, sine))) / RAD, lon / RAD];
}
// Where one comes to on the sphere, for circles.
function destination(lat, lon, bearing, metres) {
  const phi = lat * RAD, d = metres / EARTH;
  const sine = Math.sin(phi) * Math.cos(d) + Math.cos(phi) * Math.sin(d) * Math.cos(bearing);
  const end = Math.asin(sine);
  return [end / RAD, lon + Math.atan2(Math.sin(bearing) * Math.sin(d) * Math.cos(phi),
    Math.cos(d) - Math.sin(phi) * sine) / RAD];
}

function offsetAt(time) {
  let offset = 0;
  for (const [from, seconds] of data.offsets) if (time >= from || from === data.offsets[0][0]) offset = seconds;
  return offset * 1000;
}
function local(time) { return new Date(time + offsetAt(time)).toISOString(); }
function clock(time, seconds = true) { return local(time).slice(11, seconds ? 19 : 16); }
function metres(value) {
  if (value < 999.5) return `${Math.round(value)} m`;
  return `${(value / 1000).toFixed(value < 99950 ? 1 : 0)} km`;
}
// The largest of 1, 2, 5 times a power of ten that is not above a value.
function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map(f => f * power).find(f => f <= value) ?? power;
}

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

const SVG = "http://www.w3.org/2000/svg";
function element(name, attributes = {}, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}
