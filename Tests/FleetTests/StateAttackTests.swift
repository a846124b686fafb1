import Bytes
import CivilTime
import Fleet
import Glibc
import JSONText
import Reminders
import TestSupport
import Testing

/// States that were damaged, or are of another version of the program.
@Suite struct StateAttackTests {
  /// Numbers that no engine writes.
  private static let hostile: [Double] = [
    .nan, .infinity, -.infinity, 1e300, -1e300, 9e18, -9.2e18, 1e9, -1, 0, 0.5, 255, 4e15,
  ]

  private func damaged(_ text: String, _ random: inout SeededGenerator) throws -> String {
    var state = try #require(try JSONParser.parse(text).object)
    let part = Bool.random(using: &random) ? "device" : "reminders"
    var bytes = try #require(Base64.decoded(state[part]?.string ?? ""))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
    case 1: bytes += [UInt8](repeating: 7, count: 8 * Int.random(in: 1...9, using: &random))
    case 2: state["layout"] = .int(Int.random(in: -1...3, using: &random))
    case 3: state[part] = [nil, .int(5), "no base64!", .null].randomElement(using: &random) ?? nil
    case 4: bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 64
    default:
      // Where the byte 255 is, a number follows.
      let marks = bytes.indices.filter { bytes[$0] == 255 && $0 + 8 < bytes.count }
      let place = (marks.randomElement(using: &random) ?? 0) + 1
      let bits = (Self.hostile.randomElement(using: &random) ?? 0).bitPattern
      for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: bits >> (8 * byte)) }
    }
    if case .string = state[part] { state[part] = .string(Base64.encoded(bytes)) }
    return JSONValue.object(state).line
  }

  /// `GEOREMIND_LONG_TESTS=1` damages 2 400 states.
  private static let seeds = 1...(getenv("GEOREMIND_LONG_TESTS") == nil ? 2 as UInt64 : 40)

  /// Nothing traps, and a new reminder still fires.
  @Test(arguments: seeds)
  func aDamagedStateCostsNothingElse(seed: UInt64) throws {
    let log = SimulatedLog.messages(devices: 2, seconds: 500, seed: seed, isHard: true)
    let places = SimulatedLog.places(devices: 2, seed: seed)
    var random = SeededGenerator(seed: seed)
    var store = MemoryStore()
    let owner = Partition(0)
    owner.places = places
    for message in log[..<(log.count / 2)] { owner.take(message) }
    try store.commit(owner)
    for _ in 0..<(Self.seeds.count > 2 ? 60 : 20) {
      var copy = store
      let state = try #require(copy.devices["dev0"]?.state)
      copy.devices["dev0"]?.state = try damaged(state, &random)
      let next = try copy.partition()
      next.places = places
      let due = SimulatedLog.start + .seconds(600)
      let tea = #"{"add":{"id":"tea","title":"Tea","due":"\#(due.json)"}}"#
      let last = UInt64(log.count)
      let end = [
        LogMessage(
          sequence: last + 1, time: due - .seconds(60), device: "dev0", payload: Array(tea.utf8)),
        LogMessage(sequence: last + 2, time: due + .seconds(60), device: nil, payload: []),
      ]
      for message in log[(log.count / 2)...] + end { next.take(message) }
      try copy.commit(next)
      let fired = copy.devices["dev0"]?.firings.map { $0["reminder_id"]?.string }
      #expect(fired?.contains("tea") == true)
    }
  }
}
