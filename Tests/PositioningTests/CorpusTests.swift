import CivilTime
import Geodesy
import Glibc
import JSONText
import Positioning
import Testing

/// The recorded logs beside the package, each with the fixes that are in it. Where the folder is
/// absent these tests are skipped, and say so.
struct CorpusTests {
  struct Log: Sendable, CustomStringConvertible {
    let name: String
    var description: String { name }
    var bytes: [UInt8] { readFile("\(Corpus.folder)/\(name).nmea") ?? [] }
    var expected: [JSONObject] {
      String(decoding: readFile("\(Corpus.folder)/\(name).expected.jsonl") ?? [], as: UTF8.self)
        .split(separator: "\n").compactMap { try? JSONParser.parse(String($0)).object }
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "the corpus folder ../shared/corpus/nmea is not there"))
  func dump() throws {
    guard let folder = getenv("FIX_DUMP").map({ String(cString: $0) }) else { return }
    for log in Corpus.logs {
      var text = ""
      for fix in decode(log.bytes) { fix.tpv(device: nil).write(to: &text); text += "\n" }
      writeFile("\(folder)/\(log.name).jsonl", Array(text.utf8))
    }
  }
}

enum Corpus {
  static let folder: String = {
    var parts = #filePath.split(separator: "/").dropLast(3)
    parts.removeLast()
    return "/" + (parts + ["shared", "corpus", "nmea"]).joined(separator: "/")
  }()
  static var isPresent: Bool { !logs.isEmpty }
  static let logs: [CorpusTests.Log] = {
    var names: [String] = []
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".nmea") { names.append(String(name.dropLast(5))) }
    }
    return names.sorted().map { CorpusTests.Log(name: $0) }
  }()
}

func readFile(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

func writeFile(_ path: String, _ bytes: [UInt8]) {
  guard let file = fopen(path, "w") else { return }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

func decode(_ bytes: [UInt8], options: FixDecoder.Options = FixDecoder.Options()) -> [Fix] {
  var decoder = FixDecoder(options: options)
  var fixes: [Fix] = []
  decoder.consume(bytes.span, into: &fixes)
  decoder.finish(into: &fixes)
  return fixes
}
