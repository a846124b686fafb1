/// The receivers of one stream, by their talkers: a multiplexer joins the positions of a plotter
/// with the positions of an AIS unit or an instrument. A talker speaks for itself alone.
///
/// The talkers of satellite systems are one receiver: many change theirs with the satellites in
/// use, and share an epoch among several. A sentence without a position goes to the receiver of its
/// talker, or, where that gives no positions, to the receiver that gave the last one.
struct TalkerTable: Sendable {
  private struct Receiver: Sendable {
    let talker: UInt16
    var assembler: EpochAssembler

    init(_ talker: UInt16) {
      self.talker = talker
      assembler = EpochAssembler(device: UInt64(talker))
    }

    var hasPosition: Bool { assembler.previousPosition != nil }
  }

  /// One random sentence of 256 has a right checksum: further talkers are ignored, until one of
  /// these has no position.
  private static let maximumReceivers = 8
  /// Stands for all talkers of satellite systems.
  private static let satellites: UInt16 = 0

  private var receivers = [Receiver(satellites)]
  private var active = 0
  /// The receiver that gave the last position.
  private var main = 0
  /// The receiver of the talker, and the source of the sentence's TAG block.
  private(set) var voice: UInt64 = 0
  /// Whether the sentence went to a receiver with another talker.
  private(set) var isForeign = false

  /// The receiver of the sentence.
  var assembler: EpochAssembler {
    _read { yield receivers[active].assembler }
    _modify { yield &receivers[active].assembler }
  }

  var hasOpenEpoch: Bool { receivers.contains { $0.assembler.hasOpenEpoch } }

  /// Talkers that have said no more than that they have no position, such as `AI`.
  var namesWithoutPosition: [String] {
    receivers.lazy.filter { $0.talker != Self.satellites && !$0.hasPosition }
      .compactMap { Self.name(of: UInt64($0.talker)) }.sorted()
  }

  mutating func forEach(_ body: (inout EpochAssembler) -> Void) {
    for index in receivers.indices { body(&receivers[index].assembler) }
  }

  /// Chooses the receiver of a sentence; false where there is none.
  /// - Parameter source: of its TAG block; 0 without one.
  /// - Complexity: O(n) in the receivers, at most eight.
  mutating func select(_ text: Span<UInt8>, _ type: SentenceType, _ source: UInt64) -> Bool {
    let talker = UInt16(text[0]) &<< 8 | UInt16(text[1])
    let own = Self.isOfSatellites(talker) ? Self.satellites : talker
    voice = source &<< 16 | UInt64(own)
    isForeign = false
    if receivers[active].talker == own, type.givesPosition || receivers[active].hasPosition {
      return true
    }
    // A maker's own sentences are of the device that writes the others.
    if type.spec.isProprietary {
      active = main
      return true
    }
    let index = receivers.firstIndex { $0.talker == own }
    if type.givesPosition || !receivers[main].hasPosition {
      guard let place = index ?? add(own) else { return false }
      active = place
    } else if let index, receivers[index].hasPosition {
      active = index
    } else {
      active = main
      isForeign = receivers[main].talker != own
    }
    return true
  }

  /// The sentence has given a position.
  mutating func gavePosition() { main = active }

  private mutating func add(_ talker: UInt16) -> Int? {
    if receivers.count < Self.maximumReceivers {
      receivers.append(Receiver(talker))
      return receivers.count - 1
    }
    guard let place = receivers.indices.dropFirst().first(where: { !receivers[$0].hasPosition })
    else { return nil }
    receivers[place] = Receiver(talker)
    return place
  }

  /// GPS, several systems, GLONASS, Galileo, BeiDou, QZSS and NavIC (NMEA 0183, version 4.11).
  private static func isOfSatellites(_ talker: UInt16) -> Bool {
    let second = UInt8(truncatingIfNeeded: talker)
    switch UInt8(truncatingIfNeeded: talker &>> 8) {
    case UInt8(ascii: "G"):
      switch second {
      case UInt8(ascii: "P"), UInt8(ascii: "N"), UInt8(ascii: "L"), UInt8(ascii: "A"),
        UInt8(ascii: "B"), UInt8(ascii: "Q"), UInt8(ascii: "I"):
        return true
      default: return false
      }
    case UInt8(ascii: "B"): return second == UInt8(ascii: "D")
    case UInt8(ascii: "Q"): return second == UInt8(ascii: "Z")
    case UInt8(ascii: "P"): return second == UInt8(ascii: "Q")
    default: return false
    }
  }

  /// The two letters of a talker whose fixes have this device; nil for other devices.
  static func name(of device: UInt64) -> String? {
    guard let talker = UInt16(exactly: device), talker != satellites else { return nil }
    return String(decoding: [UInt8(talker >> 8), UInt8(truncatingIfNeeded: talker)], as: UTF8.self)
  }
}

extension Fix {
  /// The talker of the receiver, such as `AI`; nil for a receiver of satellites and a gpsd device.
  package var talker: String? { TalkerTable.name(of: device) }
}

extension FixOrigin {
  /// As `Fix.talker`.
  package var talker: String? { TalkerTable.name(of: device) }
}
