import Control
import Geodesy
import JSONText
import LinuxRuntime
import Reminders
import Storage
import Testing

@testable import Daemon

/// Whose a reminder is, and who may change it. The callers are made up; who is at the other end of
/// a socket is `UnixSocketTests.knowsThePeer`, and real users are in the system test.
@Suite struct OwnerTests {
  private let anna = Caller(user: 1000, process: 7, daemon: 61_184)
  private let ben = Caller(user: 1001, process: 8, daemon: 61_184)
  private let root = Caller(user: 0, daemon: 61_184)

  private func call(
    _ rig: Rig, _ caller: Caller, _ method: String, _ parameters: String
  ) throws -> VarlinkAnswer {
    ControlService(daemon: rig.daemon, caller: caller).answer(
      VarlinkCall(method: "org.georemind.\(method)", parameters: try object(parameters)))
  }

  private func reply(
    _ rig: Rig, _ caller: Caller, _ method: String, _ parameters: String
  ) throws -> JSONObject {
    guard case .reply(let reply) = try call(rig, caller, method, parameters) else {
      throw Unexpected("\(method) is refused")
    }
    return reply
  }

  private func isRefused(
    _ rig: Rig, _ caller: Caller, _ method: String, _ parameters: String
  ) throws -> Bool {
    guard case .error(let error) = try call(rig, caller, method, parameters),
      case .refusedByPolicy? = GeoremindError(error)
    else { return false }
    return true
  }

