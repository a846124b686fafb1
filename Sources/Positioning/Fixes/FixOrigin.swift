/// The receiver of a fix. One feed may carry several: the devices of a gpsd, the senders to a UDP
/// port. Each has its own clock and errors, and is followed or ignored as a whole.
package struct FixOrigin: Hashable, Sendable {
  /// The owner's number of the feed.
  package var feed: Int
  /// A stable number of the datagram's sender; 0 for a feed with one sender.
  package var sender: UInt64
  /// The gpsd device as in `Fix.device`; 0 without one.
  package var device: UInt64

  package init(feed: Int, sender: UInt64 = 0, device: UInt64 = 0) {
    self.feed = feed
    self.sender = sender
    self.device = device
  }
}
