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
  ///   - expected: the file's stamp when it was read; nil makes a new file, readable by whoever may
  ///     read the folder.
  /// - Returns: the new stamp.
  package func replace(
    _ file: String, with bytes: [UInt8], expected: Stamp?
  ) throws(ReplacementFailure) -> Stamp {
    let (folder, name): (Descriptor, String)
    do {
      (folder, name) = try place(of: file)
    } catch {
      throw error.code == ENOENT ? .changed : .system(error)
    }
    defer { folder.close() }
    var status = stat()
    /// Whether the file is as expected; its state is then in `status`.
    func isAsExpected() throws(ReplacementFailure) -> Bool {
      guard fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        guard errno == ENOENT else { throw .system(.last("read the state of \(file)")) }
        return expected == nil
      }
      return expected != nil && Stamp(status) == expected
    }
    guard try isAsExpected() else { throw .changed }
    if expected == nil {
      guard fstat(folder.raw, &status) == 0 else { throw .system(.last("read the folder")) }
      status.st_mode &= 0o666
    }
    // A new file is its maker's: replacing somebody else's would take it away from them.
    guard expected == nil || status.st_uid == geteuid() else {
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
    let mode = status.st_mode & 0o7777
    guard fchmod(descriptor.raw, mode) == 0, fsync(descriptor.raw) == 0 else {
      throw .system(.last("write \(temporary) beside \(file)"))
    }
    guard try isAsExpected() else { throw .changed }
    guard renameat(folder.raw, temporary, folder.raw, name) == 0 else {
      throw .system(.last("replace \(file)"))
    }
    isRenamed = true
    // Syncs the rename; if this fails, the system writes it later.
    fsync(folder.raw)
    guard fstat(descriptor.raw, &status) == 0, let written = Stamp(status) else {
      throw .system(.last("read the state of \(file)"))
    }
    return written
  }

  /// Removes a file of the folder.
  package func remove(_ file: String) throws(SystemError) {
    let (folder, name) = try place(of: file)
    defer { folder.close() }
    guard unlinkat(folder.raw, name, 0) == 0 else { throw .last("remove \(file)") }
    fsync(folder.raw)
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
