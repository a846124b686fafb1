import Bytes

/// The treatment of each property, part of a rule and component of the calendar RFCs.
///
/// `honoured` ones decide what a reminder says, or where and when it rings. `kept` ones do not, and
/// keep their bytes in the file. `named` ones would decide when it rings and are not supported, so
/// a reading names them with their line. `docs/reference/calendar-properties.md` has this table.
enum CalendarProperties {
  private static func isNamed(_ line: ContentLine) -> Bool {
    let treatment = treatments[line.name]
    guard valued.contains(line.name) else { return treatment == "named" }
    let whole = "\(line.name):\(line.value.trimmedText(limit: 40).uppercased())"
    return (treatments[whole] ?? treatment) == "named"
  }

  /// Names the lines of a component and of its alarms that would change when a reminder rings, and
  /// cannot: unsupported properties, and misspelled names of honoured ones.
  static func unsupported(in component: CalendarComponent) -> [Refusal] {
    var found: [Refusal] = []
    func addMisspelled(_ name: String, _ what: String, _ line: Int) {
      guard treatments[name] == nil, !name.hasPrefix("X-"),
        let near = NearestWord.find(name, in: honoured)
      else { return }
      found.add(line, "'\(name.shownInMessage)' is no \(what) of a calendar; write \(near)")
    }
    for line in component.lines where !line.name.isEmpty && !line.name.hasPrefix("X-") {
      guard isNamed(line) else {
        addMisspelled(line.name, "property", line.number)
        continue
      }
      let value = line.value.isEmpty ? "" : ":" + line.value.shownInMessage
      found.add(
        line.number,
        "'\(line.name)\(value)' is not supported: no time and no alarm follows from it")
    }
    // Items are read by themselves.
    for inner in component.nodes.compactMap(\.component) where !inner.isTask && !inner.isEvent {
      addMisspelled(inner.name, "component", inner.line)
      if treatments[inner.name] == "honoured" { found += unsupported(in: inner) }
    }
    return found
  }

  private static let treatments: [String: String] = table.split(separator: "\n").reduce(
    into: [:]
  ) { treatments, line in
    let columns = line.split(separator: "|").map(String.init)
    for name in columns[2].split(separator: " ").map(String.init) {
      treatments[name] = columns[1]
      let property = String(name.prefix { $0 != ":" && $0 != ";" })
      if treatments[property] == nil { treatments[property] = columns[1] }
    }
  }
  /// Properties of which the value decides.
  private static let valued = Set(
    treatments.keys.compactMap { name in name.firstIndex(of: ":").map { String(name[..<$0]) } })
  private static let honoured = treatments.filter { $0.value == "honoured" }.keys.sorted()

  /// The number of the RFC, the treatment, the names. A value or a parameter stands behind its
  /// property.
  static let table = """
    5545|honoured|VEVENT VTODO VALARM VTIMEZONE STANDARD DAYLIGHT
    5545|honoured|DTSTART DTEND DUE DURATION RRULE RDATE EXDATE RECURRENCE-ID TZID
    5545|honoured|TZOFFSETFROM TZOFFSETTO TZNAME ACTION TRIGGER REPEAT UID SEQUENCE METHOD
    5545|honoured|STATUS COMPLETED PERCENT-COMPLETE SUMMARY DESCRIPTION CATEGORIES PRIORITY
    5545|honoured|LOCATION GEO URL CALSCALE:GREGORIAN
    5545|kept|VJOURNAL VFREEBUSY FREEBUSY PRODID VERSION ATTACH CLASS COMMENT RESOURCES TRANSP
    5545|kept|TZURL ATTENDEE CONTACT ORGANIZER RELATED-TO CREATED DTSTAMP LAST-MODIFIED
    5545|kept|REQUEST-STATUS
    5545|named|CALSCALE
    2445|honoured|EXRULE
    2445|named|RECURRENCE-ID;RANGE=THISANDPRIOR
    7529|honoured|RRULE;SKIP RRULE;RSCALE=GREGORIAN
    7529|named|RRULE;RSCALE
    7986|kept|NAME COLOR IMAGE CONFERENCE SOURCE REFRESH-INTERVAL
    9073|honoured|VLOCATION
    9073|kept|VRESOURCE PARTICIPANT LOCATION-TYPE PARTICIPANT-TYPE RESOURCE-TYPE
    9073|kept|CALENDAR-ADDRESS STYLED-DESCRIPTION STRUCTURED-DATA
    9074|honoured|ACKNOWLEDGED PROXIMITY:ARRIVE PROXIMITY:DEPART RELATED-TO;RELTYPE=SNOOZE
    9074|named|PROXIMITY:CONNECT PROXIMITY:DISCONNECT
    vCalendar|named|DALARM AALARM MALARM PALARM
    """
}
