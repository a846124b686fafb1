import CivilTime
import Geodesy
import JSONText
import Positioning
import Reminders
import Testing

@testable import Report

@Suite struct ReportPageTests {
  private static let hostile = #"</script><script>alert("1")</script>&'<!--"#

  private static func report(title: String = "Buy milk") throws -> Report {
    var trip = Trip()
    for second in 0..<120 {
      trip.add(
        Fix(
          time: Instant(seconds: 1_781_280_000 + Double(second)),
          position: Coordinate(
            clampingLatitude: 53.5, wrappingLongitude: 10 + Double(second) * 1e-4),
          eph: 4), isInDoubt: false, outliers: 0)
    }
    trip.finish()
    var report = Report(
      kind: .replay, source: "drive.nmea", zone: .utc, generator: "georemind test")
    report.span = Instant(seconds: 1_781_280_000)...Instant(seconds: 1_781_280_119)
    report.trip = trip
    let place = Reminder.Place(
      name: title, position: Coordinate(clampingLatitude: 53.5, wrappingLongitude: 10.005),
      radius: 80)
    report.reminders = [
      Reminder(id: "milk", kind: .location, title: title, category: title, place: place)
    ]
    report.firings = [
      [
        "firing_id": "0a0b", "reminder_id": "milk", "title": .string(title),
        "category": .string(title), "time": "2026-06-12T16:00:50Z", "event": "arrive",
        "lat": .double(53.5), "lon": .double(10.005), "place": .string(title),
        "why": .string("Arrived at \(title)"),
      ]
    ]
    return report
  }

  /// The JSON that the page's program draws.
  private static func data(_ html: String) throws -> JSONValue {
    let begin = try #require(html.firstRange(of: #"<script type="application/json" id="data">"#))
    let rest = html[begin.upperBound...]
    let end = try #require(rest.firstRange(of: "</script>"))
    return try JSONParser.parse(String(rest[..<end.lowerBound]))
  }

  @Test func theTrackerIsNamed() throws {
    var report = try Self.report()
    report.reminders[0].who = .tracker("anna")
    report.firings[0]["who"] = "anna"
    let html = ReportPage(report).html
    #expect(html.contains("<span class=\"title\">Buy milk (anna)</span>"))
    let data = try Self.data(html)
    #expect(data["firings"]?.array?.first?["title"] == "Buy milk (anna)")
    #expect(data["fences"]?.array?.first?["title"] == "Buy milk (anna)")
  }

  @Test func firingsCanBeReadWithoutTheProgram() throws {
    let html = ReportPage(try Self.report()).html
    #expect(html.contains(#"<time datetime="2026-06-12T16:00:50Z">16:00:50</time>"#))
    #expect(html.contains("<span class=\"title\">Buy milk</span>"))
    #expect(html.contains("Arrived at Buy milk"))
    #expect(html.contains("<h2 id=\"firings-heading\">1 firing</h2>"))
  }

  @Test func thePageMayLoadNothing() throws {
    let html = ReportPage(try Self.report()).html
    #expect(html.contains(#"content="default-src 'none'; style-src 'unsafe-inline';"#))
    #expect(!html.contains("https://") && !html.contains(" src=") && !html.contains("@import"))
  }

  @Test func wordsOfOthersAreNeverMarkup() throws {
    let html = ReportPage(try Self.report(title: Self.hostile)).html
    #expect(!html.contains("<script>alert"))
    #expect(html.ranges(of: "</script>").count == 2)
    let data = try Self.data(html)
    #expect(data["firings"]?.array?.first?["title"]?.string == Self.hostile)
    #expect(data["fences"]?.array?.first?["name"]?.string == Self.hostile)
  }

  @Test func theTrackComesBackFromItsDifferences() throws {
    let report = try Self.report()
    let data = try Self.data(ReportPage(report).html)
    let points = try #require(report.trip).sketch.points
    func sums(_ name: String) -> [Int] {
      var sum = 0
      return (data["track"]?[name]?.array ?? []).map {
        sum += $0.int ?? 0
        return sum
      }
    }
    #expect(sums("t") == points.map { Int($0.time.microseconds / 1000) })
    #expect(sums("lon") == points.map { Int(($0.position.longitude * 1e6).rounded()) })
  }

  @Test func overTheAntimeridianTheTrackGoesTheShortWay() throws {
    var report = try Self.report()
    var trip = Trip()
    for (second, longitude) in [179.9999, -179.9999, 179.9998].enumerated() {
      trip.add(
        Fix(
          time: Instant(seconds: Double(second)),
          position: Coordinate(clampingLatitude: 0, wrappingLongitude: longitude)),
        isInDoubt: false, outliers: 0)
    }
    trip.finish()
    report.trip = trip
    let steps = try Self.data(ReportPage(report).html)["track"]?["lon"]?.array?.compactMap(\.int)
    #expect(steps == [179_999_900, 200, -300])
  }

  @Test func anUnconfirmedJumpIsNotOnTheTrack() throws {
    func fix(_ second: Double, _ latitude: Double) -> Fix {
      Fix(
        time: Instant(seconds: second),
        position: Coordinate(clampingLatitude: latitude, wrappingLongitude: 0))
    }
    var trip = Trip()
    trip.add(fix(0, 0), isInDoubt: false, outliers: 0)
    trip.add(fix(1, 1), isInDoubt: true, outliers: 0)
    trip.add(fix(2, 0), isInDoubt: false, outliers: 1)
    // Borne out by the one after it.
    trip.add(fix(3, 2), isInDoubt: true, outliers: 1)
    trip.add(fix(4, 2), isInDoubt: false, outliers: 1)
    trip.finish()
    #expect(trip.excluded.map(\.position.latitude) == [1])
    #expect(trip.excludedCounts == [.outlier: 1])
    #expect(trip.fixes == 4)
  }

  @Test func aColourThatIsNoneDoesNotComeIntoTheStyle() {
    let colors = CategoryColors(
      ["Work", "play"], known: ["work": "red;}body{", "play": "#12abEF"])
    #expect(colors["WORK"] == "#C2410C")
    #expect(colors["play"] == "#12abEF")
    #expect(colors[nil] == CategoryColors.uncategorized)
  }

  @Test func theNearestAndTheFiredFencesAreDrawn() throws {
    var report = try Self.report()
    for number in 0..<3000 {
      report.reminders.append(
        Reminder(
          id: "far-\(number)", kind: .location, title: "far",
          place: .init(
            position: Coordinate(clampingLatitude: 0, wrappingLongitude: Double(number) / 100))))
    }
    report.reminders.reverse()
    let data = try Self.data(ReportPage(report).html)
    let fences = try #require(data["fences"]?.array)
    #expect(fences.count == ReportData.maximumOutlines)
    #expect(fences.first?["title"] == "Buy milk")
    #expect(data["omitted"]?.int == 1001)
  }

  @Test func aReportWithoutAnythingIsAPage() {
    let report = Report(kind: .ledger, source: "georemindd", zone: .utc, generator: "test")
    #expect(ReportPage(report).html.contains("Nothing has fired."))
  }
}
