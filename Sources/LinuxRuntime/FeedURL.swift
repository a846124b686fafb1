/// Where positions come from, as written after `--feed`.
///
///     gpsd://host:2947[/dev/x]        serial:///dev/ttyUSB0?baud=9600
///     tcp://host:10110                udp://0.0.0.0:10110[?interface=eth0]
///     unix:///path                    file:///log.nmea?speed=max|realtime|N
///     -                               (standard input)
///
/// The form is that of RFC 3986: IPv6 addresses in brackets, `%20` for what a path cannot hold as it
/// is. Printing gives the canonical form, which reads back as the same value.
package enum FeedURL: Equatable, Sendable {
  /// A gpsd server, and one of its devices if not all are wanted.
  case gpsd(host: String, port: UInt16, device: String?)
  /// A serial line; where `baud` is nil its speed is found by trying.
  case serial(path: String, baud: Int?)
  /// A server that sends NMEA 0183.
  case tcp(host: String, port: UInt16)
  /// A local address to receive at, or a multicast group to join, there on one interface.
  case udp(host: String, port: UInt16, interface: String?)
  /// A Unix stream socket to connect to.
  case unix(path: String)
  /// A recording or a FIFO.
  case file(path: String, pace: Pace)
  case standardInput

  /// How fast a recording is read.
  package enum Pace: Equatable, Sendable {
    case maximum
    /// By the times in the recording.
    case realTime
    /// That many times as fast as recorded, 0.001…1 000 000.
    case times(Double)
  }

  /// gpsd's registered port.
  package static let gpsdPort: UInt16 = 2947
  /// The port registered for NMEA 0183 over TCP and UDP.
  package static let nmeaPort: UInt16 = 10110
  /// The speeds of a serial line that Linux names (termios(3)), in baud.
  package static let serialSpeeds = [
    300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600,
    1_000_000, 2_000_000, 4_000_000,
  ]

  /// The longest wait before a lost feed is tried again, in microseconds. What is on this machine
  /// costs nothing to try; a network is not to be filled with tries.
  var longestWait: Int64 {
    switch self {
    case .serial: 5_000_000
    case .unix, .udp: 10_000_000
    case .gpsd(let host, _, _), .tcp(let host, _):
      ["localhost", "127.0.0.1", "::1"].contains(host) ? 10_000_000 : 60_000_000
    case .file, .standardInput: 60_000_000
    }
  }
}

/// Why a text names no feed.
package struct FeedURLError: Error, Equatable, CustomStringConvertible {
  /// One sentence: what is wrong and what to write.
  package let description: String
}

extension FeedURL: CustomStringConvertible {
  /// The canonical form: default ports are printed, defaults of a query are not.
  package var description: String {
    switch self {
    case .gpsd(let host, let port, let device):
      "gpsd://\(Self.authority(host, port))\(device.map { Self.encode($0, keeping: "/") } ?? "")"
    case .serial(let path, let baud):
      "serial://\(Self.encode(path, keeping: "/"))\(baud.map { "?baud=\($0)" } ?? "")"
    case .tcp(let host, let port): "tcp://\(Self.authority(host, port))"
    case .udp(let host, let port, let interface):
      "udp://\(Self.authority(host, port))"
        + (interface.map { "?interface=\(Self.encode($0, keeping: ""))" } ?? "")
    case .unix(let path): "unix://\(Self.encode(path, keeping: "/"))"
    case .file(let path, let pace): "file://\(Self.encode(path, keeping: "/"))\(Self.query(pace))"
    case .standardInput: "-"
    }
  }

  private static func query(_ pace: Pace) -> String {
    switch pace {
    case .maximum: ""
    case .realTime: "?speed=realtime"
    case .times(let factor):
      factor == factor.rounded() ? "?speed=\(Int64(factor))" : "?speed=\(factor)"
    }
  }

  private static func authority(_ host: String, _ port: UInt16) -> String {
    host.contains(":") ? "[\(encode(host, keeping: ":"))]:\(port)" : "\(host):\(port)"
  }

  private static func encode(_ text: String, keeping kept: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "@"),
        UInt8(ascii: ","), UInt8(ascii: "+"):
        result.append(byte)
      default:
        if kept.utf8.contains(byte) {
          result.append(byte)
        } else {
          result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
