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
    component.nodes.flatMap { node -> [Refusal] in
      switch node {
      case .line(let line) where line.name.isEmpty || line.name.hasPrefix("X-"): return []
      case .line(let line) where isNamed(line):
        return [
          Refusal(
            line: line.number,
            reason: "'\(line.name)\(line.value.isEmpty ? "" : ":" + line.value.shownInMessage)' "
              + "is not supported: no time and no alarm follows from it")
        ]
      case .line(let line): return misspelled(line.name, "property", line.number)
      // Items are read by themselves.
      case .component(let inner) where inner.isTask || inner.isEvent: return []
      case .component(let inner):
        return misspelled(inner.name, "component", inner.line)
          + (treatments[inner.name] == "honoured" ? unsupported(in: inner) : [])
      }
    }
  }

  private static func misspelled(_ name: String, _ what: String, _ line: Int) -> [Refusal] {
    guard treatments[name] == nil, !name.hasPrefix("X-"),
      let near = NearestWord.find(name, in: honoured)
    else { return [] }
    return [
      Refusal(
        line: line, reason: "'\(name.shownInMessage)' is no \(what) of a calendar; write \(near)")
    ]
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
