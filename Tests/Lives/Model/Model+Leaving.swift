/// Times to leave.
extension Model {
  /// A later firing than this many seconds after its moment is late.
  private static let leaveLateAfter = 60
  /// Seconds of slack that must come back before a reminder says "leave" again.
  private static let slackForAnother = 600

  /// Fires at the first moment at which now + travel time ≥ due − lead; in the place the travel
  /// time is 0. It says so again if much slack has come back, and goes on when it is due.
  mutating func decideLeaving(_ record: inout Record, travel: Int) {
    skipOccurrences(of: &record)
    guard record.next < record.occurrences.count else { return }
    let spec = record.spec
    let due = record.occurrences[record.next]
    let slacks = slacks(of: record, travel: travel)
    let passed = slacks.prefix { $0 <= 0 }.count
    if record.leadsUsed == slacks.count {
      if due > now, let slack = slacks.last, slack > Self.slackForAnother,
        spec.isAfterFrom(now, in: zone)
      {
        record.leadsUsed = passed
      }
    } else if passed > record.leadsUsed {
      guard spec.isBeforeEnd(due, in: zone), spec.isBeforeEnd(now, in: zone),
        spec.isAfterFrom(now, in: zone)
      else { return }
      let moment = max(now + slacks[passed - 1], spec.from?.moment(in: zone) ?? 0)
      let limit = record.changedAt == now ? Self.lateAfter : Self.leaveLateAfter
      record.leadsUsed = passed
      fire(&record, now - moment > limit ? .late : .leave)
    }
    if due <= now, record.leadsUsed == slacks.count { completePassed(&record) }
  }

  /// Goes past the occurrences that have passed: of several, one firing is enough.
  func completePassed(_ record: inout Record) {
    skipOccurrences(of: &record)
    while record.next < record.occurrences.count, record.occurrences[record.next] <= now {
      complete(&record)
      skipOccurrences(of: &record)
    }
  }

  /// How long each lead's moment to leave is still ahead, in seconds.
  private func slacks(of record: Record, travel: Int) -> [Int] {
    let way = inside?.contains(record.spec.region) == true ? 0 : travel
    return record.spec.allLeads.map { record.occurrences[record.next] - $0 - way - now }
  }

  /// Uses up the moments that have passed, without a firing.
  func useLeaving(_ record: inout Record, travel: Int) {
    completePassed(&record)
    guard record.next < record.occurrences.count else { return }
    let passed = slacks(of: record, travel: travel).prefix { $0 <= 0 }.count
    record.leadsUsed = max(record.leadsUsed, passed)
  }
}
