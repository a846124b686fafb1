// Vector tiles (MVT, the OpenMapTiles names that tilemaker writes) drawn on a canvas, one a tile.
const VectorTiles = (() => {
  const text = new TextDecoder();
  function reader(bytes) {
    let at = 0;
    // A tile is hostile input: every length is checked, and what is too much ends the tile.
    const varint = () => { let v = 0, s = 1, b; do { if (at >= bytes.length || s > 2 ** 63) throw new Error("tile"); b = bytes[at++]; v += (b & 127) * s; s *= 128; } while (b & 128); return v; };
    return {
      fields(end, take) { while (at < end) { const key = varint(), kind = key & 7; if (kind === 2) { const n = varint(), stop = at + n; if (stop > end) throw new Error("tile"); take(key >> 3, stop); at = stop; } else if (kind === 0) take(key >> 3, null, varint()); else if (kind === 5) { take(key >> 3, at, "f"); at += 4; } else if (kind === 1) { take(key >> 3, at, "d"); at += 8; } else throw new Error("tile"); } },
      numbers(end) { const list = []; while (at < end) list.push(varint()); return list; },
      string(end) { return text.decode(bytes.subarray(at, end)); },
      get at() { return at; },
    };
  }
  // Layers of a tile by name: features with kind (1 point, 2 line, 3 area), properties and paths.
  function decode(bytes, wanted) {
    const r = reader(bytes), layers = {};
    let points = 0, count = 0;
    r.fields(bytes.length, (field, end) => {
      if (field !== 3 || end === null || ++count > 64) return;
      let name = "", extent = 4096; const keys = [], values = [], raw = [];
      r.fields(end, (f, stop, value) => {
        if (f === 1) name = r.string(stop);
        else if (f === 3) keys.push(r.string(stop));
        else if (f === 4) { let v = null; r.fields(stop, (t, s, n) => { v = t === 1 ? r.string(s) : n === "f" || n === "d" ? null : t === 6 ? (n % 2 ? -(n + 1) / 2 : n / 2) : n; }); values.push(v); }
        else if (f === 5) extent = Math.max(1, value);
        else if (f === 2) { const feature = {}; r.fields(stop, (t, s, n) => { if (t === 2) feature.tags = r.numbers(s); else if (t === 3) feature.kind = n; else if (t === 4) feature.geometry = r.numbers(s); }); raw.push(feature); }
      });
      if (!wanted.has(name)) return;
      layers[name] = raw.map(({ tags = [], kind, geometry = [] }) => {
        const is = {}; for (let i = 0; i < tags.length; i += 2) is[keys[tags[i]]] = values[tags[i + 1]];
        const paths = []; let x = 0, y = 0, path = null;
        for (let i = 0; i < geometry.length;) {
          const command = geometry[i] & 7, count = geometry[i++] >> 3;
          if (command === 7) { path?.push(path[0], path[1]); continue; }
          for (let k = 0; k < count && i + 1 < geometry.length && points++ < 100000; k++) {
            const a = geometry[i++], b = geometry[i++];
            x += a >> 1 ^ -(a & 1); y += b >> 1 ^ -(b & 1);
            if (command === 1 || !path) paths.push(path = []);
            path.push(x / extent, y / extent);
          }
        }
        return { kind, is, paths };
      });
    });
    return layers;
  }
  const themes = {
    light: { land: "#f4f1ea", green: "#d3e5c3", wood: "#b9d8a8", built: "#e6e2da", water: "#a9cfe3", building: "#d9d0c5", case: "#b3aa9d", road: "#ffffff", main: "#fde3a0", motor: "#f0a080", rail: "#9a9a9a", border: "#8b6bb0", ink: "#333", halo: "#fffc" },
    dark: { land: "#14191d", green: "#1b2a1e", wood: "#1d3022", built: "#1c2126", water: "#11293a", building: "#262d33", case: "#0b0e10", road: "#3a434a", main: "#5c5232", motor: "#6a4030", rail: "#4a4f54", border: "#6b5690", ink: "#c5ccd1", halo: "#000c" },
    red: { land: "#000", green: "#0a0000", wood: "#120000", built: "#0d0000", water: "#1f0000", building: "#180000", case: "#000", road: "#4a0000", main: "#700000", motor: "#900000", rail: "#300", border: "#500", ink: "#c00000", halo: "#000c" },
  };
  const order = ["landcover", "landuse", "park", "water", "waterway", "building", "transportation", "boundary", "transportation_name", "water_name", "place"], wanted = new Set(order);
  const widths = { motorway: 4, trunk: 3.6, primary: 3.2, secondary: 2.6, tertiary: 2.2, minor: 1.6, service: 1, track: 0.8, path: 0.7, rail: 1 };
  // Draws a decoded tile into a square of `size` device pixels; `zoom` is that of the tile, `grow` how much larger it is shown.
  function draw(canvas, layers, size, zoom, ratio, theme) {
    const c = themes[theme], p = canvas.getContext("2d"), taken = [];
    size = Math.min(size, 4096);
    canvas.width = canvas.height = size; p.fillStyle = c.land; p.fillRect(0, 0, size, size); p.lineCap = p.lineJoin = "round";
    const trace = paths => { p.beginPath(); for (const path of paths) for (let i = 0; i < path.length; i += 2) p[i ? "lineTo" : "moveTo"](path[i] * size, path[i + 1] * size); };
    const area = (name, color) => { for (const f of layers[name] ?? []) { const fill = color(f.is); if (f.kind !== 3 || !fill) continue; p.fillStyle = fill; trace(f.paths); p.fill("evenodd"); } };
    area("landcover", is => is.class === "wood" ? c.wood : is.class === "grass" || is.class === "farmland" ? c.green : null);
    area("landuse", is => ["residential", "commercial", "industrial", "retail"].includes(is.class) ? c.built : null);
    area("park", () => c.green);
    area("water", () => c.water);
    p.strokeStyle = c.water;
    for (const f of layers.waterway ?? []) { p.lineWidth = ratio * (f.is.class === "river" ? 2.5 : 1); trace(f.paths); p.stroke(); }
    if (zoom >= 13) area("building", () => c.building);
    const scale = ratio * 1.35 ** (zoom - 13), roads = (layers.transportation ?? []).filter(f => f.kind === 2 && widths[f.is.class]).sort((a, b) => widths[a.is.class] - widths[b.is.class]);
    for (const pass of [0, 1]) for (const f of roads) {
      const k = f.is.class, w = Math.max(0.6 * ratio, widths[k] * scale), small = k === "path" || k === "track" || k === "rail";
      if (pass === 0 && (small || zoom < 11)) continue;
      p.setLineDash(pass && small ? [3 * ratio, 2.5 * ratio] : []);
      p.strokeStyle = pass === 0 ? c.case : k === "rail" || small ? c.rail : k === "motorway" || k === "trunk" ? c.motor : k === "primary" || k === "secondary" ? c.main : c.road;
      p.lineWidth = pass === 0 ? w + 1.4 * ratio : w; trace(f.paths); p.stroke();
    }
    p.setLineDash([6 * ratio, 3 * ratio, 1 * ratio, 3 * ratio]); p.strokeStyle = c.border; p.lineWidth = 1.2 * ratio;
    for (const f of layers.boundary ?? []) if (f.is.admin_level <= 4) { trace(f.paths); p.stroke(); }
    p.setLineDash([]); p.textAlign = "center"; p.textBaseline = "middle"; p.lineWidth = 3 * ratio; p.strokeStyle = c.halo; p.fillStyle = c.ink;
    const name = (is, x, y, px, angle = 0) => {
      const s = is["name:latin"] ?? is.name; if (!s) return;
      p.font = `${px * ratio}px system-ui, sans-serif`;
      const w = p.measureText(s).width / 2 + 2, h = px * ratio * 0.7, box = [x - w, y - h, x + w, y + h];
      // Names that would be cut by the edge are left to the neighbour or the next zoom.
      if (box[0] < 0 || box[1] < 0 || box[2] > size || box[3] > size || taken.some(t => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) return;
      taken.push(box); p.save(); p.translate(x, y); p.rotate(angle); p.strokeText(s, 0, 0); p.fillText(s, 0, 0); p.restore();
    };
    const sizes = { city: 16, town: 14, village: 12, hamlet: 11, suburb: 11 };
    for (const f of layers.place ?? []) if (sizes[f.is.class] && f.kind === 1 && f.paths[0]) name(f.is, f.paths[0][0] * size, f.paths[0][1] * size, sizes[f.is.class]);
    if (zoom >= 14) for (const f of layers.transportation_name ?? []) for (const path of f.paths.slice(0, 1)) {
      const m = Math.floor(path.length / 4) * 2; if (m + 3 >= path.length && m < 2) continue;
      const i = Math.min(m, path.length - 4), dx = path[i + 2] - path[i], dy = path[i + 3] - path[i + 1]; let a = Math.atan2(dy, dx); if (Math.abs(a) > Math.PI / 2) a += Math.PI;
      name(f.is, (path[i] + dx / 2) * size, (path[i + 1] + dy / 2) * size, 10, a);
    }
    return canvas;
  }
  // A tile that cannot be read is empty.
  const read = bytes => { try { return bytes.length > 1 << 22 ? {} : decode(bytes, wanted); } catch { return {}; } };
  return { decode: read, draw };
})();
