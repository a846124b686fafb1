import CivilTime
import Geodesy
import Geofencing
import Positioning

/// Wording of firings, and the state after one.
extension Engine {
  /// - Parameters:
  ///   - sample: where the device was.
  ///   - place: the place met, for a reminder of a category.
  func placeFiring(
    _ evaluation: Evaluation, _ event: Firing.Event, _ sample: PositionSample?, place: PlaceMet?
  ) -> Firing {
    let slot = evaluation.slot
    // The first position after a departure may be anywhere: of somebody else it is not said.
    let isShown = event != .depart || slot.reminder.who == nil
    let sample = isShown ? sample : nil
    let distance =
      isShown
      ? place?.distance ?? sample.flatMap { slot.reminder.distance(from: $0.position) } : nil
    let name =
      slot.reminder.placeName ?? slot.reminder.nearCategory.map { "a place of category \($0)" }
      ?? "the place"
    let words =
      switch event {
      case .depart: "Left "
      case .pass: "Passed "
      case .dwell: "Stayed \(slot.reminder.hold.description) at "
      default: "Arrived at "
      }
    let verb = sentence(of: slot, words)
    func addDistance(to words: inout Sentence) {
      guard let distance else { return }
      words.add(", ")
      words.add(metres: distance)
      words.add(" from its ")
      words.add(place?.landmark ?? slot.reminder.landmark)
    }
    var why = Sentence(settings.units)
    why.add(verb)
    why.add(name)
    if event == .depart, slot.reminder.hold > .zero, slot.history.silence == nil {
      why.add(" \(slot.reminder.hold) ago")
    }
    addDistance(to: &why)
    let unnamed = place.map { place in
      var after = Sentence(settings.units)
      addDistance(to: &after)
      return Firing.UnnamedPlace(number: place.number, before: verb, after: after.text)
    }
    return baseFiring(
      slot, event, due: evaluation.plan.due, at: evaluation.now, sample, distance: distance,
      why: anchorWords(slot, isRepeated: false, at: evaluation.now) ?? why.text,
      unnamed: unnamed)
  }

  /// The beginning of a sentence, with the tracker that it is about.
  private func sentence(of slot: Slot, _ words: String) -> String {
    guard let name = who(of: slot) else { return words }
    return "\(name) \(words.prefix(1).lowercased())\(words.dropFirst())"
  }

  /// The tracker that a firing is about; nil for the machine itself, and where nobody came.
  private func who(of slot: Slot) -> String? {
    slot.reminder.who?.name ?? (slot.reminder.trigger == .absent ? nil : slot.history.mover)
  }

  /// Words of a firing because somebody is not there, or silent. Where else a tracker is, is
  /// nobody's business; the machine's own position may be said.
  func absenceFiring(_ evaluation: Evaluation, _ event: Firing.Event) -> Firing {
    let (slot, now) = (evaluation.slot, evaluation.now)
    let isOwn = slot.reminder.who == nil
    let place = slot.reminder.placeName ?? slot.reminder.nearCategory ?? "the place"
    let who = slot.reminder.who.map { $0 == .all ? "not all" : "\($0)" }
    let words =
      event == .silent
      ? "Nothing heard \(who.map { "of \($0) " } ?? "")for \(slot.reminder.hold)"
      : "\(who.map { "\($0) \($0 == "not all" ? "are" : "is not")" } ?? "Not") at \(place), nor "
        + "since midnight"
    let sample = isOwn && event == .absent ? lastSample : nil
    let due = evaluation.plan.due
    return baseFiring(
      slot, event, due: due, at: now, sample,
      distance: sample.flatMap { slot.reminder.distance(from: $0.position) }, why: words)
  }

  func dueFiring(_ evaluation: Evaluation, _ lead: Lead, late: TimeSpan?) -> Firing {
    let (due, now) = (lead.occurrence.due, evaluation.now)
    let isHeld = now - lead.moment > settings.lateAfter
    let why =
      if let late {
        "Was due at \(clock(due, at: now)), \(coarse(late)) late"
      } else if isHeld, due <= now {
        "Was due at \(clock(due, at: now)), and had to wait until now"
      } else if lead.moment < due {
        "Due in \(isHeld ? coarse(due - now) : evaluation.schedule.leads[lead.number].description)"
          + ", at \(clock(due, at: now))"
      } else {
        "Due now, at \(clock(due, at: now))"
      }
    var firing = baseFiring(
      evaluation.slot, late == nil ? .due : .late, due: due, at: now, why: why)
    firing.late = late
    return firing
  }

