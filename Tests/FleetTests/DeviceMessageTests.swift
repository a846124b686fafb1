import CivilTime
import Fleet
import Geodesy
import Phones
import Positioning
import Testing

@Suite struct DeviceMessageTests {
  private let now = Instant(seconds: 1_800_000_000)

  private func read(_ text: String) -> [Result<DeviceMessage, DeviceMessage.Refusal>] {
    DeviceMessage.read(Array(text.utf8), of: "van", at: now)
  }

  private func reasons(_ text: String) -> [String] {
    read(text).compactMap { if case .failure(let refusal) = $0 { refusal.reason } else { nil } }
  }

  @Test(arguments: [
    #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1800000000,"acc":8}"#,
    #"{"position":{"latitude":52.5,"longitude":13.4,"valid":true,"speed":10,"#
      + #""fixTime":"2027-01-15T08:00:00.000+00:00"},"device":{"uniqueId":"x"}}"#,
  ])
  func positionsOfOwnTracksAndTraccarAreRead(text: String) throws {
    let message = try #require(try read(text).first?.get())
    guard case .position(let position) = message else {
      Issue.record("\(message)")
      return
    }
    #expect(position.time == now && position.position.latitude == 52.5)
  }

  @Test func aBadDocumentOfAnArrayCostsItself() {
    let position = #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1800000000}"#
    let results = read(#"[\#(position),7,{"done":"a"},{"add":{"kind":"date"}}]"#)
    #expect(results.count == 4)
    #expect(reasons("[\(position),7]") == ["it is no JSON object"])
  }

  @Test(arguments: [
    "", "{", "[", #"{"paint":1}"#, #"{"done":7}"#, #"{"done":"a","remove":"b"}"#,
    #"{"zone":"../etc/passwd"}"#, #"{"snooze":{"id":"a"}}"#, #"{"_type":"location"}"#,
    #"{"add":{"id":"a","kind":"date","title":"\u0000","due":"2027-01-15T09:00:00Z"}}"#,
    #"{"add":{"kind":"date","title":"T","due":"2027-01-15T09:00:00Z"}}"#,
  ])
  func unusableTextIsRefusedWithAReason(text: String) {
    #expect(reasons(text).count == 1)
  }

  /// Any value in the place of any other; the sender of a forwarded position is a tracker.
  @Test func hostileValuesOfATraccarServerAreReadOrRefused() {
    let values = [
      "null", "true", "\"\"", "\"x\"", "[]", "{}", "0", "-0.0", "1e999", "-1e999", "1e-999", "91",
      "181",
      "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e308", "-1e308",
      "\"9999-12-31T23:59:59.999Z\"", "\"0000-01-01T00:00:00Z\"", "\"2027-01-15T08:00:00+99:99\"",
      "\"\\u0000\"", "\"\\ud800\"",
    ]
    let good = [
      "latitude": "52.5", "longitude": "13.4", "valid": "true", "outdated": "false", "speed": "10",
      "course": "90", "accuracy": "8", "altitude": "30", "fixTime": "\"2027-01-15T08:00:00.000Z\"",
    ]
    for name in good.keys {
      for value in values {
        let document = good.merging([name: value]) { _, new in new }
        let members = document.map { #""\#($0.key)":\#($0.value)"# }
        let text = #"{"position":{\#(members.joined(separator: ","))},"device":{"id":\#(value)}}"#
        for result in read(text) {
          guard case .success(.position(let position)) = result else { continue }
          #expect(name == "latitude" || position.position.latitude == 52.5)
          #expect(name == "longitude" || position.position.longitude == 13.4)
          #expect(abs((position.time - now).seconds) <= 300)
          let fix = position.fix
          for number in [fix.speed, fix.track, fix.eph, fix.altitudeMSL].compactMap(\.self) {
            #expect(number.isFinite)
          }
        }
      }
    }
    for text in ["null", "[]", "7", "{}", #"{"position":{}}"#] {
      #expect(reasons(#"{"position":\#(text),"device":7}"#).count == 1)
    }
  }

  @Test func positionsOfThePastAndOfTheFutureAreLeftOut() {
    for offset in [-400, 400] {
      let time = 1_800_000_000 + offset
      let text = #"{"_type":"location","lat":52.5,"lon":13.4,"tst":\#(time)}"#
      #expect(read(text).isEmpty)
    }
  }

  @Test(arguments: [("van-1", true), ("_clock", false), ("", false), ("a b", false), ("ä", false)])
  func namesAreLettersDigitsHyphens(name: String, isName: Bool) {
    #expect(DeviceMessage.isName(name) == isName)
  }

  @Test func moreRemindersThanTheLimitAreRefused() throws {
    let partition = Partition(0)
    partition.maximumReminders = 2
    for number in 1...4 {
      let id = number == 4 ? 1 : number
      let text =
        #"{"add":{"id":"r\#(id)","kind":"date","title":"T","due":"2027-02-01T00:00:00Z"}}"#
      partition.take(
        LogMessage(
          sequence: UInt64(number), time: now, device: "van", payload: Array(text.utf8)))
    }
    #expect(partition.refusedCount == 1)
  }
}
