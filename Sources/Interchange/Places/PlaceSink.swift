/// Something in a file that is not taken.
package struct Refusal: Hashable, Sendable {
  /// Counted from 1.
  package let line: Int
  package let reason: String
}

extension [Refusal] {
  mutating func add(_ line: Int, _ reason: String) {
    append(Refusal(line: line, reason: reason))
  }
}

/// Collects the places and refusals of the readers.
final class PlaceSink {
  /// Number of refusals listed one by one; the rest is counted.
  static let maximumRefusals = 100

  var report: PlaceFile.Report
  /// The error of `body`; it ends the reading.
  private(set) var bodyError: (any Error)?
  private let body: (PlaceEntry) throws -> Void

  init(_ format: PlaceFormat, _ body: @escaping (PlaceEntry) throws -> Void) {
    report = PlaceFile.Report(format: format)
    self.body = body
  }

  func take(_ place: PlaceEntry) throws(Fault) {
    var place = place
    if let fault = place.finish() { refuse(fault.reason, line: fault.line ?? 1) }
    if place.name.isEmpty { place.name = place.category ?? "Place" }
    report.taken += 1
    do {
      try body(place)
    } catch {
      bodyError = error
      throw Fault("the reading was given up")
    }
  }

  /// Leaves out what has a fault; an error of `body` ends the reading.
  func leaveOut(_ fault: Fault, line: Int) throws(Fault) {
    guard bodyError == nil else { throw fault }
    refuse(fault.reason, line: fault.line ?? line)
  }

  /// Reads one row of a file, and leaves it out where it has a fault.
  func attempt(
    _ row: () throws(Fault) -> Void, in file: String, line: Int
  ) throws(InterchangeError) {
    do throws(Fault) {
      do throws(Fault) { try row() } catch { try leaveOut(error, line: line) }
    } catch {
      throw error.error(in: file, at: line)
    }
  }

  func refuse(_ reason: String, line: Int) {
    report.refused += 1
    if report.refusals.count < Self.maximumRefusals { report.refusals.add(line, reason) }
  }
}
