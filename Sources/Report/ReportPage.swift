import BaseMap
import CivilTime
import Geodesy
import JSONText
import Reminders

/// A report as one self-contained HTML page, whose policy lets the browser load nothing. The
/// firings are plain HTML; only the map and the time line need the program.
package struct ReportPage {
  private let report: Report
  private let colors: CategoryColors

  package init(_ report: Report) {
    self.report = report
    let categories =
      report.reminders.compactMap(\.category) + report.places.compactMap(\.category)
      + report.firings.compactMap { $0["category"]?.string }
    colors = CategoryColors(categories, known: report.colors)
  }

  package var html: String {
    let data = JSONValue.object(ReportData(report: report, colors: colors).json).line
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="\(HTMLText.escaped(report.generator))">
      <link rel="icon" href="data:,">
      <title>\(HTMLText.escaped(title))</title>
      <style>
      \(Asset.style)
      </style>
      </head>
      <body>
      <a class="skip" href="#firings">To the firings</a>
      <header>
      <h1>\(HTMLText.escaped(title))</h1>
      \(facts)
      </header>
      <main>
      \(Asset.frame)
      <section id="firings" aria-labelledby="firings-heading" tabindex="-1">
      <h2 id="firings-heading">\(counted(report.firings.count, "firing", "firings"))</h2>
      \(firings)
      </section>
      </main>
      <footer>
      \(notes)
      </footer>
      <script type="application/json" id="data">\(HTMLText.scriptSafe(data))</script>
      <script>
      "use strict";
      \(Asset.program)
      </script>
      </body>
      </html>

      """
  }

  private var title: String {
    switch report.kind {
    case .replay: "Replay of \(report.source)"
    case .ledger: "Firings of \(report.source)"
    }
  }

  // MARK: Above the map

  private var facts: String {
    var facts: [(String, String)] = []
    if let span = report.span {
      facts.append(("From", stamp(span.lowerBound)))
      let isSameDay = stamp(span.lowerBound).prefix(10) == stamp(span.upperBound).prefix(10)
      facts.append(("To", String(stamp(span.upperBound).dropFirst(isSameDay ? 11 : 0))))
      facts.append(("Duration", duration(span)))
    }
    if let trip = report.trip {
      facts.append(("Distance", Length.formatted(metres: trip.distance)))
      facts.append(("Fixes", "\(trip.fixes)"))
      let excluded = trip.excludedCounts.values.reduce(0, +)
      if excluded > 0 { facts.append(("Excluded", "\(excluded)")) }
      facts.append(("Gaps", "\(trip.gaps.count)"))
    }
    facts.append(("Reminders", "\(report.reminders.count)"))
    facts.append(("Firings", "\(report.firings.count)"))
    let items = facts.map { "<div><dt>\($0)</dt><dd>\(HTMLText.escaped($1))</dd></div>" }
    return "<dl class=\"facts\">\(items.joined())</dl>"
  }

  private func duration(_ span: ClosedRange<Instant>) -> String {
    let seconds = (span.upperBound - span.lowerBound).seconds
    let unit = seconds >= 3600 ? 60.0 : 1
    return TimeSpan(seconds: (seconds / unit).rounded() * unit).description
  }

  // MARK: Firings

  private var firings: String {
    guard !report.firings.isEmpty else { return "<p class=\"none\">Nothing has fired.</p>" }
    var text = ""
    var day: CivilDate?
    for (index, firing) in report.firings.enumerated() {
      let time = try? Instant(rfc3339: firing["time"]?.string ?? "")
      let date = time.map { report.zone.localDateTime(at: $0).date }
      if index == 0 || date != day {
        if index > 0 { text += "</ol>\n" }
        text += "<h3>\(date.map { "\($0)" } ?? "Without a time")</h3>\n<ol>\n"
        day = date
      }
      text += item(firing, number: index + 1, time: time)
    }
    return text + "</ol>"
  }

  private func item(_ firing: JSONObject, number: Int, time: Instant?) -> String {
    let clock = time.map { report.zone.localDateTime(at: $0).time.text(decimals: .threeIfNeeded) }
    let whole = clock.map { $0.prefix(8) } ?? "--:--:--"
    func text(_ name: String) -> String { HTMLText.escaped(firing[name]?.string ?? "") }
    let color = colors[firing["category"]?.string]
    return """
      <li id="firing-\(number)" style="--c:\(color)"><details name="firing"><summary>\
      <span class="badge" aria-hidden="true">\(number)</span>\
      <time datetime="\(text("time"))">\(whole)</time>\
      <span class="event">\(text("event"))</span>\
      <span class="title">\(HTMLText.escaped(Report.title(of: firing)))</span></summary>\
      <p class="why">\(text("why"))</p><dl>\(details(firing, time: time))</dl></details></li>

      """
  }

  private func details(_ firing: JSONObject, time: Instant?) -> String {
    var rows: [(String, String?)] = [("Time", time.map { $0.rfc3339(zone: report.zone) })]
    rows.append(("Place", firing["place"]?.string))
    rows.append(("Distance", metres(firing["distance_m"])))
    let position = Coordinate(latitude: firing["lat"]?.double, longitude: firing["lon"]?.double)
    rows.append(
      ("Position", position.map { $0.formatted(.decimalDegrees) + accuracy(firing["eph_m"]) }))
    rows.append(("Kind of solution", firing["source"]?.string))
    rows.append(("Due", instant(firing["due"])))
    rows.append(("Travel time", span(firing["travel_s"])))
    rows.append(("Late by", span(firing["late_s"])))
    rows.append(("Repeated", firing["repeated"]?.string))
    rows.append(("Category", firing["category"]?.string))
    rows.append(("Reminder", firing["reminder_id"]?.string))
    rows.append(("Firing", firing["firing_id"]?.string))
    return rows.compactMap { name, value in
      value.map { "<div><dt>\(name)</dt><dd>\(HTMLText.escaped($0))</dd></div>" }
    }.joined()
  }

  private func metres(_ value: JSONValue?) -> String? {
    value?.double.map { Length.formatted(metres: $0) }
  }

  private func accuracy(_ value: JSONValue?) -> String {
    metres(value).map { " ±\($0)" } ?? ""
  }

  private func instant(_ value: JSONValue?) -> String? {
    (try? Instant(rfc3339: value?.string ?? "")).map { $0.rfc3339(zone: report.zone) }
  }

  private func span(_ value: JSONValue?) -> String? {
    value?.double.map { TimeSpan(seconds: $0.rounded()).description }
  }

  // MARK: Below

  private var notes: String {
    var notes = report.notes
    if let trip = report.trip {
      let points = trip.sketch.points.count
      if points < trip.fixes {
        notes.append(
          "The track is drawn through \(points) of \(trip.fixes) fixes; no fix is farther than "
            + "\(Length.formatted(metres: trip.sketch.deviation)) from the line.")
      }
      let leg = trip.sketch.longestLeg
      notes.append(
        "A gap is more than \(leg) without a fix. Fences that were crossed in more than three "
          + "intervals of the receiver without a fix are not known.")
      for reason in Report.ExcludedFix.Reason.allCases {
        guard let count = trip.excludedCounts[reason] else { continue }
        notes.append("\(counted(count, "fix was", "fixes were")) \(reason.words).")
      }
    }
    let zone = report.span.map { report.zone.abbreviation(at: $0.lowerBound) } ?? report.zone.name
    notes.append("Times are local (\(zone)). Made by \(report.generator); it loads nothing.")
    return notes.map { "<p>\(HTMLText.escaped($0))</p>" }.joined(separator: "\n")
  }

  private func stamp(_ instant: Instant) -> String {
    let local = report.zone.localDateTime(at: instant)
    return "\(local.date) \(local.time.text(decimals: .exact).prefix(8))"
  }

  private func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}

/// The files of `Page`, as they are compiled in.
private enum Asset {
  static var style: String { text(MapProgram.style) + text(PackageResources.page_css) }
  static var frame: String { text(PackageResources.frame_html) }
  /// The scripts in order of dependency.
  static var program: String {
    [
      MapProgram.vector, MapProgram.map, MapProgram.track, PackageResources.data_js,
      PackageResources.timeline_js, PackageResources.page_js,
    ].map(text).joined(separator: "\n")
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
