// Support: Input
import Bytes
import CivilTime
import JSONText
import Phones

/// Requests of phones: a target, headers and a body of any bytes. Each has an answer; the lines
/// for the daemon are JSON with a possible position, and the numbers of a message count once. Only
/// requests without the token lock their address out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPhones(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let choice = input.choice()
  // Target, user, device and authorization are lines; the rest is the body.
  var parts = input.rest.split(
    separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)[...]
  func part() -> [UInt8] { Array(parts.popFirst() ?? []) }
  func text() -> String? {
    let bytes = part()
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
  var request = PhoneRequest(
    method: choice & 1 == 0 ? "POST" : "GET", target: part(), authorization: text(), user: text(),
    device: text(), body: part())
  if choice & 4 != 0 { request.network = ClientNetwork(address: [192, 168, 1, 7]) }
  let token = choice & 2 == 0 ? nil : AccessToken("Kq3vX9mT2pLs8aYd")
  let phone = String(repeating: "a", count: SecretToken.length)
  let phones = choice & 8 == 0 ? [:] : [SecretToken.hash(phone.utf8): "anna"]
  var receiver = PhoneReceiver(access: PhoneAccess(shared: token, phones: phones))
  let now = ClockReadings(
    steady: 1_000_000, real: Instant(microseconds: 1_781_279_101_000_000))
  let away = receiver.receive(request, at: now, isFeedOpen: false)
  require(away.reports.isEmpty, "lines without a reader")
  let outcome = receiver.receive(request, at: now, isFeedOpen: true)
  require([200, 401, 404, 405].contains(outcome.answer.status), "\(outcome.answer)")
  require(
    away.answer == outcome.answer || away.answer.status == 503 && !outcome.reports.isEmpty,
    "\(away.answer) and \(outcome.answer)")
  for _ in 0..<(request.network == nil ? 0 : 10) {
    let again = receiver.receive(request, at: now, isFeedOpen: true).answer
    require(again.isOfAuthorized == outcome.answer.isOfAuthorized, "\(again)")
  }
  if case .success(let (name, progress)) = receiver.page(request, at: now) {
    require(name == "anna" && choice & 8 != 0, "the page of \(name)")
    require(progress.failure.map { !$0.says.isEmpty } ?? true, "\(progress)")
    require(outcome.reports.isEmpty || outcome.reports.contains("\"phone:anna"), "\(outcome)")
  }
  for line in outcome.reports.split(separator: "\n") { check(Array(line.utf8)) }
  for line in receiver.logLines(at: 0, isEnd: true) { require(!line.isEmpty, "an empty line") }
  return 0
}

private func check(_ line: [UInt8]) {
  guard let report = (try? JSONParser.parse(line))?.object else { fatalError("no JSON") }
  func number(_ name: String, _ range: ClosedRange<Double>) {
    require(report[name]?.double.map { range.contains($0) } ?? true, "\(name) in \(line)")
  }
  require(report["lat"]?.double != nil && report["lon"]?.double != nil, "no position")
  require(report["time"]?.string.flatMap { try? Instant(rfc3339: $0) } != nil, "no time")
  number("lat", -90...90)
  number("lon", -180...180)
  number("eph", 0...1_000_000)
  number("speed", 0...4_000)
  number("track", 0...360)
  require(report["device"]?.string.map { $0.utf8.count < 400 } ?? false, "a long name")
}
