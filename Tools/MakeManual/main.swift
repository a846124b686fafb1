import Glibc
import JSONText

// A manual page from its template: what the program itself knows better (its verbs and options, the
// settings of the configuration) is put in where the template has a line @VERBS@, @OPTIONS@ or
// @SETTINGS@. So they are never old.
//
// usage: make-manual TEMPLATE (--help-of DUMP | --settings CONF)…
//   DUMP is what `PROGRAM --experimental-dump-help` prints, CONF the commented configuration file.

func stop(_ reason: String) -> Never {
  let line = Array("make-manual: \(reason)\n".utf8)
  write(2, line, line.count)
  exit(1)
}

func contents(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { stop("\(path): \(String(cString: strerror(errno)))") }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
  return bytes
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let template = arguments.first, arguments.count % 2 == 1 else {
  stop("usage: make-manual TEMPLATE (--help-of DUMP | --settings CONF)…")
}
var parts: [String: String] = [:]
for index in stride(from: 1, to: arguments.count, by: 2) {
  let path = arguments[index + 1]
  switch arguments[index] {
  case "--help-of":
    guard
      let command = try? JSONParser.parse(String(decoding: contents(path), as: UTF8.self))[
        "command"]
    else { stop("\(path): no help of a program") }
    parts["@VERBS@"] = HelpPage(command).verbs
    parts["@OPTIONS@"] = HelpPage(command).options
  case "--settings":
    parts["@SETTINGS@"] = SettingsPage(String(decoding: contents(path), as: UTF8.self)).text
  default: stop("\(arguments[index]): is not known")
  }
}
var page = String(decoding: contents(template), as: UTF8.self)
for line in page.split(separator: "\n").map(String.init) where line.hasPrefix("@") {
  guard let part = parts[line] else { stop("\(template): nothing to put in for \(line)") }
  page = page.split(separator: "\n", omittingEmptySubsequences: false).map {
    $0 == line ? part : String($0)
  }.joined(separator: "\n")
}
print(page, terminator: "")
