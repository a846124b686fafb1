import CivilTime
import Testing

@testable import Positioning

/// What a feed asks of its decoder with each piece that came.
@Suite struct ReceivingTests {
  private func receive(
    _ decoder: inout FixDecoder, _ text: String, isDatagram: Bool = false, at now: Instant? = nil
  ) -> FixDecoder.Reception {
    var fixes: [Fix] = []
    return decoder.receive(Array(text.utf8).span, isDatagram: isDatagram, at: now, into: &fixes)
  }

  @Test func theEndOfADatagramEndsItsLine() {
    let sentence = nmea("GPRMC,120000,A,5332.76,N,00959.60,E,0.0,0.0,010224,,,A")
      .replacing("\r\n", with: "")
    var stream = FixDecoder()
    let open = receive(&stream, String(sentence.dropLast(3)))
    #expect(open.isUnderstood == false && open.hasOpenEpoch == false)
    var datagrams = FixDecoder()
    let whole = receive(&datagrams, sentence, isDatagram: true)
    #expect(whole.isUnderstood && whole.hasOpenEpoch)
    let cut = receive(&datagrams, "$GPGGA,1200", isDatagram: true)
    #expect(cut.isUnderstood == false && cut.hasOpenEpoch)
  }

  @Test func aReportLeavesItsEpochOpenToo() {
    var decoder = FixDecoder()
    let report =
      #"{"class":"TPV","device":"/dev/a","time":"2026-11-21T09:30:00Z","mode":2,"lat":1,"lon":2}"#
    let reception = receive(&decoder, report + "\n")
    #expect(reception.isUnderstood && reception.hasOpenEpoch)
  }

  @Test func theTimeItCameStaysUntilAnother() {
    var decoder = FixDecoder()
    let now = Instant(microseconds: 1_800_000_000_000_000)
    _ = receive(&decoder, "", at: now)
    #expect(decoder.options.referenceTime == now)
    _ = receive(&decoder, "")
    #expect(decoder.options.referenceTime == now)
    _ = receive(&decoder, "", at: now + .seconds(1))
    #expect(decoder.options.referenceTime == now + .seconds(1))
  }
}
