import CivilTime
import Geodesy
import Glibc
import JSONText
import Positioning
import TestSupport
import Testing

/// A sentence with its checksum and line end.
func nmea(_ text: String, end: String = "\r\n") -> String {
  let sum = text.utf8.reduce(UInt8(0)) { $0 ^ $1 }
  let digits = String(sum, radix: 16, uppercase: true)
  return "$\(text)*\(digits.utf8.count < 2 ? "0" : "")\(digits)\(end)"
}

/// Sentences on lines of their own.
func nmea(_ texts: [String]) -> String { texts.map { nmea($0) }.joined() }

func decode(_ bytes: [UInt8], options: FixDecoder.Options = FixDecoder.Options()) -> [Fix] {
  var decoder = FixDecoder(options: options)
  return decoder.read(bytes) + decoder.end()
}

func decode(_ text: String, options: FixDecoder.Options = FixDecoder.Options()) -> [Fix] {
  decode(Array(text.utf8), options: options)
}

func decode(_ texts: [String], options: FixDecoder.Options = FixDecoder.Options()) -> [Fix] {
  decode(nmea(texts), options: options)
}

/// Decodes the bytes all at once, one by one, in small pieces, in those of a serial line and in
/// those of a file; the fixes are the same, and so is what was counted.
func expectSameFixes(
  of bytes: [UInt8], seed: UInt64, options: FixDecoder.Options = FixDecoder.Options(),
  location: SourceLocation = #_sourceLocation
) {
  var whole = FixDecoder(options: options)
  let fixes = whole.read(bytes) + whole.end()
  var random = SeededGenerator(seed: seed)
  // One by one takes long.
  for most in [1, 30, 4096] where most > 1 || bytes.count < 30_000 {
    var decoder = FixDecoder(options: options)
    var found: [Fix] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 1...most, using: &random))
      decoder.consume(bytes.span.extracting(start..<end), into: &found)
      start = end
    }
    decoder.finish(into: &found)
    #expect(found == fixes, "pieces of up to \(most), seed \(seed)", sourceLocation: location)
    let a = whole.statistics
    let b = decoder.statistics
    #expect(
      [
        a.sentences, a.wrongChecksums, a.missingChecksums, a.malformed, a.binaryBytes,
        a.lateSentences, a.unreadableTimes,
      ]
        == [
          b.sentences, b.wrongChecksums, b.missingChecksums, b.malformed, b.binaryBytes,
          b.lateSentences, b.unreadableTimes,
        ], sourceLocation: location)
  }
}

extension FixDecoder {
  mutating func read(_ bytes: [UInt8]) -> [Fix] {
    var fixes: [Fix] = []
    consume(bytes.span, into: &fixes)
    return fixes
  }

  mutating func read(_ text: String) -> [Fix] { read(Array(text.utf8)) }

  mutating func end() -> [Fix] {
    var fixes: [Fix] = []
    finish(into: &fixes)
    return fixes
  }

  mutating func silence() -> [Fix] {
    var fixes: [Fix] = []
    quiet(into: &fixes)
    return fixes
  }
}

extension Fix {
  /// The time as a report prints it.
  var isoTime: String? { tpv(device: nil)["time"]?.string }
}

/// A stream with some of everything: two talkers, TAG blocks, binary, gpsd reports, junk, a
/// midnight.
enum Fixture {
  static let mixed: [UInt8] = {
    var bytes: [UInt8] = Array("\u{FEFF}logger 1.0 started\r\n".utf8)
    for second in 0..<8 {
      let clock = second < 4 ? "23595\(second + 6).00" : "00000\(second - 4).00"
      let date = second < 4 ? "280224" : "290224"
      let position = "4722.20\(second)1,N,00832.41\(second)09,E"
      bytes += nmea("GNGGA,\(clock),\(position),1,09,0.9,400.5,M,47.0,M,,", end: "\n").utf8
      bytes += "\\s:GP0001,c:1709164796*3A\\".utf8
      bytes += nmea("GNGSA,A,3,01,02,03,06,11,14,17,19,22,,,,1.6,0.9,1.3", end: "\r\r\n").utf8
      bytes += [0xB5, 0x62, 0x24, 0x21, 0x00, 0x0A, 0x24, 0xD3, 0x7B]
      bytes += nmea("GPGSV,1,1,01,01,40,083,46").utf8
      bytes += "!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*23\r\n".utf8
      bytes += nmea("GNRMC,\(clock),A,\(position),25.15,83.25,\(date),,,A").utf8
      bytes += "$GNRMC,cut in the mid".utf8
      bytes += nmea("GNGST,\(clock),1.2,2.0,1.0,45.0,1.5,1.2,3.0").utf8
      bytes += nmea("GNVTG,83.25,T,,M,25.15,N,46.58,K,A", end: " tail\r\n").utf8
      bytes += #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-02-2"#.utf8
      bytes += #"8T12:00:0\#(second).250Z","lat":47.5,"lon":-8.25,"eph":6.5}"#.utf8
      bytes += "\r\n{\"class\":\"SKY\",\"satellites\":[{\"PRN\":1},{\"PRN\":2}]}\n".utf8
      bytes += "{\"class\":\"TPV\",\"mode\":3,\n".utf8
    }
    return bytes
  }()
}

func readFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}
