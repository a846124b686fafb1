package import CivilTime
import LinuxRuntime

/// A source of positions, as written after `--feed`, and the behaviour of its feed.
///
/// The form is RFC 3986: IPv6 addresses in brackets, `%20` for characters that a path cannot hold.
/// Each scheme of `FeedScheme.all` makes values of this type.
package struct FeedURL: Sendable {
  /// The canonical form, with default ports, without default queries; parses to the same value.
  package private(set) var description: String
  let opening: Opening
  let silence: Silence
  /// Kind of channel that the next run takes over; nil if it opens the feed anew.
  let handover: FeedChannel.Kind?
  /// Longest delay before a retry, in microseconds; nil for a feed that ends with its bytes.
  let longestWait: Int64?
  /// Sent on connection, and again after half the allowed silence.
  var greeting: String?
  var line: SerialLine?
  package var recording: Recording?
  /// How far the time of its fixes may be from the clock; nil for the limit of the settings.
  package private(set) var maximumFixAge: TimeSpan?
  /// Whether sentences without a checksum count. A cut sentence has none either.
  package private(set) var acceptsMissingChecksum = false
  /// Whether it is the location service of a user's desktop, which serves no system service.
  package var isOfDesktop = false
  /// The one sender whose datagrams count; nil for all.
  var sender: IPAddress?

  /// Way of opening the channel.
  enum Opening: Sendable {
    /// A TCP connection to one of the addresses of a host.
    case host(String, port: UInt16)
    /// A connection to a Unix stream socket.
    case socket(path: String)
    /// One call that does not wait.
    case call(@Sendable (Feed) throws(SystemError) -> FeedChannel)
    /// Requests that are answered later: `Feed.opened` or `Feed.lose` follows.
    case begin(@Sendable (Feed) throws(SystemError) -> Void)
  }

  /// The meaning of silence.
  enum Silence: Sendable {
    /// Normal: a recording or typed input.
    case ignore
    /// The peer may have disconnected without a word: connect anew.
    case reconnect
    /// There is nobody to connect to: report the silence and go on listening.
    case report
    /// As `report`, but the network may have come back without the membership of the group.
    case rejoin
  }

  /// A serial line; where `baud` is nil, its speed is found by trying.
  struct SerialLine: Sendable {
    let path: String
    let baud: Int?
  }

  /// A recording, whose time is the daemon's time.
  package struct Recording: Sendable {
    /// The file; nil for a stream.
    package let path: String?
    /// Recording seconds a second; nil is as fast as it goes.
    package let rate: Double?
  }

  /// The port registered for NMEA 0183 over TCP and UDP.
  static let nmeaPort: UInt16 = 10110

  /// The greatest limit of the age of fixes, a century: no limit.
  package static let unlimitedFixAge = TimeSpan.hours(876_000)

  /// Takes the settings that all streams have: a time of their own, or a limit of their fixes' age.
  mutating func takeTimes(of parts: FeedURLParts) throws(FeedURLError) {
    let settings = try parts.settings()
    if let text = settings["time"] {
      guard text == "own" else {
        throw parts.error("has the time '\(text)'", "write time=own for a recording")
      }
      guard settings["max-age"] == nil else {
        throw parts.error(
          "limits the age of a recording's fixes", "leave out max-age=, or time=own")
      }
      recording = Recording(path: nil, rate: nil)
      addSetting("time=own")
    } else if let text = settings["max-age"] {
      let age = text == "infinity" ? Self.unlimitedFixAge : try? TimeSpan(parsing: text)
      guard let age, age >= .seconds(1), age <= Self.unlimitedFixAge else {
        throw parts.error(
          "has the age '\(text)'", "write a time span from 1s such as 90s or 5min, or infinity")
      }
      maximumFixAge = age
      let canonical = age == Self.unlimitedFixAge ? "infinity" : "\(age)"
      addSetting("max-age=\(canonical.filter { $0 != " " })")
    }
  }

  /// Takes the setting of a receiver that writes no checksums.
  mutating func takeChecksums(of parts: FeedURLParts) throws(FeedURLError) {
    guard let text = try parts.settings()["checksum"] else { return }
    guard text == "optional" else {
      throw parts.error(
        "has the checksum '\(text)'", "write checksum=optional for sentences without one")
    }
    acceptsMissingChecksum = true
    addSetting("checksum=optional")
  }

  private mutating func addSetting(_ setting: String) {
    description += (description.contains("?") ? "&" : "?") + setting
  }

  /// Each datagram may have another sender.
  package var hasDatagrams: Bool { handover == .datagrams }
}

extension FeedURL: Equatable {
  package static func == (a: FeedURL, b: FeedURL) -> Bool { a.description == b.description }
}

/// Why a text names no feed.
package struct FeedURLError: Error, Equatable, CustomStringConvertible {
  /// One sentence: the error and the correct form.
  package let description: String
}

extension FeedURL: CustomStringConvertible {
  static func authority(_ host: String, _ port: UInt16) -> String {
    host.contains(":") ? "[\(encode(host, keeping: ":"))]:\(port)" : "\(host):\(port)"
  }

  static func encode(_ text: String, keeping kept: String = "/") -> String {
    var result = ""
    for byte in text.utf8 {
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      if isPlain || "-._~:@,+\(kept)".contains(character) {
        result.append(character)
      } else {
        result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
