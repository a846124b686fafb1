import Control
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Client

@Suite struct WebVerbTests {
  private static let token = String(repeating: "A", count: 43)

  private func run(
    _ arguments: [String], files: [String] = [], columns: Int? = nil,
    _ handler: @escaping FakeDaemon.Handler
  ) throws -> Run {
    let daemon = try FakeDaemon(handler)
    defer { daemon.stop() }
    return Run(
      arguments, environment: ["GEOREMIND_SOCKET": daemon.path], columns: columns,
      configurationFiles: files)
  }

  private static let made: FakeDaemon.Handler = { call in
    guard call.methodName == "MakeLink", call.parameters["name"] == "phone",
      call.parameters["may_change"] == false, call.parameters["expires"] == "2d"
    else { return [] }
    return [VarlinkReply(parameters: ["token": .string(token), "link": [:]])]
  }

  @Test func aLinkStandsInTheFragment() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("georemind.conf", "[Web]\nListen=127.0.0.2:9000\n")
    let arguments = ["web", "link", "--name", "phone", "--view", "--expires", "2d"]
    let run = try run(arguments, files: [file], Self.made)
    #expect(run.output == "http://127.0.0.2:9000/map/#\(Self.token)\n")
    #expect(run.notes.contains("Page=yes"))
    let shown = try self.run(arguments, files: [file], columns: 80, Self.made)
    #expect(shown.lines.count == 20 && shown.lines[3].contains("█"))
  }

  @Test func listsAndRevokes() throws {
    let listed = try run(["web", "links"]) { call in
      guard call.methodName == "ListLinks" else { return [] }
      return [
        VarlinkReply(parameters: [
          "links": [
            [
              "name": "phone", "user": 0, "may_change": true, "made": "2026-06-12T15:00:00Z",
              "used": "2026-06-12T16:00:00Z",
            ]
          ]
        ])
      ]
    }
    #expect(listed.output == "phone  root  may change  used 2026-06-12T18:00:00+02:00\n")
    let revoked = try run(["web", "revoke", "phone"]) { call in
      call.methodName == "RevokeLink" && call.parameters["name"] == "phone"
        ? [VarlinkReply(parameters: ["link": [:]])] : []
    }
    #expect(revoked.status == 0 && revoked.notes.contains("revoked phone"))
  }
}

@Suite struct QRCodeTests {
  @Test func aTextThatIsTooLongHasNone() {
    #expect(QRCode(String(repeating: "x", count: 106)) != nil)
    #expect(QRCode(String(repeating: "x", count: 107)) == nil)
  }

  /// Debian's zbarimg reads what is drawn, at each version.
  @Test(.enabled(if: access("/usr/bin/zbarimg", X_OK) == 0, "zbar-tools is not installed"))
  func anotherProgramReadsIt() throws {
    for count in [1, 17, 18, 32, 53, 78, 106] {
      let text = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
      let code = try #require(QRCode(text))
      let side = code.size + 8
      var image = "P1\n\(side * 4) \(side * 4)\n"
      for row in 0..<side * 4 {
        for column in 0..<side * 4 {
          let (y, x) = (row / 4 - 4, column / 4 - 4)
          let isInside = (0..<code.size).contains(y) && (0..<code.size).contains(x)
          image += isInside && code.isDark(row: y, column: x) ? "1 " : "0 "
        }
        image += "\n"
      }
      let folder = try TemporaryFolder()
      let file = try folder.file("code.pbm", image)
      let pipe = try #require(popen("zbarimg -q --raw \(file)", "r"))
      defer { pclose(pipe) }
      var line = [CChar](repeating: 0, count: 256)
      _ = fgets(&line, 256, pipe)
      let read = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      #expect(String(decoding: read, as: UTF8.self) == text)
    }
  }
}
