import CSystemd

/// The machine, as machine-id(5) knows it.
package enum MachineID {
  /// This program's own: the machine's id must not be stored in files that leave it.
  private static let program: [UInt8] = [
    0x46, 0xFA, 0x8B, 0xE9, 0x2B, 0xFC, 0x42, 0x0A, 0xA8, 0xE9, 0x84, 0x8B, 0x92, 0xD5, 0xB5, 0x21,
  ]

  /// 32 hexadecimal digits derived from the machine's id and this program's; nil without one.
  package static var current: String? {
    var application = sd_id128_t()
    var machine = sd_id128_t()
    withUnsafeMutableBytes(of: &application) { $0.copyBytes(from: program) }
    guard sd_id128_get_machine_app_specific(application, &machine) >= 0 else { return nil }
    return digits(of: machine)
  }

  /// 32 hexadecimal digits that differ from one boot of the machine to the next; nil without them.
  package static var boot: String? {
    var boot = sd_id128_t()
    guard sd_id128_get_boot(&boot) >= 0 else { return nil }
    return digits(of: boot)
  }

  private static func digits(of id: sd_id128_t) -> String {
    withUnsafeBytes(of: id) { bytes in
      bytes.reduce(into: "") { text, byte in
        text += byte < 16 ? "0" : ""
        text += String(byte, radix: 16)
      }
    }
  }
}