  func snoozeFiring(
    _ slot: Slot, due: Instant?, until: Instant, at now: Instant, late: TimeSpan
  ) -> Firing {
    if let alarm = anchorAlarm(slot, due: due, at: now) { return alarm }
    let isLate = late > settings.lateAfter
    var firing = baseFiring(
      slot, isLate ? .late : .due, due: due, at: now,
      why: "Snoozed until \(clock(until, at: now))\(isLate ? ", \(coarse(late)) late" : "")")
    firing.late = isLate ? late : nil
    return firing
  }

  /// - Parameter count: number of repetitions, this one included.
  func nagFiring(_ slot: Slot, due: Instant?, count: Int, at now: Instant) -> Firing {
    if let alarm = anchorAlarm(slot, due: due, at: now) { return alarm }
    let event: Firing.Event =
      switch (slot.reminder.kind, slot.reminder.trigger) {
      case (.date, _): .due
      case (.preemptive, _): .leave
      case (.location, .arrive): .arrive
      case (.location, .depart): .depart
      case (.location, .dwell): .dwell
      case (.location, .absent): .absent
      case (.location, .silent): .silent
      }
    let first = slot.history.lastRung.map { ", first reported at \(clock($0, at: now))" } ?? ""
    return baseFiring(
      slot, event, due: due, at: now,
      why: "Not done yet\(first); reported again, for the \(ordinal(count)) time")
  }

  private func ordinal(_ count: Int) -> String {
    let ending =
      switch (count % 10, count % 100) {
      case (_, 11...13): "th"
      case (1, _): "st"
      case (2, _): "nd"
      case (3, _): "rd"
      default: "th"
      }
    return "\(count)\(ending)"
  }

  func baseFiring(
    _ slot: Slot, _ event: Firing.Event, due: Instant?, at now: Instant,
    _ sample: PositionSample? = nil, distance: Double? = nil, why: String,
    unnamed: Firing.UnnamedPlace? = nil
  ) -> Firing {
    let reminder = slot.reminder
    return Firing(
      id: Firing.identifier(reminder: reminder.id, event: event, time: now, due: due),
      reminderID: reminder.id, kind: reminder.kind, title: reminder.title,
      category: reminder.category, priority: reminder.firingPriority, time: now, event: event,
      who: who(of: slot), recipient: reminder.recipient, position: sample?.position,
      eph: sample?.eph,
      source: sample.flatMap { solution(at: $0.position) }, fixTime: sample?.time,
      place: reminder.knownName, distance: distance, due: due, why: why, unnamed: unnamed)
  }

  /// The kind of solution of the fix that a firing reports.
  private func solution(at position: Coordinate) -> Fix.Solution? {
    if let coarse = coarseFix?.fix, coarse.position == position { return coarse.solution }
    return lastFix?.solution
  }

  /// The time of day in the system's zone, with the date on another day.
  func clock(_ instant: Instant, at now: Instant) -> String {
    var words = Sentence(settings.units)
    words.add(instant, in: zone, at: now)
    return words.text
  }

  func length(_ metres: Double) -> String {
    Length.formatted(metres: metres, in: settings.units)
  }

  /// A span without its small units.
  func coarse(_ span: TimeSpan) -> String {
    var words = Sentence(settings.units)
    words.add(coarse: span)
    return words.text
  }

  /// Records a firing. The caller decides what it uses of the history.
  /// - Parameter lead: the time that it rings for; nil for the end of a snooze.
  mutating func fire(_ evaluation: Evaluation, _ firing: consuming Firing, _ lead: Lead?) {
    var firing = firing
    if let lead, evaluation.schedule.isRepeated(lead, evaluation.slot.history) {
      firing.repeated = .clock
      // It may come at the very microsecond of the false one.
      firing.id = Firing.identifier(
        reminder: firing.reminderID, event: firing.event, time: firing.time, due: firing.due,
        repeated: .clock)
      firing.why += "; a wrong clock has fired it before"
    }
    turn.firings += 1
    outcome.firings.append(firing)
  }
}
