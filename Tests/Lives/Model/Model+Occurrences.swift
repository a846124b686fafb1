/// The list of occurrences of a reminder, in the present zone and under its present conditions.
extension Model {
  /// Makes the list of a record anew. The marks stay: they are at names.
  mutating func list(_ record: inout Record) {
    record.occurrences = occurrences(of: record)
    noteMoments(of: record)
  }

  func occurrences(of record: Record) -> [Occurrence] {
    let spec = record.spec
    let times = dueTimes(of: spec, seriesZone: record.seriesZone)
    if times.isEmpty { return [.always] }
    let calendar = spec.isFixedSeries ? record.seriesZone : zone
    let openings = spec.openings(
      in: zone, from: times[0].due - 2 * 86_400, to: times[times.count - 1].due + 9 * 86_400)
    var list = times.map { name, due in
      let leads = spec.leads.map { lead in
        alarm(spec, at: lead.before(due, in: calendar), openings)
      }
      let atDue = alarm(spec, at: due, openings)
      return Occurrence(
        name: name, due: due, counts: spec.counts(due, in: zone), leads: leads, atDue: atDue,
        opens: leads.first?.planned ?? due, closes: .max)
    }
    if spec.repeats != nil, spec.isLocation { close(&list, spec) }
    return list
  }

  /// The names and instants of the due times.
  private func dueTimes(
    of spec: ReminderSpec, seriesZone: Zone
  ) -> [(name: LocalTime, due: Moment)] {
    guard let due = spec.due else { return [] }
    let first = due.moment(in: zone)
    guard let repeats = spec.repeats else {
      if case .floating(let local) = due { return [(local, first)] }
      return [(LocalTime(seconds: first), first)]
    }
    let clock = spec.isFixedSeries ? seriesZone : zone
    let start = if case .floating(let local) = due { local } else { clock.local(at: first) }
    let days =
      switch repeats.unit {
      case .hourly: 8
      case .daily: 120
      // Days may leave out all but one that the clocks move to the next day, in spring.
      case .weekly: spec.days == nil ? 70 : 400
      // Of the 31st, for three times the Saturdays.
      case .monthly: spec.days == nil ? 1200 : 4400
      }
    let horizon = end + days * 86_400
    return repeats.readings(from: start, to: LocalTime(seconds: horizon)).map { name in
      // The first one may be in the second of two hours that the clock shows.
      (name, name == start ? first : clock.moment(of: name))
    }
  }

  /// A moment before `from`, or outside the hours, waits: for `from`, then for the first opening on
  /// an admitted day. If `until` comes first, it does not ring.
  private func alarm(
    _ spec: ReminderSpec, at planned: Moment, _ openings: [Moment]
  ) -> Occurrence.Alarm {
    let start = max(planned, spec.from?.moment(in: zone) ?? planned)
    let rings =
      spec.isInHours(start, in: zone)
      ? start : openings.first { $0 > start && spec.isOnDays($0, in: zone) }
    return .init(planned: planned, rings: rings.flatMap { spec.isUntil($0, in: zone) ? $0 : nil })
  }

  /// Of several at a place, one is in force to the end of the day of its due time, or to the opening of the
  /// next one that counts.
  private func close(_ list: inout [Occurrence], _ spec: ReminderSpec) {
    for place in list.indices {
      let next = list[(place + 1)...].first { $0.counts }?.opens ?? .max
      list[place].closes = min(next, spec.endOfDay(of: list[place].due, in: zone))
    }
  }
}

extension ReminderSpec {
  /// A day of hours over midnight ends with them.
  fileprivate func endOfDay(of moment: Moment, in zone: Zone) -> Moment {
    start(ofDay: day(of: moment, in: zone) + 1, in: zone)
  }

  func startOfDay(of moment: Moment, in zone: Zone) -> Moment {
    start(ofDay: day(of: moment, in: zone), in: zone)
  }

  private func start(ofDay day: Int, in zone: Zone) -> Moment {
    let second = hours.map { $0.isOverMidnight ? $0.end : 0 } ?? 0
    let reading = LocalTime(day: day, second: second)
    if let first = zone.moments(of: reading).min() { return first }
    // The clocks skip it.
    return zone.changeMoments.last { $0 <= zone.moment(of: reading) } ?? zone.moment(of: reading)
  }
}
