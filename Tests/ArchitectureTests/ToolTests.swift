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

  /// A toolchain without its libraries, with a loader that misses two of them, one twice.
  @Test func aToolchainThatDoesNotStartNamesThePackagesItLacks() throws {
    try program(
      "swift", "echo 'swift: error while loading shared libraries: libncurses.so.6' >&2; exit 127")
    try program(
      "ldd",
      """
      case $1 in
        */swift) echo ' libncurses.so.6 => not found'; echo ' libtinfo.so.6 => not found' ;;
        */lld) echo ' libxml2.so.2 => not found'; echo ' libnew.so.1 => not found' ;;
        *) echo ' libc.so.6 => /lib/libc.so.6 (0x0)' ;;
      esac
      """)
    let result = try run("Tools/need-swift.sh swift", path: withSystem)
    #expect(result.code == 69)
    #expect(
      result.output.hasSuffix(
        "install them: apt-get install libncurses6 libxml2 (the package with libnew.so.1)\n"))
    #expect(result.output.split(separator: "\n").count == 1)
  }

  @Test func aToolchainOfAnotherSystemIsReported() throws {
    try program("swift", "echo \"libc.so.6: version 'GLIBC_2.99' not found\"; exit 1")
    let result = try run("Tools/need-swift.sh swift", path: withSystem)
    #expect(result.code == 69)
    #expect(result.output.contains("'swift' does not start: libc.so.6: version 'GLIBC_2.99'"))
    #expect(result.output.contains("https://www.swift.org/install/linux/"))
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

  @Test func aMissingCompilerOfCIsNamed() throws {
    try program("dpkg-query", "for last; do :; done; [ \"$last\" = g++ ] || echo installed")
    try program("id", "echo 1000")
    try program("sudo", "echo 'sudo: no rights'; exit 1")
    let result = try run("Tools/install-build-deps.sh", path: withSystem)
    #expect(result.code == 1)
    #expect(result.output.contains("install these by hand: g++\n"))
  }

  // MARK: - What the tests print

  /// Runs `check.sh` in a folder of its own, with a toolchain that prints this and ends with `code`.
  private func check(
    _ arguments: String, _ printed: String, code: Int32
  ) throws -> (code: Int32, output: String) {
    try folder.file("printed", printed)
    try program("swift", "cat '\(folder.path)/printed'; exit \(code)")
    return try run(
      "cd '\(folder.path)' && mkdir Tools && cp '\(packageRoot)/Tools/check.sh' Tools"
        + " && Tools/check.sh \(arguments)", path: withSystem)
  }

  private static let failing = """
    [1/3] Compiling Daemon Daemon.swift
    Build complete! (12.72s)
    ◇ Test run started.
    ↳ Testing Library Version: 6.3.1
    ◇ Suite OneTests started.
    ◇ Test case passing 1 argument text → "error: two
    lines" to reads(_:) started.
    ✔ Test reads(_:) with 1 test case passed after 0.001 seconds.
    ➜ Test writes() skipped: "no disk"
    ✔ Suite OneTests passed after 0.002 seconds.
    ✘ Test adds() recorded an issue at TwoTests.swift:3:5: Expectation failed: (a → "first
    second") == b
    ↳ the sum
    ✔ Test removes() passed after 0.001 seconds.
    a program's own line
    ✘ Test adds() failed after 0.001 seconds with 1 issue.
    ✘ Suite TwoTests failed after 0.001 seconds with 1 issue.
    ✘ Test run with 4 tests in 2 suites failed after 0.003 seconds with 1 issue.

    """

  @Test func allTestsPrintALineForEachSuiteAndWhatFails() throws {
    let result = try check("--all", Self.failing, code: 3)
    #expect(result.code == 3)
    #expect(
      result.output == """
        ➜ Test writes() skipped: "no disk"
        ✔ Suite OneTests passed after 0.002 seconds.
        ✘ Test adds() recorded an issue at TwoTests.swift:3:5: Expectation failed: (a → "first
        second") == b
        ↳ the sum
        ✘ Test adds() failed after 0.001 seconds with 1 issue.
        ✘ Suite TwoTests failed after 0.001 seconds with 1 issue.
        ✘ Test run with 4 tests in 2 suites failed after 0.003 seconds with 1 issue.
        the whole output is in .build/test.log

        """)
    #expect(try contents("\(folder.path)/.build/test.log") == Self.failing)
  }

  @Test func theFastTestsPrintWhatFailsAlone() throws {
    let passed = "✔ Test run with 4 tests in 2 suites passed after 0.003 seconds.\n"
    let result = try check("", "✔ Suite OneTests passed after 0.002 seconds.\n" + passed, code: 0)
    #expect(result.code == 0)
    #expect(result.output == passed)
  }

  /// What `swift test` prints where there is no run of the tests, or no end of it.
  private static let ends = [
    "build": """
    /src/Daemon.swift:3:5: error: cannot find 'x' in scope
     3 | x
       | `- error: cannot find 'x' in scope

    """,
    "crash": """
    Daemon/Daemon.swift:12: Fatal error: Index out of range
    *** Program crashed: Illegal instruction at 0x1 ***
    Thread 0 crashed:
    error: Exited with unexpected signal code 4

    """,
    "shell": "swift: not found\n",
  ]

  @Test(arguments: ["build", "crash", "shell"])
  func whatKeepsTheTestsFromRunningIsPrinted(kind: String) throws {
    let lines = try #require(Self.ends[kind])
    let result = try check("--all", "[2/3] Compiling Daemon Daemon.swift\n" + lines, code: 1)
    #expect(result.code == 1)
    #expect(result.output.hasSuffix(lines + "the whole output is in .build/test.log\n"))
  }
}
