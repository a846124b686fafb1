import LinuxRuntime

extension FeedScheme {
  /// A recording or a FIFO.
  static let file = FeedScheme(
    prefix: "file://", form: "file:///log.nmea?speed=max|realtime|N", example: "file:///path"
  ) { (parts) throws(FeedURLError) in
    let speed = try parts.settings(known: ["speed"] + FeedURLParts.sentences)["speed"]
    let path = try parts.localPath()
    switch speed {
    case nil, "max": return .file(path: path, rate: nil)
    case "realtime": return .file(path: path, rate: 1)
    case let text?:
      let isNumber = text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
      }
      guard isNumber, let factor = Double(text), (0.001...1_000_000).contains(factor) else {
        throw parts.error(
          "asks for the speed '\(text)'", "write max, realtime or a factor from 0.001 to 1000000")
      }
      return .file(path: path, rate: factor)
    }
  }
}

extension FeedURL {
  /// - Parameter rate: recording seconds a second, 0.001…1 000 000; nil is as fast as it goes.
  package static func file(path: String, rate: Double?) -> FeedURL {
    let query =
      switch rate {
      case nil: ""
      case 1: "?speed=realtime"
      case let rate?: "?speed=\(rate == rate.rounded() ? "\(Int64(rate))" : "\(rate)")"
      }
    return FeedURL(
      description: "file://\(encode(path))\(query)",
      opening: .call { (_) throws(SystemError) in try FeedChannel.file(path) },
      silence: .ignore, handover: nil, longestWait: nil,
      recording: Recording(path: path, rate: rate))
  }
}
