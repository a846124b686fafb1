import CivilTime
import Geodesy
import Testing

@testable import Client

@Suite struct DisplayTests {
  @Test(arguments: [
    (
      LengthUnits.nautical, "It may fire up to 11.1 km/h, and you go 20 km/h.",
      "6 kn, and you go 11 kn."
    ),
    (.imperial, "up to 80 km/h", "50 mph"), (.metric, "up to 80 km/h", "80 km/h"),
    (.nautical, "no speed in km/h", "in km/h"),
  ])
  func aSentenceHasSpeedsInTheUnitsOfTheDisplay(units: LengthUnits, text: String, end: String) {
    for isForPeople in [true, false] {
      let display = Display(
        time: HumanTime(now: Run.now, zone: .utc), units: units, isForPeople: isForPeople)
      #expect(display.sentence(text).hasSuffix(end), "\(display.sentence(text))")
    }
  }
}
