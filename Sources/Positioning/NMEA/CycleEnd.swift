/// Shape of a burst of sentences or of gpsd's reports.
///
/// Only sentences that may change a fix count. Satellites in view, AIS and the like may come
/// anywhere in a burst, or only in some: a fix need not wait for them.
struct BurstShape: Equatable, Sendable {
  /// Untimed sentences before the first timed one.
  var lead: UInt8 = 0
  /// Sentences, or reports, from the first timed one on.
  var length: UInt8 = 0
  /// Type without the talker, which changes with the satellites in use (GP, GN).
  var last = SentenceType.other

  /// Counts one more; the count saturates.
  mutating func append(_ type: SentenceType) {
    Self.increase(&length)
    last = type
  }

  static func increase(_ count: inout UInt8) {
    if count < .max { count &+= 1 }
  }
}

/// Learns the last sentence of a receiver's bursts, so that a live epoch is released with it
/// instead of after a silence.
struct CycleEnd: Sendable {
  /// Consecutive bursts of one shape needed to learn it. Must exceed the short bursts between two
  /// long ones: receivers send some sentences every fifth second, or once a second at 10 Hz.
  static let enough = 10
  /// The same after many errors: ten minutes at 1 Hz. A wrong guess costs one fix a few values,
  /// which is acceptable once in that many bursts.
  static let enoughAfterErrors = 640

  /// The shape of a whole burst, nil until it is known.
  private(set) var learned: BurstShape?
  private var candidate = BurstShape()
  /// Number of consecutive bursts with the shape `candidate`.
  private var alike = 0
  private var needed = Self.enough

  /// Records the shape of a completed burst.
  mutating func learn(_ shape: BurstShape) {
    if shape != candidate {
      candidate = shape
      alike = 0
    }
    alike = min(alike &+ 1, needed)
    if alike == needed { learned = candidate }
  }

  /// A burst went on after its learnt end: doubles the number of bursts needed.
  mutating func unlearn() {
    guard learned != nil else { return }
    forget()
    needed = min(needed &* 2, Self.enoughAfterErrors)
  }

  /// Forgets the shape without counting an error, before bursts may change.
  mutating func forget() {
    learned = nil
    alike = 0
  }
}
