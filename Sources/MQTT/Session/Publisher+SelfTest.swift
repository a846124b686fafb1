import CivilTime
import Companion
import JSONText

/// The self-test with MQTT 3.1.1, and the firings that it decides.
extension Publisher {
  /// The steps of the self-test, and the firings that it decides.
  /// - Returns: times of the next steps.
  mutating func proveFirings(_ now: ClockReadings, _ effects: inout [Effect]) -> [Int64] {
    guard var test = selfTest else { return [] }
    if test.failed(at: now.steady) {
      effects.append(
        .condition(
          "the broker acknowledges messages and does not pass them on to this service: its access "
            + "list must permit \(topics.selfTest) and \(topics.firing), to write and to read"))
    }
    if test.isDue(at: now.steady) {
      effects.append(.publish(Message(topics.selfTest, test.begin(at: now.steady)), nil))
    }
    var times = [test.due]
    for item in outgoing {
      guard let time = item.acknowledgedAt else { continue }
      let seq = item.firing.seq
      if item.isBack || test.verdict == .unproven {
        if !item.isBack, !item.firing.isTest { test.mayHaveMissed(seq) }
        end(.firing(seq), .delivered, &effects)
      } else if now.steady >= time + SelfTest.timeout, test.verdict == .proven {
        let reason =
          "the broker acknowledges messages of \(topics.firing) and does not pass them on: its "
          + "access list must permit them"
        announcements.refused(at: now.steady)
        end(.firing(seq), .failed(reason), &effects)
      } else {
        times.append(time + SelfTest.timeout)
      }
    }
    selfTest = test
    return times.filter { $0 > now.steady && $0 < .max }
  }

  /// A message of the service has come back.
  mutating func hearBack(
    _ topic: String, _ payload: [UInt8], _ now: ClockReadings, _ effects: inout [Effect]
  ) {
    let verdict = selfTest?.verdict
    if topic == topics.selfTest {
      guard selfTest?.cameBack(String(decoding: payload, as: UTF8.self)) == true else { return }
    } else {
      guard let document = try? JSONParser.parse(payload), let id = document["firing_id"]?.string,
        let index = outgoing.firstIndex(where: { $0.firing.id == id })
      else { return }
      outgoing[index].isBack = true
      selfTest?.firingCameBack()
    }
    guard verdict != .proven else { return }
    effects.append(.condition(nil))
    // Retained documents may have been kept from everybody, too.
    if verdict == .unproven { announce(now, &effects) }
    if let seq = selfTest?.missedAfter { repetition.start(after: seq) }
  }
}
