/// What a burst of sentences, or of gpsd's reports, looks like from outside.
///
/// Only what may change a fix is counted. Satellites in view, AIS and the like may stand anywhere
/// in a burst, and in some bursts only, without changing its shape: a fix that does not wait for
/// them lacks nothing.
struct BurstShape: Equatable, Sendable {
  /// Sentences without a time before the first one with a time.
  var lead: UInt8 = 0
  /// Sentences, or reports, from the first one with a time on.
  var length: UInt8 = 0
  /// Without the talker, which changes with the satellites in use (GP, GN).
  var last = SentenceType.other

  /// Counts one more; a count that is full stays.
  mutating func append(_ type: SentenceType) {
    Self.increase(&length)
    last = type
  }

  static func increase(_ count: inout UInt8) {
    if count < .max { count &+= 1 }
  }
}

/// Learns how the bursts of a receiver end, so that a live epoch can be given out with its last
/// sentence instead of after a silence.
struct CycleEnd: Sendable {
  /// Bursts of one shape in a row that make it known. More than the short bursts between two long
  /// ones: receivers send some sentences every fifth second only, or once a second at 10 Hz.
  static let enough = 10
  /// As many after many errors: ten minutes at 1 Hz. A wrong guess costs one fix a few of its
  /// values, so one in as many bursts can be borne.
  static let enoughAfterErrors = 640

  /// The shape of a whole burst, nil until it is known.
  private(set) var learned: BurstShape?
  private var candidate = BurstShape()
  /// The last bursts that had the shape of `candidate`.
  private var alike = 0
  private var needed = Self.enough

  /// Takes the shape of a burst that has ended, however its end was seen.
  mutating func learn(_ shape: BurstShape) {
    if shape != candidate {
      candidate = shape
      alike = 0
    }
    alike = min(alike &+ 1, needed)
    if alike == needed { learned = candidate }
  }

  /// A burst went on behind its learnt end: the next time twice as many must agree.
  mutating func unlearn() {
    guard learned != nil else { return }
    forget()
    needed = min(needed &* 2, Self.enoughAfterErrors)
  }

  /// The bursts to come may be other ones, which is nobody's error.
  mutating func forget() {
    learned = nil
    alike = 0
  }
}
