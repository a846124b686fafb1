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
    #expect(statistics[.rmc] == 1 && statistics[.other] == 1 && statistics[.pgrmz] == 1)
    #expect(statistics.wrongChecksums == 1 && statistics.missingChecksums == 1)
    #expect(statistics.malformed == 1 && statistics.fixes == 1)
    #expect(statistics.lastError?.contains("JSON") == true)
  }
}
