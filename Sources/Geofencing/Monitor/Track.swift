import CivilTime

/// The state of the device apart from fences: the followed receiver, and others from
/// earlier.
package struct Track: Sendable {
  /// Receivers that are not followed are remembered up to this number: their scales.
  private static let capacity = 8

  /// The followed receiver.
  var receiver = Receiver()
  private var id = ReceiverID()
  private var others: [(id: ReceiverID, receiver: Receiver)] = []
  /// The last sample of the receiver before the followed one.
  private var former: LocatedSample?
  /// The time of the newest sample, good or not.
  var newest = Instant(microseconds: .min)
  /// The time of the newest good sample.
  var newestGood: Instant?
  /// How many samples were set aside as implausible and not borne out by those after them.
  var outlierCount = 0
  /// How many jumps were borne out.
  var jumpCount = 0

  package init() {}

  /// Follows a receiver from here on. Returns whether it is another one.
  mutating func follow(_ next: ReceiverID) -> Bool {
    guard next != id else { return false }
    let former = receiver
    self.former = former.last ?? self.former
    others.append((id, former))
    receiver = Receiver()
    if let index = others.firstIndex(where: { $0.id == next }) {
      receiver = others.remove(at: index).receiver
    }
    if others.count > Self.capacity { others.removeFirst() }
    receiver.takeOver(from: former)
    id = next
    return true
  }

  /// The newest sample that was believed, of any receiver; nil before the first.
  var last: LocatedSample? { receiver.last ?? former }

  /// The track after times disagree: the scales of the receivers stay.
  func restarted() -> Track {
    var fresh = Track()
    fresh.id = id
    fresh.receiver = receiver.withoutTrack()
    fresh.others = others.map { ($0.id, $0.receiver.withoutTrack()) }
    return fresh
  }

  /// The scale of a receiver; nil for a receiver without a sample.
  func noise(of receiver: ReceiverID) -> ReceiverNoise? {
    if receiver == id { return self.receiver.noise }
    return others.first { $0.id == receiver }?.receiver.noise
  }
}
