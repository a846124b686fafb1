import Glibc

/// A file, standard input (`-`) or bytes in memory, read in pieces, a text as UTF-8 without a byte
/// order mark. `peek` shows the beginning before it is read, to find the kind of file.
package final class ByteSource {
  /// Size of a piece in bytes.
  package static let pieceSize = 1 << 18

  /// For messages.
  package let name: String
  /// Bytes, where it is a regular file or in memory.
  package let size: Int?
  /// Bytes of the file read so far.
  package private(set) var bytesRead = 0
  /// nil for bytes in memory.
  private let descriptor: Int32?
  /// Bytes read ahead by `peek`, and how many of them were returned.
  private var ahead: [UInt8] = []
  private var aheadUsed = 0
  private var isAtEnd = false
  /// nil before the first piece.
  private var decoder: TextDecoder?

  /// Fails with `isMissing` where it cannot be opened.
  package init(path: String) throws(InterchangeError) {
    name = path == "-" ? "standard input" : path
    let opened = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { throw Self.fault(name) }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0 else {
      if opened > 0 { close(opened) }
      throw Self.fault(name)
    }
    descriptor = opened
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  package init(bytes: [UInt8], name: String) {
    self.name = name
    descriptor = nil
    size = bytes.count
    bytesRead = bytes.count
    decoder = TextDecoder(head: bytes)
    ahead = TextDecoder.decode(bytes)
    isAtEnd = true
  }

  deinit { if let descriptor, descriptor > 0 { close(descriptor) } }

  /// Whether a mark says that the text is UTF-8 here, whatever it declares.
  func isMarkedUTF8() throws(InterchangeError) -> Bool {
    _ = try peek(1)
    return decoder?.isUTF8 ?? false
  }

  /// The first bytes that were not read yet, `count` of them where there are so many.
  package func peek(_ count: Int) throws(InterchangeError) -> ArraySlice<UInt8> {
    while ahead.count - aheadUsed < count, !isAtEnd { ahead += try readText() }
    return ahead[aheadUsed...].prefix(count)
  }

  /// The next piece; an empty one is the end.
  package func next() throws(InterchangeError) -> [UInt8] {
    var piece: [UInt8] = []
    if aheadUsed < ahead.count {
      piece = Array(ahead[aheadUsed...].prefix(Self.pieceSize))
      aheadUsed += piece.count
      if aheadUsed == ahead.count {
        ahead = []
        aheadUsed = 0
      }
    } else {
      while piece.isEmpty, !isAtEnd { piece = try readText() }
    }
    return piece
  }

  /// All that was not read yet, if it is not more than `limit` bytes.
  package func readAll(limit: Int) throws(InterchangeError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try next()
      if piece.isEmpty { return bytes }
      guard bytes.count + piece.count <= limit else {
        throw Fault("is larger than \(limit >> 20) MiB; split it").error(in: name, at: nil)
      }
      bytes += piece
    }
  }

  /// The next piece, decoded; sets `isAtEnd` behind the last one.
  private func readText() throws(InterchangeError) -> [UInt8] {
    var piece = try readPiece()
    while decoder == nil, !piece.isEmpty, piece.count < TextDecoder.headSize {
      let more = try readPiece()
      if more.isEmpty { break }
      piece += more
    }
    bytesRead += piece.count
    isAtEnd = piece.isEmpty
    if decoder == nil { decoder = TextDecoder(head: piece) }
    return decoder?.decode(piece, isLast: isAtEnd) ?? piece
  }

  private func readPiece() throws(InterchangeError) -> [UInt8] {
    guard let descriptor else { return [] }
    while true {
      var failed = false
      // The kernel writes at most `pieceSize` bytes into the new array's own storage.
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, used in
        let count = unsafe Glibc.read(descriptor, buffer.baseAddress, Self.pieceSize)
        used = max(0, count)
        failed = count < 0
      }
      if !failed { return piece }
      if errno != EINTR { throw Self.fault(name) }
    }
  }

  private static func fault(_ name: String) -> InterchangeError {
    let code = errno
    let text = unsafe String(cString: strerror(code))
    return InterchangeError(
      file: name, line: nil, reason: "cannot be read: \(text); check its name and permissions",
      isMissing: true)
  }
}
