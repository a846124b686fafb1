import CivilTime
import Geodesy

/// Merges gpsd's reports: it sends several TPV for one device and time while the sentences of a
/// burst come in, and the last with a position is the fullest (gpsd_json(5)).
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
    /// The time of the last fix that was given out.
    var last: Instant?
    /// That fix was given out with its learnt last report.
    var isEnded = false
  }

  /// One open fix for each device, the longest waiting first.
  private var slots: [Slot] = []
  private var devices: [Device] = []
  private var lost: [UInt64] = []
  private var replaced = 0
  /// Devices beyond this number take turns.
  private static let maximumDevices = 8

  var hasOpenEpoch: Bool { !slots.isEmpty }

  mutating func take(
    _ report: GpsdReport, _ context: inout FixContext, into fixes: inout [Fix]
  ) {
    let time = report.time.map { Instant(microseconds: context.corrected($0) &* 1000) }
    let index = slots.firstIndex { $0.device == report.device }
    let device = record(of: report.device)
    guard var fix = report.fix(at: time) else {
      // No fix any more: what came before stands, unless this is about the same moment.
      if let index, time == nil || slots[index].fix.time != time { close(index, &context, &fixes) }
      // Having found it again, gpsd reports the first epochs twice.
      if report.mode < 2 { devices[device].cycle.forget() }
      return
    }
    fix.device = report.device
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
    } else if slots.count >= Self.maximumDevices {
      close(0, &context, &fixes)
    }
    if let time, devices[device].last == time {
      // The epoch was given out, at its learnt end or in a silence.
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

  /// gpsd has lost the device: gives out what it said last.
  mutating func drop(_ name: UInt64, _ context: inout FixContext, into fixes: inout [Fix]) {
    if let index = slots.firstIndex(where: { $0.device == name }) { close(index, &context, &fixes) }
    devices.removeAll { $0.name == name }
    if !lost.contains(name), lost.count < Self.maximumDevices { lost.append(name) }
  }

  /// gpsd has lost all devices.
  mutating func dropAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    for device in devices { drop(device.name, &context, into: &fixes) }
  }

  mutating func takeLost() -> [UInt64] {
    guard !lost.isEmpty else { return [] }
    defer { lost.removeAll() }
    return lost
  }

  /// The next connection, perhaps to another gpsd, has to show its cycles again.
  mutating func forgetCycles() {
    for index in devices.indices { devices[index].cycle.forget() }
  }

  private mutating func close(_ index: Int, _ context: inout FixContext, _ fixes: inout [Fix]) {
    let slot = slots.remove(at: index)
    let device = record(of: slot.device)
    devices[device].isEnded = false
    // Without a time a second report of one epoch would not be known as such.
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

  /// The index of a device in `devices`, where it is put in place of another if need be.
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
