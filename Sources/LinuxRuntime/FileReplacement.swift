import Glibc

/// Puts new content in the place of a file's, so that whoever reads it sees the old or the new one,
/// also after the power failed: a file beside it is written, brought to the disk and renamed.
package enum FileReplacement {
  package enum Failure: Error, Equatable {
    /// The file is another one than the one that was read.
    case changed
    case system(SystemError)
  }

  /// - Parameters:
  ///   - expected: what the file was when it was read.
  /// - Returns: what the file is now.
  package static func replace(
    _ path: String, with bytes: [UInt8], expected: FolderListing.Stamp
  ) throws(Failure) -> FolderListing.Stamp {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT ? .changed : .system(.last("look at \(path)"))
    }
    guard FolderListing.Stamp(status) == expected else { throw .changed }
    // A new file is its maker's: replacing somebody else's would take it away from them.
    guard status.st_uid == geteuid() else {
      throw .system(
        SystemError(
          "write \(path)", code: EACCES,
          remedy: "it belongs to user \(status.st_uid); run the daemon as that user"))
    }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let temporary = "\(path[..<slash]).\(path[slash...]).georemind.tmp"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(.last("make \(temporary)")) }
    var isRenamed = false
    defer {
      close(descriptor)
      if !isRenamed { unlink(temporary) }
    }
    try write(bytes, to: descriptor, temporary)
    guard fchmod(descriptor, status.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else {
      throw .system(.last("write \(temporary)"))
    }
    guard FolderListing.Stamp(path: path) == expected else { throw .changed }
    guard rename(temporary, path) == 0 else { throw .system(.last("replace \(path)")) }
    isRenamed = true
    syncFolder(String(path[..<slash]))
    var written = stat()
    guard fstat(descriptor, &written) == 0 else { throw .system(.last("look at \(path)")) }
    return FolderListing.Stamp(written)
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, _ path: String
  ) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(.last("write \(path)")) }
      rest = rest.dropFirst(count)
    }
  }

  /// The rename itself is a change of the folder. Where that cannot be synchronised, it comes later.
  private static func syncFolder(_ path: String) {
    let folder = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}
