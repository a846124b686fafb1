import CivilTime
import JSONText
import Positioning
import Testing

@testable import Reminders

/// A firing says how its position was found.
@Suite struct SolutionTests {
  @Test(
    arguments: [
      (.gnss, "gnss", nil), (.differential, "dgnss", nil), (.rtkFloat, "rtk", nil),
      (.deadReckoning, "dead-reckoning", "; it is dead reckoning"),
      (.manual, "manual", "; it was entered by hand"),
      (.simulated, "simulated", "; it is simulated"),
      (.network, "network", "; it is by Wi-Fi or mobile networks"), (.unknown, nil, nil),
    ] as [(Fix.Source, String?, String?)])
  func aFiringNamesItsKindOfSolution(source: Fix.Source, name: String?, words: String?) throws {
    var harness = EngineHarness()
    harness.fix(600, speed: 15, source: source)
    try harness.add(#"{"id":"a","title":"A","on":"arrive",\#(EngineHarness.place())}"#)
    for distance in stride(from: 585.0, through: 60, by: -15) {
      harness.fix(distance, speed: 15, source: source)
    }
    #expect(harness.events == ["a:arrive"])
    #expect(harness.firings.first?.json["source"]?.string == name)
    let gates = harness.engine.why("a", at: harness.now)?.gates ?? []
    let accuracy = gates.first { $0.name == "accuracy" }
    #expect(accuracy?.says.hasSuffix(words ?? "(95 %)") == true, "\(accuracy as Any)")
  }

  @Test func aDateHasNone() throws {
    var harness = EngineHarness()
    harness.fix(600, source: .deadReckoning)
    try harness.add(#"{"id":"d","kind":"date","title":"D","due":"2026-06-12T16:05:00Z"}"#)
    harness.wait(600)
    #expect(harness.events == ["d:due"] && harness.firings.first?.source == nil)
  }

  /// Coarse positions do not take the place of a receiver, however silent it is.
  @Test func aCoarseFixIsNoReceiver() throws {
    var selection = FixSelection()
    let settings = EngineSettings()
    func accepts(_ second: Double, _ device: UInt64, eph: Double?) -> Bool {
      let time = EngineHarness.start + .seconds(second)
      let fix = Fix(time: time, position: EngineHarness.home, eph: eph)
      return selection.accepts(fix, from: FixOrigin(feed: 0, device: device), at: time, settings)
    }
    #expect(accepts(0, 1, eph: 5))
    #expect(accepts(10, 2, eph: 2_000))
    #expect(!accepts(11, 3, eph: 500))
    #expect(selection.followed?.device == 1)
    #expect(accepts(12, 1, eph: 5))
    #expect(!accepts(12.5, 4, eph: 5))
    #expect(accepts(20, 4, eph: 5))
    #expect(selection.followed?.device == 4)
  }
}
