import Testing

@testable import Companion

@Suite struct SocketPathTests {
  private let user = ["XDG_RUNTIME_DIR": "/run/user/1000"]
  private let own = "/run/user/1000/georemind/org.georemind"

  @Test func theOptionGoesFirstThenTheEnvironment() {
    let environment = user.merging(["GEOREMIND_SOCKET": "/env"]) { $1 }
    #expect(SocketPath.find(option: "/given", environment: environment) { _ in true } == "/given")
    #expect(SocketPath.find(option: nil, environment: environment) { _ in true } == "/env")
  }

  @Test func theUsersOwnDaemonGoesBeforeTheSystems() {
    #expect(SocketPath.find(option: nil, environment: user) { $0 == own } == own)
    #expect(SocketPath.find(option: nil, environment: user) { _ in false } == SocketPath.system)
    #expect(SocketPath.find(option: nil, environment: [:]) { _ in true } == SocketPath.system)
  }
}
