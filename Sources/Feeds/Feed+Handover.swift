import Bytes
import LinuxRuntime

/// Hands an open feed to the service's next run, so that a restart loses no data.
extension FeedURL {
  /// The descriptor's name in the service manager. nil for recordings, which begin again, and for
  /// lines of unknown speed.
  package var storeName: String? {
    guard handover != nil, recording == nil else { return nil }
    // The name must not have a URL's characters and must be the same in the next run.
    return "feed-" + String(Fingerprint(description.utf8).value, radix: 16)
  }
}

extension Feed {
  /// The open descriptor for the next run; nil if there is none.
  package var descriptor: Int32? { url.handover == nil ? nil : channel?.descriptor.raw }

  func channel(adopting descriptor: Int32) -> FeedChannel? {
    url.handover.map { FeedChannel(Descriptor(descriptor), $0) }
  }
}
