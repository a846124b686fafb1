import CivilTime
import Companion
import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage

/// The ledger by number, and how far each destination has come.
extension ControlService {
  /// Firings in one answer of `ReadLedger`.
  private static let longestRead = 1_000

  func readLedger(_ given: JSONObject) throws -> JSONObject {
    let ledger = daemon.store.ledger
    let limit = given["limit"]?.int ?? Self.longestRead
    guard (1...Self.longestRead).contains(limit) else {
      throw GeoremindError.invalidReminder(field: "limit", reason: "must be 1 to 1000")
    }
    let (seq, urgent) = (Int64(given["after"]?.int ?? 0), given["urgent"]?.bool)
    var rows =
      urgent == false
      ? try daemon.othersToDeliver(
        to: caller.user, after: seq, limit: limit, bytes: Self.pageBytes,
        isTogether: given["together"]?.bool == true)
      : try ledger.entries(after: seq, limit: limit, urgent: urgent, bytes: Self.pageBytes)
        .map { daemon.json(of: $0) }
    if let digest = daemon.calendarDigest {
      for index in rows.indices { rows[index]["calendar_digest"] = .string(digest) }
    }
    return [
      "ledger": .string(daemon.ledgerID), "first": .int(Int(try ledger.first())),
      "head": .int(Int(try ledger.head())),
      "rows": .array(rows.map { .object($0) }),
    ]
  }

  // MARK: - Consumers

  /// Rows for one user, and rows that members leave for root and the system's services.
  private static let rowsOfUser = 8
  private static let reserved = 32

  func openConsumer(_ name: String) throws -> JSONObject {
    let store = daemon.store
    let head = try store.ledger.head()
    guard Consumer.isName(name) else {
      throw GeoremindError.invalidReminder(
        field: "name", reason: "must be 1 to 32 of a to z, digits and -")
    }
    if let known = try store.consumers.consumer(named: name) {
      try mayChange(known, by: "OpenConsumer")
      return try answer(known, head: head)
    }
    let new = Consumer(name: name, owner: caller.user, upto: head)
    try mayChange(new, by: "OpenConsumer")
    let limit = ConsumerStore.maximumCount - (isPrivileged ? 0 : Self.reserved)
    guard try store.consumers.count() < limit else {
      throw tooMany(limit, "there are")
    }
    guard try isPrivileged || store.consumers.count(ownedBy: caller.user) < Self.rowsOfUser else {
      throw tooMany(Self.rowsOfUser, "user \(caller.user) has")
    }
    try store.consumers.set(new)
    return try answer(new, head: head)
  }

  private var isPrivileged: Bool {
    caller.isMaster || daemon.serviceUsers.all.contains(caller.user)
  }

  private func tooMany(_ count: Int, _ subject: String) -> GeoremindError {
    .refusedByPolicy(
      reason: "\(subject) \(count) destinations already; remove one with "
        + "'georemind delivery forget'")
  }

  func setConsumer(_ given: JSONObject) throws -> JSONObject {
    let row = given["consumer"]
    let name = row?["name"]?.string ?? ""
    let known = try consumer(named: name, by: "SetConsumer")
    let head = try daemon.store.ledger.head()
    // The numbers are another ledger's.
    guard given["ledger"]?.string == daemon.ledgerID else { return try answer(known, head: head) }
    var new = known
    new.upto = min(head, Int64(row?["upto"]?.int ?? 0))
    new.urgentUpto = min(head, row?["urgent_upto"]?.int.map(Int64.init) ?? known.urgentUpto)
    new.tries = max(0, row?["tries"]?.int ?? 0)
    new.failingSince = try instant(row, "failing_since")
    new.nextTry = try instant(row, "next_try")
    new.text = row?["text"]?.string.map(Self.short)
    // Somebody has skipped a firing meanwhile: the other mark counts.
    if new.upto < known.upto || new.urgentUpto < known.urgentUpto {
      let marks = (max(new.upto, known.upto), max(new.urgentUpto, known.urgentUpto))
      new = known
      (new.upto, new.urgentUpto) = marks
    }
    try daemon.set(new, was: known)
    return try answer(try consumer(named: name, by: "SetConsumer"), head: head)
  }

  func listConsumers() throws -> JSONObject {
    let ledger = daemon.store.ledger
    return [
      "ledger": .string(daemon.ledgerID), "first": .int(Int(try ledger.first())),
      "head": .int(Int(try ledger.head())),
      "consumers": .array(try daemon.store.consumers.all().map { .object(try json(of: $0)) }),
    ]
  }

  func skipFiring(_ name: String) throws -> JSONObject {
    let known = try consumer(named: name, by: "SkipFiring")
    let ledger = daemon.store.ledger
    let urgent = try ledger.entries(after: known.urgentUpto, limit: 1, urgent: true).first
    guard
      let next = try urgent ?? ledger.entries(after: known.upto, limit: 1, urgent: false).first
    else { return JSONObject() }
    var row = known
    if urgent == nil { row.upto = next.seq } else { row.urgentUpto = next.seq }
    (row.tries, row.nextTry) = (0, nil)
    row.text = "skipped by user \(caller.user)"
    try daemon.set(row, was: known)
    return ["firing": .object(daemon.json(of: next))]
  }

