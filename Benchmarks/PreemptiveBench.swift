import Bytes
import CivilTime
import Departure
import Geodesy
import Positioning
import Reminders

/// A day's fixes against `count` preemptive reminders whose due times are spread evenly over the
/// month that begins with it, as the daemon takes them in at a start; returns one line.
///
/// Their places lie anywhere within 50 km of the track; they are for driving, as the track is, or a
/// third of them each for driving, cycling and walking. Every fix is taken at its time, after each
/// deadline before it at its own.
func preemptiveBench(
  count: Int, trackCSV path: String, modes: [Reminder.Transport]
) throws -> String {
  let samples = try readTrack(path)
  guard let first = samples.first, samples.count > 1 else {
    throw BenchError("\(path) must have at least two rows")
  }
  var random = SplitMix(state: 42)
  let epoch = Instant(seconds: 1_781_280_000)
  func time(_ sample: TrackPoint) -> Instant { epoch + (sample.time - first.time) }

  var engine = Engine(zone: .utc)
  var effects: [Effect] = []
  engine.remember(fix(first, at: epoch), from: epoch)
  var load = 0.0
  load += spent { engine.beginLoading(count: count) }
  for start in stride(from: 0, to: count, by: 1_000) {
    let entries = (start..<min(count, start + 1_000)).map { index in
      reminder(index, by: modes[index % modes.count], near: samples, from: epoch, &random)
    }
    load += spent {
      for (reminder, progress) in entries { engine.load(reminder, progress) }
    }
  }
  load += spent { engine.finishLoading(at: epoch, into: &effects) }

  // Steps with a firing are timed separately: writing its sentence costs more than the rest.
  // The processor's clock is read by a system call, which costs more than a fix: steps are
  // timed by the monotonic clock, and their sum is brought to the processor time of the whole day.
  let day = (processor: processorTime(), wall: wallTime())
  var quiet = (time: 0.0, steps: 0)
  var loud = (time: 0.0, steps: 0)
  var firings = 0
  var digest = FiringDigest()
  for sample in samples.dropFirst() {
    let now = time(sample)
    effects.removeAll(keepingCapacity: true)
    let start = wallTime()
    engine.advance(to: now, into: &effects)
    engine.handle(.fix(fix(sample, at: now)), at: now, into: &effects)
    let spent = wallTime() - start
    var fired = 0
    for case .fire(let firing) in effects {
      fired += 1
      digest.add(firing)
    }
    firings += fired
    if fired == 0 {
      quiet.time += spent
      quiet.steps += 1
    } else {
      loud.time += spent
      loud.steps += 1
    }
  }
  let share = (processorTime() - day.processor) / (wallTime() - day.wall)
  quiet.time *= share
  loud.time *= share
  // What the reading of the clock itself costs is not the engine's.
  let clock = clockCost()
  let steps = Double(quiet.steps + loud.steps)
  let quietStep = max(0, quiet.time / Double(max(1, quiet.steps)) - clock)
  let all = max(0, (quiet.time + loud.time) / steps - clock)
  let firing =
    firings == 0
    ? 0 : max(0, loud.time - Double(loud.steps) * (quietStep + clock)) / Double(firings)
  return "ns_per_fix=\(rounded((all - firing * Double(firings) / steps) * 1e9))"
    + " ns_per_fix_with_firings=\(rounded(all * 1e9)) us_per_firing=\(rounded(firing * 1e6))"
    + " fixes=\(samples.count - 1) firings=\(firings) load_ms=\(rounded(load * 1e3))"
    + " firings_fnv1a=\(String(digest.value, radix: 16))"
}

/// FNV-1a, 64 bits, of each firing's reminder, a space and its time in microseconds. They are
/// written in one place over and over: what the bench itself does between two fixes is not to drive
/// the engine out of the processor's caches.
private struct FiringDigest: ~Copyable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
  private var text = ByteWriter(capacity: 64)

  mutating func add(_ firing: Firing) {
    text.removeAll()
    text.add(firing.reminderID)
    text.add(UInt8(ascii: " "))
    text.add(decimal: Int(firing.time.microseconds))
    value = unsafe text.withUnsafeBytes { bytes in
      unsafe bytes.reduce(value) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
  }
}

private func fix(_ sample: TrackPoint, at time: Instant) -> Fix {
  Fix(time: time, position: sample.position, mode: .threeD, source: .gnss, eph: 5)
}

private func reminder(
  _ index: Int, by transport: Reminder.Transport, near samples: [TrackPoint],
  from epoch: Instant, _ random: inout SplitMix
) -> (Reminder, History) {
  let anchor = samples[Int(random.next() % UInt64(samples.count))].position
  let place = anchor.destination(
    bearing: Double(random.next() % 360), distance: Double(random.next() % 50_000))
  let due = epoch + .seconds(Double(random.next() % (30 * 86_400)))
  let reminder = Reminder(
    id: "reminder-\(index)", kind: .preemptive, title: "Reminder \(index)",
    place: Reminder.Place(name: "Place \(index)", position: place), due: .absolute(due),
    transport: transport)
  return (reminder, History())
}

/// Seconds that two readings of the clock cost.
private func clockCost() -> Double {
  let start = wallTime()
  for _ in 0..<1_000 { _ = wallTime() }
  return (wallTime() - start) / 1_000
}
