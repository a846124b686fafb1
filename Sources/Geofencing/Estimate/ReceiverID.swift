/// A receiver as the owner of the monitor numbers it.
package struct ReceiverID: Hashable, Sendable {
  package var feed: Int
  /// Of one feed: the datagram's sender, the device of gpsd; 0 where there is one only.
  package var sender: UInt64
  package var device: UInt64

  package init(feed: Int = 0, sender: UInt64 = 0, device: UInt64 = 0) {
    self.feed = feed
    self.sender = sender
    self.device = device
  }
}
