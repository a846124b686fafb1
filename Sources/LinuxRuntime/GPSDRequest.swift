/// Requests to gpsd (gpsd_json(5)).
enum GPSDRequest {
  /// Asks for reports as JSON, of one device if one is named.
  static func watch(device: String?) -> String {
    let choice = device.map { ",\"device\":\"\(escape($0))\"" } ?? ""
    return "?WATCH={\"enable\":true,\"json\":true\(choice)}\n"
  }

  /// As RFC 8259, section 7, wants it inside quotes.
  private static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
