import LinuxRuntime

extension FeedScheme {
  /// Standard input, as something that is received now, or a recording.
  static let standardInput = FeedScheme(
    prefix: "-", form: "- (standard input)", example: "- for standard input"
  ) { (parts) throws(FeedURLError) in
    try parts.settings(known: FeedURLParts.stream + FeedURLParts.sentences)
    return .standardInput
  }
}

extension FeedURL {
  package static let standardInput = FeedURL(
    description: "-",
    opening: .call { (_) throws(SystemError) in try FeedChannel.standardInput() },
    silence: .ignore, handover: nil, longestWait: nil)
}
