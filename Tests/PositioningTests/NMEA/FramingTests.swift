import Geodesy
import Positioning
import Testing

/// What may stand around sentences, and what becomes of it.
struct FramingTests {
  static let text = "GPRMC,120000,A,4807.038,N,01131.000,E,10.0,90.0,010224,,,A"
  static let sentence = nmea(text, end: "")

  @Test(arguments: [
    "\r\n", "\n", "\r", "\r\r\n", " \r\n", ",1699400577561\r\n", " junk $\n", "", "\0", "\u{FFFD}",
  ])
  func anyEndWillDo(_ end: String) { #expect(decode(Self.sentence + end).count == 1) }

  @Test(arguments: [
    "\u{FEFF}", "\\s:GP0001,c:1241544035,n:12*00\\", "UdPbC\0\\s:x*00\\", "$SDVLW,$SDVLW,,N,$GPRM",
    "$GPGGA,1200", "!AIVDM,1,1,,A,13u?", "{", "{\"class\":", "{}$", "*", "*4", "$*", "$GP*4",
    "$GPX*G1",
    "**** program startup ****\r\n", "# comment\n", "2021-01-01 12:00:00.123 ", "$\u{1}",
  ])
  func anythingMayStandBefore(_ start: String) {
    #expect(decode(start + Self.sentence + "\r\n").count == 1)
  }

  @Test func binaryBytesMayStandBefore() {
    for byte in UInt8.min...UInt8.max {
      #expect(decode([byte] + Array(Self.sentence.utf8)).count == 1)
      #expect(decode([0x24, 0x47, byte] + Array(Self.sentence.utf8)).count == 1)
    }
  }

  @Test func everyWrongByteIsFound() {
    let bytes = Array(Self.sentence.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        // The case of a checksum digit is free.
        if index >= bytes.count - 2, bit == 5, bytes[index] >= 0x41 { continue }
        #expect(decode(damaged).isEmpty, "byte \(index) bit \(bit)")
      }
    }
  }

  @Test func checksumsInLowerCase() {
    let text = "GPGLL,4807.038,N,01131.000,E,120000,A,A,"
    for filler in 0..<64 {
      let line = nmea(text + String(filler), end: "")
      #expect(decode(line.dropLast(2) + line.suffix(2).lowercased()).count == 1)
    }
  }

  @Test func aMissingChecksumIsTakenByOptionAlone() {
    var options = FixDecoder.Options()
    #expect(decode("$\(Self.text)\r\n").isEmpty)
    options.acceptsMissingChecksum = true
    #expect(decode("$\(Self.text)\r\n", options: options).count == 1)
    #expect(decode("$\(Self.text)", options: options).isEmpty)
    #expect(decode(nmea(Self.text).replacing("*", with: "*F"), options: options).isEmpty)
    var decoder = FixDecoder(options: options)
    _ = decoder.read("$\(Self.text)")
    var fixes: [Fix] = []
    decoder.endOfDatagram(into: &fixes)
    #expect(decoder.silence().count == 1)
  }

  @Test func datagramsAreNotJoined() {
    var decoder = FixDecoder()
    var fixes = decoder.read(String(Self.sentence.prefix(20)))
    decoder.endOfDatagram(into: &fixes)
    fixes += decoder.read(String(Self.sentence.dropFirst(20)))
    decoder.endOfDatagram(into: &fixes)
    #expect(fixes.isEmpty && decoder.silence().isEmpty)
    _ = decoder.read(Self.sentence)
    decoder.endOfDatagram(into: &fixes)
    #expect(decoder.silence().count == 1)
  }

  @Test func overlongLinesAreBoundedAndCounted() {
    var decoder = FixDecoder()
    let endless = [UInt8](repeating: UInt8(ascii: "A"), count: 100_000)
    _ = decoder.read("$" + String(decoding: endless, as: UTF8.self))
    #expect(decoder.statistics.overlongLines == 1)
    _ = decoder.read("\n{" + String(decoding: endless, as: UTF8.self))
    #expect(decoder.statistics.overlongLines == 2)
    _ = decoder.read("\r\n" + Self.sentence)
    #expect(decoder.end().count == 1)
  }

