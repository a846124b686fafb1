import CivilTime
import Containers
import Departure
import Geofencing
import Positioning

/// The fences of the reminders whose presence is followed.
extension Engine {
  /// Whether position can fire the reminder.
  func listens(_ slot: Slot) -> Bool {
    guard slot.reminder.kind == .location else { return false }
    let isAwaited = slot.history.silence == .nextVisit || slot.history.silence == .untilLeave
    return slot.state == .armed || isAwaited && slot.state == .snoozed
  }

  /// Adds the fence of a reminder whose presence is followed.
  mutating func addFence(of slot: Slot, at now: Instant) {
    let index = slot.index
    slots.watch(index, since: now)
    if slot.reminder.trigger == .silent {
      watchSilence(index, at: now)
    } else if slot.reminder.isAboutSeveral {
      watchMembers(index, at: now)
    } else if slot.reminder.watchesAnchor {
      startAnchorWatch(index, at: now)
    } else if let key = CategoryWatch.Key(slot.reminder) {
      join(index, key, at: now)
    } else if let region = slot.reminder.region {
      addFence(region, index, slot.history.stay.presence)
      if slot.history.stay == .unknown { decidePresence(index, region, at: now) }
    }
  }

  /// The last known fix decides the presence of a new reminder. A fix of an earlier run is too old
  /// to show that the device is inside. A reminder that fires for being inside waits for a fix.
  private mutating func decidePresence(_ index: Int32, _ region: Region, at now: Instant) {
    guard let lastFix else { return }
    let place = monitor.estimate?.position ?? lastFix.position
    let isInside = monitor.fences.distance(to: index, from: place) <= 0
    if isInside, reception.sample == nil || monitor.isInDoubt { return }
    if isInside, slots.slot(index)?.reminder.firesIfInside == true {
      let seen = monitor.assessment(of: index, in: monitor.fences)
      guard seen?.hasArrived == true, !lacksPosition(at: now) else { return }
    }
    slots.set(.undetermined, false, index)
    monitor.add(region, id: index, presence: isInside ? .inside : .outside)
    guard isInside else { return change(index) { $0.stay = .outside(since: nil) } }
    // The last fix may be older than this knowledge.
    if !lacksPosition(at: now) { notePresence(index, since: now) }
    follow(
      Transition(
        fence: index, kind: .found, time: lastFix.time ?? now, position: lastFix.position,
        eph: lastFix.eph),
      of: index, place: nil, at: now)
  }

  private mutating func addFence(_ region: Region, _ index: Int32, _ presence: Presence) {
    monitor.add(region, id: index, presence: presence)
    if presence == .unknown {
      if undetermined.count > 2 * slots.indices.count {
        undetermined.removeAll { !slots.marks($0).contains(.undetermined) }
      }
      undetermined.append(index)
      slots.set(.undetermined, true, index)
    }
    slots.set(.fence, true, index)
    fenceCount += 1
  }

  /// Nothing is planned for it.
  mutating func forgetMoments(_ index: Int32) {
    timers.cancel(slot: index)
    backlog.cancel(slot: index)
    if let owner = slots.slot(index)?.reminder.owner { shares[owner]?.waiting.cancel(slot: index) }
    held.remove(index)
    departures.remove(index)
    slots.set(.preemptive, false, index)
  }

  /// Removes the fence. The device may come or leave from now on, and nobody knows.
  mutating func removeFence(_ index: Int32) {
    waiting.remove(index)
    slots.set(.waiting, false, index)
    slots.set(.undetermined, false, index)
    guard slots.marks(index).contains(.fence) else { return }
    slots.set(.fence, false, index)
    if slots.slot(index).map({ $0.reminder.trigger == .silent }) ?? false {
      silences.remove(index)
    } else if slots.slot(index)?.reminder.isAboutSeveral ?? false {
      // Its trackers' engines have the fences.
    } else if anchors.removeValue(forKey: index) != nil {
      fenceCount -= 1
    } else if !leaveWatch(index) {
      monitor.remove(index)
      fenceCount -= 1
    }
    change(index) { $0.stay = .unknown }
  }
}

extension Stay {
  var presence: Presence {
    switch self {
    case .unknown: .unknown
    case .outside: .outside
    case .inside: .inside
    }
  }
}
