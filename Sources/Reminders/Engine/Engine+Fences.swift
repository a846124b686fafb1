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
    switch slot.progress.state {
    case .armed: return true
    case .snoozed: return slot.progress.snoozedUntil == nil
    case .fired, .done, .expired: return false
    }
  }

  /// Whether the presence at its place is followed: a snoozed reminder keeps its fence.
  func hasPresence(_ slot: Slot) -> Bool {
    slot.reminder.kind == .location
      && (slot.progress.state == .armed || slot.progress.state == .snoozed)
  }

  /// Adds the fence of a reminder whose presence is followed, or removes it.
  mutating func activate(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index) else { return }
    if slot.reminder.kind == .preemptive, slot.progress.state == .armed {
      slots.set(.preemptive, true, index)
    }
    guard hasPresence(slot) else { return deactivateFence(index) }
    guard !slot.hasFence else { return }
    slots.watch(index, since: now)
    if slot.reminder.watchesAnchor {
      startAnchorWatch(index, at: now)
    } else if let key = CategoryWatch.Key(slot.reminder) {
      join(index, key, at: now)
    } else if let region = slot.reminder.region {
      addFence(region, index, slot.progress.presence)
      if slot.progress.presence == .unknown { decidePresence(index, region, at: now) }
    }
  }

  /// The last known fix decides the presence of a new reminder. One of an earlier run is too old to
  /// show that the device is inside.
  private mutating func decidePresence(_ index: Int32, _ region: Region, at now: Instant) {
    guard let lastFix else { return }
    let isInside = monitor.distance(to: index, from: lastFix.position) <= 0
    if isInside, lastSample == nil || monitor.isInDoubt { return }
    slots.set(.undetermined, false, index)
    monitor.add(region, id: index, presence: isInside ? .inside : .outside)
    guard isInside else { return change(index) { $0.presence = .outside } }
    follow(
      Transition(
        fence: index, kind: .found, time: lastFix.time ?? now, position: lastFix.position,
        eph: lastFix.eph),
      of: index, place: nil, at: now)
  }

  mutating func addFence(_ region: Region, _ index: Int32, _ presence: Presence) {
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

  mutating func deactivate(_ index: Int32) {
    deactivateFence(index)
    forgetMoments(index)
    slots.set(.preemptive, false, index)
  }

  /// Nothing is planned for it.
  mutating func forgetMoments(_ index: Int32) {
    timers.cancel(slot: index)
    backlog.cancel(slot: index)
    held.remove(index)
    departures.remove(index)
  }

  private mutating func deactivateFence(_ index: Int32) {
    waiting.remove(index)
    slots.set(.waiting, false, index)
    slots.set(.undetermined, false, index)
    guard slots.marks(index).contains(.fence) else { return }
    slots.set(.fence, false, index)
    if anchors.removeValue(forKey: index) != nil {
      fenceCount -= 1
    } else if !leaveWatch(index) {
      monitor.remove(index)
      fenceCount -= 1
    }
  }
}
