import CivilTime
import Positioning

/// The last position of a phone, and the failure of its last message, for its page.
package struct PhoneProgress: Equatable, Sendable {
  /// The last position that the daemon got.
  package struct Arrival: Equatable, Sendable {
    /// Microseconds of the steady clock.
    package let time: Int64
    /// Metres that hold 95 % of the positions; nil where the phone gives none.
    package let accuracy: Double?
  }

  /// Why the last message gave no position, or a doubtful one.
  package enum Failure: Equatable, Sendable {
    case unusable(UnusableMessage)
    /// Seconds that the position was old, by the phone's clock.
    case old(Double)
    /// Seconds that the phone's clock is ahead.
    case ahead(Double)
    case away
    case tooFast

    /// The failure in words, with the remedy.
    package var says: String {
      switch self {
      case .unusable(let reason): "The last message cannot be used: \(reason.rawValue)."
      case .old(let age):
        "The last position was \(PhoneProgress.span(age)) old when it came: it waited in the "
          + "phone, or the phone's clock is slow. Send a new one."
      case .ahead(let span):
        "The phone's clock is \(PhoneProgress.span(span)) ahead: let the network set its time."
      case .away: "The daemon does not read positions now. The phone sends them again."
      case .tooFast: "More than 20 positions a second: the phone sends them again."
      }
    }
  }

  /// The outcome of one message.
  enum Step: Equatable {
    case arrived(Arrival, Failure?)
    case failed(Failure)
    /// It has no position, and needs none.
    case nothing
  }

  package private(set) var arrival: Arrival?
  /// Nil where the last message is good.
  package private(set) var failure: Failure?

  mutating func add(_ step: Step) {
    switch step {
    case .arrived(let new, let doubt): (arrival, failure) = (new, doubt)
    case .failed(let reason): failure = reason
    case .nothing: break
    }
  }

  private static func span(_ seconds: Double) -> String {
    // Times of messages are of any size.
    let seconds = Int(min(seconds.rounded(), 1e12))
    for (unit, name) in [(86_400, "days"), (3_600, "h")] where seconds >= 2 * unit {
      return "\((seconds + unit / 2) / unit) \(name)"
    }
    return "\((seconds + 30) / 60) min"
  }
}

extension PhoneProgress.Step {
  /// Seconds after which the age of a position is worth a word.
  private static let tolerance = 60.0

  /// - Parameter fresh: the positions of the message that count now.
  init(_ message: PhoneMessage, fresh: [PhonePosition], at now: ClockReadings) {
    func age(_ position: PhonePosition) -> Double { (now.real - position.time).seconds }
    if let last = fresh.last {
      let age = age(last)
      let doubt: PhoneProgress.Failure? =
        switch age {
        case Self.tolerance...: .old(age)
        case ...(-Self.tolerance): .ahead(-age)
        default: nil
        }
      self = .arrived(.init(time: now.steady, accuracy: last.fix.eph), doubt)
    } else if let last = message.positions.last {
      self = .failed(.old(age(last.corrected(near: now.real))))
    } else if let reason = message.leftOut.last {
      self = .failed(.unusable(reason))
    } else {
      self = .nothing
    }
  }
}
