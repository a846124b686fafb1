import CivilTime
import Control
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Phones
import Positioning
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Two phones by HTTP and one by MQTT, from an afternoon to the next morning, with a restart at
/// night and a phone that comes back with what it has stored.
@Suite(.serialized) struct NightTests {
  private static let config = """
    [Tracker anna]
    [Tracker ben]
    [Tracker carl]
    Topic=owntracks/carl/phone
    """

  private enum Phone: CaseIterable { case anna, ben, carl }

  private func json(_ east: Double, _ time: Instant) -> String {
    let home = LiveRig.home
    let longitude =
      home.longitude + east / (Sphere.radius * .pi / 180) / cos(home.latitude * .pi / 180)
    return #"{"_type":"location","lat":\#(home.latitude),"lon":\#(longitude),"acc":3,"#
      + #""tst":\#(Int(time.seconds))}"#
  }

  /// The lines for the daemon of a message as the phone's app sends it.
  private func lines(
    _ phone: Phone, _ east: Double, _ time: Instant, at now: Instant
  ) throws -> String {
    let body = json(east, time)
    var receiver = PhoneReceiver(access: PhoneAccess(shared: nil))
    let readings = ClockReadings(steady: now.microseconds, real: now)
    var request = PhoneRequest(method: "POST", target: Array("/pub".utf8), body: Array(body.utf8))
    switch phone {
    case .anna: (request.user, request.device) = ("Anna", "phone")
    case .ben:
      let message = try #require(try JSONParser.parse(body).object)
      let query =
        "/?id=ben&lat=\(message["lat"]?.double ?? 0)&lon=\(message["lon"]?.double ?? 0)"
        + "&timestamp=\(Int(time.seconds))&accuracy=3"
      request = PhoneRequest(method: "GET", target: Array(query.utf8), body: [])
    case .carl:
      let name = OwnTracks.name(inTopic: "owntracks/carl/phone".split(separator: "/"))
      return try OwnTracks.read(Array(body.utf8), name: name).current(at: now).positions
        .map(\.report).joined()
    }
    let outcome = receiver.receive(request, at: readings, isFeedOpen: true)
    #expect(outcome.answer.status == 200)
    return outcome.reports
  }

  private func send(_ live: LiveRig, _ phone: Phone, east: Double, from time: Instant? = nil) throws
  {
    let text = try lines(phone, east, time ?? live.now, at: live.now)
    guard !text.isEmpty else { return }
    let before = live.feed().statistics.fixes
    try live.send(text)
    try live.finish(fixes: before + 1)
  }

  /// Three positions, a minute apart, from a time on.
  private func go(_ live: LiveRig, _ phone: Phone, east: Double, at time: Instant) throws {
    advance(live, to: time - .minutes(2))
    for _ in 0..<3 {
      try send(live, phone, east: east)
      if live.now < time { live.pass(.minutes(1)) }
    }
    #expect(live.now == time)
  }

  private func advance(_ live: LiveRig, to time: Instant) {
    while let deadline = live.rig.daemon.host.nextDeadline, deadline <= time {
      live.pass(max(.zero, deadline - live.now))
      live.rig.daemon.host.advance(to: live.now)
    }
    live.pass(max(.zero, time - live.now))
  }

  private func firings(of live: LiveRig) -> [String] {
    live.rig.journal.firings.map {
      "\($0["GEOREMIND_REMINDER_ID"] ?? "") \($0["GEOREMIND_WHO"] ?? "")"
    }
  }

