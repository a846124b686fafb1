import Glibc
import TestSupport
import Testing

@testable import LinuxRuntime

/// A folder that others write into: what they put there leads nowhere else, and holds nobody up.
@Suite struct FolderFilesTests {
  private let folder: TemporaryFolder
  private let files: FolderFiles
  private var inside: String { "\(folder.path)/inside" }

  init() throws {
    folder = try TemporaryFolder()
    mkdir("\(folder.path)/inside", 0o700)
    mkdir("\(folder.path)/inside/tasks", 0o700)
    files = FolderFiles("\(folder.path)/inside")
    try folder.file("secret.ics", "secret")
    try folder.file("inside/tasks/a.ics", "a")
  }

  private func names(_ ending: String = ".ics") -> [String]? {
    files.list(ending: ending)?.files.map { String($0.dropFirst(inside.count + 1)) }
  }

  @Test func listsReadsAndReplaces() throws {
    try folder.file("inside/b.ics", "b")
    try folder.file("inside/.c.ics", "c")
    #expect(names() == ["b.ics", "tasks/a.ics"])
    #expect(files.list(ending: ".ics")?.folders == ["tasks"])
    let file = "\(inside)/tasks/a.ics"
    let (bytes, stamp) = try files.read(file, limit: 10)
    #expect(bytes == Array("a".utf8))
    #expect(files.stamp(of: file) == stamp)
    let written = try files.replace(file, with: Array("new".utf8), expected: stamp)
    #expect(files.stamp(of: file) == written && written != stamp)
    #expect(try fileBytes(file) == Array("new".utf8))
    #expect(throws: FolderFiles.ReplacementFailure.changed) {
      try files.replace(file, with: [], expected: stamp)
    }
    #expect(files.list(ending: "", limit: 1)?.isCut == true)
  }

  /// Other files take time to read as well.
  @Test func aListingEndsAtTheLimitWhateverTheFilesAre() throws {
    for number in 0..<20 { try folder.file("inside/tasks/other\(number)", "") }
    #expect(files.list(ending: ".ics", limit: 21)?.isCut == true)
    let whole = try #require(files.list(ending: ".ics", limit: 22))
    #expect(!whole.isCut && whole.files.count == 1)
  }

  @Test func linksAreNotFollowed() throws {
    symlink("../secret.ics", "\(inside)/link.ics")
    #expect(files.list(ending: ".ics")?.link == "\(inside)/link.ics")
    symlink(folder.path, "\(inside)/away")
    #expect(names() == ["tasks/a.ics"])
    #expect(files.folders == ["tasks"])
    for path in ["link.ics", "away/secret.ics", "../secret.ics", "tasks/../../secret.ics"] {
      let file = "\(inside)/\(path)"
      #expect(files.stamp(of: file) == nil)
      #expect(throws: SystemError.self) { try files.read(file, limit: 100) }
    }
    #expect(throws: SystemError.self) { try files.read("\(folder.path)/secret.ics", limit: 100) }
    // One that comes in the place of a folder between the listing and the writing.
    let file = "\(inside)/tasks/a.ics"
    let stamp = try #require(files.stamp(of: file))
    rename("\(inside)/tasks", "\(folder.path)/moved")
    symlink("../moved", "\(inside)/tasks")
    #expect(throws: FolderFiles.ReplacementFailure.self) {
      try files.replace(file, with: Array("x".utf8), expected: stamp)
    }
    #expect(try fileBytes("\(folder.path)/moved/a.ics") == Array("a".utf8))
  }

  @Test func pipesAndDevicesAreNotWaitedFor() throws {
    let pipe = "\(inside)/pipe.ics"
    mkfifo(pipe, 0o600)
    #expect(names() == ["tasks/a.ics"])
    #expect(throws: SystemError.self) { try files.read(pipe, limit: 100) }
    #expect(throws: SystemError.self) { try files.read("\(inside)/tasks", limit: 100) }
  }

  @Test func aLargeFileIsNotReadToItsEnd() throws {
    let file = try folder.file("inside/large.ics", [UInt8](repeating: 0x20, count: 100_001))
    #expect(try files.read(file, limit: 100_001).bytes.count == 100_001)
    #expect { try files.read(file, limit: 100_000) } throws: {
      ($0 as? SystemError)?.code == EFBIG
    }
  }
}
