import CivilTime
import Positioning

/// The fields of a query or a form (URL Standard, section 5.1). The first field of a name counts.
struct FormFields {
  private static let maximumFields = 64

  private var values: [String: String] = [:]

  init(_ parts: [UInt8]...) {
    for field in parts.lazy.flatMap({ $0.split(separator: UInt8(ascii: "&")) })
      .prefix(Self.maximumFields)
    {
      let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
      let name = Self.text(field[..<equals])
      if values[name] == nil { values[name] = Self.text(field[equals...].dropFirst()) }
    }
  }

  /// The first of these fields that is not empty.
  subscript(names: String...) -> String? {
    for name in names {
      if let value = values[name], !value.isEmpty { return value }
    }
    return nil
  }

  /// A finite decimal number: the first of these fields that is not empty.
  func number(_ names: String...) -> Double? {
    for name in names {
      if let value = values[name], !value.isEmpty { return Double(decimal: value) }
    }
    return nil
  }

  /// A moment as apps write it; nil where the field is absent or none.
  func time(_ name: String) -> Instant? { self[name].flatMap { try? DeviceTime.read($0) } }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let plain = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return String(decoding: percentDecoded(plain), as: UTF8.self)
  }
}

/// Replaces `%41` by its byte; anything else stays (URL Standard, section 1.3).
func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(bytes.count)
  var index = 0
  while index < bytes.count {
    if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
      let high = hexDigit(bytes[index + 1]), let low = hexDigit(bytes[index + 2])
    {
      decoded.append(high << 4 | low)
      index += 3
    } else {
      decoded.append(bytes[index])
      index += 1
    }
  }
  return decoded
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

extension Double {
  /// A finite number in decimal digits; not `nan`, `inf` or `0x1p3`, which Swift reads as well.
  init?(decimal text: String) {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
      let value = Double(text), value.isFinite
    else { return nil }
    self = value
  }
}
