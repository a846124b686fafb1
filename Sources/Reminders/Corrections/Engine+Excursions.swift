import CivilTime
import Geodesy
import Geofencing

/// Times to leave that a false position has brought about.
///
/// A jump that two fixes agree on counts, though a reflection can make two. If the position jumps
/// back, what it fired in between was false: those reminders are armed again. A device that moves
/// at a plausible speed never causes this. After an hour a place is where the device was.
extension Engine {
  struct Excursion: Sendable {
    static let longest = TimeSpan.hours(1)

    let began: Instant
    /// Where the device was before the jump.
    let origin: Coordinate
    /// Length of the jump.
    let metres: Double
    /// The reminders that fired since, by id, with what they had before.
    var fired: [String: History] = [:]
  }

  /// The sample that the monitor uses: the last one, or the one before an unconfirmed jump.
  var believedSample: PositionSample? { isFixInDoubt ? monitor.lastSample : reception.sample }

  /// Notes what a reminder had before it said "leave" away from where it was.
  mutating func noteExcursion(_ slot: Slot) {
    guard excursion != nil, excursion?.fired[slot.reminder.id] == nil else { return }
    excursion?.fired[slot.reminder.id] = slot.history
  }

  mutating func endOldExcursion(at now: Instant) {
    if let excursion, now - excursion.began > Excursion.longest { self.excursion = nil }
  }

  /// A jump that more than one fix has borne out.
  mutating func jump(from origin: Coordinate, to here: Coordinate, at now: Instant) {
    guard let excursion, here.distance(to: excursion.origin) < excursion.metres / 2 else {
      excursion = Excursion(began: now, origin: origin, metres: origin.distance(to: here))
      return
    }
    self.excursion = nil
    for (id, before) in excursion.fired.sorted(by: { $0.key < $1.key }) {
      guard let index = slots.index(of: id), let slot = slots.slot(index),
        slot.reminder.kind == .preemptive, slot.state == .fired || slot.state == .armed
      else { continue }
      var schedule = Schedule(slot.$reminder, in: zone)
      guard let occurrence = schedule.occurrence(before, at: now), occurrence.due > now,
        schedule.occurrence(slot.history, at: now) == occurrence
      else { continue }
      change(index) {
        ($0.usedUpTo, $0.leadsUsed) = (before.usedUpTo, before.leadsUsed)
        ($0.isUnacknowledged, $0.repetition) = (false, nil)
      }
      replan(index, at: now)
    }
  }
}
