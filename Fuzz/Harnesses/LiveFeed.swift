// Support: Input Decoding
import CivilTime
import Positioning

/// A live feed: bytes with silences, ends of datagrams, lost connections and a clock that is set in
/// between; what is kept stays bounded, and every fix is possible.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLiveFeed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  var decoder = FixDecoder(options: options(input.choice()))
  var arbiter = Arbiter()
  var now = Instant(microseconds: 1_795_253_400_000_000)
  var fixes: [Fix] = []
  // 0x01…0x08 are events, everything else is data.
  for part in input.rest.split(omittingEmptySubsequences: false, whereSeparator: { $0 < 9 }) {
    let data = part.first == UInt8(ascii: "{") ? Array(part) : framed(Array(part))
    decoder.consume(data.span, into: &fixes)
    let event = part.endIndex < input.rest.count ? input.rest[part.endIndex] : 0
    switch event {
    case 1: decoder.quiet(into: &fixes)
    case 2: decoder.endOfDatagram(into: &fixes)
    case 3: decoder.disconnected(into: &fixes)
    case 4: now = now + .seconds(3)
    case 5:
      // Back by more than a year, though never before what a clock can say.
      now = max(now - .hours(24 * 400), Instant(microseconds: 86_400_000_000))
      arbiter.clockStepped(to: now)
    case 6: arbiter.forget(feed: 0)
    case 7:
      for device in decoder.takeLostDevices() { arbiter.forget(FixOrigin(feed: 0, device: device)) }
    default: break
    }
    decoder.options.referenceTime = now
    require(decoder.pendingBytes <= FixDecoder.longestJSON, "\(decoder.pendingBytes) bytes wait")
    for fix in fixes {
      check(fix)
      let origin = FixOrigin(feed: 0, device: fix.device)
      let counts = arbiter.accepts(fix, from: origin, at: now)
      require(counts == (arbiter.followed == origin), "a fix of another receiver counts")
    }
    fixes.removeAll(keepingCapacity: true)
    if event != 3, event != 1 { continue }
    require(!decoder.hasOpenEpoch, "an epoch is open behind a silence")
  }
  return 0
}