  func forgetConsumer(_ name: String) throws -> JSONObject {
    _ = try consumer(named: name, by: "ForgetConsumer")
    try daemon.store.consumers.remove(named: name)
    return JSONObject()
  }

  // MARK: - Tests

  func testConsumers(_ name: String?) throws -> JSONObject {
    let names = try daemon.store.consumers.all().map(\.name)
    if let name, !names.contains(name) { throw GeoremindError.notFound(id: name) }
    let tested = name.map { [$0] } ?? names
    let id = "test-\(ReminderID.random())"
    daemon.destinationTests.begin(tested, id: id, at: SystemClock.monotonic.microseconds)
    let firing = JSONObject([
      "firing_id": .string(id), "reminder_id": "", "kind": "date", "title": "Test of georemind",
      "time": .string(Instant(microseconds: SystemClock.now()).json), "event": "due",
      "why": .string("Asked for by user \(caller.user)"), "test": true,
      "destination": name.map { .string($0) },
    ])
    daemon.control?.announce(.destination(firing))
    return ["test": .string(id), "names": .array(tested.map { .string($0) })]
  }

  func endTest(_ given: JSONObject) throws -> JSONObject {
    let name = given["name"]?.string ?? ""
    _ = try consumer(named: name, by: "EndTest")
    daemon.destinationTests.end(
      name, id: given["test"]?.string ?? "", failure: given["text"]?.string.map(Self.short),
      at: SystemClock.monotonic.microseconds)
    return JSONObject()
  }

  private static func short(_ text: String) -> String {
    String(decoding: text.utf8.prefix(Consumer.maximumText), as: UTF8.self)
  }

  /// A firing with what came of it: `delivery`, an object for each destination that has received
  /// it, has given it up or has yet to receive it, and `acknowledged`.
  func jsonWithOutcome(of entry: LedgerEntry, _ consumers: [Consumer]) throws -> JSONObject {
    var object = daemon.json(of: entry)
    let receipts = try daemon.store.ledger.receipts(of: entry.seq)
    let waiting = consumers.filter { consumer in
      consumer.awaits(entry) && !receipts.contains { $0.consumer == consumer.name }
    }
    func outcome(_ name: String, _ time: Instant?, _ text: String?) -> JSONValue {
      .object(
        JSONObject([
          "name": .string(name), "time": time.map { .string($0.json) },
          "text": text.map { .string($0) },
        ]))
    }
    let outcomes =
      receipts.map { outcome($0.consumer, $0.time, $0.text) }
      + waiting.map { outcome($0.name, nil, $0.text) }
    if !outcomes.isEmpty { object["delivery"] = .array(outcomes) }
    if let known = try daemon.store.ledger.acknowledgement(of: entry.seq) {
      object["acknowledged"] = [
        "time": .string(known.time.json), "user": .int(Int(known.user)),
        "method": .string(known.method),
      ]
    }
    return object
  }

  private func consumer(named name: String, by method: String) throws -> Consumer {
    guard let known = try daemon.store.consumers.consumer(named: name) else {
      throw GeoremindError.notFound(id: name)
    }
    try mayChange(known, by: method)
    return known
  }

  private func mayChange(_ consumer: Consumer, by method: String) throws {
    let owner: UInt32? =
      switch DestinationName.holder(of: consumer.name, users: daemon.serviceUsers) {
      case .user(let user): user
      case .nobody: nil
      case .anybody: consumer.owner
      }
    guard !caller.isMaster, caller.user != owner || caller.user == Caller.unmapped else { return }
    let holder = owner.map { "user \($0)" } ?? "the system's service"
    daemon.refusals.report(
      "Refused user \(caller.user), process \(caller.process), to change destination "
        + "\(consumer.name) of \(holder) (\(method))",
      user: caller.user, process: caller.process, .change)
    throw GeoremindError.refusedByPolicy(
      reason: "destination \(consumer.name) is of \(holder), and only that user and root may "
        + "change it")
  }

  private func instant(_ row: JSONValue?, _ member: String) throws -> Instant? {
    guard let text = row?[member]?.string else { return nil }
    do {
      return try Instant(rfc3339: text)
    } catch {
      throw GeoremindError.invalidReminder(field: "consumer.\(member)", reason: "\(error)")
    }
  }

  private func answer(_ consumer: Consumer, head: Int64) throws -> JSONObject {
    [
      "ledger": .string(daemon.ledgerID), "head": .int(Int(head)),
      "consumer": .object(try json(of: consumer)),
    ]
  }

  private func json(of consumer: Consumer) throws -> JSONObject {
    JSONObject([
      "name": .string(consumer.name), "upto": .int(Int(consumer.upto)),
      "urgent_upto": .int(Int(consumer.urgentUpto)),
      "waiting": .int(try daemon.store.consumers.waiting(for: consumer)),
      "tries": .int(consumer.tries),
      "failing_since": consumer.failingSince.map { .string($0.json) },
      "next_try": consumer.nextTry.map { .string($0.json) },
      "text": consumer.text.map { .string($0) },
      "test": daemon.destinationTests.json(of: consumer.name),
    ])
  }
}
