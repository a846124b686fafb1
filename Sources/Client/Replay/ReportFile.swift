import ArgumentParser
import BaseMap
import Companion
import Glibc
import LinuxRuntime
import Report

/// The base map of a report.
struct BaseMapOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Put the tiles near the trip into the report, from an MBTiles file.", valueName: "file"),
    completion: .file(extensions: ["mbtiles"]))
  var map: String?

  /// Opens the file before anything is played; nil without the option.
  func open() throws(Failure) -> TileFile? {
    do throws(TileFile.Failure) {
      return try map.map { path throws(TileFile.Failure) in
        try TileFile(path: path, attribution: nil)
      }
    } catch {
      throw Failure(.badData, "--map: \(error.description); name an MBTiles file")
    }
  }
}

/// Writes a page to a file, whole or not at all.
final class ReportFile {
  static let generator = "georemind \(GeoremindCommand.version)"

  private let path: String
  /// Beside the file until all is written; nil where the path is no file (a pipe, `/dev/stdout`).
  private var draft: String?
  private let descriptor: Int32

  /// Fails where nothing can be written there. `-` is standard output.
  init(path: String) throws(Failure) {
    self.path = path
    guard path != "-" else {
      descriptor = 1
      return
    }
    var status = stat()
    let isThere = stat(path, &status) == 0
    if !isThere || status.st_mode & S_IFMT == S_IFREG { draft = "\(path).part" }
    descriptor = open(draft ?? path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      draft = nil
      throw Self.failure(.cannotCreate, path)
    }
  }

  deinit {
    if descriptor > 1 { close(descriptor) }
    if let draft { unlink(draft) }
  }

  func write(_ page: String) throws(Failure) {
    do {
      try Descriptors.write(page, to: descriptor, "write \(path)")
    } catch {
      throw Failure(.ioError, "\(error); name another file")
    }
    guard let draft else { return }
    guard rename(draft, path) == 0 else { throw Self.failure(.ioError, path) }
    self.draft = nil
  }

  private static func failure(_ status: ExitStatus, _ path: String) -> Failure {
    Failure(
      status,
      "\(path): cannot be written: \(String(cString: strerror(errno))); name another file")
  }
}
