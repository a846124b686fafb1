import CivilTime
import Departure
import Reminders
import Testing

@testable import Daemon

/// The answers of a routing engine, for one tracker and for several.
@Suite(.serialized) struct RoutedTrackersTests {
  private static let anna = "[Tracker anna]\nPhone=anna\n"

  @Test(arguments: [("", nil), (anna, nil), (anna, "anna")])
  func anAnswerReachesTheEngineThatHasAsked(trackers: String, who: String?) throws {
    let live = try LiveRig(
      config: trackers + "[Route]\nEngine=osrm\nWalkingURL=http://127.0.0.1:9\n")
    var requests: [RouteRequest] = []
    live.rig.daemon.host.onRoute = { requests.append($0) }
    let due = live.now + .minutes(40)
    _ = try live.rig.client().call(
      "Add",
      #"{"reminder":{"id":"meal","title":"Meal","kind":"preemptive","transport":"walking","#
        + (who.map { #""who":"\#($0)","# } ?? "")
        + #""due":"\#(due.json)","place":{"lat":53.565,"lon":9.99,"radius_m":30}}}"#)
    for _ in 0..<3 {
      live.pass(.seconds(1))
      try live.send(live.tpv(east: 0, device: who == nil ? "gps" : "owntracks:anna/phone"))
    }
    try live.finish(fixes: 3)
    let request = try #require(requests.first)
    let times = request.destinations.map { _ in TimeSpan?.some(.minutes(33)) }
    live.rig.daemon.host.handle(
      .routed(RouteAnswer(number: request.number, times: .success(times))), at: live.now)
    let health = live.rig.daemon.host.holder(of: "meal").engine.routeHealth
    #expect(health?.answered == 1 && health?.refused == 0)
  }
}
