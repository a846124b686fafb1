import CivilTime
import Control
import Departure
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// The methods of `org.georemind`: parameters, already checked against the interface, to an answer.
struct ControlService {
  unowned let daemon: Daemon
  let caller: Caller

  func answer(_ call: VarlinkCall) -> VarlinkAnswer {
    do {
      guard let method = call.georemindMethod else {
        return .error(VarlinkServiceError.methodNotFound(method: call.methodName).varlink)
      }
      try checkLink(for: method)
      if method == .watchFirings || method == .watchChanges { return .stream(first: []) }
      if method == .watchPhones { return .stream(first: [daemon.phoneNews(for: caller)]) }
      if method == .watchFixes { return .stream(first: [daemon.positionNews]) }
      if method == .watchPresence {
        return .stream(first: [try daemon.presence(for: caller)])
      }
      if method == .watchStatus {
        return .stream(first: [["status": .object(daemon.statusJSON)]])
      }
      return .reply(try reply(to: method, call.parameters))
    } catch let error as GeoremindError {
      return .error(error.varlink)
    } catch let error as ReminderError {
      return .error(
        GeoremindError.invalidReminder(field: error.field, reason: error.reason).varlink)
    } catch let error as StoreError {
      return .error(Self.translate(error).varlink)
    } catch {
      return .error(GeoremindError.storeFailure(reason: "\(error)").varlink)
    }
  }

  private static func translate(_ error: StoreError) -> GeoremindError {
    switch error {
    case .categoryInUse(let name, let places, let reminders, _):
      .inUse(name: name, reminders: places + reminders)
    case .alreadyExists(_, let name): .alreadyExists(name: name)
    case .unknownCategory(let name): .notFound(id: name)
    case .invalid(let what, let reason): .invalidReminder(field: what, reason: reason)
    default: .storeFailure(reason: "\(error)")
    }
  }

  private func reply(to method: GeoremindMethod, _ given: JSONObject) throws -> JSONObject {
    let store = daemon.store
    if method.changesStored { try daemon.host.commitWaiting() }
    let text = { (name: String) in given[name]?.string }
    switch method {
    case .add:
      let document = try byOwnClocks(given, "reminder")
      let isTyped = given["typed"]?.bool == true
      return try add(isTyped ? readingWords(document) : document, to: text("calendar"))
    case .check:
      return try check(byOwnClocks(given, "reminder"), for: text("calendar"))
    case .importReminders:
      return ["ids": .array(try addAll(given).map { .string($0) })]
    case .list:
      return ["reminders": .array(try list(kind: text("kind"), all: given["all"]?.bool ?? false))]
    case .pageReminders: return try page(after: given["after"]?.int, limit: given["limit"]?.int)
    case .show: return shown(try find(text("id")))
    case .edit: return try edit(given)
    case .remove: return try remove(changed(given, by: method))
    case .done: return try done(given)
    case .snooze: return try snooze(changed(given, by: method), until: text("until") ?? "")
    case .undo: return try undo(given["number"]?.int ?? 1)
    case .listUndo: return try listUndo()
    case .reopen: return try reopen(changed(text("id")))
    case .peek: return ["reminder": try store.reminders.peek(kind: kind(text("kind"))).map(json)]
    case .pop: return try pop(kind(text("kind")))
    case .next: return next(limit: given["limit"]?.int ?? 10)
    case .why: return try why(find(text("id")), from: standpoint(given))
    case .parseTime: return try parseTime(given)
    case .status: return ["status": .object(daemon.statusJSON)]
    case .forgetTrips: return try forgetTrips(text("transport"))
    case .log: return try log(given)
    case .readLedger: return try readLedger(given)
    case .openConsumer: return try openConsumer(text("name") ?? "")
    case .setConsumer: return try setConsumer(given)
    case .listConsumers: return try listConsumers()
    case .skipFiring: return try skipFiring(text("name") ?? "")
    case .forgetConsumer: return try forgetConsumer(text("name") ?? "")
    case .mute:
      try daemon.mute(until: text("until"), off: given["off"]?.bool ?? false, by: caller)
      return JSONObject(["quiet": daemon.quietJSON(of: caller.user)])
    case .testConsumers: return try testConsumers(text("name"))
    case .endTest: return try endTest(given)
    case .whereIs: return try whereIs(text("who"))
    case .listTrackers: return try listTrackers()
    case .forgetTracker: return try forgetTracker(text("name") ?? "")
    case .addPlace: return try addPlace(given)
    case .listPlaces: return try listPlaces(given)
    case .pagePlaces: return try pagePlaces(given)
    case .showPlace: return try showPlace(given)
    case .findPlaces: return try findPlaces(given)
    case .editPlace: return try editPlace(given)
    case .mergePlaces: return try mergePlaces(given)
    case .removePlace: return try removePlace(given)
    case .beginPlaceImport: return try beginPlaceImport()
    case .importPlaces: return try importPlaces(given)
    case .finishPlaceImport: return try finishPlaceImport(given)
    case .abandonPlaceImport: return try abandonPlaceImport(given)
    case .addCategory: return try addCategory(given)
    case .editCategory: return try editCategory(given)
    case .listCategories: return try listCategories()
    case .removeCategory: return try removeCategory(given)
    case .placesInBox: return try placesInBox(given)
    case .fencesInBox: return try fencesInBox(given)
    case .listTrips: return try listTrips(given)
    case .readTrack: return try readTrack(given)
    case .replayTrack: return try replayTrack(given)
    case .suggestPlaces: return try suggestPlaces(given)
    case .forgetTrack: return try forgetTrack(given)
    case .makeLink: return try makeLink(given)
    case .listLinks: return try listLinks()
    case .revokeLink: return try revokeLink(given)
    case .actAs: return try actAs(given)
    case .addPhone: return try addPhone(given)
    case .listPhones: return try listPhones()
    case .revokePhone: return try revokePhone(text("name") ?? "")
    case .watchFirings, .watchStatus, .watchFixes, .watchPresence, .watchChanges, .watchPhones:
      return JSONObject()
    }
  }

