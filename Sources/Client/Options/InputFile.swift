import CivilTime
import Companion
import Feeds
import Glibc
import LinuxRuntime

/// A file, a device or standard input (`-`), read in large pieces and unpacked from gzip.
final class InputFile {
  static let chunkSize = 1 << 17

  let name: String
  /// Bytes, where it is a regular file.
  let size: Int?
  let modified: Instant
  /// A receiver's line: it falls silent between bursts and has no end.
  let isDevice: Bool
  private let descriptor: Int32
  private let reader: RecordingReader
  /// Bytes read from the file, before unpacking.
  var bytesRead: Int { reader.bytesTaken }
  /// The first two bytes of the file, unpacked.
  private(set) var mark: [UInt8] = []
  /// Bytes that were read and put back.
  private var ahead: ArraySlice<UInt8> = []
  /// Why reading ended before the end of the file. Earlier data is valid.
  private(set) var damage: Failure?

  /// Fails with `noInput` where it cannot be read.
  init(path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    reader = RecordingReader(descriptor: descriptor)
    guard descriptor >= 0 else { throw Self.failure(name, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(name, errno) }
    let kind = status.st_mode & S_IFMT
    size = kind == S_IFREG ? Int(status.st_size) : nil
    isDevice = kind == S_IFCHR
    modified = Instant(
      microseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000
        &+ Int64(status.st_mtim.tv_nsec) / 1000)
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// Reads the next piece into the front of `chunk`; 0 is the end, or where `damage` is.
  func read(into chunk: inout [UInt8]) throws(Failure) -> Int {
    guard ahead.isEmpty else {
      let piece = ahead.prefix(chunk.count)
      chunk.replaceSubrange(..<piece.count, with: piece)
      ahead = ahead.dropFirst(piece.count)
      return piece.count
    }
    do throws(RecordingError) {
      while true {
        let result = chunk.withUnsafeMutableBytes { buffer in
          Result { () throws(RecordingError) in try reader.read(into: buffer) }
        }
        if let count = try result.get() {
          if mark.isEmpty { mark = Array(chunk[..<min(2, count)]) }
          return count
        }
      }
    } catch .system(let code) {
      throw Self.failure(name, code)
    } catch {
      damage = Failure(.badData, "\(name): \(error)")
      return 0
    }
  }

  /// Makes bytes that were read the next ones to be read.
  func putBack(_ bytes: [UInt8]) { ahead = bytes + ahead }

  /// Fails where not all of the file was read.
  func checkWhole() throws(Failure) {
    if let damage { throw damage }
  }

  /// Waits for more; false where none came in `milliseconds`.
  func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }

  private static func failure(_ name: String, _ code: Int32) -> Failure {
    let reason = String(cString: strerror(code))
    return Failure(.noInput, "\(name): cannot be read: \(reason); check its name and permissions")
  }
}
