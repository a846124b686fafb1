import JSONText
import TestSupport
import Testing

@Suite struct JSONFuzzTests {
  private static let seeds = [
    #"{"id":"r1","kind":"location","place":{"lat":52.52,"lon":-13.405e0},"lead_s":[900,0]}"#,
    #"[null,true,false,0,-1.5E+10,"\u00e9\ud83d\ude00\n","é😀",{},[[]]]"#,
  ]

  /// Whatever the bytes, the parser answers; what it takes it prints and reads again as the same.
  @Test(arguments: 0..<8) func neverTraps(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let alphabet = Array("{}[]:,\"\\u0dD89eE+-. tfn\u{0}\u{1F}é".utf8) + [0xFF, 0xED, 0xA0]
    for _ in 0..<1_500 {
      var bytes = Array(Self.seeds[seed % Self.seeds.count].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let byte = alphabet.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.insert(byte, at: place)
        case 1: if place < bytes.count { bytes[place] = byte }
        case 2: bytes.removeSubrange(place..<min(place + 3, bytes.count))
        default: bytes.removeSubrange(place...)
        }
      }
      do {
        let value = try JSONParser.parse(bytes)
        #expect((try? JSONParser.parse(value.line)) == value)
      } catch {
        #expect(error.offset <= bytes.count && error.line >= 1 && error.column >= 1)
      }
    }
  }

  @Test(arguments: 0..<4) func whateverIsBuiltComesBack(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 100)
    for _ in 0..<300 {
      let value = Self.value(depth: 0, &generator)
      #expect(try JSONParser.parse(value.line) == value)
    }
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let unit = UInt32.random(in: 0...0x10FFFF, using: &generator)
      let small = UInt32.random(in: 0...0x7F, using: &generator)
      let scalar = Unicode.Scalar(Bool.random(using: &generator) ? small : unit)
      text.unicodeScalars.append(scalar ?? "\"")
    }
    return text
  }

  private static func value(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth < 5 ? 7 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .int(Int(truncatingIfNeeded: generator.next()))
    case 3: return .double(Double.random(in: -1e6...1e6, using: &generator)) ?? .null
    case 4: return .string(text(&generator))
    case 5:
      return .array(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          value(depth: depth + 1, &generator)
        })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        object[text(&generator)] = value(depth: depth + 1, &generator)
      }
      return .object(object)
    }
  }
}
