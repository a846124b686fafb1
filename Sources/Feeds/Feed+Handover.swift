import LinuxRuntime

/// What a feed has open goes from one run of the service to the next, so that a restart misses
/// nothing that comes meanwhile.
extension FeedURL {
  /// The name under which the service manager keeps the descriptor. Nil for what is opened anew:
  /// recordings, which begin again, and lines whose speed is still to be found.
  package var storeName: String? {
    guard handover != nil else { return nil }
    // FNV-1a, for a name must not have a URL's characters and must be the same in the next run.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "feed-" + String(hash, radix: 16)
  }
}

extension Feed {
  /// What is open now and may be handed over; nil where nothing is.
  package var descriptor: Int32? { url.handover == nil ? nil : channel?.descriptor.raw }

  func channel(adopting descriptor: Int32) -> FeedChannel? {
    url.handover.map { FeedChannel(Descriptor(descriptor), $0) }
  }
}
