import CivilTime
import Companion
import Geodesy
import JSONText

extension AnchorCommand {
  /// The circle that was set, and what a skipper should know of it.
  struct Circle {
    let anchor: Coordinate
    /// Metres.
    let radius: Double
    /// The anchor of the watch before the change; nil for a new one.
    let former: Coordinate?

    /// Longer than the chain of any yacht, metres.
    private static let longestRadius = 300.0
    /// Three knots, in metres a second: no boat lies at anchor so fast.
    private static let fastest = 1.5

    /// Notes about a circle that is set all the same.
    /// - Parameter answer: of `Where`.
    func notes(_ answer: JSONObject, _ display: Display) -> [String] {
      [
        accuracy(answer, display), size(display), motion(answer, display), age(answer),
        place(answer, display),
      ].compactMap(\.self)
    }

    /// Names a circle that works where one is smaller than the error of the position.
    private func accuracy(_ answer: JSONObject, _ display: Display) -> String? {
      guard let error = CurrentPosition(answer)?.error, error > radius else { return nil }
      // The anchor and the boat may each be off by as much.
      let needed = (2 * error / 10).rounded(.up) * 10
      return "the position is good to ±\(display.length(error)) only, so a circle of "
        + "\(display.length(radius)) gives false alarms; --radius \(Int(needed))m would not"
    }

    private func size(_ display: Display) -> String? {
      guard radius > Self.longestRadius else { return nil }
      return "a circle of \(display.length(radius)) finds a drag late; the length of the chain and "
        + "of the boat, and 10 m, are enough"
    }

    private func motion(_ answer: JSONObject, _ display: Display) -> String? {
      guard let speed = answer["fix"]?["speed"]?.double, speed > Self.fastest else { return nil }
      return "the boat makes \(display.units.speed(metresPerSecond: speed)); 'georemind anchor set "
        + "--here' moves the watch once the anchor holds"
    }

    private func age(_ answer: JSONObject) -> String? {
      guard CurrentPosition(answer) != nil, let age = answer["age_s"]?.double else {
        return "there is no position to watch; see 'georemind status'"
      }
      guard age > AnchorCommand.maximumAge else { return nil }
      return "the last position is \(TimeSpan(seconds: age).words) old; see 'georemind status'"
    }

    /// Where the watch has moved to or, where the boat is outside it, that it has stayed.
    private func place(_ answer: JSONObject, _ display: Display) -> String? {
      guard let former else { return nil }
      if former != anchor {
        return "the anchor has moved by \(display.length(former.distance(to: anchor))), from "
          + former.formatted(.decimalDegrees)
      }
      let distance = CurrentPosition(answer)?.position.distance(to: anchor)
      guard let distance, distance > radius else { return nil }
      return "the boat is \(display.length(distance)) from the anchor of this watch, outside its "
        + "circle; 'georemind anchor set --here' moves it here"
    }
  }
}
