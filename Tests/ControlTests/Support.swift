import Control
import JSONText
import TestSupport

extension SeededGenerator {
  /// One to four changes: a byte put in, changed or taken out, the end cut off, a piece doubled.
  mutating func mutate(_ bytes: [UInt8], alphabet: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let byte = alphabet.randomElement(using: &self) ?? 0
      switch Int.random(in: 0..<9, using: &self) {
      case 0...2: bytes.insert(byte, at: place)
      case 3...5: if place < bytes.count { bytes[place] = byte }
      case 6: bytes.removeSubrange(place..<min(place + 4, bytes.count))
      case 7: bytes.insert(contentsOf: bytes[place..<min(place + 12, bytes.count)], at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }
}

/// An object written as JSON; what cannot be read is empty.
func object(_ text: String) -> JSONObject {
  (try? JSONParser.parse(text))?.object ?? JSONObject()
}

/// A message as it crosses the wire.
func wire(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

/// What was sent, a message each, and at the end the reason for hanging up.
func told<Peer>(_ actions: [VarlinkConnection<Peer>.Action]) -> [String] {
  actions.map { action in
    switch action {
    case .send(let bytes):
      bytes.last == 0 ? String(decoding: bytes.dropLast(), as: UTF8.self) : "no NUL"
    case .close(let reason): "closed: \(reason)"
    }
  }
}

/// A small service of its own, so that the protocol is tested apart from georemind's interface.
func toyService() throws -> VarlinkService {
  try VarlinkService(
    vendor: "v", product: "p", version: "1", url: "https://example.org",
    interfaces: [
      """
      interface org.example
      method Echo(text: string) -> (text: string)
      method Later() -> ()
      method Watch(limit: ?int) -> (count: int)
      """
    ], streaming: ["org.example.Watch"])
}
