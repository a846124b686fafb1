package import CivilTime
import Geofencing
import Positioning

/// Taking in what a store has at a start: a million reminders in about a second.
///
/// Of most reminders nothing is to be done but to put up a fence or a timer, and their document stays
/// unread. The others are looked at as if they were added.
extension Engine {
  /// Makes room. `load` is called for each reminder after it, then `finishLoading`.
  package mutating func beginLoading(count: Int, at now: Instant) {
    begin(at: now)
    // A few more, so that the first one added later need not wait for all to be copied.
    let room = count + count / 16
    slots.reserveCapacity(room)
    timers.reserveCapacity(room)
    monitor.beginFilling(count: room)
  }

  /// - Parameter zoneIsKnown: what was kept was worked out in the zone of now.
  package mutating func load(_ entry: PackedEntry, zoneIsKnown: Bool, at now: Instant) {
    let index = slots.append(entry)
    if !rests(entry, index, zoneIsKnown: zoneIsKnown, at: now) {
      toLookAt.append((index, entry.progress.nextLook, entry.progress.occurrenceOffset))
    }
  }

  /// Looks at those that could not be left alone, and tells what was missed.
  package mutating func finishLoading(at now: Instant, into effects: inout [Effect]) {
    monitor.endFilling()
    for twin in slots.endAppending() {
      deactivate(twin)
      slots.remove(twin)
    }
    isCatchingUp = true
    leaves.reckonAll(leaveView(at: now))
    for (index, nextLook, offset) in toLookAt where !slots.isVacant(index) {
      var kept = slots.progress(index)
      kept.nextLook = nextLook
      kept.occurrenceOffset = offset
      begin(index, kept, at: now)
    }
    toLookAt = []
    end(at: now, into: &effects)
  }

  /// Takes back what `load` has done since `beginLoading`. There must have been no reminders before it. The
  /// monitor begins anew, too: of the fixes before it knew no fence.
  package mutating func abandonLoading() {
    slots = SlotTable()
    timers = TimerHeap()
    toLookAt = []
    undetermined = []
    fenceCount = 0
    monitor = FenceMonitor(policy: settings.monitor)
    leaves = LeaveSchedule(settings.travel)
    leaves.routes.isOn = settings.asksRoutes
    arePacesOld = true
  }

  /// Puts up what a reminder needs that time and place leave alone for now; false where it must be
  /// looked at.
  private mutating func rests(
    _ entry: PackedEntry, _ index: Int32, zoneIsKnown: Bool, at now: Instant
  ) -> Bool {
    let progress = entry.progress
    let kind = entry.packed.kind
    guard progress.state != .done, progress.state != .expired else { return true }
    if progress.nagging != nil { return false }
    if progress.state == .fired {
      // It may have to say "leave" again until it is over, and then go on if it repeats.
      let isOver = progress.nextLook.map { $0 != .lookAtOnce && $0 <= now } ?? true
      return kind != .preemptive || isOver
    }
    guard zoneIsKnown || (progress.nextLook == nil && !entry.packed.hasDue) else { return false }
    guard progress.nextLook.map({ $0 > now }) ?? true else { return false }
    guard progress.occurrence != nil || !entry.packed.hasDue else { return false }
    switch (kind, progress.state) {
    case (.location, .armed), (.location, .snoozed):
      let listens = progress.state == .armed || progress.snoozedUntil == nil
      guard listens else { break }
      guard progress.presence != .inside, let place = entry.packed.place,
        let circle = Circle(center: place.position, radius: place.radius)
      else { return false }
      addFence(.circle(circle), index, progress.presence)
    case (.preemptive, .armed):
      guard let atPlace = progress.nextLook, let place = entry.packed.place,
        let transport = entry.packed.transport
      else { return false }
      // Of a travel time of its own nothing is known yet; it is in `nextLook` already, and so the
      // reminder is looked at sooner than it needs.
      let travel = odometer.here.map {
        leaves.pace(of: transport).seconds($0.distance(to: Direction(place.position)))
      }
      guard atPlace - TimeSpan(seconds: (travel ?? 0) + 1) > now else { return false }
      slots.set(.preemptive, true, index)
      leaves.append(
        LeaveEntry(
          slot: index, place: place.position, radius: place.radius, moment: atPlace),
        by: transport)
      return true
    default: break
    }
    if let next = progress.nextLook { timers.push(slot: index, at: next.microseconds) }
    return true
  }
}
