/// A value of the D-Bus type system, without the types that no used interface has: descriptors,
/// 16-bit and signed 64-bit numbers.
///
/// Type codes: D-Bus specification, "Type System".
package indirect enum BusValue: Equatable, Sendable {
  case byte(UInt8)
  case bool(Bool)
  case int32(Int32)
  case uint32(UInt32)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case array(of: String, [BusValue])
  case structure([BusValue])
  /// One key and value of a dictionary, which is an array of these.
  case entry(BusValue, BusValue)
  case variant(BusValue)

  /// A dictionary of options, `a{sv}`, in the order given.
  package static func options(_ members: KeyValuePairs<String, BusValue>) -> BusValue {
    .array(of: "{sv}", members.map { .entry(.string($0.key), .variant($0.value)) })
  }

  package static func strings(_ values: [String]) -> BusValue {
    .array(of: "s", values.map { .string($0) })
  }

  package static func bytes(_ values: some Sequence<UInt8>) -> BusValue {
    .array(of: "y", values.map { .byte($0) })
  }

  package var string: String? {
    switch self {
    case .string(let value), .objectPath(let value): value
    default: nil
    }
  }

  package var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }

  package var int32: Int32? { if case .int32(let value) = self { value } else { nil } }

  package var elements: [BusValue]? {
    switch self {
    case .array(_, let values), .structure(let values): values
    default: nil
    }
  }

  /// The signature of this one complete type.
  var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int32: "i"
    case .uint32: "u"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .array(let element, _): "a\(element)"
    case .structure(let fields): "(\(fields.map(\.signature).joined()))"
    case .entry(let key, let value): "{\(key.signature)\(value.signature)}"
    case .variant: "v"
    }
  }
}
