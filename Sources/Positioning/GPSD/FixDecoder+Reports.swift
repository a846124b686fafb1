/// Decoding of gpsd's objects (gpsd_json(5)).
///
/// The protocol version and unknown classes and members are ignored: the members of a fix are the
/// same since protocol 3.
extension FixDecoder {
  /// Reads a line that begins with `{`; false if it is not JSON.
  mutating func readJSON(_ line: Span<UInt8>, into fixes: inout [Fix]) -> Bool {
    guard let report = GpsdReport(line) else {
      context.statistics.note(.invalidJSON)
      return false
    }
    context.statistics.jsonLines &+= 1
    switch report.kind {
    case .tpv: reports.take(report, &context, into: &fixes)
    case .version: context.statistics.gpsdRelease = Self.text(report.text, limit: 40)
    case .device where report.isDeactivated:
      reports.drop(report.device, &context, into: &fixes)
      context.statistics.lostDevice = Self.text(report.text, limit: 200)
      context.statistics.note(.deviceLost)
    case .devices where report.hasNoDevices:
      reports.dropAll(&context, into: &fixes)
      context.statistics.lostDevice = nil
      context.statistics.note(.deviceLost)
    case .error:
      context.statistics.gpsdMessage = Self.text(report.text, limit: 200)
      context.statistics.note(.gpsdError)
    case .device, .devices, .other: break
    }
    return true
  }

  /// The devices that gpsd has lost since the last call, as in `Fix.device`.
  package mutating func takeLostDevices() -> [UInt64] { reports.takeLost() }

  /// The first `limit` bytes of a text; nil where it is empty.
  private static func text(_ text: String?, limit: Int) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return String(decoding: text.utf8.prefix(limit), as: UTF8.self)
  }
}
