import LinuxRuntime

extension FeedScheme {
  /// A recording or a FIFO.
  static let file = FeedScheme(
    prefix: "file://", form: "file:///log.nmea?speed=max|realtime|N", example: "file:///path"
  ) { (parts) throws(FeedURLError) in
    let speed = try parts.settings(known: ["speed"])["speed"]
    let path = try parts.localPath()
    switch speed {
    case nil, "max": return .file(path: path, pace: .maximum)
    case "realtime": return .file(path: path, pace: .realTime)
    case let text?:
      let isNumber = text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
      }
      guard isNumber, let factor = Double(text), (0.001...1_000_000).contains(factor) else {
        throw parts.error(
          "asks for the speed '\(text)'", "write max, realtime or a factor from 0.001 to 1000000")
      }
      return .file(path: path, pace: .times(factor))
    }
  }
}

extension FeedURL {
  /// Speed of reading a recording.
  package enum Pace: Sendable {
    case maximum
    /// By the times in the recording.
    case realTime
    /// A multiple of the recorded speed, 0.001…1 000 000.
    case times(Double)
  }

  package static func file(path: String, pace: Pace) -> FeedURL {
    let (query, rate): (String, Double?) =
      switch pace {
      case .maximum: ("", nil)
      case .realTime: ("?speed=realtime", 1)
      case .times(let factor) where factor == factor.rounded():
        ("?speed=\(Int64(factor))", factor)
      case .times(let factor): ("?speed=\(factor)", factor)
      }
    return FeedURL(
      description: "file://\(encode(path))\(query)",
      opening: .call { (_) throws(SystemError) in try FeedChannel.file(path) },
      silence: .ignore, handover: nil, longestWait: nil,
      recording: Recording(path: path, rate: rate))
  }
}
