import Glibc

extension FolderFiles {
  package enum ReplacementFailure: Error, Equatable {
    /// The file has changed since it was read.
    case changed
    case system(SystemError)
  }

  /// Replaces a file's content atomically, safe against power failure: writes a file beside it,
  /// syncs and renames it.
  ///
  /// - Parameters:
  ///   - expected: the file's stamp when it was read.
  /// - Returns: the new stamp.
  package func replace(
    _ file: String, with bytes: [UInt8], expected: Stamp
  ) throws(ReplacementFailure) -> Stamp {
    let (folder, name): (Descriptor, String)
    do {
      (folder, name) = try place(of: file)
    } catch {
      throw error.code == ENOENT ? .changed : .system(error)
    }
    defer { folder.close() }
    var status = stat()
    guard fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw errno == ENOENT ? .changed : .system(.last("read the state of \(file)"))
    }
    guard Stamp(status) == expected else { throw .changed }
    // A new file is its maker's: replacing somebody else's would take it away from them.
    guard status.st_uid == geteuid() else {
      throw .system(
        SystemError(
          "write \(file)", code: EACCES,
          remedy: "it belongs to user \(status.st_uid); run the daemon as that user"))
    }
    let temporary = ".\(name).georemind.tmp"
    unlinkat(folder.raw, temporary, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = Descriptor(openat(folder.raw, temporary, flags, 0o600))
    guard descriptor.raw >= 0 else { throw .system(.last("make \(temporary) beside \(file)")) }
    var isRenamed = false
    defer { descriptor.close() }
    defer { if !isRenamed { unlinkat(folder.raw, temporary, 0) } }
    try Self.write(bytes, to: descriptor, for: file)
    guard fchmod(descriptor.raw, status.st_mode & 0o7777) == 0, fsync(descriptor.raw) == 0 else {
      throw .system(.last("write \(temporary) beside \(file)"))
    }
    var now = stat()
    guard fstatat(folder.raw, name, &now, AT_SYMLINK_NOFOLLOW) == 0, Stamp(now) == expected else {
      throw .changed
    }
    guard renameat(folder.raw, temporary, folder.raw, name) == 0 else {
      throw .system(.last("replace \(file)"))
    }
    isRenamed = true
    // Syncs the rename; if this fails, the system writes it later.
    fsync(folder.raw)
    guard fstat(descriptor.raw, &now) == 0, let written = Stamp(now) else {
      throw .system(.last("read the state of \(file)"))
    }
    return written
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Descriptor, for file: String
  ) throws(ReplacementFailure) {
    do throws(SystemError) {
      try Descriptors.write(bytes, to: descriptor.raw, "write \(file)")
    } catch {
      throw .system(error)
    }
  }
}
