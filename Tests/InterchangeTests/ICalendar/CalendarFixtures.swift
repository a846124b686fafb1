/// Calendars in the shapes of the programs that people have, made for these tests.
enum CalendarFixtures {
  /// Apple's Reminders: two alarms by place, the "no time" trigger, a folded structured location.
  static let appleGeofence = calendar(
    product: "-//Apple Inc.//iOS 17.4//EN",
    """
    BEGIN:VTODO
    CREATED:20260119T050820Z
    DTSTAMP:20260119T050843Z
    LAST-MODIFIED:20260119T050843Z
    STATUS:NEEDS-ACTION
    SUMMARY:Buy milk\\, eggs
    UID:11A1AD20-6412-4F61-AE56-7D0EE8CE4CE5
    X-APPLE-SORT-ORDER:600000000
    BEGIN:VALARM
    ACTION:DISPLAY
    DESCRIPTION:Reminder
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    UID:9EF67428-7209-4EA4-9029-4049F577F4FF
    X-APPLE-PROXIMITY:ARRIVE
    X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS=Main Street 1\\\\n12345
      Town\\\\nGermany;X-APPLE-RADIUS=141.1748408176572;X-APPLE-REFERENCEFRAME=
     1;X-TITLE=Corner shop:geo:53.554900\\,9.912600
    X-WR-ALARMUID:9EF67428-7209-4EA4-9029-4049F577F4FF
    END:VALARM
    END:VTODO
    """)

  /// Apple's Reminders: a due time whose alarm is a date.
  static let appleDue = calendar(
    product: "-//Apple Inc.//iOS 17.4//EN", zone: true,
    """
    BEGIN:VTODO
    DTSTAMP:20260119T045013Z
    DTSTART;TZID=Europe/Berlin:20261118T230000
    DUE;TZID=Europe/Berlin:20261118T230000
    STATUS:NEEDS-ACTION
    SUMMARY:Test
    UID:A11D558C
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:20261118T220000Z
    UID:2CBB42D2
    END:VALARM
    END:VTODO
    """)

  /// Apple's Calendar: time to leave, a default alarm that is turned off, an alarm before the
  /// event.
  static let appleEvent = calendar(
    product: "-//Apple Inc.//macOS 14.4//EN", zone: true,
    """
    BEGIN:VEVENT
    DTEND;TZID=Europe/Berlin:20261120T113000
    DTSTART;TZID=Europe/Berlin:20261120T100000
    DTSTAMP:20261101T100000Z
    LOCATION:Dentist\\nMain Street 2
    SEQUENCE:1
    SUMMARY:Dentist
    UID:EV-1
    URL;VALUE=URI:https://example.org/dentist
    X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=70;X-TITLE="Dentist, Main Street":geo:53.5,10
    X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
    X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT25M
    X-APPLE-TRAVEL-START;ROUTING=WALKING;VALUE=URI:
    BEGIN:VALARM
    ACTION:NONE
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    X-APPLE-DEFAULT-ALARM:TRUE
    END:VALARM
    BEGIN:VALARM
    ACTION:AUDIO
    TRIGGER:-PT15M
    END:VALARM
    END:VEVENT
    """)

  /// RFC 9074: several places, any of which will do, and one that is left.
  static let proximity = calendar(
    product: "-//Example Corp.//EN",
    """
    BEGIN:VTODO
    UID:rfc9074
    DTSTAMP:20261101T000000Z
    SUMMARY:Hand in the keys
    BEGIN:VALARM
    UID:77D80D14-906B-4257-963F-85B1E734DBB6
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    PROXIMITY:ARRIVE
    BEGIN:VLOCATION
    UID:o1
    NAME:Office 1
    URL:geo:40.443,-79.945;u=10
    END:VLOCATION
    BEGIN:VLOCATION
    UID:o2
    NAME:Office 2
    GEO:40.5;-79.9
    END:VLOCATION
    END:VALARM
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    PROXIMITY:DEPART
    BEGIN:VLOCATION
    NAME:Home
    URL:geo:41,-80;u=200
    END:VLOCATION
    END:VALARM
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    PROXIMITY:CONNECT
    END:VALARM
    END:VTODO
    """)

  /// tasks.org: GEO, a random reminder's properties, an alarm relative to the end.
  static let tasksOrg = calendar(
    product: "+//IDN tasks.org//android-130900//EN",
    """
    BEGIN:VTODO
    DTSTAMP:20261101T100000Z
    UID:3863299529704302692
    CREATED:20261101T100000Z
    LAST-MODIFIED:20261101T100000Z
    SUMMARY:Water the plants
    CATEGORIES:Home,Garden
    PRIORITY:1
    GEO:53.5412;9.998
    LOCATION:Home
    DUE;TZID=Europe/Berlin:20261119T180000
    RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;COUNT=5
    X-APPLE-SORT-ORDER:1
    BEGIN:VALARM
    TRIGGER;RELATED=END:-PT1H
    ACTION:DISPLAY
    DESCRIPTION:Default Tasks.org description
    END:VALARM
    BEGIN:VALARM
    TRIGGER;RELATED=END:PT30M
    ACTION:DISPLAY
    DESCRIPTION:Default Tasks.org description
    END:VALARM
    END:VTODO
    """)

