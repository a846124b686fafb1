import CivilTime
import Geodesy

/// Merges gpsd's reports: it sends several TPV for one device and time while the sentences of a burst
/// come in, and the last with a position is the fullest (gpsd_json(5)).
struct ReportAssembler: Sendable {
  private struct Slot: Sendable {
    var device: UInt64
    var fix: Fix
    /// Reports with a position so far.
    var shape: BurstShape
  }

  /// What is known of a device between its epochs.
  private struct Device: Sendable {
    var name: UInt64
    var cycle = CycleEnd()
    /// The time of the last fix that was given out with its learnt last report.
    var ended: Instant?
  }

  /// One open fix for each device, the longest waiting first.
  private var slots: [Slot] = []
  /// Empty unless the options ask to learn.
  private var devices: [Device] = []
  private var replaced = 0
  /// Devices beyond this number take turns.
  private static let mostDevices = 8

  var hasOpenEpoch: Bool { !slots.isEmpty }

  mutating func take(
    _ report: GpsdReport, _ context: inout FixContext, into fixes: inout [Fix]
  ) {
    let time = report.time.map { Instant(microseconds: context.corrected($0) &* 1000) }
    let index = slots.firstIndex { $0.device == report.device }
    let device = context.options.learnsCycleEnd ? record(of: report.device) : nil
    guard let fix = report.fix(at: time) else {
      // No fix any more: what came before stands, unless this is about the same moment.
      if let index, time == nil || slots[index].fix.time != time { close(index, &context, &fixes) }
      // Having found it again, gpsd reports the first epochs twice.
      if let device, report.mode < 2 { devices[device].cycle.forget() }
      return
    }
    if let device, let time, devices[device].ended == time {
      devices[device].cycle.unlearn()
      return
    }
    if let index {
      let open = slots[index].fix
      // Reports without a time are told apart by their position alone.
      if open.time == time, time != nil || open.position == fix.position {
        slots[index].fix = fix
        slots[index].shape.append(.other)
        endCycle(index, device, &context, &fixes)
        return
      }
      close(index, &context, &fixes)
    } else if slots.count >= Self.mostDevices {
      close(0, &context, &fixes)
    }
    slots.append(Slot(device: report.device, fix: fix, shape: BurstShape(length: 1)))
    endCycle(slots.count - 1, device, &context, &fixes)
  }

  mutating func closeAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    while !slots.isEmpty { close(0, &context, &fixes) }
  }

  /// The next connection, perhaps to another gpsd, has to show its cycles again.
  mutating func forgetCycles() {
    for index in devices.indices { devices[index].cycle.forget() }
  }

  private mutating func close(_ index: Int, _ context: inout FixContext, _ fixes: inout [Fix]) {
    let slot = slots.remove(at: index)
    let fix = slot.fix
    // Without a time a second report of one epoch would not be known as such.
    if fix.time != nil, let index = devices.firstIndex(where: { $0.name == slot.device }) {
      devices[index].cycle.learn(slot.shape)
    }
    context.statistics.fixes &+= 1
    if fix.source.isEstimate { context.statistics.estimatedFixes &+= 1 }
    fixes.append(fix)
  }

  /// Closes an open fix if its newest report is the learnt last one.
  private mutating func endCycle(
    _ index: Int, _ device: Int?, _ context: inout FixContext, _ fixes: inout [Fix]
  ) {
    let slot = slots[index]
    guard let device, let time = slot.fix.time, devices[device].cycle.learned == slot.shape else {
      return
    }
    devices[device].ended = time
    close(index, &context, &fixes)
  }

  /// The index of a device in `devices`, where it is put in place of another if need be.
  private mutating func record(of name: UInt64) -> Int {
    if let index = devices.firstIndex(where: { $0.name == name }) { return index }
    guard devices.count >= Self.mostDevices else {
      devices.append(Device(name: name))
      return devices.count - 1
    }
    replaced = (replaced + 1) % Self.mostDevices
    devices[replaced] = Device(name: name)
    return replaced
  }
}
