/// The words for it.
extension Model {
  package enum State: String, Sendable {
    case done, snoozed, expired, fired, armed
  }

  package func state(_ id: String) -> State? { records[id].map(state) }

  func state(of record: Record) -> State {
    if record.isDone { return .done }
    if record.silence != nil { return .snoozed }
    // After `until` nothing is over that was left then.
    let last = min(now, record.spec.until?.moment(in: zone) ?? now)
    let isLeft = record.waiting.contains { last < $0.closes }
    let hasRung = record.lastRang != nil
    if isLeft ? !record.spec.isUntil(now, in: zone) : !hasRung { return .expired }
    if !isLeft { return .fired }
    if case .leave = record.spec.kind, let next = record.next, next.due > now,
      record.mark(next).leads >= max(1, next.leads.count)
    {
      return .fired
    }
    return .armed
  }
}
