import Bytes

/// The person or vehicle that carries a device, by the name of an app or a broker: the device
/// `owntracks:jane/phone` is carried by `jane`, and `traccar:van2` by `van2`, in any case.
///
/// Names from outside are unbounded, so a fix has the fingerprint alone.
package struct Carrier: Equatable, Sendable {
  /// Never 0.
  package let number: UInt64

  package init(name: some StringProtocol) {
    number = max(1, Fingerprint(name.lowercased().utf8).value)
  }

  /// nil for a device without a name of that form, such as `/dev/ttyUSB0`.
  package init?(device: String) {
    guard let colon = device.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = device[colon...].dropFirst()
    let carrier = name.prefix { $0 != "/" }
    guard !carrier.isEmpty else { return nil }
    self.init(name: carrier)
  }
}
