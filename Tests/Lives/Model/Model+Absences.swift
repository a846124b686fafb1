/// What does not happen: nobody is there by then, and nothing is heard.
extension Model {
  // MARK: - Absence

  /// At its due time, or once its conditions hold after that, it rings unless the place was reached
  /// on the day of the due time.
  mutating func decideAbsence(_ record: inout Record) {
    guard let occurrence = inForce(record), record.spec.holds(now, nil, in: zone) else { return }
    if isThere(record, for: occurrence) || isCoolingDown(record) { return record.use(occurrence) }
    record.use(occurrence)
    // Where somebody else is instead is not said.
    let spot = record.spec.who == Self.machine ? position(of: record).spot : nil
    ring(&record, .absent, due: occurrence.due == .min ? nil : occurrence.due, at: spot)
  }

  private func isThere(_ record: Record, for occurrence: Occurrence) -> Bool {
    if record.stay.isInside { return true }
    let start = record.spec.startOfDay(of: occurrence.due, in: zone)
    return record.wasThere.map { $0 >= start } ?? false
  }

  // MARK: - Silence

  /// A silence begins with the last fix, or when nothing is known of one.
  mutating func followSilence(_ record: inout Record) {
    guard case .unknown = record.stay else { return }
    record.stay = .inside(.init(since: position(of: record).heardAt ?? now))
    noteSilence(record)
  }

  /// A fix ends a silence. What is stored of it is up to an eighth of the span old.
  mutating func hear(_ record: inout Record, _ span: Int) {
    note(now + span)
    guard case .inside(let visit) = record.stay else { return }
    guard now - visit.since >= span / 8 || visit.settled != nil || visit.isSettledForGood else {
      return
    }
    endWaitForVisit(&record)
    record.stay = .inside(.init(since: now))
    noteSilence(record)
  }

  /// After a start nobody knows how long after the stored moment the last run still heard something.
  func silenceEnd(_ record: Record, _ visit: Record.Visit, _ span: Int) -> Moment {
    if let heardAt = position(of: record).heardAt { return max(heardAt, visit.since) + span }
    let isOfEarlierRun = startedAt.map { visit.since < $0 } ?? false
    return visit.since + span + (isOfEarlierRun ? span / 8 : 0)
  }

  mutating func noteSilence(_ record: Record) {
    guard let span = record.spec.silence, case .inside(let visit) = record.stay else { return }
    note(silenceEnd(record, visit, span))
    note(visit.since + span)
    note(visit.since + span + span / 8)
  }
}