  /// Thunderbird: its own zone prefix, snoozed once, an alarm that was acknowledged.
  static let thunderbird = calendar(
    product: "-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN",
    """
    BEGIN:VEVENT
    CREATED:20261101T100000Z
    UID:tb-1
    SUMMARY:Meeting
    DTSTART;TZID=/mozilla.org/20070129_1/Europe/Berlin:20261120T140000
    DTEND;TZID=/mozilla.org/20070129_1/Europe/Berlin:20261120T150000
    X-MOZ-LASTACK:20261120T124500Z
    BEGIN:VALARM
    UID:tb-alarm
    ACTION:DISPLAY
    TRIGGER;VALUE=DURATION:-PT15M
    DESCRIPTION:Default Mozilla Description
    ACKNOWLEDGED:20261120T124600Z
    END:VALARM
    BEGIN:VALARM
    UID:tb-snooze
    ACTION:DISPLAY
    TRIGGER;VALUE=DATE-TIME:20261120T125600Z
    RELATED-TO;RELTYPE=SNOOZE:tb-alarm
    END:VALARM
    END:VEVENT
    """)

  /// Nextcloud Tasks: a whole day, percent complete, a pinned task.
  static let nextcloud = calendar(
    product: "-//Nextcloud Tasks v0.16.0",
    """
    BEGIN:VTODO
    CREATED:20261101T101112
    DTSTAMP:20261101T101112
    LAST-MODIFIED:20261101T101112
    UID:nc-1
    SUMMARY:Tax
    DUE;VALUE=DATE:20261121
    PERCENT-COMPLETE:40
    STATUS:IN-PROCESS
    X-PINNED:true
    END:VTODO
    """)

  /// Evolution: the prefix of libical's zones, alarms with repetitions, exceptions.
  static let evolution = calendar(
    product: "-//Ximian//NONSGML Evolution Calendar//EN",
    """
    BEGIN:VEVENT
    UID:evo-1
    DTSTAMP:20261101T100000Z
    DTSTART;TZID=/freeassociation.sourceforge.net/America/New_York:20261102T090000
    DTEND;TZID=/freeassociation.sourceforge.net/America/New_York:20261102T091500
    RRULE:FREQ=DAILY;UNTIL=20261231T140000Z
    EXDATE;TZID=/freeassociation.sourceforge.net/America/New_York:20261103T090000
    EXDATE;VALUE=DATE:20261104
    RDATE;TZID=/freeassociation.sourceforge.net/America/New_York:20261105T200000
    SUMMARY:Stand-up
    BEGIN:VALARM
    X-EVOLUTION-ALARM-UID:evo-alarm
    ACTION:DISPLAY
    TRIGGER;VALUE=DURATION;RELATED=START:-PT10M
    REPEAT:2
    DURATION:PT5M
    END:VALARM
    END:VEVENT
    BEGIN:VEVENT
    UID:evo-1
    RECURRENCE-ID;TZID=/freeassociation.sourceforge.net/America/New_York:20261106T090000
    DTSTAMP:20261101T100000Z
    DTSTART;TZID=/freeassociation.sourceforge.net/America/New_York:20261106T110000
    SUMMARY:Stand-up (moved)
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER:PT0S
    END:VALARM
    END:VEVENT
    """)

  /// jtx Board: completed, with a URL and a parent.
  static let jtx = calendar(
    product: "-//TECHBEE//jtx 2.7.5//EN",
    """
    BEGIN:VTODO
    DTSTAMP:20261101T100000Z
    UID:jtx-1
    SEQUENCE:3
    SUMMARY:Sails
    DESCRIPTION:Line one\\nLine two
    URL:https://example.org/sails
    COLOR:dodgerblue
    RELATED-TO;RELTYPE=PARENT:jtx-0
    STATUS:COMPLETED
    COMPLETED:20261110T100000Z
    PERCENT-COMPLETE:100
    DUE:20261111T100000Z
    END:VTODO
    """)

  static let all = [
    appleGeofence, appleDue, appleEvent, proximity, tasksOrg, thunderbird, nextcloud, evolution,
    jtx,
  ]

  private static let berlin = """
    BEGIN:VTIMEZONE
    TZID:Europe/Berlin
    BEGIN:DAYLIGHT
    TZOFFSETFROM:+0100
    TZOFFSETTO:+0200
    TZNAME:CEST
    DTSTART:19700329T020000
    RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
    END:DAYLIGHT
    BEGIN:STANDARD
    TZOFFSETFROM:+0200
    TZOFFSETTO:+0100
    TZNAME:CET
    DTSTART:19701025T030000
    RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
    END:STANDARD
    END:VTIMEZONE

    """

  /// Lines in a VCALENDAR, each ended by CR LF.
  static func calendar(product: String = "-//T//EN", zone: Bool = false, _ lines: String) -> String
  {
    let text =
      "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:\(product)\nCALSCALE:GREGORIAN\n"
      + (zone ? berlin : "") + lines + "\nEND:VCALENDAR\n"
    return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
  }
}
