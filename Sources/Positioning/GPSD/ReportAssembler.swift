import CivilTime
import Geodesy

/// Merges gpsd's reports: during one burst it sends several TPV for a device and time, and the last
/// one with a position is the fullest (gpsd_json(5)).
struct ReportAssembler: Sendable {
  private struct Slot: Sendable {
    var device: UInt64
    var fix: Fix
    /// Reports with a position so far.
    var shape: BurstShape
  }

  /// State of a device between its epochs.
  private struct Device: Sendable {
    var name: UInt64
    var cycle = CycleEnd()
    /// The time of the last released fix.
    var last: Instant?
    var lastPosition: Coordinate?
    /// Whether that fix was released with its learnt last report.
    var isEnded = false
  }

  /// One open fix per device, the oldest first.
  private var slots: [Slot] = []
  private var devices: [Device] = []
  private var lost: [UInt64] = []
  private var replaced = 0
  /// Maximum number of devices; more than these replace one another.
  private static let maximumDevices = 8

  var hasOpenEpoch: Bool { !slots.isEmpty }

  mutating func take(_ report: GpsdReport, _ context: inout FixContext, into fixes: inout [Fix]) {
    let time = report.time.map { context.corrected($0) }
    let index = slots.firstIndex { $0.device == report.device }
    let device = record(of: report.device)
    guard var fix = report.fix(at: time, after: devices[device].lastPosition) else {
      // The fix is lost: release the earlier one, unless this report has the same time.
      if let index, time == nil || slots[index].fix.time != time { close(index, &context, &fixes) }
      // After it finds the device again, gpsd reports the first epochs twice.
      if report.mode < 2 { devices[device].cycle.forget() }
      return
    }
    (fix.device, fix.carrier) = (report.device, report.carrier)
    devices[device].lastPosition = fix.position
    if let index {
      let open = slots[index].fix
      // Reports without a time are distinguished only by position.
      if open.time == time, time != nil || open.position == fix.position {
        slots[index].fix = fix
        slots[index].shape.append(.other)
        endCycle(index, device, &context, &fixes)
        return
      }
      close(index, &context, &fixes)
    } else if slots.count >= Self.maximumDevices {
      close(0, &context, &fixes)
    }
    if let time, devices[device].last == time {
      // The epoch was released at its learnt end or in a silence.
      if devices[device].isEnded { devices[device].cycle.unlearn() }
      context.statistics.lateSentences &+= 1
      return
    }
    slots.append(Slot(device: report.device, fix: fix, shape: BurstShape(length: 1)))
    endCycle(slots.count - 1, device, &context, &fixes)
  }

  mutating func closeAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    while !slots.isEmpty { close(0, &context, &fixes) }
  }

  /// Releases the open fix of a lost device.
  mutating func drop(_ name: UInt64, _ context: inout FixContext, into fixes: inout [Fix]) {
    if let index = slots.firstIndex(where: { $0.device == name }) { close(index, &context, &fixes) }
    devices.removeAll { $0.name == name }
    if !lost.contains(name), lost.count < Self.maximumDevices { lost.append(name) }
  }

  /// Releases the open fixes of all devices.
  mutating func dropAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    for device in devices { drop(device.name, &context, into: &fixes) }
  }

  mutating func takeLost() -> [UInt64] {
    guard !lost.isEmpty else { return [] }
    defer { lost.removeAll() }
    return lost
  }

  /// Forgets the learnt cycles: the next connection may be to another gpsd.
  mutating func forgetCycles() {
    for index in devices.indices { devices[index].cycle.forget() }
  }

  private mutating func close(_ index: Int, _ context: inout FixContext, _ fixes: inout [Fix]) {
    let slot = slots.remove(at: index)
    let device = record(of: slot.device)
    devices[device].isEnded = false
    // Without a time, a second report of one epoch could not be recognised.
    if slot.fix.time != nil, context.options.learnsCycleEnd {
      devices[device].cycle.learn(slot.shape)
    }
    context.give(slot.fix, after: &devices[device].last, into: &fixes)
  }

  /// Closes an open fix if its newest report is the learnt last one.
  private mutating func endCycle(
    _ index: Int, _ device: Int, _ context: inout FixContext, _ fixes: inout [Fix]
  ) {
    guard slots[index].fix.time != nil, devices[device].cycle.learned == slots[index].shape else {
      return
    }
    close(index, &context, &fixes)
    devices[device].isEnded = true
  }

  /// The index of a device in `devices`, where it may replace another one.
  private mutating func record(of name: UInt64) -> Int {
    if let index = devices.firstIndex(where: { $0.name == name }) { return index }
    guard devices.count >= Self.maximumDevices else {
      devices.append(Device(name: name))
      return devices.count - 1
    }
    replaced = (replaced + 1) % Self.maximumDevices
    devices[replaced] = Device(name: name)
    return replaced
  }
}
