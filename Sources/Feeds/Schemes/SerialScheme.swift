import LinuxRuntime

extension FeedScheme {
  /// A serial line; where no speed is given it is found by trying.
  static let serial = FeedScheme(
    prefix: "serial://", form: "serial:///dev/ttyUSB0?baud=9600", example: "serial:///dev/ttyUSB0"
  ) { (parts) throws(FeedURLError) in
    let known = ["baud"] + FeedURLParts.live + FeedURLParts.sentences
    let baud = try parts.settings(known: known)["baud"].map {
      (text) throws(FeedURLError) in
      guard let baud = UInt32(strict: text), FeedURL.serialSpeeds.contains(Int(baud)) else {
        let speeds = "4800, 9600, 19200, 38400, 57600, 115200 or another of termios(3)"
        throw parts.error("asks for '\(text)' baud", "write \(speeds)")
      }
      return Int(baud)
    }
    return .serial(path: try parts.localPath(), baud: baud)
  }
}

extension FeedURL {
  /// A line whose speed is to be found is opened anew by the next run.
  package static func serial(path: String, baud: Int?) -> FeedURL {
    FeedURL(
      description: "serial://\(encode(path))\(baud.map { "?baud=\($0)" } ?? "")",
      opening: .call { (feed) throws(SystemError) in try feed.openLine(path, baud: baud) },
      silence: .report, handover: baud == nil ? nil : .terminal, longestWait: 5_000_000,
      line: SerialLine(path: path, baud: baud))
  }

  /// The speeds of a serial line that Linux names (termios(3)), in baud.
  static let serialSpeeds = [
    300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600,
    1_000_000, 2_000_000, 4_000_000,
  ]
}
