extension FeedScheme {
  /// A Unix stream socket to connect to.
  static let unix = FeedScheme(
    prefix: "unix://", form: "unix:///path", example: "unix:///path"
  ) { (parts) throws(FeedURLError) in
    try parts.settings(known: FeedURLParts.stream + FeedURLParts.sentences)
    return .unix(path: try parts.localPath(limit: 107))
  }
}

extension FeedURL {
  package static func unix(path: String) -> FeedURL {
    FeedURL(
      description: "unix://\(encode(path))", opening: .socket(path: path), silence: .report,
      handover: .socket, longestWait: 10_000_000)
  }
}