  // MARK: - Reminders

  private func kind(_ text: String?) -> Reminder.Kind { text.flatMap(Reminder.Kind.init) ?? .date }

  /// The reminder that a text names, by `meant`.
  func find(_ name: String?, prefixFrom shortest: Int = 1) throws -> ReminderStore.Entry {
    let name = name ?? ""
    let ids = Set(try daemon.store.reminders.find(prefix: name))
    return try stored(id: meant(by: name, beginning: ids, prefixFrom: shortest))
  }

  /// The id that a text names: the id itself, the reminder with this title, or the only one whose
  /// id begins with the text, or whose title has its words. A text that is not of words alone, as
  /// `dentist/`, names an id that begins with it before any title.
  /// - Parameters:
  ///   - ids: all that begin with the text.
  ///   - shortest: letters of a beginning.
  func meant(
    by name: String, beginning ids: Set<String>, prefixFrom shortest: Int = 1
  ) throws -> String {
    if ids.contains(name) { return name }
    let titled = try daemon.store.reminders.find(titled: name)
    guard name.count >= shortest || ids.isEmpty || !titled.ids.isEmpty else {
      throw GeoremindError.ambiguous(id: name, candidates: ids.sorted())
    }
    let isOfWords = name.allSatisfy { $0.isLetter || $0.isNumber || $0.isWhitespace }
    let candidates: [String] =
      if titled.isWhole {
        titled.ids
      } else if !isOfWords, !ids.isEmpty {
        ids.sorted()
      } else {
        ids.union(titled.ids).sorted()
      }
    guard let id = candidates.first else { throw GeoremindError.notFound(id: name) }
    guard candidates.count == 1 else {
      throw GeoremindError.ambiguous(id: name, candidates: candidates)
    }
    return id
  }

  func stored(id: String) throws -> ReminderStore.Entry {
    guard let entry = try daemon.store.reminders.reminder(id: id) else {
      throw GeoremindError.notFound(id: id)
    }
    return entry
  }

  /// As `find`; the beginning of an id has at least three letters, so that a slip changes nothing.
  func changed(_ name: String?) throws -> ReminderStore.Entry {
    try find(name, prefixFrom: 3)
  }

  /// The reminders that a call names with `id` and `also`, each once. `also` has whole ids: the
  /// search for a beginning or for words, for each of thousands, would hold up the daemon.
  func changed(
    _ given: JSONObject, by method: GeoremindMethod
  ) throws -> [ReminderStore.Entry] {
    var seen: Set<String> = []
    let also = try (given["also"]?.array ?? []).map { try stored(id: $0.string ?? "") }
    let entries = try ([changed(given["id"]?.string)] + also)
      .filter { seen.insert($0.reminder.id).inserted }
    for entry in entries { try mayChange(entry.reminder, by: method.rawValue) }
    return entries
  }

  private func list(kind: String?, all: Bool) throws -> [JSONValue] {
    let wanted = kind.flatMap(Reminder.Kind.init)
    let page = try daemon.store.reminders.page(bytes: Self.maximumBytes) { entry -> JSONValue? in
      guard wanted == nil || entry.reminder.kind == wanted,
        all || (entry.standing.state != .done && entry.standing.state != .expired)
      else { return nil }
      return json(entry)
    }
    guard !page.isCut else { throw tooMuch("ask with PageReminders") }
    return page.values.compactMap(\.value)
  }

  private func page(after place: Int?, limit: Int?) throws -> JSONObject {
    let limit = max(1, min(limit ?? Self.longestPage, Self.longestPage))
    let page = try daemon.store.reminders.page(
      after: Int64(place ?? 0), limit: limit, bytes: Self.pageBytes
    ) { json($0) }
    let isLast = !page.isCut && page.values.count + page.problems.count < limit
    // A row that is none is passed over, and no page ends with it.
    let last = max(page.values.last?.place ?? 0, page.problems.last?.row ?? 0)
    let problems = page.problems.map { JSONValue.string("\($0)") }
    return [
      "reminders": .array(page.values.map(\.value)), "next": isLast ? nil : .int(Int(last)),
      "unreadable": problems.isEmpty ? nil : .array(problems),
      "unreadable_text": problems.isEmpty ? nil : .string(daemon.store.salvagePath),
    ]
  }

  // MARK: - The size of answers

  /// Limit of entries per page: some milliseconds, since fixes wait meanwhile.
  static let longestPage = 250
  /// Bytes of rows that make one page.
  static let pageBytes = 1 << 20
  /// Limit of an answer's rows, in bytes; it takes several times as much and blocks the loop.
  static let maximumBytes = 32 << 20

  func tooMuch(_ remedy: String) -> GeoremindError {
    .refusedByPolicy(
      reason: "the answer would be larger than \(Self.maximumBytes >> 20) MiB; \(remedy)")
  }
}

/// Ids of new reminders.
enum ReminderID {
  /// 16 hexadecimal digits, so that a few of them are nearly always enough to name one.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