  @Test func anEveningANightAndAMorning() throws {
    let start = LiveRig.start  // 16:00
    func clock(_ hours: Double) -> Instant { start + .hours(hours - 16) }
    let first = try LiveRig(query: "?max-age=5min", config: Self.config)
    let client = try first.rig.client()
    let home =
      #""kind":"location","place":{"name":"Home","lat":53.55,"lon":9.99,"radius_m":100}"#
    let work = #""kind":"location","place":{"name":"Work","lat":53.6,"lon":9.99,"radius_m":100}"#
    for members in [
      #""id":"lock","who":"all","on":"depart","every_visit":true,\#(home)"#,
      #""id":"anna","who":"anna","every_visit":true,\#(home)"#,
      #""id":"shift","who":"ben","on":"absent","due":"\#(clock(22.5).json)",\#(work)"#,
      #""id":"carl","who":"carl","on":"silent","dwell_s":10800,"every_visit":true"#,
      #""id":"quiet","who":"anna","on":"silent","dwell_s":21600,"every_visit":true"#,
    ] {
      _ = try client.call("Add", #"{"reminder":{"title":"T",\#(members)}}"#)
    }
    for (number, phone) in Phone.allCases.enumerated() {
      try go(first, phone, east: 0, at: clock(16.2 + Double(number) / 10))
    }
    try go(first, .anna, east: 2_000, at: clock(17))
    try go(first, .ben, east: 2_000, at: clock(18))
    #expect(firings(of: first) == [])
    try go(first, .carl, east: 2_000, at: clock(19))
    #expect(firings(of: first) == ["lock carl"])
    try go(first, .anna, east: 0, at: clock(20))
    #expect(firings(of: first) == ["lock carl", "anna anna"])
    // Ben was not at work, and Carl has said nothing for three hours.
    advance(first, to: clock(23))
    #expect(firings(of: first).suffix(2) == ["carl carl", "shift ben"])
    #expect(first.rig.journal.firings.suffix(2).map { $0["GEOREMIND_LATITUDE"] } == [nil, nil])

    first.rig.daemon.stop()
    let second = try LiveRig(query: "?max-age=5min", config: Self.config, after: first)
    let where0 = try second.rig.client().call("Where", #"{"who":"anna"}"#)
    #expect(where0["fix"]?["lat"]?.double == 53.55)
    // Anna's phone had no network: her positions of the night come at half past two, the last of
    // them new. The others prove neither a presence nor a silence.
    advance(second, to: clock(26.5))
    #expect(firings(of: second) == [])
    for minute in stride(from: 300.0, through: 0, by: -30) {
      try send(second, .anna, east: 0, from: second.now - .minutes(minute))
    }
    try go(second, .anna, east: 0, at: second.now + .minutes(3))
    let heard = second.now
    advance(second, to: heard + .hours(6) - .seconds(1))
    #expect(firings(of: second) == [])
    advance(second, to: heard + .hours(6))
    #expect(firings(of: second) == ["quiet anna"])
    // The house is as it was: Ben and Carl are away, and the last one to leave locks up again.
    try go(second, .anna, east: 2_000, at: heard + .hours(7))
    #expect(firings(of: second) == ["quiet anna", "lock anna"])
    let trackers = try second.rig.client().call("ListTrackers")["trackers"]?.array
    #expect(trackers?.map { $0["name"]?.string } == ["anna", "ben", "carl"])
    #expect(trackers?.map { $0["inside"]?.array?.count } == [0, 0, 0])
  }

  @Test func aTrackerIsForItsOwnerAndForWhomItIsSharedWith() throws {
    let live = try LiveRig(
      config: "[Tracker anna]\nOwner=4711\n[Tracker ben]\nOwner=4712\nShare=group\n")
    try go(live, .anna, east: 0, at: live.now + .minutes(10))
    let daemon = live.rig.daemon
    let (anna, ben) = (Caller(user: 4711, daemon: 1), Caller(user: 4712, daemon: 1))
    let root = Caller(user: 0, daemon: 1)
    #expect(["anna", "ben"].map { daemon.mayFollow($0, anna) } == [true, true])
    #expect(["anna", "ben"].map { daemon.mayFollow($0, ben) } == [false, true])
    #expect(["anna", "ben"].map { daemon.mayFollow($0, root) } == [true, true])
    let service = ControlService(daemon: daemon, caller: ben)
    #expect(throws: GeoremindError.self) { try service.whereIs("anna") }
    #expect(throws: GeoremindError.self) { try service.forgetTracker("anna") }
    #expect(try service.listTrackers()["trackers"]?.array?.count == 1)
    var reminder = Reminder(id: "x", kind: .location, title: "X")
    reminder.who = .tracker("anna")
    #expect(throws: GeoremindError.self) { try daemon.checkTracker(of: reminder, ben) }
    reminder.who = .all
    reminder.owner = 4712
    #expect(daemon.members(of: reminder) == [.tracker("ben")])
  }

  @Test func aForgottenTrackerHasNoPositionAndNoStay() throws {
    let live = try LiveRig(config: Self.config)
    let client = try live.rig.client()
    _ = try client.call(
      "Add",
      #"{"reminder":{"id":"a","title":"A","who":"anna","on":"depart","kind":"location","#
        + #""place":{"name":"Home","lat":53.55,"lon":9.99,"radius_m":100}}}"#)
    try go(live, .anna, east: 0, at: live.now + .minutes(10))
    _ = try client.call("AddPlace", #"{"name":"Home","latitude":53.55,"longitude":9.99}"#)
    let inside = try client.call("Where", #"{"who":"anna"}"#)["inside"]?.array
    #expect(inside?.first?["name"]?.string == "Home" && inside?.first?["since"] != nil)
    #expect(try client.call("ForgetTracker", #"{"name":"anna"}"#)["reminders"]?.int == 1)
    #expect(try client.call("Where", #"{"who":"anna"}"#)["fix"] == nil)
    #expect(try live.rig.daemon.store.state.lastFix(of: "anna") == nil)
    #expect(live.rig.daemon.host.history("a")?.stay == .unknown)
    try go(live, .anna, east: 2_000, at: live.now + .minutes(10))
    #expect(live.fired == [], "nobody knows that she was there")
  }
}
