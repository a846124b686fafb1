import Glibc

/// The files of a folder and of the folders in it, safe against others who write there.
///
/// Links in it are not followed, only regular files are opened, and opening never
/// blocks. The folder itself may be a link.
package struct FolderFiles: Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// A file's identity and version: another one whenever the file was written or replaced.
  package struct Stamp: Equatable, Sendable {
    package let inode: UInt64
    package let size: Int64
    package let modified: Int64
    package let changed: Int64

    /// nil for anything but a regular file.
    init?(_ status: stat) {
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      inode = UInt64(status.st_ino)
      size = Int64(status.st_size)
      modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
      changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }
  }

  // MARK: - Listing

  /// Limit of entries read of the folder and the folders in it, files of no interest included:
  /// others may write there, and the loop waits.
  package static let maximumEntries = 20_000

  package struct Listing: Sendable {
    /// Paths, sorted by name in each folder.
    package fileprivate(set) var files: [String] = []
    /// Names of the folders in it, sorted.
    package fileprivate(set) var folders: [String] = []
    /// One of the symbolic links that were passed over.
    package fileprivate(set) var link: String?
    /// There are more entries than the limit.
    package fileprivate(set) var isCut = false
  }

  /// Files with this ending, without hidden names; nil if the folder cannot be read.
  /// - Complexity: a system call for some hundred entries: of tens of thousands, the stamps cost
  ///   more, and are for the caller to ask in turns.
  package func list(ending: String, limit: Int = Self.maximumEntries) -> Listing? {
    guard let root = try? open() else { return nil }
    defer { root.close() }
    var listing = Listing()
    var left = limit
    func entries(of folder: Descriptor, _ path: String) -> (isReadable: Bool, folders: [String]) {
      var (files, folders): ([String], [String]) = ([], [])
      let isReadable = Self.forEachEntry(of: folder, left: &left) { name, kind in
        if kind == S_IFLNK { listing.link = "\(path)/\(name)" }
        if kind == S_IFDIR { folders.append(name) }
        if kind == S_IFREG, name.hasSuffix(ending) { files.append(name) }
      }
      listing.files += files.sorted().map { "\(path)/\($0)" }
      return (isReadable, folders.sorted())
    }
    let all = entries(of: root, path)
    guard all.isReadable else { return nil }
    listing.folders = all.folders
    for folder in all.folders where left >= 0 {
      guard let inner = try? Self.openFolder(folder, in: root) else { continue }
      defer { inner.close() }
      _ = entries(of: inner, "\(path)/\(folder)")
    }
    listing.isCut = left < 0
    return listing
  }

  /// Names of the folders in it that are not hidden, sorted.
  package var folders: [String] {
    guard let root = try? open() else { return [] }
    defer { root.close() }
    var names: [String] = []
    var left = Self.maximumEntries
    Self.forEachEntry(of: root, left: &left) { if $1 == S_IFDIR { names.append($0) } }
    return names.sorted()
  }

  /// Passes on each entry that is not hidden, with the type bits of its mode (`S_IFMT`).
  ///
  /// - Parameter left: entries that may be read yet; negative if there are more.
  /// - Returns: whether the folder can be read.
  @discardableResult
  private static func forEachEntry(
    of folder: Descriptor, left: inout Int, _ body: (_ name: String, _ kind: mode_t) -> Void
  ) -> Bool {
    // The stream closes a descriptor of its own.
    let copy = openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return false }
    guard let stream = fdopendir(copy) else {
      Glibc.close(copy)
      return false
    }
    defer { closedir(stream) }
    while left >= 0, let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      left -= 1
      guard left >= 0, !name.hasPrefix(".") else { continue }
      // readdir(3) has the type, but not of every file system (0).
      let type = mode_t(entry.pointee.d_type) << 12
      body(name, type != 0 ? type : (status(of: name, in: folder)?.st_mode ?? 0) & S_IFMT)
    }
    return true
  }

  private static func status(of name: String, in folder: Descriptor) -> stat? {
    var status = stat()
    return fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  private static func stamp(of name: String, in folder: Descriptor) -> Stamp? {
    status(of: name, in: folder).flatMap { Stamp($0) }
  }

  // MARK: - Reading

  /// The stamp of a regular file; nil if there is none at this path.
  package func stamp(of file: String) -> Stamp? {
    guard let (folder, name) = try? place(of: file) else { return nil }
    defer { folder.close() }
    return Self.stamp(of: name, in: folder)
  }

  /// Reads a whole file, with the stamp of the content.
  package func read(
    _ file: String, limit: Int
  ) throws(SystemError) -> (bytes: [UInt8], stamp: Stamp) {
    let action = "read \(file)"
    let (folder, name) = try place(of: file)
    defer { folder.close() }
    // A pipe or a device that came in the place of the file would be waited for.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = Descriptor(openat(folder.raw, name, flags))
    defer { descriptor.close() }
    guard descriptor.raw >= 0 else { throw .last(action) }
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0 else { throw .last(action) }
    guard let stamp = Stamp(status) else {
      throw SystemError(action, code: EINVAL, remedy: "it is no regular file")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: min(stamp.size, Int64(limit))))
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes {
        Glibc.read(descriptor.raw, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last(action) }
      if count == 0 { return (bytes, stamp) }
      guard bytes.count + count <= limit else {
        throw SystemError(action, code: EFBIG, remedy: "it is larger than \(limit >> 10) KiB")
      }
      bytes += chunk[..<count]
    }
  }

  // MARK: - Opening

  private func open() throws(SystemError) -> Descriptor {
    let descriptor = Descriptor(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard descriptor.raw >= 0 else { throw .last("open \(path)") }
    return descriptor
  }

  private static func openFolder(
    _ name: String, in folder: Descriptor
  ) throws(SystemError) -> Descriptor {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let descriptor = Descriptor(openat(folder.raw, name, flags))
    guard descriptor.raw >= 0 else { throw .last("open the folder \(name)") }
    return descriptor
  }

  /// The folder that a file of `list` is in, and its name there.
  func place(of file: String) throws(SystemError) -> (folder: Descriptor, name: String) {
    let inner = file.hasPrefix("\(path)/") ? file.dropFirst(path.count + 1) : ""
    let parts = inner.split(separator: "/")
    guard let name = parts.last, parts.count <= 2, !parts.contains(where: { $0.hasPrefix(".") })
    else { throw SystemError("open \(file)", code: ENOENT, remedy: "it is not in \(path)") }
    let root = try open()
    guard parts.count == 2 else { return (root, String(name)) }
    defer { root.close() }
    return (try Self.openFolder(String(parts[0]), in: root), String(name))
  }
}
