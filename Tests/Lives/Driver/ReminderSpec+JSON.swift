package import ReferenceModel

extension ReminderSpec {
  /// The reminder's document, as `georemind add --json` reads it.
  package var json: String {
    var members = [#""id":"\#(id)","title":"\#(id)""#]
    switch kind {
    case .location(let trigger):
      members.append(#""kind":"location""#)
      switch trigger {
      case .arrive: break
      case .depart(0): members.append(#""on":"depart""#)
      case .depart(let span): members.append(#""on":"depart","dwell_s":\#(span)"#)
      case .dwell(let span): members.append(#""on":"dwell","dwell_s":\#(span)"#)
      case .absent: members.append(#""on":"absent""#)
      case .silent(let span): members.append(#""on":"silent","dwell_s":\#(span)"#)
      }
    case .date: members.append(#""kind":"date""#)
    case .leave(let travel):
      members.append(#""kind":"preemptive","transport":"walking","travel_s":\#(travel)"#)
    }
    if let place = Area(rawValue: region) { members.append(place.json) }
    if who != Model.machine { members.append(#""who":"\#(who)""#) }
    return "{" + (members + conditions).joined(separator: ",") + "}"
  }

  private var conditions: [String] {
    var members: [String] = []
    if let due { members.append(#""due":"\#(due.text)""#) }
    if let repeats { members.append(#""repeat":"\#(repeats.rule)""#) }
    if !leads.isEmpty {
      members.append(#""lead_s":[\#(leads.map(\.json).joined(separator: ","))]"#)
    }
    if everyVisit { members.append(#""every_visit":true"#) }
    if let cooldown { members.append(#""cooldown_s":\#(cooldown)"#) }
    if let from { members.append(#""from":"\#(from.text)""#) }
    if let until { members.append(#""until":"\#(until.text)""#) }
    if let hours { members.append(#""hours":"\#(hours.text)""#) }
    if let days {
      let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
      let list = days.sorted().map { names[$0] }.joined(separator: ",")
      members.append(#""days":"\#(list)""#)
    }
    if let maximumSpeed { members.append(#""max_speed_mps":\#(maximumSpeed)"#) }
    if let minimumSpeed { members.append(#""min_speed_mps":\#(minimumSpeed)"#) }
    if let heading { members.append(#""heading":"\#(heading.first)-\#(heading.last)""#) }
    if let nagLimit {
      members.append(nagLimit == 0 ? #""nag_limit":"none""# : #""nag_limit":\#(nagLimit)"#)
    }
    if let nag { members.append(#""nag_s":\#(nag)"#) }
    if ifInside == .fire { members.append(#""if_inside":"fire""#) }
    return members
  }
}

extension Lead {
  /// Days go by the calendar in a text only.
  fileprivate var json: String {
    if days == 0 { return "\(seconds)" }
    return seconds == 0 ? #""\#(days)d""# : #""\#(days)d \#(seconds)s""#
  }
}

extension Stamp {
  var text: String {
    switch self {
    case .floating(let local): local.text
    case .absolute(let moment): Zone.utc.local(at: moment).text + "Z"
    }
  }
}

extension Hours {
  var text: String {
    func clock(_ second: Int) -> String {
      String(LocalTime(day: 0, second: second % 86_400).text.dropFirst(11))
    }
    return "\(clock(start))-\(clock(end))"
  }
}
