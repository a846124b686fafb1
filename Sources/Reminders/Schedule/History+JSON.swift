import CivilTime
import JSONText

/// The text of a history in the store: an object with its version, and the members that differ from
/// a new reminder's. Times are microseconds since 1970, names are readings of the clock.
extension History {
  private static let version = 1

  /// nil for a new reminder's.
  package var text: String? {
    guard self != History() else { return nil }
    return JSONValue.object(json).line
  }

  package init(text: String?) throws(ReminderError) {
    self.init()
    guard let text else { return }
    guard let object = try? JSONParser.parse(text).object else {
      throw ReminderError(field: "history", reason: "is no JSON object")
    }
    guard object["v"]?.int == Self.version else {
      throw ReminderError(field: "history", reason: "has another version than \(Self.version)")
    }
    try read(object)
  }

  private var json: JSONObject {
    var object: JSONObject = ["v": .int(Self.version)]
    object["used"] = usedUpTo.map(Self.json)
    if !leadsUsed.isEmpty {
      var leads = JSONObject()
      for (name, count) in leadsUsed.sorted(by: { $0.key < $1.key }) {
        leads[name.description] = .int(count)
      }
      object["leads"] = .object(leads)
    }
    switch stay {
    case .unknown: break
    case .outside(let since):
      object["stay"] = "outside"
      object["since"] = since.map(Self.json)
    case .inside(let visit):
      object["stay"] = "inside"
      object["since"] = Self.json(visit.since)
      object["settled"] = visit.settledUpTo.map(Self.json)
      if !visit.places.isEmpty { object["places"] = .array(visit.places.map { .int(Int($0)) }) }
    }
    switch silence {
    case nil: break
    case .until(let end): object["silent"] = Self.json(end)
    case .nextVisit: object["silent"] = "next-visit"
    case .untilLeave: object["silent"] = "until-leave"
    }
    object["rung"] = lastRung.map(Self.json)
    object["rung_again"] = lastRepeated.map(Self.json)
    if isUnacknowledged { object["open"] = true }
    object["again"] = (repetition?.next).map(Self.json)
    object["repeated"] = (repetition?.count).map { .int($0) }
    if isDone { object["done"] = true }
    if hasExpired { object["expired"] = true }
    if isUnread { object["unread"] = true }
    object["there"] = there.map(Self.json)
    if !members.isEmpty {
      var inside = JSONObject()
      for (name, isInside) in members.sorted(by: { $0.key < $1.key }) {
        inside[name] = .bool(isInside)
      }
      object["members"] = .object(inside)
    }
    object["mover"] = mover.map { .string($0) }
    if let early {
      object["early_from"] = Self.json(early.from)
      object["early_to"] = Self.json(early.upTo)
      object["early_leads"] = early.leads.map { .int($0) }
      object["early_rung"] = Self.json(early.rung)
    }
    return object
  }

  private static func json(_ name: LocalDateTime) -> JSONValue { .string(name.description) }

  private static func json(_ instant: Instant) -> JSONValue { .int(Int(instant.microseconds)) }

  // MARK: - Reading

  private mutating func read(_ object: JSONObject) throws(ReminderError) {
    usedUpTo = try object.name("used")
    leadsUsed = try object.leads()
    switch try object.word("stay") {
    case nil: break
    case "outside": stay = .outside(since: try object.instant("since"))
    case "inside":
      guard let since = try object.instant("since") else { throw JSONObject.fault("since") }
      stay = .inside(
        Stay.Visit(
          since: since, settledUpTo: try object.name("settled"), places: try object.places()))
    default: throw JSONObject.fault("stay")
    }
    switch object["silent"]?.string {
    case "next-visit"?: silence = .nextVisit
    case "until-leave"?: silence = .untilLeave
    default: silence = try object.instant("silent").map { .until($0) }
    }
    lastRung = try object.instant("rung")
    lastRepeated = try object.instant("rung_again")
    isUnacknowledged = try object.flag("open")
    if let next = try object.instant("again") {
      repetition = Repetition(next: next, count: try object.count("repeated"))
    }
    isDone = try object.flag("done")
    hasExpired = try object.flag("expired")
    isUnread = try object.flag("unread")
    there = try object.instant("there")
    members = try object.flags("members")
    mover = try object.word("mover")
    if let from = try object.name("early_from") {
      guard let to = try object.name("early_to"), let rung = try object.instant("early_rung") else {
        throw JSONObject.fault("early_from")
      }
      early = Early(
        from: from, upTo: to,
        leads: object["early_leads"] == nil ? nil : try object.count("early_leads"), rung: rung)
    }
  }
}

extension JSONObject {
  fileprivate static func fault(_ key: String) -> ReminderError {
    ReminderError(field: "history.\(key)", reason: "cannot be read")
  }

  fileprivate func word(_ key: String) throws(ReminderError) -> String? {
    guard let value = self[key] else { return nil }
    guard let text = value.string else { throw Self.fault(key) }
    return text
  }

  fileprivate func flag(_ key: String) throws(ReminderError) -> Bool {
    guard let value = self[key] else { return false }
    guard let flag = value.bool else { throw Self.fault(key) }
    return flag
  }

  fileprivate func flags(_ key: String) throws(ReminderError) -> [String: Bool] {
    guard let value = self[key] else { return [:] }
    guard let object = value.object else { throw Self.fault(key) }
    var flags: [String: Bool] = [:]
    for name in object.members.map(\.key) { flags[name] = try object.flag(name) }
    return flags
  }

  fileprivate func name(_ key: String) throws(ReminderError) -> LocalDateTime? {
    guard let value = self[key] else { return nil }
    guard let name = value.string.flatMap(Self.name(parsing:)) else { throw Self.fault(key) }
    return name
  }

  private static func name(parsing text: String) -> LocalDateTime? {
    guard case .floating(let name)? = try? TimeStamp(parsing: text) else { return nil }
    return name
  }

  fileprivate func leads() throws(ReminderError) -> [LocalDateTime: Int] {
    // Up to schema 17 there was one name, beside its count.
    if let name = try name("leads_of") { return [name: try count("leads")] }
    guard let value = self["leads"] else { return [:] }
    guard let object = value.object else { throw Self.fault("leads") }
    var leads: [LocalDateTime: Int] = [:]
    for text in object.members.map(\.key) {
      guard let name = Self.name(parsing: text) else { throw Self.fault("leads") }
      leads[name] = try object.count(text)
    }
    return leads
  }

  fileprivate func instant(_ key: String) throws(ReminderError) -> Instant? {
    guard let value = self[key] else { return nil }
    guard let microseconds = value.int else { throw Self.fault(key) }
    return Instant(microseconds: Int64(microseconds))
  }

  fileprivate func count(_ key: String) throws(ReminderError) -> Int {
    guard let count = self[key]?.int, (0...Int(UInt16.max)).contains(count) else {
      throw Self.fault(key)
    }
    return count
  }

  /// Rising.
  fileprivate func places() throws(ReminderError) -> [Int64] {
    guard let list = self["places"] else { return [] }
    guard let numbers = list.array?.compactMap({ $0.int.map { Int64($0) } }),
      numbers.count == list.array?.count, zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 })
    else { throw Self.fault("places") }
    return numbers
  }
}
