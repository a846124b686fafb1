import CivilTime
import Control
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Every method of `org.georemind`, over a real socket.
@Suite(.serialized) struct ControlMethodTests {
  private let rig: Rig
  private let client: Client

  init() throws {
    rig = try Rig()
    client = try rig.client()
  }

  @discardableResult
  private func add(_ members: String) throws -> String {
    try #require(try client.call("Add", "{\"reminder\":{\(members)}}")["id"]?.string)
  }

  private func ids(_ reply: JSONObject, _ list: String = "reminders") -> [String] {
    (reply[list]?.array ?? []).compactMap { $0["id"]?.string }
  }

  private func expect(
    _ error: GeoremindError, _ method: String, _ parameters: String,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try GeoremindError(client.error(method, parameters)) == error, sourceLocation: place)
  }

  /// The field at fault.
  private func faultyField(_ method: String, _ parameters: String) throws -> String? {
    guard
      case .invalidReminder(let field, let reason)? = try GeoremindError(
        client.error(method, parameters))
    else { return nil }
    #expect(!reason.isEmpty)
    return field
  }

  private let future = #""kind":"date","due":"2100-01-01T00:00:00Z""#

  // MARK: - Reminders

  /// As `add` reads them on the command line, by the daemon's clock.
  @Test func timesMayBeWords() throws {
    func added(_ reminder: String) throws -> [JSONValue?] {
      let answer = try client.call("Add", #"{"typed":true,"reminder":\#(reminder)}"#)
      return ["title", "due", "repeat"].map { answer["reminder"]?[$0] }
    }
    let now = try #require(rig.daemon.clock.now)
    func expected(_ text: String) throws -> JSONValue {
      .string("\(try TypedTime(text, now: now, zone: rig.daemon.host.engine.zone).stamp)")
    }
    let eight = try expected("tomorrow 8am")
    #expect(try added(#"{"title":"A","due":"tomorrow 8am"}"#) == ["A", eight, nil])
    #expect(try added(#"{"title":"Call Mum tomorrow 8am"}"#) == ["Call Mum", eight, nil])
    let bins = try added(#"{"title":"Bins every monday at 19:00"}"#)
    let monday = try expected("monday 19:00")
    #expect(bins[0] == "Bins" && bins[1] == monday)
    #expect(bins[2]?.string?.hasPrefix("FREQ=WEEKLY") == true)
    #expect(
      try faultyField("Add", #"{"typed":true,"reminder":{"title":"A","due":"soonish"}}"#) == "due")
    // Without the word it is a time stamp, as before.
    #expect(try faultyField("Add", #"{"reminder":{"title":"A","due":"tomorrow 8am"}}"#) == "due")
  }

  /// The id itself and the whole title name a reminder, whatever else has a part of them.
  @Test func anExactIDOrTitleWinsOverParts() throws {
    for (id, title) in [
      ("dentist", "Dentist"), ("dentist/leave", "Leave for the dentist"), ("a", "Ferry"),
      ("b", "Anna at the ferry"), ("ferr", "Tea"),
    ] {
      try add(#""id":"\#(id)","title":"\#(title)",\#(future)"#)
    }
    for (text, id) in [
      ("dentist", "dentist"), ("dentist/", "dentist/leave"), ("DENTIST", "dentist"),
      ("ferry", "a"), ("Anna ferry", "b"), ("leave dentist", "dentist/leave"), ("ferr", "ferr"),
    ] {
      #expect(
        try client.call("Show", #"{"id":"\#(text)"}"#)["reminder"]?["id"]?.string == id, "\(text)")
      _ = try client.call("Log", #"{"reminder":"\#(text)"}"#)
    }
    try expect(.notFound(id: "nosuch"), "Log", #"{"reminder":"nosuch"}"#)
    try add(#""id":"c","title":"ferry",\#(future)"#)
    try expect(.ambiguous(id: "Ferry", candidates: ["a", "c"]), "Show", #"{"id":"Ferry"}"#)
  }

  /// A number without a unit would be seconds.
  @Test func aNumberAloneIsNoSpan() throws {
    try add(#""id":"t","title":"Tea",\#(future)"#)
    #expect(try faultyField("Snooze", #"{"id":"t","until":"10"}"#) == "until")
    #expect(try faultyField("Mute", #"{"until":"10"}"#) == "until")
    #expect(try faultyField("Mute", #"{"until":"now"}"#) == "until")
    _ = try client.call("Snooze", #"{"id":"t","until":"10min"}"#)
  }

  @Test func addsListsAndShows() throws {
    let id = try add(#""title":"One",\#(future),"x_own":[1]"#)
    #expect(id.count == 16)
    try add(#""id":"two","title":"Two","kind":"location","place":{"lat":1,"lon":2}"#)
    #expect(ids(try client.call("List")) == [id, "two"])
    #expect(ids(try client.call("List", #"{"kind":"location"}"#)) == ["two"])
    let shown = try client.call("Show", #"{"id":"\#(id.prefix(8))"}"#)["reminder"]
    #expect(shown?["title"]?.string == "One")
    #expect(shown?["x_own"]?.array == [1])
    #expect(shown?["state"]?.string == "armed")
  }

  @Test func refusesInvalidReminders() throws {
    #expect(try faultyField("Add", #"{"reminder":{"title":"x","kind":"date"}}"#) == "due")
    #expect(
      try faultyField(
        "Add", #"{"reminder":{"title":"x","kind":"location","place":{"lat":91,"lon":0}}}"#)
        == "place.lat")
    #expect(try faultyField("Add", #"{"reminder":{"title":"x","kind":"maybe"}}"#) == "kind")
    try add(#""id":"a","title":"A",\#(future)"#)
    try expect(
      .alreadyExists(name: "a"), "Add", #"{"reminder":{"id":"a","title":"A",\#(future)}}"#)
    let wrong = try client.error("Add", #"{"reminder":5}"#)
    #expect(wrong.name == "org.varlink.service.InvalidParameter")
    #expect(wrong.parameters["parameter"]?.string == "reminder")
    #expect(try client.error("Add").name == "org.varlink.service.InvalidParameter")
    #expect(try client.error("Bake").name == "org.varlink.service.MethodNotFound")
    #expect(
      try client.error("org.example.Bake").name == "org.varlink.service.InterfaceNotFound")
  }

  @Test func importsAllOrNothing() throws {
    let good = #"{"id":"a","title":"A",\#(future)},{"id":"b","title":"B",\#(future)}"#
    #expect(
      try faultyField("Import", #"{"reminders":[\#(good),{"title":"x","kind":"date"}]}"#)
        == "[2].due")
    #expect(ids(try client.call("List")) == [])
    #expect(
      try client.call("Import", #"{"reminders":[\#(good)]}"#)["ids"]?.array == ["a", "b"])
    try expect(.alreadyExists(name: "a"), "Import", #"{"reminders":[\#(good)]}"#)
    try expect(
      .alreadyExists(name: "c"), "Import",
      #"{"reminders":[{"id":"c","title":"C",\#(future)},{"id":"c","title":"C",\#(future)}]}"#)
    #expect(ids(try client.call("List")) == ["a", "b"])
  }

  /// A dry run.
  @Test func checksWhatItWouldAdd() throws {
    try add(#""id":"a","title":"A",\#(future)"#)
    let checked = try client.call("Check", #"{"reminder":{"title":"x",\#(future)}}"#)["reminder"]
    #expect(checked?["title"]?.string == "x" && checked?["id"]?.string == "new")
    try expect(
      .alreadyExists(name: "a"), "Check", #"{"reminder":{"id":"a","title":"A",\#(future)}}"#)
    try expect(
      .notFound(id: "Nowhere"), "Check",
      #"{"reminder":{"title":"x","kind":"location","place":"Nowhere"}}"#)
    #expect(try faultyField("Check", #"{"reminder":{"title":"x","kind":"date"}}"#) == "due")
    #expect(ids(try client.call("List")) == ["a"])
  }

  @Test func aSnoozeIsImported() throws {
    _ = try client.call(
      "Import",
      #"{"reminders":[{"id":"s","title":"S","kind":"date","due":"2020-01-01T00:00:00Z","#
        + #""state":"snoozed","snoozed_until":"2100-01-01T07:00:00Z"}]}"#)
    let shown = try client.call("Show", #"{"id":"s"}"#)["reminder"]
    #expect(shown?["state"]?.string == "snoozed")
    #expect(shown?["snoozed_until"]?.string == "2100-01-01T07:00:00Z")
    let next = try client.call("Next")["timers"]?.array?.first
    #expect(next?["time"]?.string == "2100-01-01T07:00:00Z")
  }

  @Test func findsByPrefix() throws {
    try add(#""id":"tea-1","title":"A",\#(future)"#)
    try add(#""id":"tea-2","title":"B",\#(future)"#)
    try add(#""id":"tea","title":"C",\#(future)"#)
    for method in ["Show", "Remove", "Done"] {
      try expect(
        .ambiguous(id: "te", candidates: ["tea", "tea-1", "tea-2"]), method, #"{"id":"te"}"#)
      try expect(.notFound(id: "milk"), method, #"{"id":"milk"}"#)
    }
    try expect(.notFound(id: "milk"), "Edit", #"{"id":"milk","changes":{}}"#)
    try expect(.notFound(id: "milk"), "Snooze", #"{"id":"milk","until":"20min"}"#)
    #expect(
      try client.call("Show", #"{"id":"tea"}"#)["reminder"]?["title"]?.string == "C")
  }

  @Test func edits() throws {
    try add(#""id":"a","title":"A","notes":"n",\#(future)"#)
    let changed = try client.call(
      "Edit", #"{"id":"a","changes":{"title":"B","notes":null}}"#)["reminder"]
    #expect(changed?["title"]?.string == "B")
    #expect(changed?["notes"] == nil)
    #expect(rig.daemon.host.engine.reminder("a")?.title == "B")
    #expect(try faultyField("Edit", #"{"id":"a","changes":{"id":"b"}}"#) == "id")
    #expect(try faultyField("Edit", #"{"id":"a","changes":{"due":"soon"}}"#) == "due")
    #expect(
      try client.call("Show", #"{"id":"a"}"#)["reminder"]?["title"]?.string == "B")
  }

  /// "daily at 18:00, at the shop" and "only until 17:00" exclude each other.
  @Test func hoursThatAreOverAtEachDueTimeAreRefused() throws {
    let shop = #""title":"A","near_category":"shop","due":"2100-01-01T18:00:00","repeat":"daily""#
    try add(#""id":"a",\#(shop)"#)
    let hours = #""hours":"08:00-17:00""#
    for method in ["Check", "Add"] {
      #expect(try faultyField(method, #"{"reminder":{\#(shop),\#(hours)}}"#) == "hours")
    }
    #expect(try faultyField("Edit", #"{"id":"a","changes":{\#(hours)}}"#) == "hours")
  }

  @Test func removes() throws {
    try add(#""id":"a","title":"A",\#(future)"#)
    #expect(try client.call("Remove", #"{"id":"a"}"#)["reminder"]?["id"]?.string == "a")
    #expect(rig.daemon.host.engine.count == 0)
    try expect(.notFound(id: "a"), "Remove", #"{"id":"a"}"#)
  }

  @Test func completesOnce() throws {
    try add(#""id":"a","title":"A",\#(future)"#)
    #expect(
      try client.call("Done", #"{"id":"a"}"#)["reminder"]?["state"]?.string == "done")
    try expect(.wrongState(id: "a", state: "done already"), "Done", #"{"id":"a"}"#)
    try expect(.wrongState(id: "a", state: "done"), "Snooze", #"{"id":"a","until":"20min"}"#)
    #expect(ids(try client.call("List")) == [])
    #expect(ids(try client.call("List", #"{"all":true}"#)) == ["a"])
  }

  @Test func aFiringIsUnacknowledgedUntilItIsCompleted() throws {
    try add(#""id":"a","title":"A","kind":"date","due":"2020-01-01T00:00:00Z""#)
    let fired = try client.call("Show", #"{"id":"a"}"#)["reminder"]
    #expect(fired?["unacknowledged"]?.bool == true)
    let done = try client.call("Done", #"{"id":"a"}"#)["reminder"]
    #expect(done?["state"]?.string == "done")
    #expect(done?["unacknowledged"] == nil)
  }

  @Test func aCompletedRepeatingReminderAdvances() throws {
    try add(#""id":"a","title":"A",\#(future),"repeat":"FREQ=YEARLY""#)
    let done = try client.call("Done", #"{"id":"a"}"#)["reminder"]
    #expect(done?["state"]?.string == "armed")
    #expect(done?["next_due"]?.string == "2101-01-01T00:00:00Z")
  }

  @Test func snoozes() throws {
    try add(#""id":"a","title":"A",\#(future)"#)
    try add(#""id":"p","title":"P","kind":"location","place":{"lat":1,"lon":2}"#)
    let snoozed = try client.call("Snooze", #"{"id":"a","until":"20min"}"#)["reminder"]
    #expect(snoozed?["state"]?.string == "snoozed")
    #expect(snoozed?["snoozed_until"]?.string != nil)
    #expect(
      try client.call("Snooze", #"{"id":"p","until":"next-visit"}"#)["reminder"]?["state"]?
        .string == "snoozed")
    for until in ["next-visit", "yesterday", "whenever", "2000-01-01 00:00", ""] {
      #expect(try faultyField("Snooze", #"{"id":"a","until":"\#(until)"}"#) == "until")
    }
  }

  @Test func peeksAndPopsTheNearest() throws {
    #expect(try client.call("Peek", #"{"kind":"date"}"#)["reminder"] == nil)
    #expect(try client.call("Pop", #"{"kind":"date"}"#)["reminder"] == nil)
    try add(#""id":"late","title":"L","kind":"date","due":"2101-01-01T00:00:00Z""#)
    try add(#""id":"soon","title":"S",\#(future)"#)
    for method in ["Peek", "Peek", "Pop"] {
      #expect(
        try client.call(method, #"{"kind":"date"}"#)["reminder"]?["id"]?.string == "soon")
    }
    #expect(
      try client.call("Pop", #"{"kind":"date"}"#)["reminder"]?["state"]?.string == "done")
    #expect(try client.call("Peek", #"{"kind":"date"}"#)["reminder"] == nil)
    #expect(
      try client.error("Peek", #"{"kind":"other"}"#).name
        == "org.varlink.service.InvalidParameter")
  }

  /// What the disk did not take has not happened.
  @Test func popsNothingWhileTheStoreFails() throws {
    try add(#""id":"later","title":"L","kind":"date","due":"2101-01-01T00:00:00Z""#)
    try add(#""id":"soon","title":"S",\#(future)"#)
    try rig.daemon.store.database.freeze()
    for _ in 0..<2 {
      #expect(
        try client.error("Pop", #"{"kind":"date"}"#).name == "org.georemind.StoreTrouble")
    }
    try rig.daemon.store.database.thaw()
    let first = try client.call("Pop", #"{"kind":"date"}"#)
    #expect(first["reminder"]?["id"]?.string == "soon")
    #expect(first["reminder"]?["state"]?.string == "done")
    #expect(try client.call("Pop", #"{"kind":"date"}"#)["reminder"]?["id"]?.string == "later")
    #expect(try client.call("Pop", #"{"kind":"date"}"#)["reminder"] == nil)
  }

  @Test func nextListsTimersAndPlaces() throws {
    try rig.see(latitude: 1, longitude: 2)
    try add(#""id":"later","title":"L","kind":"date","due":"2101-01-01T00:00:00Z""#)
    try add(#""id":"soon","title":"S",\#(future)"#)
    try add(#""id":"far","title":"F","kind":"location","place":{"lat":1,"lon":3}"#)
    try add(#""id":"near","title":"N","kind":"location","place":{"lat":1,"lon":2.1}"#)
    let next = try client.call("Next")
    #expect(ids(next, "timers") == ["soon", "later"])
    #expect(ids(next, "places") == ["near", "far"])
    let one = try client.call("Next", #"{"limit":1}"#)
    #expect(ids(one, "timers") == ["soon"])
    #expect(ids(one, "places") == ["near"])
    _ = try client.call("Next", #"{"limit":-5}"#)
  }

  @Test func logsPastFirings() throws {
    try add(#""id":"a","title":"A","kind":"date","due":"2020-01-01T00:00:00Z""#)
    try add(#""id":"b","title":"B","kind":"date","due":"2021-01-01T00:00:00Z""#)
    func reminders(_ parameters: String) throws -> [String?] {
      (try client.call("Log", parameters)["firings"]?.array ?? []).map {
        $0["reminder_id"]?.string
      }
    }
    #expect(try reminders("{}") == ["a", "b"])
    #expect(try reminders(#"{"limit":1}"#) == ["b"])
    #expect(try reminders(#"{"reminder":"a"}"#) == ["a"])
    try add(#""id":"long-id-1","title":"C","kind":"date","due":"2021-02-01T00:00:00Z""#)
    #expect(try reminders(#"{"reminder":"long"}"#) == ["long-id-1"])
    try expect(.notFound(id: "nobody"), "Log", #"{"reminder":"nobody"}"#)
    _ = try client.call("Remove", #"{"id":"long-id-1"}"#)
    #expect(try reminders(#"{"reminder":"lo"}"#) == ["long-id-1"])
    try add(#""id":"long-id-2","title":"D",\#(future)"#)
    try expect(
      .ambiguous(id: "long-", candidates: ["long-id-1", "long-id-2"]), "Log",
      #"{"reminder":"long-"}"#)
    #expect(try reminders(#"{"since":"2100-01-01 00:00"}"#) == [])
    #expect(try faultyField("Log", #"{"since":"once"}"#) == "since")
  }

  // MARK: - Health and places

  @Test func statusDescribesTheDaemon() throws {
    try add(#""id":"a","title":"A",\#(future)"#)
    let status = try client.call("Status")["status"]
    #expect(status?["version"]?.string == DaemonCommand.version)
    #expect(status?["clock"]?.string == "system")
    #expect(status?["reminders"]?.int == 1)
    #expect(status?["armed"]?.int == 1)
    #expect(status?["position"]?.string == "none")
    #expect(status?["next_due"]?.string == "2100-01-01T00:00:00Z")
    #expect(status?["feeds"]?.array?.isEmpty == true)
  }

  @Test func forgetsLearntTravelTimes() throws {
    #expect(try client.call("ForgetTrips").members.isEmpty)
    #expect(try client.call("ForgetTrips", #"{"transport":"cycling"}"#).members.isEmpty)
    #expect(try faultyField("ForgetTrips", #"{"transport":"flying"}"#) == "transport")
  }

  @Test func whereReportsTheFixAndTheNearestPlaces() throws {
    #expect(try client.call("Where")["fix"] == nil)
    try rig.see(latitude: 1, longitude: 2)
    _ = try client.call("AddPlace", #"{"name":"There","latitude":1,"longitude":2.01}"#)
    let found = try client.call("Where")
    #expect(found["fix"]?["class"]?.string == "TPV")
    #expect(found["fix"]?["lat"]?.double == 1)
    #expect(found["age_s"]?.double.map { (0..<60).contains($0) } == true)
    #expect(found["course_deg"] == nil)
    let nearest = found["nearest"]?.array?.first
    #expect(nearest?["name"]?.string == "There")
    #expect(nearest?["distance_m"]?.double.map { abs($0 - 1111.8) < 1 } == true)
    #expect(nearest?["bearing_deg"]?.double.map { abs($0 - 90) < 0.1 } == true)
    // 1112 m × 1.3 at 5 km/h, and a sixth more for 85 % of walks.
    #expect(nearest?["travel_s"]?["walking"]?.double == 1221)
    #expect(nearest?["travel_s"]?["driving"]?.double.map { $0 > 480 && $0 < 720 } == true)
  }

  @Test func keepsPlaces() throws {
    let rewe = #""name":"Rewe","latitude":53.5,"longitude":9.9"#
    let added = try client.call("AddPlace", "{\(rewe),\"category\":\"shopping\"}")["place"]
    #expect(added?["radius_m"]?.double == Reminder.Place.defaultRadius)
    #expect(added?["color"]?.string == "#EF6C00")
    try expect(.alreadyExists(name: "Rewe"), "AddPlace", "{\(rewe)}")
    try expect(
      .notFound(id: "none"), "AddPlace",
      #"{"name":"X","latitude":1,"longitude":2,"category":"none"}"#)
    #expect(try faultyField("AddPlace", #"{"name":"","latitude":1,"longitude":2}"#) == "name")
    #expect(
      try faultyField("AddPlace", #"{"name":"X","latitude":91,"longitude":2}"#) == "latitude")
    #expect(
      try faultyField("AddPlace", #"{"name":"X","latitude":1,"longitude":2,"radius_m":0}"#)
        == "radius_m")
    func names(_ parameters: String) throws -> [String?] {
      (try client.call("ListPlaces", parameters)["places"]?.array ?? []).map {
        $0["name"]?.string
      }
    }
    #expect(try names("{}") == ["Rewe"])
    #expect(try names(#"{"category":"Shopping"}"#) == ["Rewe"])
    #expect(try names(#"{"category":"Food"}"#) == [])

    // By its name a place serves a reminder, with its own radius or another.
    let id = try add(#""title":"Milk","kind":"location","place":"rewe","radius_m":60"#)
    #expect(rig.daemon.host.engine.reminder(id)?.place?.radius == 60)
    #expect(rig.daemon.host.engine.reminder(id)?.place?.name == "Rewe")
    try expect(
      .notFound(id: "Lidl"), "Add",
      #"{"reminder":{"title":"x","kind":"location","place":"Lidl"}}"#)

    #expect(
      try client.call("RemovePlace", #"{"name":"Rewe"}"#)["place"]?["name"]?.string == "Rewe")
    try expect(.notFound(id: "Rewe"), "RemovePlace", #"{"name":"Rewe"}"#)
  }

  @Test func keepsCategories() throws {
    #expect(
      try client.call("AddCategory", ##"{"name":"Boat","color":"#102030"}"##)["category"]?[
        "color"]?.string == "#102030")
    try expect(
      .alreadyExists(name: "boat"), "AddCategory", ##"{"name":"boat","color":"#000000"}"##)
    #expect(try faultyField("AddCategory", #"{"name":"Car","color":"red"}"#) == "category")
    #expect(try faultyField("AddCategory", ##"{"name":"","color":"#000000"}"##) == "category")
    let count = try client.call("ListCategories")["categories"]?.array?.count
    #expect(count == Category.defaults.count + 1)
    _ = try client.call(
      "AddPlace", #"{"name":"Pier","latitude":1,"longitude":2,"category":"Boat"}"#)
    try expect(.inUse(name: "Boat", reminders: ["Pier"]), "RemoveCategory", #"{"name":"Boat"}"#)
    // Its places show the new colour, whatever case its name was typed in.
    let edited = try client.call("EditCategory", ##"{"name":"boat","color":"#A0B0C0"}"##)
    #expect(edited["category"]?["name"]?.string == "Boat")
    #expect(edited["category"]?["color"]?.string == "#A0B0C0")
    #expect(
      try client.call("ShowPlace", #"{"name":"Pier"}"#)["place"]?["color"]?.string == "#A0B0C0")
    #expect(try faultyField("EditCategory", #"{"name":"Boat","color":"red"}"#) == "category")
    try expect(.notFound(id: "Car"), "EditCategory", ##"{"name":"Car","color":"#000000"}"##)
    _ = try client.call("RemovePlace", #"{"name":"Pier"}"#)
    // Nor may it go while a reminder waits for places of it.
    try add(#""id":"moor","kind":"location","title":"Moor","near_category":"BOAT""#)
    try expect(.inUse(name: "Boat", reminders: ["moor"]), "RemoveCategory", #"{"name":"boat"}"#)
    _ = try client.call("Remove", #"{"id":"moor"}"#)
    _ = try client.call("RemoveCategory", #"{"name":"Boat"}"#)
    try expect(.notFound(id: "Boat"), "RemoveCategory", #"{"name":"Boat"}"#)
  }

  @Test func aReminderIsFoundByWordsOfItsTitle() throws {
    try add(#""id":"a1","title":"Buy milk",\#(future)"#)
    try add(#""id":"b1","title":"Milk the goat",\#(future)"#)
    try add(#""id":"milk7","title":"Call Mum",\#(future)"#)
    #expect(try client.call("Show", #"{"id":"goat"}"#)["reminder"]?["id"] == "b1")
    #expect(try client.call("Done", #"{"id":"MILK buy"}"#)["reminder"]?["id"] == "a1")
    // An id that begins so, and a title that has the word.
    try expect(
      .ambiguous(id: "milk", candidates: ["b1", "milk7"]), "Done", #"{"id":"milk"}"#)
    try expect(.notFound(id: "bread"), "Show", #"{"id":"bread"}"#)
  }

  /// Two letters are a slip more often than a choice.
  @Test func aChangeNeedsThreeLettersOfTheId() throws {
    try add(#""id":"c0ffee","title":"Tea",\#(future)"#)
    #expect(try client.call("Show", #"{"id":"c0"}"#)["reminder"]?["id"] == "c0ffee")
    for method in ["Done", "Remove"] {
      try expect(.ambiguous(id: "c0", candidates: ["c0ffee"]), method, #"{"id":"c0"}"#)
    }
    #expect(try client.call("Done", #"{"id":"c0f"}"#)["reminder"]?["id"] == "c0ffee")
  }

  @Test func readsATimeThatAPersonTyped() throws {
    let time = try client.call("ParseTime", #"{"text":"2100-01-27 10:00 UTC"}"#)
    #expect(time["time"] == "2100-01-27T10:00:00Z" && time["floating"] == false)
    #expect(try client.call("ParseTime", #"{"text":"next friday"}"#)["note"]?.string != nil)
    #expect(try faultyField("ParseTime", #"{"text":"31 feb"}"#) == "text")
  }

  @Test func saysWhyNothingFires() throws {
    try add(#""id":"tea","title":"Tea","due":"2099-01-01T00:00:00Z""#)
    let why = try client.call("Why", #"{"id":"te"}"#)["why"]
    #expect(why?["id"]?.string == "tea")
    let shut = (why?["gates"]?.array ?? []).filter { $0["passed"]?.bool == false }
    #expect(shut.compactMap { $0["gate"]?.string } == ["due"])
    #expect(shut.first?["opens"]?.string == "2099-01-01T00:00:00Z")
    try expect(.notFound(id: "x"), "Why", #"{"id":"x"}"#)
  }

  // MARK: - The protocol

  @Test func describesItself() throws {
    let info = try client.call("org.varlink.service.GetInfo")
    #expect(info["product"]?.string == "georemindd")
    #expect(info["version"]?.string == DaemonCommand.version)
    #expect(info["interfaces"]?.array == ["org.varlink.service", "org.georemind"])
    let description = try client.call(
      "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.georemind"}"#)
    #expect(description["description"]?.string == GeoremindInterface.text)
  }

  /// A method that comes to the interface comes to these tests.
  @Test func everyMethodOfTheInterfaceIsTested() throws {
    let methods = GeoremindInterface.text.split(separator: "\n")
      .filter { $0.hasPrefix("method ") }
      .compactMap { $0.dropFirst(7).split(separator: "(").first.map(String.init) }
    let others = [
      "Control/BoundedAnswerTests", "Control/ControlServerTests", "Control/DeliveryMethodTests",
      "Control/LinkTests", "Control/MapMethodTests", "Control/PhoneTests",
      "Control/PlaceMethodTests", "Control/UndoTests", "Time/QuietTests", "Track/TrackTests",
      "Trackers/NightTests", "Trackers/PresenceTests",
    ]
    var source = try contents(#filePath)
    for name in others { source += try contents("\(packageRoot)/Tests/DaemonTests/\(name).swift") }
    #expect(!methods.isEmpty)
    for method in methods { #expect(source.contains("\"\(method)\""), "\(method)") }
  }

  @Test func refusesValuesThatTheStoreRefuses() throws {
    try add(#""id":"a","title":"A",\#(future)"#)
    try rig.daemon.store.database.freeze()
    for (method, parameters) in [
      ("Done", #"{"id":"a"}"#), ("Snooze", #"{"id":"a","until":"20min"}"#),
      ("Edit", #"{"id":"a","changes":{"title":"B"}}"#), ("Remove", #"{"id":"a"}"#),
    ] {
      #expect(try client.error(method, parameters).name == "org.georemind.StoreTrouble")
    }
    #expect(ids(try client.call("List")) == ["a"])
    try rig.daemon.store.database.thaw()
    let shown = try client.call("Show", #"{"id":"a"}"#)["reminder"]
    #expect(shown?["title"]?.string == "A")
    #expect(shown?["state"]?.string == "armed")
    #expect(
      try client.call("Done", #"{"id":"a"}"#)["reminder"]?["state"]?.string == "done")
  }

  @Test func aStoreFailureIsAnswered() throws {
    try rig.daemon.store.database.execute("PRAGMA query_only = ON")
    guard
      case .storeFailure? = try GeoremindError(
        client.error("Add", #"{"reminder":{"title":"x",\#(future)}}"#))
    else { throw Unexpected("trouble with the store was to be said") }
    #expect(rig.daemon.host.engine.count == 0)
  }
}

extension Rig {
  /// The daemon sees the device there, now.
  func see(latitude: Double, longitude: Double) throws {
    let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    daemon.host.take(Fix(time: Instant(microseconds: SystemClock.now()), position: position))
  }
}
