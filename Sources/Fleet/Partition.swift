package import CivilTime
import Containers
import JSONText
import Phones
import Positioning
package import Reminders

/// The devices of one partition of the log, each with its engine.
///
/// Messages go in, in the order of the log, and `changes` come out: what the next commit stores. It
/// knows no clock, broker or database: `now` is the time at which the log took the last message,
/// and deadlines come at their own times before the next message. So the same log gives the same
/// firings, whoever reads it and however often it changed its owner.
///
/// A new owner reads the log from some minutes before the last commit (`replayPoint`), with the
/// reminders as they were at the last commit of their device with no decision half made
/// (`Engine.isQuiet`). Up to that point each engine only follows the track, and from there it
/// decides anew. Nothing is stored twice: effects up to the last commit are dropped.
package final class Partition {
  package let number: Int
  /// The number of the next message to be decided.
  package private(set) var next: UInt64
  /// When the log took the last message.
  package private(set) var now: Instant
  /// Whether messages are read again that an earlier owner has decided.
  package private(set) var isReplaying: Bool
  /// Stored reminders whose replay came to something else than their last owner.
  package private(set) var divergedCount = 0
  /// Messages that were read and could not be used.
  package private(set) var refusedCount = 0
  /// Reminders a device may have; a further one is refused.
  package var maximumReminders = 1_000
  package var places = PlaceCatalog()
  /// Called with each firing and its device; for a comparison.
  package var onFiring: ((String, Firing) -> Void)?

  /// The last message that an earlier owner has decided.
  private let stored: LogPoint
  /// From here the log is read again.
  private let replayStart: LogPoint
  private let warmUp: TimeSpan
  /// Where a later owner begins to read, the first one first: points of the log, `markCount` at
  /// most.
  private var marks: [LogPoint]
  /// Microseconds since the last mark in which messages came.
  private var active: Int64 = 0
  /// Restored devices that have not come to their beginning, the first one last; nil until loaded.
  private var beginnings: [Device]?
  private var devices: [String: Device] = [:]
  private var list: [Device] = []
  private var timers = TimerHeap()
  private var effects: [Effect] = []
  private(set) var dirty: [Device] = []
  private(set) var refused: [JSONValue] = []
  private(set) var committed: UInt64

  /// - Parameters:
  ///   - stored: the last decided message; the beginning of the log for none.
  ///   - replay: the `replayPoint` that was stored with it.
  ///   - warmUp: how long a track is followed before it decides.
  package init(
    _ number: Int, after stored: LogPoint = LogPoint(), replay: LogPoint = LogPoint(),
    warmUp: TimeSpan
  ) {
    self.number = number
    self.stored = stored
    replayStart = replay
    marks = [replay]
    self.warmUp = warmUp
    next = stored.sequence + 1
    now = replay.time
    committed = stored.sequence
    isReplaying = stored.sequence > 0
  }

  /// The number of the first message that has to be read.
  package var start: UInt64 { max(1, replayStart.sequence) }

  /// From where a later owner has to read: so far back that messages came for the time of the
  /// track. An outage, or a partition whose devices report seldom, makes it the longer.
  var replayPoint: LogPoint { marks[0] }

  /// The marks of a track, and the time without a message that counts as one with messages.
  private static let (markCount, longestGap) = (24, TimeSpan.seconds(1))

  private func mark(_ message: LogMessage) {
    active += min(max(.zero, message.time - now), Self.longestGap).microseconds
    guard active >= warmUp.microseconds / Int64(Self.markCount) else { return }
    active = 0
    marks.append(LogPoint(sequence: message.sequence, time: message.time))
    if marks.count > Self.markCount { marks.removeFirst() }
    guard !isReplaying else { return }
    // A state that is stored too seldom would not be read again from there.
    let oldest = now - TimeSpan(microseconds: warmUp.microseconds / 4)
    for device in list where device.unstoredSince.map({ $0 < oldest }) ?? false {
      if device.engine.isQuiet { mark(device) }
    }
  }

  package var deviceCount: Int { list.count }

  /// The earliest deadline of all devices; nil without one, and during a replay.
  package var deadline: Instant? {
    isReplaying ? nil : timers.peek().map { Instant(microseconds: $0.deadline) }
  }

  func device(_ name: String, zone: TimeZoneRules = .utc) -> Device {
    if let device = devices[name] { return device }
    let device = Device(name, slot: Int32(list.count), zone: zone)
    devices[name] = device
    list.append(device)
    return device
  }

  // MARK: - Messages

  /// Takes the next message.
  package func take(_ message: LogMessage) {
    if isReplaying { replay(upTo: message) }
    next = message.sequence + 1
    mark(message)
    now = max(now, message.time)
    runDeadlines()
    guard let name = message.device else { return }
    guard DeviceMessage.isName(name) else {
      return refuse(message, "\(name.prefix(64)) is no name of a device")
    }
    for result in DeviceMessage.read(message.payload, of: name, at: message.time) {
      switch result {
      case .success(let content): take(content, message, of: device(name))
      case .failure(let refusal): refuse(message, refusal.reason)
      }
    }
  }

  private func take(_ content: DeviceMessage, _ message: LogMessage, of device: Device) {
    if let restoration = device.restoration, message.sequence <= restoration.begin.sequence {
      guard case .position = content else { return }
    }
    if case .add(let reminder) = content, device.engine.count >= maximumReminders,
      device.engine.reminder(reminder.id) == nil
    {
      return refuse(message, "the device has \(maximumReminders) reminders, and may have no more")
    }
    handle(content, of: device)
    finish(device)
    device.unstoredSince = device.unstoredSince ?? now
    if !isReplaying, !device.isStoredQuiet, device.engine.isQuiet { mark(device) }
  }

  private func handle(_ content: DeviceMessage, of device: Device) {
    func send(_ event: Event) { device.engine.handle(event, at: now, into: &effects) }
    switch content {
    case .position(let position):
      var fix = position.fix
      fix.time = position.time
      send(.fix(fix))
    case .add(let reminder): put(reminder, .add(reminder, nil))
    case .edit(let reminder): put(reminder, .replace(reminder))
    case .done(let id): send(.done(id: id))
    case .remove(let id): send(.remove(id: id))
    case .snooze(let id, let end): send(.snooze(id: id, end))
    case .zone(let zone):
      device.zone = zone.name
      send(.zone(zone))
      if !isReplaying { mark(device) }
    }
    func put(_ reminder: Reminder, _ event: Event) {
      send(event)
      guard !isReplaying else { return }
      device.changes.documents[reminder.id] = JSONValue.object(reminder.json).line
      device.changes.removed.remove(reminder.id)
      mark(device)
    }
  }

  private func refuse(_ message: LogMessage, _ reason: String) {
    guard !isReplaying else { return }
    refusedCount += 1
    // No database takes a NUL.
    func text(_ bytes: some Sequence<UInt8>) -> JSONValue {
      .string(String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self))
    }
    refused.append([
      "device": text((message.device ?? "").utf8), "seq": .int(Int(clamping: message.sequence)),
      "reason": text(reason.utf8), "text": text(message.payload.prefix(2_000)),
    ])
  }

  // MARK: - Time

  /// Runs each device's deadlines up to `now`, each at its own time.
  private func runDeadlines() {
    while let (due, slot) = timers.peek(), due <= now.microseconds {
      let device = list[Int(slot)]
      device.engine.advance(to: now, into: &effects)
      finish(device)
    }
  }

  /// Carries out the effects of an event, and sets the timer of the device.
  private func finish(_ device: Device) {
    var index = 0
    // The answer to an effect brings further ones.
    while index < effects.count {
      let effect = effects[index]
      index += 1
      if case .watch(let category) = effect {
        let answer = Event.places(category: category, places.places(of: category))
        device.engine.handle(answer, at: now, into: &effects)
      } else if !isReplaying {
        note(effect, of: device)
      }
    }
    effects.removeAll(keepingCapacity: true)
    let due = device.engine.nextDeadline?.microseconds
    guard due != timers.deadline(slot: device.slot) else { return }
    if let due { timers.push(slot: device.slot, at: due) } else { timers.cancel(slot: device.slot) }
  }

  private func note(_ effect: Effect, of device: Device) {
    switch effect {
    case .persist(let id, let history, _):
      device.changes.histories[id] = history
      device.changes.removed.remove(id)
    case .forget(let id):
      device.changes.removed.insert(id)
      device.changes.histories[id] = nil
      device.changes.documents[id] = nil
    case .fire(var firing):
      if let number = firing.unnamed?.number { firing.name(places.name(number)) }
      onFiring?(device.name, firing)
      device.changes.firings.append(JSONValue.object(firing.json).line)
    case .keep(let experience): device.changes.experience = experience
    case .watch, .say, .route: return
    }
    mark(device)
  }

  private func mark(_ device: Device) {
    guard !device.changes.isPresent else { return }
    device.changes.isPresent = true
    dirty.append(device)
  }

  // MARK: - Replay

  /// Whether the log is read again from well before this point: the track takes a minute.
  func isReadAgain(_ point: LogPoint) -> Bool {
    point.sequence >= replayStart.sequence + (stored.sequence - replayStart.sequence) / 2
  }

  /// Comes to a message of the replay, or to its end: then the stored histories count, and from now
  /// on everything is stored.
  private func replay(upTo message: LogMessage) {
    let sequence = message.sequence
    if beginnings == nil {
      for device in list {
        device.load(at: max(now, message.time), into: &effects)
        finish(device)
      }
      beginnings = list.sorted {
        ($0.restoration?.begin.sequence ?? 0) > ($1.restoration?.begin.sequence ?? 0)
      }
    }
    while let device = beginnings?.last, let restoration = device.restoration,
      restoration.begin.sequence < sequence
    {
      device.begin(at: max(now, restoration.begin.time), into: &effects)
      finish(device)
      beginnings?.removeLast()
    }
    guard sequence > stored.sequence else { return }
    now = max(now, stored.time)
    runDeadlines()
    for device in list {
      guard let restoration = device.restoration else { continue }
      if let experience = restoration.experience { device.engine.remember(experience, at: now) }
      divergedCount += device.settle(restoration.last, at: now, into: &effects)
      device.restoration = nil
      finish(device)
    }
    beginnings = []
    isReplaying = false
  }

  /// The changes are stored.
  package func didCommit() {
    committed = next - 1
    for device in dirty {
      device.firingCount += Int64(device.changes.firings.count)
      device.isStoredQuiet = device.engine.isQuiet
      if device.isStoredQuiet { device.unstoredSince = nil }
      device.changes = Device.Changes()
    }
    dirty.removeAll(keepingCapacity: true)
    refused.removeAll(keepingCapacity: true)
  }
}
