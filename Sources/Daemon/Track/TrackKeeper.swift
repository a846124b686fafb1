import CivilTime
import LinuxRuntime
import Logging
import Positioning
import Reminders
import Storage

/// The way of the device: the last hours in memory and, where the settings say so, trips on disk.
final class TrackKeeper {
  struct Settings: Equatable {
    /// How long positions stay in memory; zero for none.
    var trail = TimeSpan.hours(12)
    /// How long they stay on disk; nil for never.
    var keep: TimeSpan?
  }

  /// Points that are written at once, and the seconds after which fewer are.
  private static let batch = 120
  private static let batchTime = TimeSpan.minutes(1)
  /// While the disk fails, the oldest of more points are dropped.
  private static let maximumWaiting = 20_000
  /// Points that a part of the way without an end has at most, as far as it is read again.
  private static let maximumOpen = 100_000

  private let log: Logger
  private var settings = Settings()
  private var thinner = TrackThinner()
  private var trail: [TrackPoint] = []
  private var first = 0
  private var store: TrackStore?
  private var path = ""
  private var divider = TripDivider()
  /// Whether the divider has the way so far.
  private var isDividing = false
  private var waiting: (points: [TrackPoint], parts: [TripDivider.Part]) = ([], [])
  private var lastWrite = Instant(microseconds: .min)
  private var lastPruning = Instant(microseconds: .min)
  private(set) var failure: StoreError?
  private var lastFix: Fix?

  init(log: Logger) { self.log = log }

  var isKeeping: Bool { store != nil }
  /// The trail, the earliest first.
  var points: ArraySlice<TrackPoint> { trail[first...] }

  /// Follows new settings; a file that cannot be used is reported, and the trail stays.
  func use(_ settings: Settings, path: String, now: Instant) {
    if isKeeping { write(at: now) }
    self.settings = settings
    trim(before: now - settings.trail)
    guard (settings.keep != nil) != isKeeping else { return }
    close()
    if settings.keep != nil { open(path, now: now) }
  }

  private func open(_ path: String, now: Instant) {
    self.path = path
    do throws(StoreError) {
      let store = try TrackStore(path: path, now: now)
      for remark in store.remarks { log.warning("\(remark)") }
      // The open end of the last run's way is divided anew.
      let begin = try store.lastEnd() ?? Instant(microseconds: .min)
      let open = isDividing ? [] : try store.points(from: begin, to: now, limit: Self.maximumOpen)
      for point in open { waiting.parts += divider.add(point) }
      isDividing = true
      self.store = store
      failure = nil
    } catch {
      report(error)
    }
  }

  private func report(_ error: StoreError) {
    if failure == nil { log.error("Trips are not kept: \(error)") }
    failure = error
  }

  /// Takes an accepted position. The same position taken twice counts once.
  func take(_ fix: Fix, at time: Instant) {
    guard fix != lastFix else { return }
    lastFix = fix
    let point = TrackPoint(time: time, position: fix.position, speed: fix.speed, eph: fix.eph)
    guard let point = thinner.take(point) else { return }
    if settings.trail > .zero {
      if let last = trail.last, last.time > time { trim(before: Instant(microseconds: .max)) }
      trail.append(point)
      trim(before: time - settings.trail)
    }
    guard settings.keep != nil else { return }
    isDividing = true
    waiting.points.append(point)
    waiting.parts += divider.add(point)
    if waiting.points.count >= Self.batch || time - lastWrite >= Self.batchTime
      || time < lastWrite
    {
      write(at: time)
    }
  }

  private func trim(before time: Instant) {
    while first < trail.count, trail[first].time < time { first += 1 }
    guard first > 1_024 || first == trail.count else { return }
    trail.removeFirst(first)
    first = 0
  }

  // MARK: - The disk

  /// Writes the waiting points, and once an hour deletes the points that are too old.
  func write(at now: Instant) {
    lastWrite = now
    if store == nil, settings.keep != nil, !path.isEmpty { open(path, now: now) }
    guard let store, let keep = settings.keep else {
      let surplus = waiting.points.count - Self.maximumWaiting
      if surplus > 0 { waiting.points.removeFirst(surplus) }
      return
    }
    do throws(StoreError) {
      if !waiting.points.isEmpty || !waiting.parts.isEmpty {
        try store.add(waiting.points, waiting.parts)
        waiting = ([], [])
      }
      if now - lastPruning > .hours(1) || now < lastPruning {
        try store.forget(before: now - keep)
        lastPruning = now
      }
      failure = nil
    } catch {
      report(error)
      // A damaged or moved file is opened anew, and set aside, with the next position.
      store.close()
      self.store = nil
    }
  }

  func close() {
    if !waiting.points.isEmpty { write(at: waiting.points[waiting.points.count - 1].time) }
    store?.close()
    store = nil
  }

  /// The store with all that has come so far; nil where trips are not kept.
  func current(at now: Instant) -> TrackStore? {
    write(at: now)
    return store
  }

  /// Forgets the trail and the trips before a time, or all; the number of trips.
  func forget(before time: Instant?, at now: Instant) throws(StoreError) -> Int {
    let store = current(at: now)
    if store == nil, let failure { throw failure }
    let trips = try store?.forget(before: time) ?? 0
    trim(before: time ?? Instant(microseconds: .max))
    guard time == nil else { return trips }
    (divider, thinner, lastFix) = (TripDivider(), TrackThinner(), nil)
    return trips
  }
}

extension Daemon {
  /// Brings the track up to the settings.
  func useTrack() {
    var wanted = settings.track
    // A recording is not the way of this device.
    if !clock.isLive { wanted.keep = nil }
    track.use(wanted, path: "\(settings.stateDirectory)/track.db", now: clock.nowOrSystem)
  }

  /// Notes the last position, unless the next one has yet to confirm it.
  func noteTrack() {
    guard let fix = host.engine.lastFix, !host.engine.isFixInDoubt,
      // A phone sends positions of the last minutes at once: each counts at its own time.
      let time = fix.time ?? host.engine.lastFixArrival
    else { return }
    track.take(fix, at: time)
  }
}
