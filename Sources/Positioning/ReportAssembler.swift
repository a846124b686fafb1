import CivilTime
import Geodesy

/// Merges gpsd's reports: it sends several TPV for one device and time while the sentences of a burst
/// come in, and the last with a position is the fullest (gpsd_json(5)).
struct ReportAssembler: Sendable {
  private struct Slot: Sendable {
    var device: UInt64
    var fix: Fix
  }

  /// One open fix for each device, the longest waiting first.
  private var slots: [Slot] = []
  /// Devices beyond this number take turns.
  private static let mostDevices = 8

  var hasOpenEpoch: Bool { !slots.isEmpty }

  mutating func take(
    _ report: GpsdReport, _ context: inout FixContext, into fixes: inout [Fix]
  ) {
    let time = report.time.map { Instant(microseconds: context.corrected($0) &* 1000) }
    let index = slots.firstIndex { $0.device == report.device }
    guard let fix = report.fix(at: time) else {
      // No fix any more: what came before stands, unless this is about the same moment.
      if let index, time == nil || slots[index].fix.time != time { close(index, &context, &fixes) }
      return
    }
    if let index {
      let open = slots[index].fix
      // Reports without a time are told apart by their position alone.
      if open.time == time, time != nil || open.position == fix.position {
        slots[index].fix = fix
        return
      }
      close(index, &context, &fixes)
    } else if slots.count >= Self.mostDevices {
      close(0, &context, &fixes)
    }
    slots.append(Slot(device: report.device, fix: fix))
  }

  mutating func closeAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    while !slots.isEmpty { close(0, &context, &fixes) }
  }

  private mutating func close(_ index: Int, _ context: inout FixContext, _ fixes: inout [Fix]) {
    let fix = slots.remove(at: index).fix
    context.statistics.fixes &+= 1
    if fix.source.isEstimate { context.statistics.estimatedFixes &+= 1 }
    fixes.append(fix)
  }
}
