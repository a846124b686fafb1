import Containers

/// How much a receiver scatters at rest in comparison with the error that it claims.
///
/// Receivers claim from half to twice their true error, and nothing in their sentences says which.
/// So a receiver is taken to be twice as bad as it claims until its own scatter at rest has shown
/// better. The scale is the root of a mean of squares (an inverse gamma distribution): half an
/// hour's worth of the assumption, and the learnt blocks of a minute.
struct ReceiverNoise {
  /// The scale of a receiver without a history.
  private static let assumed = 2.0
  /// The weight of the assumption, in blocks of a minute.
  private static let weightOfAssumed = 30.0
  /// The memory in blocks: a day. Older blocks count less.
  private static let memory = 1_440.0
  /// The bounds. Below 0.4, a receiver would be believed more than any is good for; above 3, a
  /// receiver moved by hand would be taken for a bad one.
  private static let bounds = 0.4...3.0
  /// Seconds of a block.
  private static let block = 60.0
  /// The 95 % radius over the standard deviation of both axes, squared: 2.45² / 2.
  private static let squareOfError = 3.0
  /// The scatter is clipped at this multiple of the error: a reflection is not noise.
  private static let clip = 3.0

  /// The sum of the learnt squares.
  private var squares = 0.0
  /// How many blocks of a minute at rest were learnt; at most a day of them.
  private(set) var blocks = 0.0
  /// The true error is this many times the claimed one.
  private(set) var scale = ReceiverNoise.assumed
  /// Of the block in progress: seconds, and sums of squares of distances and of claims, m².
  private var pending = (seconds: 0.0, scatter: 0.0, claims: 0.0)

  /// Drops the block in progress: the device is not at rest.
  mutating func interrupt() { pending = (0, 0, 0) }

  /// Takes in a fix at rest.
  /// - Parameters:
  ///   - square: of the distance from the mean of the rest, m².
  ///   - claim: the claimed error, metres, 95 %.
  ///   - seconds: that the fix stands for.
  ///   - counts: whether the rest is long enough for its mean to be good.
  mutating func observe(square: Double, claim: Double, seconds: Double, counts: Bool) {
    let limit = Self.clip * scale * claim
    pending.seconds += seconds
    pending.scatter += seconds * min(square, limit * limit)
    pending.claims += seconds * claim * claim
    guard pending.seconds >= Self.block else { return }
    if counts { learn(square: Self.squareOfError * pending.scatter / pending.claims) }
    interrupt()
  }

  /// Learns one block at rest.
  /// - Parameter square: the square of the true error as a multiple of the claimed one.
  mutating func learn(square: Double) {
    guard square.isFinite, square >= 0 else { return }
    squares += square
    blocks += 1
    if blocks > Self.memory {
      squares *= Self.memory / blocks
      blocks = Self.memory
    }
    let assumed = Self.weightOfAssumed * Self.assumed * Self.assumed
    let scale = ((assumed + squares) / (Self.weightOfAssumed + blocks)).squareRoot()
    self.scale = min(max(scale, Self.bounds.lowerBound), Self.bounds.upperBound)
  }
}

extension ReceiverNoise {
  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&squares)
    tape.pass(&blocks)
    tape.pass(&scale)
    tape.pass(&pending.seconds)
    tape.pass(&pending.scatter)
    tape.pass(&pending.claims)
  }
}
