import CivilTime
import TestSupport
import Testing

@testable import Client

/// What `decode` says of recordings that are not what they should be.
@Suite struct DecodeTests {
  private func sentence(_ text: String, start: String = "$") -> String {
    let sum = String(text.utf8.reduce(UInt8(0)) { $0 ^ $1 }, radix: 16, uppercase: true)
    return "\(start)\(text)*\(sum.utf8.count < 2 ? "0" : "")\(sum)\r\n"
  }

  private func decode(_ text: String) throws -> (lines: [String], notes: String, status: Int32) {
    let folder = try TemporaryFolder()
    let run = Run(["decode", try folder.file("in.nmea", text)])
    return (run.lines, run.notes, run.status)
  }

  @Test func positionsThatAreNotReadAreNamed() throws {
    let own = sentence("AIVDO,1,1,,,B3uP3P@0009wKo5Jw2j03wS7kP06,0", start: "!")
    let maker = sentence("PUBX,00,100000.00,5419.2000,N,01009.0000,E,50.5,G3,2.1,2.0")
    for (text, words) in [
      (own, "!AIVDO cannot be read"), (maker, "$PUBX cannot be read"),
      (own + maker, "$PUBX and !AIVDO cannot be read"),
      (sentence("IIDBT,10.1,f,3.1,M,1.7,F"), "no sentence is RMC, GGA, GNS or GLL"),
      (sentence("GPRMC,100000.00,V,,,,,,,140926,,,N"), "the receiver had no position"),
    ] {
      let run = try decode(text)
      #expect(run.lines.isEmpty && run.status == 0 && run.notes.contains(words), "\(run.notes)")
    }
  }

  @Test func positionsWithoutATimeArePrintedAndCounted() throws {
    let run = try decode(
      sentence("GPRMC,,A,5419.2062,N,01009.5374,E,20.0,273.2,01014294967283,5.5,W,S")
        + sentence("GPGGA,1789380001.279,5419.2000,N,01009.0000,E,1,12,0089,0231,M,0047,M,0,0000"))
    #expect(run.lines.count == 1 && !run.lines[0].contains(#""time""#))
    #expect(run.notes.contains("1 position has no time, or none that can be read"))
    #expect(!run.notes.contains("had no position"))
  }

  @Test func oneReceiverOfALineIsFollowed() throws {
    let text = (0..<60).map { second in
      let clock = 100_000 + second
      let date = "0.0,,140926,,,A"
      return sentence("GPRMC,\(clock).00,A,5419.2000,N,01009.0000,E,\(date)")
        + sentence("AIRMC,\(clock).30,A,5419.2000,N,01009.0555,E,\(date)")
    }.joined()
    let run = try decode(text)
    #expect(run.lines.count == 60 && run.lines.allSatisfy { $0.contains(#""lon":10.15"#) })
    #expect(run.notes.contains("60 fixes of AI left out: another receiver on the line is followed"))
  }

  @Test func sentencesWithoutAChecksumAreNamed() throws {
    let run = try decode("$GPRMC,100000.00,A,5419.2000,N,01009.0000,E,0.1,,140926,,,A\r\n")
    #expect(run.status == 65 && run.notes.contains("1 sentence without a checksum, which a feed"))
  }

  @Test func textInUTF16IsNamed() throws {
    let folder = try TemporaryFolder()
    let text = sentence("GPRMC,100000.00,A,5419.2000,N,01009.0000,E,0.0,,140926,,,A")
    let bytes: [UInt8] = [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }
    let run = Run(["decode", try folder.file("in.nmea", bytes)])
    #expect(run.status == 65 && run.notes.contains("is text in UTF-16: iconv"), "\(run.notes)")
  }
}