  @Test func statisticsCount() {
    var decoder = FixDecoder()
    let bytes = nmea([Self.text, "GPGSV,1,1,00"]) + "$GPGSV,1*00\n$GPGSV\n{]\n" + nmea("PGRMZ,1,f")
    _ = decoder.read(bytes) + decoder.end()
    let statistics = decoder.statistics
    #expect(statistics.bytes == bytes.utf8.count && statistics.sentences == 3)
    #expect(
      statistics.count(of: "rmc") == 1 && statistics.count(of: "gsv") == 1
        && statistics.count(of: "pgrmz") == 1)
    #expect(statistics.wrongChecksums == 1 && statistics.missingChecksums == 1)
    #expect(statistics.malformed == 1 && statistics.fixes == 1)
    #expect(statistics.lastError?.contains("JSON") == true)
  }

  @Test func sentencesAreCountedByName() {
    var decoder = FixDecoder()
    _ = decoder.read(
      nmea([
        "GPTXT,1", "GNGSV,1", "PQGSV,1", "PUBX,00", "PUBX,04", "IIMWV,1", "GPMWV,1", "X", "gpRMC,1",
        "GPTXT,", Self.text,
      ]) + "!\(nmea("AIVDM,1").dropFirst())")
    let found = decoder.statistics.sentencesByName.map { "\($0.name)=\($0.count)" }
    #expect(found == ["gsv=2", "mwv=2", "pubx=2", "rmc=1", "txt=2", "vdm=1", "other=2"])
    #expect(decoder.statistics[.other] == 9 && decoder.statistics.count(of: "gsv") == 2)
  }

  /// A stream that makes up names costs no memory, and nothing is left uncounted.
  @Test func namesAreBounded() {
    var decoder = FixDecoder()
    var count = 0
    for first in "ABCDEFGHIJ".unicodeScalars {
      for second in "ABCDEFGHIJKLMNOPQRST".unicodeScalars {
        for _ in 0..<3 { _ = decoder.read(nmea("XX\(first)\(second)X,1")) }
        count += 3
      }
    }
    let names = decoder.statistics.sentencesByName
    #expect(names.count <= 65 && names.count > 32 && names.last?.name == "other")
    #expect(names.reduce(0) { $0 + $1.count } == count)
  }

  /// Bytes that are no text count, wherever they stand between the sentences and however they come.
  @Test(arguments: [1, 3, 1000])
  func binaryBytesAreCounted(piece: Int) {
    let ubx: [UInt8] = [
      0xB5, 0x62, 0x01, 0x07, 0x24, 0x00, 0x0A, 0xFF, 0x7B, 0x80, 0x41, 0x42, 0x43,
    ]
    var bytes: [UInt8] = Array("# a comment\tof the logger\r\n".utf8)
    for _ in 0..<20 { bytes += ubx + Array((Self.sentence + "\r\n$GPGGA,cut\r\n").utf8) }
    bytes += ubx
    var decoder = FixDecoder()
    for start in stride(from: 0, to: bytes.count, by: piece) {
      _ = decoder.read(Array(bytes[start..<min(bytes.count, start + piece)]))
    }
    _ = decoder.end()
    let odd = ubx.count { $0 >= 0x80 || $0 < 0x20 && $0 != 0x0A }
    #expect(decoder.statistics.binaryBytes == 21 * odd)
    #expect(decoder.statistics.sentences == 20)
  }

  /// In one piece or in many, an error is said to be at its first byte.
  @Test(arguments: [1, 7, 1000])
  func errorsAreAtTheirPlace(piece: Int) {
    let start = nmea(Self.text) + "junk\r\n"
    let faults = [
      "$GPRMC,1*00\r\n", "$GPRMC,1\r\n", "{\"class\":\r\n", nmea("GPRMC,120001,A,91,N,1,E,,,,"),
      "$" + String(repeating: "A", count: 1100) + "\r\n",
    ]
    for fault in faults {
      let bytes = Array((start + fault + "more\r\n").utf8)
      var decoder = FixDecoder()
      for place in stride(from: 0, to: bytes.count, by: piece) {
        _ = decoder.read(Array(bytes[place..<min(bytes.count, place + piece)]))
      }
      let error = decoder.statistics.lastError
      #expect(error?.contains(" at byte \(start.utf8.count) ") == true, "\(error ?? "none")")
    }
  }

  @Test func lateAndRepeatedEpochsAreCounted() {
    var decoder = FixDecoder()
    let other = Self.text.replacing("120000", with: "115950")
    _ = decoder.read(nmea(Self.text)) + decoder.silence()
    _ = decoder.read(nmea(Self.text)) + decoder.silence()
    #expect(decoder.statistics.lateSentences == 1 && decoder.statistics.outOfOrderFixes == 0)
    #expect((decoder.read(nmea(other)) + decoder.silence()).count == 1)
    #expect(decoder.statistics.outOfOrderFixes == 1 && decoder.statistics.fixes == 2)
  }
}
