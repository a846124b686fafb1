import Companion
import Control
import Interchange
import JSONText

/// Sends places in batches, one while the daemon handles the last. `finish` makes them visible.
final class PlaceUpload {
  /// Bytes of one call: others wait for the daemon meanwhile.
  private static let batchSize = VarlinkFramer.defaultLimit / 8
  private static let largestPlace = VarlinkFramer.defaultLimit * 3 / 4

  private let daemon: DaemonConnection
  private let identifier: Int
  private var batch: [JSONValue] = []
  private var size = 0
  private var isPending = false
  /// New places and places known before, by the answered calls.
  private(set) var added = 0
  private(set) var known = 0
  /// Known places that the file has elsewhere.
  private(set) var moved = 0

  init(_ daemon: DaemonConnection) throws {
    self.daemon = daemon
    identifier = try daemon.call("BeginPlaceImport")["import"]?.int ?? 0
  }

  func add(_ place: PlaceEntry) throws {
    var object = PlaceWriter.object(place)
    object["uid"] = place.uid.map { .string($0) }
    let value = JSONValue.object(object)
    // Only a shape can be long; else this is about what it takes.
    let length =
      place.shape == nil
      ? 160 + place.name.utf8.count + (place.notes?.utf8.count ?? 0) : value.line.utf8.count
    guard length <= Self.largestPlace else {
      throw Failure(.badData, "the shape of \"\(place.name)\" has too many corners; simplify it")
    }
    if size + length > Self.batchSize { try send() }
    batch.append(value)
    size += length
  }

  private func send() throws {
    guard !batch.isEmpty else { return }
    try awaitAnswer()
    try daemon.begin("ImportPlaces", ["import": .int(identifier), "places": .array(batch)])
    isPending = true
    batch.removeAll(keepingCapacity: true)
    size = 0
  }

  private func awaitAnswer() throws {
    guard isPending else { return }
    isPending = false
    let answer = try daemon.answer()
    added += answer["added"]?.int ?? 0
    known += answer["known"]?.int ?? 0
    moved += answer["moved"]?.int ?? 0
  }

  /// Sends the remaining places and waits for all answers.
  func flush() throws {
    try send()
    try awaitAnswer()
  }

  /// Makes the places known.
  func finish() throws {
    try flush()
    _ = try daemon.call("FinishPlaceImport", ["import": .int(identifier)])
  }

  /// Asks the daemon to drop the places, if it can be reached.
  func abandon() {
    try? awaitAnswer()
    _ = try? daemon.call("AbandonPlaceImport", ["import": .int(identifier)])
  }
}
