/// Reminders about several trackers: they have one stay.
///
/// Of `anyone`, and for a departure of `all`, it lasts while somebody is inside; else of `all`, while
/// everybody is. Of `anyone` each arrival and each departure counts by itself.
extension Model {
  /// The trackers whose position is known when a reminder begins to wait at a place.
  mutating func findMembers(_ record: inout Record) {
    record.members = [:]
    for (name, position) in positions {
      record.members[name] = position.inside?.contains(record.spec.region)
    }
  }

  /// Whether the stay is on; nil while a position that decides it is unknown.
  func presenceOfSeveral(_ record: Record) -> Bool? {
    let known = record.members.values
    let isWhole = record.members.count == trackers.count
    if record.spec.who == "all", !record.spec.isDeparture {
      return known.contains(false) ? false : isWhole ? true : nil
    }
    if known.contains(true) { return true }
    // Of anyone, who is unknown is not there; of all, they might be.
    return isWhole || record.spec.who == "anyone" && !known.isEmpty ? false : nil
  }

  /// What a fix of one of them says about a place.
  mutating func move(_ name: String, of record: inout Record, crossing: Double?) {
    let isInside = positions[name]?.inside?.contains(record.spec.region) ?? false
    let wasInside = record.members[name]
    let before = presenceOfSeveral(record)
    if wasInside == false, let crossing, crossing > Double(record.watchedSince),
      isFollowed(record), counts(passOf: name, record)
    {
      (record.mover, record.isMoving) = (name, true)
      pass(&record, at: crossing)
    }
    record.members[name] = isInside
    guard isFollowed(record) else { return }
    let after = presenceOfSeveral(record)
    switch (wasInside, isInside) {
    case (nil, _):
      // The ways of the others are watched since before.
      let watchedSince =
        if case .unknown = record.stay { nil as Moment? } else { record.watchedSince }
      // A stay that may have gone on goes on.
      if after == true, before != true, !record.stay.isInside {
        record.stay = .unknown
        (record.mover, record.isMoving) = (name, true)
      }
      follow(&record)
      record.watchedSince = watchedSince ?? record.watchedSince
    case (false, true):
      if after == true, before != true || countsEach(record, .arrive) {
        (record.mover, record.isMoving) = (name, true)
        arrive(&record)
      }
    case (true, false):
      if after == false && before == true || countsEach(record, .depart(0)) {
        (record.mover, record.isMoving) = (name, true)
        let visit = if case .inside(let visit) = record.stay { visit } else { nil as Record.Visit? }
        leave(&record, visit)
      }
    default: break
    }
  }

  /// Whether each move of anyone counts, whoever else is there.
  private func countsEach(_ record: Record, _ trigger: ReminderSpec.Trigger) -> Bool {
    guard record.spec.who == "anyone" else { return false }
    if case .depart = trigger { return record.spec.isDeparture }
    return record.spec.kind == .location(trigger) || record.spec.isDeparture
  }

  /// A way through the place is a stay of its own: it begins with this one, and ends with it.
  private func counts(passOf name: String, _ record: Record) -> Bool {
    if countsEach(record, .arrive) { return true }
    var there = record
    there.members[name] = true
    return presenceOfSeveral(record) == false && presenceOfSeveral(there) == true
  }
}
