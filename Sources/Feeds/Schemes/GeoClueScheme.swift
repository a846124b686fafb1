import LinuxRuntime

extension FeedScheme {
  /// The location service of a desktop.
  static let geoClue = FeedScheme(
    prefix: "geoclue:", form: "geoclue:", example: "geoclue:"
  ) { (parts) throws(FeedURLError) in
    try parts.settings(known: FeedURLParts.live)
    guard parts.authority.isEmpty, parts.path.isEmpty else {
      throw parts.error("names a place to connect to", "write 'geoclue:' alone")
    }
    return .geoClue
  }
}

extension FeedURL {
  /// GeoClue is silent when its source is lost, and may find the source again for a new client.
  package static let geoClue: FeedURL = {
    var url = FeedURL(
      description: "geoclue:",
      opening: .begin { (feed) throws(SystemError) in try feed.beginGeoClue() },
      silence: .reconnect, handover: nil, longestWait: 10_000_000)
    url.isOfDesktop = true
    return url
  }()
}