  @discardableResult
  private func add(
    _ rig: Rig, _ caller: Caller, _ id: String, _ members: String = ""
  ) throws -> JSONObject {
    let document = #"{"id":"\#(id)","title":"Secret","due":"2100-01-01T00:00:00Z"\#(members)}"#
    _ = try reply(rig, caller, "Add", #"{"reminder":\#(document)}"#)
    return try shown(rig, id)
  }

  private func shown(_ rig: Rig, _ id: String) throws -> JSONObject {
    try #require(try reply(rig, ben, "Show", #"{"id":"\#(id)"}"#)["reminder"]?.object)
  }

  @Test func theUserWhoAddsAReminderOwnsIt() throws {
    let rig = try Rig()
    #expect(try add(rig, anna, "a")["owner"]?.int == 1000)
    #expect(try add(rig, anna, "b", #","owner":1001"#)["owner"]?.int == 1000)
    #expect(try add(rig, anna, "c", #","owner":"Anna""#)["owner"]?.int == 1000)
    // What root adds is everyone's, unless it says whose it is.
    #expect(try add(rig, root, "d")["owner"] == nil)
    #expect(try add(rig, root, "e", #","owner":1001"#)["owner"]?.int == 1001)
    _ = try reply(
      rig, ben, "Import",
      #"{"reminders":[{"id":"f","title":"x","due":"2100-01-01T00:00:00Z","owner":1000}]}"#)
    #expect(try shown(rig, "f")["owner"]?.int == 1001)
    // The user whose daemon it is needs no owner.
    let own = Caller(user: 1000, daemon: 1000)
    #expect(try add(rig, own, "g")["owner"] == nil)
  }

  @Test(arguments: [
    ("Edit", #"{"id":"a","changes":{"title":"Other"}}"#), ("Done", #"{"id":"a"}"#),
    ("Snooze", #"{"id":"a","until":"20min"}"#), ("Pop", #"{"kind":"date"}"#),
    ("Remove", #"{"id":"a"}"#),
  ]) func onlyTheOwnerAndRootMayChangeIt(method: String, parameters: String) throws {
    for (caller, isAllowed) in [(anna, true), (ben, false), (root, true)] {
      let rig = try Rig()
      let before = try add(rig, anna, "a")
      #expect(try isRefused(rig, caller, method, parameters) == !isAllowed)
      if !isAllowed { #expect(try shown(rig, "a") == before) }
    }
    // One of nobody is everyone's.
    let rig = try Rig()
    try add(rig, root, "a")
    #expect(try !isRefused(rig, ben, method, parameters))
  }

  @Test func aRefusalIsInTheJournalWithoutAWordOfTheReminder() throws {
    let rig = try Rig()
    try add(rig, anna, "a", #","kind":"preemptive","place":{"name":"Home","lat":53.5,"lon":9.9}"#)
    #expect(try isRefused(rig, ben, "Remove", #"{"id":"a"}"#))
    let entry = try #require(rig.journal.entries(.clientRefused).first)
    #expect(entry["GEOREMIND_PEER_UID"] == "1001")
    #expect(entry["GEOREMIND_PEER_PID"] == "8")
    #expect(entry["GEOREMIND_REMINDER_ID"] == "a")
    for word in ["Secret", "Home", "53.5", "9.9"] { #expect(!entry.message.contains(word)) }
  }

  @Test func sharedChangesLetEveryMemberChangeReminders() throws {
    let rig = try Rig("[Control]\nSharedChanges=yes\n")
    try add(rig, anna, "a")
    #expect(try !isRefused(rig, ben, "Remove", #"{"id":"a"}"#))
  }

  @Test func anOwnerMayGiveItToAllAndRootToAnyone() throws {
    let rig = try Rig()
    try add(rig, anna, "a")
    func give(_ caller: Caller, _ owner: String) throws -> VarlinkAnswer {
      try call(rig, caller, "Edit", #"{"id":"a","changes":{"owner":\#(owner)}}"#)
    }
    guard case .error(let error) = try give(anna, "1001") else {
      Issue.record("it was given away")
      return
    }
    #expect(error.parameters["field"]?.string == "owner")
    _ = try give(root, "1001")
    #expect(try shown(rig, "a")["owner"]?.int == 1001)
    _ = try give(ben, "null")
    #expect(try shown(rig, "a")["owner"] == nil)
    #expect(try !isRefused(rig, anna, "Remove", #"{"id":"a"}"#))
  }

  /// A place of everyone's stays while reminders of others need it.
  @Test func aSharedPlaceOfACategoryThatAnothersReminderWatchesStays() throws {
    let rig = try Rig()
    _ = try reply(rig, ben, "AddCategory", ##"{"name":"shop","color":"#AA8800"}"##)
    let place = #"{"name":"Rewe","latitude":53.5,"longitude":9.9,"category":"shop"}"#
    _ = try reply(rig, root, "AddPlace", place)
    let document = #"{"id":"a","kind":"location","title":"x","near_category":"shop"}"#
    _ = try reply(rig, anna, "Add", #"{"reminder":\#(document)}"#)
    #expect(try isRefused(rig, ben, "RemovePlace", #"{"name":"Rewe"}"#))
    #expect(
      try isRefused(rig, ben, "EditPlace", #"{"name":"Rewe","latitude":53.6,"longitude":9.9}"#))
    _ = try reply(rig, anna, "Remove", #"{"id":"a"}"#)
    #expect(try !isRefused(rig, ben, "RemovePlace", #"{"name":"Rewe"}"#))
  }

  /// Anna's reminder at Ben's place holds Ben back from nothing, and stays where it is.
  @Test(arguments: [
    ("EditPlace", #"{"name":"Home","latitude":53.6,"longitude":9.9}"#, 1),
    ("MergePlaces", #"{"name":"Home","into":"Work"}"#, 1),
    ("RemovePlace", #"{"name":"Home","unless_used":true}"#, 0),
  ])
  func anothersReminderDoesNotHoldAPlace(method: String, parameters: String, own: Int) throws {
    let rig = try Rig()
    _ = try reply(rig, ben, "AddCategory", ##"{"name":"shop","color":"#AA8800"}"##)
    for (name, latitude) in [("Home", 53.5), ("Work", 53.7)] {
      let place = #""latitude":\#(latitude),"longitude":9.9,"category":"shop""#
      _ = try reply(rig, ben, "AddPlace", #"{"name":"\#(name)",\#(place)}"#)
    }
    let near = #"{"id":"n","kind":"location","title":"x","near_category":"shop"}"#
    _ = try reply(rig, anna, "Add", #"{"reminder":\#(near)}"#)
    for (caller, id) in [(anna, "a"), (ben, "b")] where own > 0 || id == "a" {
      let document = #"{"id":"\#(id)","kind":"location","title":"x","place":"Home"}"#
      _ = try reply(rig, caller, "Add", #"{"reminder":\#(document)}"#)
    }
    let answer = try reply(rig, ben, method, parameters)
    #expect(answer["reminders"]?.array?.map(\.string) == (own > 0 ? ["b"] : []))
    #expect(try latitude(rig, "a") == 53.5)
    if own > 0 { #expect(try latitude(rig, "b") != 53.5) }
  }

  private func latitude(_ rig: Rig, _ id: String) throws -> Double? {
    try shown(rig, id)["place"]?["lat"]?.double
  }

  @Test func onlyItsUserAndRootGoOnWithAPlaceImport() throws {
    let rig = try Rig()
    for method in ["ImportPlaces", "FinishPlaceImport", "AbandonPlaceImport"] {
      let id = try #require(try reply(rig, anna, "BeginPlaceImport", "{}")["import"]?.int)
      let places = method == "ImportPlaces" ? #","places":[]"# : ""
      let parameters = #"{"import":\#(id)\#(places)}"#
      #expect(try isRefused(rig, ben, method, parameters))
      #expect(try !isRefused(rig, anna, method, parameters))
    }
    let id = try #require(try reply(rig, anna, "BeginPlaceImport", "{}")["import"]?.int)
    #expect(try !isRefused(rig, root, "FinishPlaceImport", #"{"import":\#(id)}"#))
  }

  @Test func onlyRootForgetsTheTravelTimesOfAll() throws {
    let rig = try Rig()
    #expect(try isRefused(rig, ben, "ForgetTrips", "{}"))
    #expect(try !isRefused(rig, root, "ForgetTrips", "{}"))
    #expect(try !isRefused(rig, Caller(user: 1000, daemon: 1000), "ForgetTrips", "{}"))
  }

  /// A reminder goes where its place goes, so the place is not to be moved from under it.
  @Test func aPlaceThatAnothersReminderFollowsStays() throws {
    let rig = try Rig()
    for name in ["Home", "Work"] {
      _ = try reply(
        rig, anna, "AddPlace", #"{"name":"\#(name)","latitude":53.5,"longitude":9.9}"#)
    }
    let document = #"{"id":"a","kind":"location","title":"x","place":"Home"}"#
    _ = try reply(rig, anna, "Add", #"{"reminder":\#(document)}"#)
    let edit = #"{"name":"Home","latitude":53.6,"longitude":9.9}"#
    let merge = #"{"name":"Home","into":"Work"}"#
    #expect(try isRefused(rig, ben, "EditPlace", edit))
    #expect(try isRefused(rig, ben, "MergePlaces", merge))
    let place = try reply(rig, ben, "ShowPlace", #"{"name":"Home"}"#)["place"]
    #expect(place?["latitude"]?.double == 53.5)
    #expect(try !isRefused(rig, anna, "EditPlace", edit))
    #expect(try !isRefused(rig, root, "MergePlaces", merge))
  }

  /// Users of another user namespace all look alike.
  @Test func unknownUserIsRefused() throws {
    let rig = try Rig()
    let nobody = Caller(user: Caller.unmapped, daemon: 61_184)
    try add(rig, nobody, "a")
    #expect(try isRefused(rig, nobody, "Remove", #"{"id":"a"}"#))
    #expect(try !isRefused(rig, root, "Remove", #"{"id":"a"}"#))
  }

  @Test func theOwnerOutlivesARestart() throws {
    let rig = try Rig()
    try add(rig, anna, "a")
    rig.daemon.stop()
    let again = try Rig(folder: rig.folder)
    #expect(try isRefused(again, ben, "Done", #"{"id":"a"}"#))
    #expect(try !isRefused(again, anna, "Done", #"{"id":"a"}"#))
  }

  // MARK: - Places and categories

  private let home = #"{"name":"Home","latitude":53.5,"longitude":9.9}"#

  @Test(arguments: [
    ("EditPlace", #"{"name":"Home","latitude":0,"longitude":0}"#),
    ("RemovePlace", #"{"name":"Home"}"#), ("MergePlaces", #"{"name":"Home","into":"Away"}"#),
    ("EditCategory", ##"{"name":"Fuel","color":"#000000"}"##),
    ("RemoveCategory", #"{"name":"Fuel"}"#),
  ]) func onlyTheOwnerAndRootMayChangeAPlace(method: String, parameters: String) throws {
    for (caller, isAllowed) in [(anna, true), (ben, false), (root, true)] {
      let rig = try Rig()
      _ = try reply(rig, anna, "AddPlace", home)
      _ = try reply(rig, ben, "AddPlace", #"{"name":"Away","latitude":1,"longitude":1}"#)
      _ = try reply(rig, anna, "AddCategory", #"{"name":"Fuel"}"#)
      #expect(try isRefused(rig, caller, method, parameters) == !isAllowed)
      if !isAllowed {
        let place = try #require(try rig.daemon.store.places.place(named: "Home"))
        #expect(place.position.latitude == 53.5)
        #expect(try rig.daemon.store.categories.category(named: "Fuel")?.color == "#808080")
      }
    }
    let shared = try Rig("[Control]\nSharedChanges=yes\n")
    _ = try reply(shared, anna, "AddPlace", home)
    _ = try reply(shared, anna, "AddPlace", #"{"name":"Away","latitude":1,"longitude":1}"#)
    _ = try reply(shared, anna, "AddCategory", #"{"name":"Fuel"}"#)
    _ = try reply(shared, ben, method, parameters)
  }

  @Test func whatRootAddsIsEveryonesPlace() throws {
    let rig = try Rig()
    _ = try reply(rig, root, "AddPlace", home)
    _ = try reply(rig, ben, "EditPlace", #"{"name":"Home","notes":"Ring twice"}"#)
    _ = try reply(rig, ben, "RemovePlace", #"{"name":"Home"}"#)
  }

  /// A file that has the place elsewhere would move it.
  @Test func anImportMovesNoPlaceOfAnotherUser() throws {
    let rig = try Rig()
    func imported(_ caller: Caller, latitude: Double) throws -> JSONObject {
      let number = try reply(rig, caller, "BeginPlaceImport", "{}")["import"]?.int ?? 0
      let place = #"{"name":"Home","uid":"h","lat":\#(latitude),"lon":9.9}"#
      _ = try reply(rig, caller, "ImportPlaces", #"{"import":\#(number),"places":[\#(place)]}"#)
      return try reply(rig, caller, "FinishPlaceImport", #"{"import":\#(number)}"#)
    }
    #expect(try imported(anna, latitude: 53.5)["added"]?.int == 1)
    #expect(try rig.daemon.store.places.place(named: "Home")?.owner == 1_000)
    #expect(throws: Unexpected.self) { try imported(ben, latitude: 1) }
    #expect(try rig.daemon.store.places.place(named: "Home")?.position.latitude == 53.5)
    #expect(try imported(anna, latitude: 53.6)["moved"]?.int == 1)
  }

  // MARK: - Shares

  @Test func nobodyTakesTheRoomOfOthersForReminders() throws {
    let rig = try Rig()
    try add(rig, anna, "a")
    // Room for eight such reminders: half of it is one user's share.
    rig.daemon.maximumReminderBytes = rig.daemon.host.engine.reminderBytes * 8 + 100
    for id in ["b", "c", "d"] { try add(rig, anna, id) }
    let document = #"{"reminder":{"id":"e","title":"Secret","due":"2100-01-01T00:00:00Z"}}"#
    #expect(try isRefused(rig, anna, "Add", document))
    _ = try reply(rig, ben, "Add", document)
    _ = try reply(rig, anna, "Remove", #"{"id":"a"}"#)
    try add(rig, anna, "f")
  }

  @Test func nobodyTakesTheRoomOfOthersForPlaces() throws {
    let rig = try Rig()
    _ = try reply(rig, anna, "AddPlace", home)
    rig.daemon.maximumDatabaseBytes = try rig.daemon.store.database.byteCount() * 2
    let next = #"{"name":"Next","latitude":1,"longitude":1}"#
    #expect(try isRefused(rig, anna, "AddPlace", next))
    _ = try reply(rig, ben, "AddPlace", next)
    #expect(try !isRefused(rig, root, "AddPlace", #"{"name":"R","latitude":1,"longitude":1}"#))
  }

  @Test func nobodyTakesTheImportsOfOthers() throws {
    let rig = try Rig()
    for _ in 0..<2 { _ = try reply(rig, anna, "BeginPlaceImport", "{}") }
    #expect(try isRefused(rig, anna, "BeginPlaceImport", "{}"))
    _ = try reply(rig, ben, "BeginPlaceImport", "{}")
  }
}
