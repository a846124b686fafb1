import CivilTime
import Geodesy
import Glibc
import JSONText
import Positioning
import TestSupport
import Testing

/// The recorded logs beside the package, each with the fixes that are in it. Where the folder is
/// absent these tests are skipped, and say so.
@Suite(.enabled(if: Corpus.isPresent, "no logs at \(Corpus.folder)"))
struct CorpusTests {
  /// Every required epoch is found, at its time and place; nothing else is.
  @Test(arguments: Corpus.names)
  func everyEpochOfALogIsFound(_ name: String) throws {
    let fixes = decode(try #require(readFile("\(Corpus.folder)/\(name).nmea")))
    let expected = try Corpus.expected(name)
    let isDateless = expected.contains { $0.seconds == nil }
    if isDateless { #expect(fixes.allSatisfy { $0.time == nil && $0.timeOfDay != nil }) }

    // Looked up by tenths of a second, so that the check stays linear.
    let found = Dictionary(grouping: fixes) { ExpectedEpoch.slot($0.clock) }
    for epoch in expected where !epoch.isOptional {
      let near = (-1...1).flatMap { found[epoch.slot + $0] ?? [] }
      #expect(near.contains { epoch.matches($0) }, "nothing at \(epoch.text)")
    }
    let known = Dictionary(grouping: expected) { $0.slot }
    for fix in fixes where fix.time != nil || isDateless {
      let slot = ExpectedEpoch.slot(fix.clock)
      let near = (-1...1).flatMap { known[slot + $0] ?? [] }
      let isKnown = near.contains { $0.isAtTime(of: fix) }
      #expect(isKnown, "nothing is expected at \(fix.tpv(device: nil))")
    }
    for fix in fixes where fix.time == nil && !isDateless {
      let isKnown = expected.contains { $0.isNear(fix, within: 100) }
      #expect(isKnown, "nothing is expected near \(fix.tpv(device: nil))")
    }
    // A spliced log may repeat times later on; the sentences of one burst may not.
    for (index, fix) in fixes.enumerated() {
      let again = fixes[..<index].suffix(7).contains { $0.clock == fix.clock }
      #expect(!again, "given out twice: \(fix.tpv(device: nil))")
    }
  }

  /// No receiver among these sends bursts that go on behind their learnt end.
  @Test(arguments: Corpus.names)
  func learningTheCycleEndLosesNothing(_ name: String) throws {
    var options = FixDecoder.Options()
    options.learnsCycleEnd = true
    let bytes = try #require(readFile("\(Corpus.folder)/\(name).nmea"))
    #expect(decode(bytes, options: options) == decode(bytes))
  }

  /// Pieces of any size, as a pipe or a serial line gives them.
  @Test(arguments: Corpus.names)
  func anyPiecesOfALogGiveTheSameFixes(_ name: String) throws {
    let bytes = try #require(readFile("\(Corpus.folder)/\(name).nmea"))
    expectSameFixes(of: bytes, seed: UInt64(name.utf8.count))
  }

  /// The comparison program that comes with the logs agrees.
  @Test(.enabled(if: Corpus.hasComparison, "no python3, or no \(Corpus.comparison)"))
  func theComparisonProgramAgrees() throws {
    let folder = try TemporaryFolder()
    for name in Corpus.names {
      var text = ""
      for fix in decode(try #require(readFile("\(Corpus.folder)/\(name).nmea"))) {
        fix.tpv(device: nil).write(to: &text)
        text += "\n"
      }
      try folder.file("\(name).jsonl", text)
    }
    let status = runProgram(["python3", Corpus.comparison, "--dir", folder.path, Corpus.folder])
    #expect(status == 0, "python3 \(Corpus.comparison) --dir … \(Corpus.folder) fails")
  }
}

private enum Corpus {
  static let shared = "\(packageRoot)/../shared"
  static let folder = shared + "/corpus/nmea"
  static let comparison = shared + "/tools/compare_fixes.py"
  static let isPresent = !names.isEmpty
  static let hasComparison =
    access(comparison, R_OK) == 0 && runProgram(["python3", "-c", ""]) == 0

  static let names: [String] = {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".nmea") { names.append(String(name.dropLast(5))) }
    }
    return names.sorted()
  }()

  static func expected(_ name: String) throws -> [ExpectedEpoch] {
    let lines = try #require(readFile("\(folder)/\(name).expected.jsonl")).split(separator: 0x0A)
    return try lines.map { try ExpectedEpoch(JSONParser.parse(Array($0))) }
  }
}

private struct ExpectedEpoch {
  let text: String
  /// Seconds since 1970; nil in a log that never gives a date.
  let seconds: Double?
  let timeOfDay: Double?
  let position: Coordinate
  let spread: Double
  let isOptional: Bool

  init(_ line: JSONValue) throws {
    text = line.line
    seconds = try line["time"]?.string.map { text in
      let report = #"{"class":"TPV","mode":2,"lat":1,"lon":1,"time":"\#(text)"}"#
      return try #require(decode(report).first?.time).seconds
    }
    timeOfDay = line["tod"]?.double
    let latitude = try #require(line["lat"]?.double)
    let longitude = try #require(line["lon"]?.double)
    position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    spread = line["spread"]?.double ?? 0
    isOptional = line["opt"] != nil
  }

  var slot: Int { Self.slot(seconds ?? timeOfDay ?? 0) }

  static func slot(_ seconds: Double) -> Int { Int((seconds * 10).rounded()) }

  func isAtTime(of fix: Fix) -> Bool {
    if let seconds { return fix.time.map { abs($0.seconds - seconds) <= 0.051 } ?? false }
    guard let timeOfDay, let found = fix.timeOfDay else { return false }
    return abs(Double(found) / 1000 - timeOfDay) <= 0.051
  }

  func isNear(_ fix: Fix, within metres: Double) -> Bool {
    let degree = 6_371_008.8 * Double.pi / 180
    let north = (fix.position.latitude - position.latitude) * degree
    let turn = abs(fix.position.longitude - position.longitude)
    let east = min(turn, 360 - turn) * degree * cos(position.latitude * .pi / 180)
    return (north * north + east * east).squareRoot() <= metres + spread
  }

  func matches(_ fix: Fix) -> Bool { isAtTime(of: fix) && isNear(fix, within: 1) }
}

extension Fix {
  /// Seconds since 1970, or of the day.
  fileprivate var clock: Double { time?.seconds ?? Double(timeOfDay ?? -1000) / 1000 }
}

/// The exit status of a program looked up in PATH, its output thrown away; −1 where it cannot run.
private func runProgram(_ arguments: [String]) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
  defer { for text in texts { free(text) } }
  texts.append(nil)
  var child: pid_t = 0
  guard let program = texts[0],
    posix_spawnp(&child, program, &actions, nil, texts, environ) == 0
  else { return -1 }
  var status: Int32 = 0
  guard waitpid(child, &status, 0) == child, status & 0x7F == 0 else { return -1 }
  return status >> 8 & 0xFF
}
