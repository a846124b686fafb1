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
/// The rows of a device are a snapshot of its engine at one message (`Engine.state`). They are
/// stored with each effect and command, and five minutes after a message at the latest. A new
/// owner reads the log from the first message that the rows of a device lack (`replayPoint`).
/// So it decides only what nobody has stored, and nothing is stored twice.
package final class Partition {
  package let number: Int
  /// The number of the next message to be decided.
  package private(set) var next: UInt64
  /// When the log took the last message.
  package private(set) var now: Instant
  /// Whether messages are read again that an earlier owner has read.
  package private(set) var isReplaying: Bool
  /// Effects of messages that are read again: another program than the last owner's may differ.
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
  /// How long messages of a device may wait for its next snapshot. A longer one saves work, and
  /// makes a takeover longer: each message since then is decided again.
  private static let snapshotAge = TimeSpan.minutes(5)
  /// Devices by the first message that their rows lack, the oldest first. An entry whose point is
  /// no more the device's counts no more.
  private var unstored: ArraySlice<(device: Device, point: LogPoint)> = []
  private var isLoaded = false
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
  package init(
    _ number: Int, after stored: LogPoint = LogPoint(), replay: LogPoint = LogPoint()
  ) {
    self.number = number
    self.stored = stored
    replayStart = replay
    next = stored.sequence + 1
    now = replay.time
    committed = stored.sequence
    isReplaying = stored.sequence > 0
  }

  /// The messages that this owner reads, and decides.
  package var span: LogSpan {
    LogSpan(start: max(1, replayStart.sequence), next: stored.sequence + 1)
  }

  /// From where a later owner has to read: the first message that neither the rows of its device
  /// nor the changes have.
  var replayPoint: LogPoint {
    unstored.first { $0.device.unstored == $0.point && !$0.device.changes.isPresent }?.point
      ?? LogPoint(sequence: next, time: now)
  }

  /// Devices whose snapshot is too old get a new one, several at a time.
  private func renewSnapshots() {
    guard let first = unstored.first, now - first.point.time >= Self.snapshotAge else { return }
    let recent = now - TimeSpan(microseconds: Self.snapshotAge.microseconds / 6 * 5)
    while let first = unstored.first, first.point.time < recent {
      unstored.removeFirst()
      if first.device.unstored == first.point { mark(first.device) }
    }
  }

  package var deviceCount: Int { list.count }

  /// The earliest deadline of all devices, or of the next snapshot; nil without one, and during a
  /// replay.
  package var deadline: Instant? {
    guard !isReplaying else { return nil }
    let decision = timers.peek().map { Instant(microseconds: $0.deadline) }
    // A silent log would lose the messages that no snapshot has.
    let snapshot = unstored.first.map { $0.point.time + Self.snapshotAge }
    return [decision, snapshot].compactMap(\.self).min()
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
    if !isLoaded { load() }
    if isReplaying, message.sequence > stored.sequence { endReplay() }
    decide(message)
    if isReplaying, message.sequence == stored.sequence { endReplay() }
  }

  private func decide(_ message: LogMessage) {
    next = message.sequence + 1
    now = max(now, message.time)
    runDeadlines()
    if !isReplaying { renewSnapshots() }
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
    guard message.sequence > device.stored.sequence else { return }
    if case .add(let reminder) = content, device.engine.count >= maximumReminders,
      device.engine.reminder(reminder.id) == nil
    {
      return refuse(message, "the device has \(maximumReminders) reminders, and may have no more")
    }
    handle(content, of: device)
    finish(device, at: now)
    if device.unstored == nil {
      let point = LogPoint(sequence: message.sequence, time: message.time)
      device.unstored = point
      unstored.append((device, point))
    }
    if case .position = content { return }
    mark(device)
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
    }
    func put(_ reminder: Reminder, _ event: Event) {
      send(event)
      device.changes.documents[reminder.id] = JSONValue.object(reminder.json).line
      device.changes.removed.remove(reminder.id)
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
      finish(device, at: now)
    }
  }

  /// Carries out the effects of an event, and sets the timer of the device.
  private func finish(_ device: Device, at now: Instant) {
    var index = 0
    // The answer to an effect brings further ones.
    while index < effects.count {
      let effect = effects[index]
      index += 1
      if case .watch(let category) = effect {
        let answer = Event.places(category: category, places.places(of: category))
        device.engine.handle(answer, at: now, into: &effects)
      } else {
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
    if isReplaying { divergedCount += 1 }
    mark(device)
  }

  private func mark(_ device: Device) {
    guard !device.changes.isPresent else { return }
    device.changes.isPresent = true
    dirty.append(device)
  }

  // MARK: - Replay

  /// Each device goes on from its snapshot.
  private func load() {
    isLoaded = true
    for device in list where device.restoration != nil {
      device.load(into: &effects)
      finish(device, at: device.stored.time)
      device.resume()
      finish(device, at: device.stored.time)
    }
  }

  /// The messages that an earlier owner has read are over: decisions are stored from now on.
  private func endReplay() {
    now = max(now, stored.time)
    runDeadlines()
    isReplaying = false
  }

  /// The changes are stored.
  package func didCommit() {
    committed = next - 1
    for device in dirty {
      device.firingCount += Int64(device.changes.firings.count)
      device.unstored = nil
      device.changes = Device.Changes()
    }
    dirty.removeAll(keepingCapacity: true)
    while let first = unstored.first, first.device.unstored != first.point {
      unstored.removeFirst()
    }
    refused.removeAll(keepingCapacity: true)
  }
}
