import Unpacking

/// A zip archive (PKWARE APPNOTE 6.3.3) as KMZ has it: stored or deflated, not encrypted or split.
struct ZipArchive {
  /// An archive is held in memory; larger ones are refused.
  static let largestArchive = 64 << 20
  /// Limit of one unpacked file in bytes: deflate makes a thousand bytes of one.
  static let largestFile = 1 << 30

  struct Entry {
    let name: String
    fileprivate let method: Int
    fileprivate let packedSize: Int
    fileprivate let headerOffset: Int
  }

  private let bytes: [UInt8]
  let entries: [Entry]

  /// Reads the directory at the end.
  init(_ bytes: [UInt8]) throws(Fault) {
    self.bytes = bytes
    let fields = LittleEndian(bytes)
    // The end record is 22 bytes and a comment of up to 65 535.
    var end: Int?
    for offset in stride(from: bytes.count - 22, through: max(0, bytes.count - 65_557), by: -1)
    where offset >= 0 && fields.long(offset) == 0x0605_4B50 {
      end = offset
      break
    }
    guard let end, let count = fields.short(end + 10), var offset = fields.long(end + 16) else {
      throw Fault("the archive is cut short: its directory is missing; copy the file again")
    }
    var entries: [Entry] = []
    for _ in 0..<min(count, 10_000) {
      guard fields.long(offset) == 0x0201_4B50, let flags = fields.short(offset + 8),
        let method = fields.short(offset + 10), let packed = fields.long(offset + 20),
        let nameLength = fields.short(offset + 28), let extra = fields.short(offset + 30),
        let comment = fields.short(offset + 32), let header = fields.long(offset + 42),
        offset + 46 + nameLength <= bytes.count
      else { throw Fault("the archive's directory is damaged; copy the file again") }
      let name = String(decoding: bytes[(offset + 46)..<(offset + 46 + nameLength)], as: UTF8.self)
      guard flags & 1 == 0 else {
        throw Fault("\(name) in the archive is encrypted; unpack it first")
      }
      entries.append(Entry(name: name, method: method, packedSize: packed, headerOffset: header))
      offset += 46 + nameLength + extra + comment
    }
    self.entries = entries
  }

  /// The bytes of a file, piece by piece.
  func open(_ entry: Entry) throws(Fault) -> Unpacker {
    let fields = LittleEndian(bytes)
    let header = entry.headerOffset
    guard fields.long(header) == 0x0403_4B50, let nameLength = fields.short(header + 26),
      let extra = fields.short(header + 28)
    else { throw Fault("\(entry.name) is not where the archive says; copy the file again") }
    let start = header + 30 + nameLength + extra
    guard start + entry.packedSize <= bytes.count else {
      throw Fault("\(entry.name) in the archive is cut short; copy the file again")
    }
    guard entry.method == 0 || entry.method == 8 else {
      throw Fault("\(entry.name) is packed by method \(entry.method); pack it by deflate")
    }
    return try Unpacker(
      Array(bytes[start..<(start + entry.packedSize)]), isDeflated: entry.method == 8)
  }
}

/// Unpacks one file in pieces of bounded size.
final class Unpacker {
  private static let pieceSize = 1 << 16

  private let packed: [UInt8]
  /// nil for a stored file.
  private let inflater: Inflater?
  private var offset = 0
  private var unpacked = 0
  private var isDone = false

  fileprivate init(_ packed: [UInt8], isDeflated: Bool) throws(Fault) {
    self.packed = packed
    inflater = isDeflated ? Inflater(.none) : nil
    guard !isDeflated || inflater != nil else {
      throw Fault("cannot be unpacked: out of memory")
    }
  }

  /// The next piece; an empty one is the end.
  func next() throws(Fault) -> [UInt8] {
    guard !isDone else { return [] }
    let piece: [UInt8]
    if let inflater {
      piece = try inflateMore(inflater)
    } else {
      piece = Array(packed[offset...].prefix(Self.pieceSize))
      offset += piece.count
    }
    unpacked += piece.count
    guard unpacked <= ZipArchive.largestFile else {
      throw Fault("unpacks to more than 1 GiB; give a smaller file")
    }
    return piece
  }

  private func inflateMore(_ inflater: Inflater) throws(Fault) -> [UInt8] {
    var state = Inflater.State.unfinished
    let window = packed[offset...].prefix(Self.pieceSize)
    var used = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { output, count in
      unsafe window.withUnsafeBytes { input in
        unsafe (used, count, state) = inflater.unpack(
          input, into: UnsafeMutableRawBufferPointer(output))
      }
    }
    offset += used
    switch state {
    case .ended: isDone = true
    case .unfinished where !piece.isEmpty || used > 0:
      // No output yet is not the end.
      if piece.isEmpty { return try inflateMore(inflater) }
    default: throw Fault("the archive is damaged; copy the file again")
    }
    return piece
  }
}

/// Numbers in an archive.
private struct LittleEndian {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func short(_ offset: Int) -> Int? { number(offset, 2) }
  func long(_ offset: Int) -> Int? { number(offset, 4) }

  private func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    var value = 0
    for index in (0..<count).reversed() { value = value << 8 | Int(bytes[offset + index]) }
    return value
  }
}
