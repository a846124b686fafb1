/// Which receiver a fix is from. One feed may carry several: the devices of one gpsd, the senders
/// of one UDP port. Each has its own clock and its own errors, and is chosen or not as a whole.
package struct FixOrigin: Hashable, Sendable {
  /// The feed, by its owner's number.
  package var feed: Int
  /// Who sent the datagram, by any number that stays the same; 0 where a feed has one sender.
  package var sender: UInt64
  /// The device that gpsd names, as in `Fix.device`; 0 where it names none.
  package var device: UInt64

  package init(feed: Int, sender: UInt64 = 0, device: UInt64 = 0) {
    self.feed = feed
    self.sender = sender
    self.device = device
  }
}
