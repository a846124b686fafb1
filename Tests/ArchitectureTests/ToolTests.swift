import Glibc
import TestSupport
import Testing

/// The scripts of `Tools` and the targets of the Makefile, with programs that only pretend.
@Suite struct ToolTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a program of the folder: a script.
  private func program(_ name: String, _ script: String) throws {
    try #require(chmod(try folder.file(name, "#!/bin/sh\n\(script)\n"), 0o700) == 0)
  }

  /// Runs a command in the package's folder; what it prints, and its exit code.
  private func run(_ command: String, path: String) throws -> (code: Int32, output: String) {
    let line = "cd '\(packageRoot)' && PATH='\(path)' && { \(command); } 2>&1"
    let stream = try #require(popen(line, "re"))
    var output: [UInt8] = []
    while case let byte = fgetc(stream), byte >= 0 { output.append(UInt8(byte)) }
    let status = pclose(stream)
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, String(decoding: output, as: UTF8.self))
  }

  private var withSystem: String { "\(folder.path):/usr/bin:/bin" }

  // MARK: - The toolchain

  @Test func withoutAToolchainASentenceSaysWhereItIs() throws {
    let result = try run("/bin/sh Tools/need-swift.sh", path: folder.path)
    #expect(result.code == 69)
    #expect(result.output.contains("there is no program 'swift'"))
    #expect(result.output.contains("install Swift 6.3 or newer from https://www.swift.org/install"))
    #expect(result.output.contains("make SWIFT="))
    #expect(result.output.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    ("Swift version 6.3 (swift-6.3-RELEASE)", ""),
    ("Swift version 6.4-dev (LLVM 1, Swift 2)", ""),
    ("Swift version 7 (swift-7)", ""),
    ("Apple Swift version 6.10.1 (swiftlang-6)", ""),
    ("swift-driver version: 1.1 Apple Swift version 6.2.4 (swiftlang-6)", "is Swift 6.2.4, which"),
    ("Swift version 5.10 (swift-5.10-RELEASE)", "is Swift 5.10, which is too old"),
    ("python-swiftclient 4.6.0", "is not the Swift toolchain"),
    ("", "is not the Swift toolchain"),
  ]) func anOldOrOtherSwiftIsRefused(version: String, words: String) throws {
    try program("swift", "echo '\(version)'")
    let result = try run("/bin/sh Tools/need-swift.sh swift", path: folder.path)
    #expect(result.code == (words.isEmpty ? 0 : 69))
    #expect(words.isEmpty ? result.output.isEmpty : result.output.contains(words))
  }

  @Test(arguments: [
    "-W Package.swift all", "-W Package.swift run", "test", "check", "lint", "sanitize", "long",
  ])
  func makeNamesAMissingToolchain(target: String) throws {
    let result = try run("make SWIFT=absent-swift \(target)", path: withSystem)
    #expect(result.code == 2)
    #expect(result.output.contains("there is no program 'absent-swift'"))
    #expect(!result.output.contains("not found"))
  }

  // MARK: - What the build needs

  /// An apt-get that notes its calls: the first installation fails, as with old lists, and the
  /// first update, as while another one runs.
  @Test func aPackageManagerThatIsBusyIsWaitedFor() throws {
    try program("dpkg-query", "exit 1")
    try program("id", "echo 0")
    try program("sleep", ":")
    try program(
      "apt-get",
      """
      cd \(folder.path)
      echo "$*" >>calls
      case "$(wc -l <calls)" in
        1) exit 100 ;;
        2) echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1"; exit 100 ;;
      esac
      """)
    let result = try run("Tools/install-build-deps.sh", path: withSystem)
    #expect(result.code == 0, "\(result.output)")
    let calls = try contents("\(folder.path)/calls").split(separator: "\n")
    #expect(
      calls.map { $0.split(separator: " ")[2] } == ["install", "update", "update", "install"])
    for call in calls { #expect(call.hasPrefix("-o DPkg::Lock::Timeout=120 ")) }
  }

  @Test func aFailingPackageManagerIsReported() throws {
    try program("dpkg-query", "exit 1")
    try program("id", "echo 0")
    try program("apt-get", "echo 'E: no network'; exit 100")
    let result = try run("Tools/install-build-deps.sh", path: withSystem)
    #expect(result.code == 1)
    #expect(result.output.contains("E: no network"))
    #expect(result.output.contains("install these by hand: "))
  }
}
