import Configuration
import Geodesy
import Glibc
import TestSupport
import Testing

@Suite struct ConfigurationFilesTests {
  @Test func missingUsualFilesAreAnEmptyConfiguration() throws {
    #expect(try ConfigurationFile.load(main: "/nonexistent/g.conf", mayBeMissing: true).isEmpty)
  }

  @Test func aFileThatSomebodyNamesMustExist() throws {
    let error = try #require(throws: ConfigurationError.self) {
      try ConfigurationFile.load(main: "/nonexistent/g.conf")
    }
    #expect(
      error.description
        == "/nonexistent/g.conf: cannot be opened: No such file or directory; name another file")
    #expect(try ConfigurationFile.load(main: "/dev/null").count == 1)
  }

  @Test func dropInsComeSortedByTheBytesOfTheirNames() throws {
    let folder = try TemporaryFolder()
    try folder.file("g.conf", "[A]\nk=main")
    mkdir("\(folder.path)/g.conf.d", 0o700)
    for name in ["20-b.conf", "100-c.conf", "20-B.conf", "ä.conf"] {
      try folder.file("g.conf.d/\(name)", "[A]\nk=\(name)")
    }
    for name in [".hidden.conf", "30.conf~", "readme", "conf", ".conf"] {
      try folder.file("g.conf.d/\(name)", "nonsense")
    }
    symlink("/dev/null", "\(folder.path)/g.conf.d/50-off.conf")
    let files = try ConfigurationFile.load(main: "\(folder.path)/g.conf")
    let prefix = "\(folder.path)/g.conf.d/"
    #expect(
      files.map(\.path) == ["\(folder.path)/g.conf"]
        + ["100-c.conf", "20-B.conf", "20-b.conf", "50-off.conf", "ä.conf"].map { prefix + $0 })
    #expect(files.flatMap { $0.assignments.map(\.value) }.last == "ä.conf")
    let only = try ConfigurationFile.load(
      main: "/nonexistent", mayBeMissing: true, dropIns: "\(folder.path)/g.conf.d")
    #expect(only.count == 5)
  }

  @Test func aFaultNamesItsFile() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/g.conf.d", 0o700)
    try folder.file("g.conf.d/a.conf", "\nnonsense")
    let files = try ConfigurationFile.load(main: "\(folder.path)/g.conf", mayBeMissing: true)
    let error = Configuration(files, declared: []).errors.first
    #expect(error?.description.hasPrefix("\(folder.path)/g.conf.d/a.conf:2: ") == true)
  }

  @Test func onlyRegularFilesAreRead() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/g.conf", 0o700)
    let directory = try #require(throws: ConfigurationError.self) {
      try ConfigurationFile.load(main: "\(folder.path)/g.conf")
    }
    #expect(directory.message.contains("not a regular file"))
    rmdir("\(folder.path)/g.conf")
    // Must not wait for a writer.
    mkfifo("\(folder.path)/g.conf", 0o600)
    #expect(throws: ConfigurationError.self) {
      try ConfigurationFile.load(main: "\(folder.path)/g.conf")
    }
    #expect(throws: ConfigurationError.self) { try ConfigurationFile.load(main: "/dev/zero") }
    unlink("\(folder.path)/g.conf")
    mkdir("\(folder.path)/g.conf.d", 0o700)
    symlink("/nonexistent", "\(folder.path)/g.conf.d/a.conf")
    #expect(throws: ConfigurationError.self) {
      try ConfigurationFile.load(main: "\(folder.path)/g.conf")
    }
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser reads everything"))
  func anUnreadableFileIsAnError() throws {
    let folder = try TemporaryFolder()
    try folder.file("g.conf", "[A]\nk=1")
    chmod("\(folder.path)/g.conf", 0)
    let error = try #require(throws: ConfigurationError.self) {
      try ConfigurationFile.load(main: "\(folder.path)/g.conf")
    }
    #expect(error.message.contains("Permission denied"))
  }

  /// A path through a file fails with ENOTDIR, which is not "missing", for the superuser as well.
  @Test func aPathThroughAFileIsAnError() throws {
    let folder = try TemporaryFolder()
    try folder.file("g.conf", "")
    #expect(throws: ConfigurationError.self) {
      try ConfigurationFile.load(main: "\(folder.path)/g.conf/x")
    }
  }

  @Test func unitsOfTheLaterFileCountAndAWrongOneIsMetric() throws {
    let folder = try TemporaryFolder()
    let system = try folder.file("system.conf", "[Display]\nUnits=imperial\n")
    let user = try folder.file("user.conf", "[Display]\nUnits=nautical\n")
    let wrong = try folder.file("wrong.conf", "[Display]\nUnits=furlongs\nnonsense\n")
    #expect(DisplaySettings(files: [system, wrong]).units == .imperial)
    #expect(DisplaySettings(files: [system, user]).units == .nautical)
    #expect(DisplaySettings(files: [system, "/nonexistent/g.conf"]).units == .imperial)
    #expect(DisplaySettings(files: [wrong]).units == .metric)
    #expect(DisplaySettings(files: []).units == .metric)
  }
}
