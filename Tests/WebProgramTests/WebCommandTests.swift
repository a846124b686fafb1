import Configuration
import Glibc
import LinuxRuntime
import Phones
import TestSupport
import Testing

@testable import georemind_web

/// Settings and the file of the token.
@Suite struct WebCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings(_ text: String) throws -> WebSettings {
    try WebSettings(file: folder.file("test.conf", "[Web]\n\(text)\n"))
  }

  @Test func withoutSettingsOnlyThisMachineIsServed() throws {
    let settings = try settings("")
    #expect(settings.listener == .init(host: "127.0.0.1", port: 8088))
    #expect(settings.tokenFile == nil)
  }

  @Test(arguments: [
    ("127.0.0.1:80", "127.0.0.1", true), ("127.1.2.3:80", "127.1.2.3", true),
    ("[::1]:80", "::1", true), ("192.168.1.5:80", "192.168.1.5", false),
    ("[::]:80", "::", false), ("0.0.0.0:80", "0.0.0.0", false),
    ("[fe80::1]:80", "fe80::1", false),
  ])
  func anAddressOfOtherMachinesIsNotLocal(text: String, host: String, isLocal: Bool) throws {
    let settings = try settings("Listen=\(text)")
    #expect(settings.listener == .init(host: host, port: 80))
    #expect(settings.isLocal == isLocal)
    // By a proxy, other machines reach it whatever it listens at.
    let proxied = try self.settings("Listen=\(text)\nAddress=https://Boat.example.org:444")
    #expect(!proxied.isLocal && proxied.names == ["boat.example.org"])
  }

  @Test(arguments: [
    "boat.example.org", "https://", "https://boat/map", "ftp://boat", "http://:80", "http://a b",
    "https://boat\"", "http://" + String(repeating: "a", count: 122),
  ])
  func whatIsNoAddressOfAServiceIsRefused(text: String) {
    #expect(throws: ConfigurationError.self) { try settings("Address=\(text)") }
  }

  @Test(arguments: [
    "8088", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "localhost:8088", "::1:8088x", ":80",
    "[]:80", "http://127.0.0.1:80",
  ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(throws: ConfigurationError.self) { try settings("Listen=\(text)") }
  }

  @Test func itSaysWherePhonesSendToAndWhereTheMapIs() throws {
    #expect(
      try settings("").greeting == [
        "Phones send their positions to http://127.0.0.1:8088/; no token is asked for until "
          + "'georemind phone add' has added a phone",
        "The map is off; Page=yes in section [Web] serves it",
      ])
    #expect(
      try settings("Listen=[::]:80\nTokenFile=/etc/t\nPage=yes").greeting == [
        "Phones send their positions to http://localhost:80/, here and at this machine's other "
          + "addresses; with the token of TokenFile=, or of 'georemind phone add'",
        "The map is at http://localhost:80/map/; 'georemind web link' makes a link to it",
      ])
  }

  @Test func whereOthersReachItEachPhoneNeedsAToken() throws {
    let greeting = try settings("Listen=0.0.0.0:8088").greeting.first
    #expect(greeting?.hasSuffix("; each with its token of 'georemind phone add'") == true)
  }

  @Test func aFileThatIsNamedMustExist() throws {
    let code = WebCommand.run(["--config", "\(folder.path)/none", "--feed-socket", folder.path])
    #expect(code == 78)
  }

  // MARK: - The token

  private static let token = "Kq3vX9mT2pLs8aYd"

  @Test(arguments: [
    "http://tiles.example.org/{z}/{x}/{y}", "https://tiles.example.org/{z}/{x}",
    "https://a.b;script-src */{z}/{x}/{y}", "https://user@a.b/{z}/{x}/{y}",
    "https:///{z}/{x}/{y}", "https://a.b/{z}/{x}/{y} c",
  ])
  func anAddressOfTilesThatCouldWidenThePolicyIsRefused(text: String) {
    #expect(WebSettings.tileHost(text) == nil || !text.contains("{y}"))
    #expect(throws: ConfigurationError.self) {
      try settings("[Map]\nAttribution=them\nOnline=\(text)")
    }
  }

  @Test func tilesOfAServiceNeedTheirAuthors() throws {
    let online = "[Map]\nOnline=https://tiles.example.org:8443/{z}/{x}/{y}.png\n"
    #expect(throws: ConfigurationError.self) { try settings(online) }
    let address = try settings(online + "Attribution=them").onlineTiles
    #expect(WebSettings.tileHost(address ?? "") == "tiles.example.org:8443")
  }

  @Test func theTokenIsTheFirstLineOfItsFile() throws {
    for text in [Self.token, Self.token + "\n", Self.token + "\r\nmore\n"] {
      let path = try folder.file("token", text)
      _ = try TokenFile.read(path, credentials: nil)
      _ = try TokenFile.read("token", credentials: folder.path)
    }
  }

  @Test func aFileThatIsOpenToAllOrHasNoTokenIsRefused() throws {
    func failure(_ name: String, credentials: String? = nil) -> String {
      do throws(TokenFile.Failure) {
        _ = try TokenFile.read(name, credentials: credentials)
        return ""
      } catch { return error.description }
    }
    let path = try folder.file("token", Self.token)
    chmod(path, 0o644)
    #expect(failure(path).contains("everybody can read it"))
    #expect(failure(try folder.file("short", "short\n")).contains("16 to 128"))
    #expect(failure(try folder.file("long", String(repeating: "x", count: 129))).contains("16"))
    #expect(failure(folder.path).contains("is no file"))
    #expect(failure("\(folder.path)/none").contains("cannot be read"))
    #expect(failure("token").contains("no credentials"))
  }
}
