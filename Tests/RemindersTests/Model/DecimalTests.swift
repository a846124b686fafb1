import CivilTime
import TestSupport
import Testing

@testable import Reminders

@Suite struct DecimalTests {
  @Test(arguments: [
    (53.5461, 7, "53.5461"), (-9.96612345678, 7, "-9.9661235"), (0, 7, "0"), (-0.00000001, 7, "0"),
    (0.00001, 7, "0.00001"), (-0.5, 1, "-0.5"), (100, 1, "100"), (33.95, 0, "34"), (0.5, 0, "1"),
    (1e20, 2, "1e+20"), (.infinity, 1, "inf"), (180, 9, "180"),
  ])
  func textHasNoExponentAndNoZerosAtItsEnd(value: Double, digits: Int, text: String) {
    #expect(Decimal.text(value, digits: digits) == text)
  }

  @Test func textReadsBackAsTheRoundedValue() {
    var random = SeededGenerator(seed: 41)
    for _ in 0..<2_000 {
      let value = Double.random(in: -1e6...1e6, using: &random)
      let digits = Int.random(in: 0...7, using: &random)
      let text = Decimal.text(value, digits: digits)
      #expect(Double(text) == Decimal.rounded(value, digits: digits), "\(value), \(digits)")
    }
  }

  /// Ids of firings that ledgers hold: they must come out the same for ever.
  @Test func idsOfFiringsStayTheSame() {
    #expect(
      Firing.identifier(
        reminder: "milk", event: .arrive, time: Instant(microseconds: 1_795_308_958_000_000),
        due: nil) == "258c0d94-da14-85ff-85bc-fef9fbeb5e3e")
    #expect(
      Firing.identifier(
        reminder: "Käse", event: .late, time: Instant(microseconds: -5),
        due: Instant(microseconds: 1_700_000_000_000_000)) == "a3feb64e-b936-8838-9d28-98459c2031db"
    )
  }

  @Test(arguments: [
    ("Left Pier", "left Pier"), ("Éclair", "éclair"), ("", ""), ("7 m", "7 m"), ("a", "a"),
  ])
  func messageGoesOnInLowerCase(why: String, rest: String) {
    let firing = Firing(
      id: "", reminderID: "", kind: .date, title: "T", time: Instant(microseconds: 0), event: .due,
      why: why)
    #expect(firing.message == "T: \(rest)")
  }
}
