import TestSupport
import Testing

@testable import LinuxRuntime

@Suite struct StreamBudgetTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
  }

  private func serve(_ budget: StreamBudget) throws -> (listener: UnixListener, rig: Served) {
    let served = Served()
    let listener = try UnixListener(path: "\(folder.path)/socket", loop: loop, budget: budget) {
      served.take($0)
    }
    return (listener, served)
  }

  private final class Served {
    private(set) var connections: [StreamConnection] = []
    private(set) var closed: [String] = []
    private(set) var bytes = 0

    func take(_ connection: StreamConnection) {
      connections.append(connection)
      connection.onMessage = { [unowned self] in bytes += $0.count }
      connection.onClose = { [unowned self] in closed.append($0) }
    }

    var open: [StreamConnection] { connections.filter(\.isOpen) }
  }

  private func client() throws -> UnixClient {
    try UnixClient(path: "\(folder.path)/socket", timeout: 1_000_000)
  }

  @Test func theLargestClientIsDroppedOverTheBudget() throws {
    let budget = StreamBudget(limit: 600_000)
    var dropped = 0
    budget.onDrop = { _ in dropped += 1 }
    let (listener, served) = try serve(budget)
    defer { listener.close() }
    let small = try (0..<5).map { _ in try client() }
    for client in small {
      try client.send(repeatElement(UInt8(ascii: "s"), count: 20_000), timeout: 1_000_000)
    }
    while try loop.runOnce(timeout: 0) {}
    #expect(served.open.count == 5 && budget.held >= 100_000)
    // Messages that never end, a socket's worth a turn.
    let large = try client()
    var sent = 0
    #expect(
      try loop.runUntil {
        if dropped == 0 {
          try large.send(repeatElement(UInt8(ascii: "l"), count: 10_000), timeout: 1_000_000)
          sent += 10_000
        }
        return dropped == 1
      })
    #expect((200_000...700_000).contains(sent))
    #expect(budget.held <= budget.limit)
    #expect(served.closed.count == 1 && served.closed[0].contains("all clients together"))
    // The others do not notice.
    #expect(served.open.count == 5)
    for client in small { try client.send([0], timeout: 1_000_000) }
    #expect(try loop.runUntil { served.bytes == 5 * 20_000 })
    #expect(budget.held < 5 * 17_000)
  }

  @Test func bytesForSlowClientsCount() throws {
    let budget = StreamBudget(limit: 3_000_000)
    let (listener, served) = try serve(budget)
    defer { listener.close() }
    let clients = try (0..<4).map { _ in try client() }
    #expect(try loop.runUntil { served.connections.count == 4 })
    // Each takes less than its queue may hold, and nobody reads.
    for connection in served.connections {
      connection.send([UInt8](repeating: 1, count: 1_200_000))
    }
    #expect(served.open.count == 2)
    #expect(budget.held <= budget.limit && budget.held > 1_200_000)
    for connection in served.connections { connection.close() }
    #expect(budget.held == 0)
    for client in clients { client.close() }
  }

  @Test func readBytesAreReturnedToTheBudget() throws {
    let budget = StreamBudget(limit: 10 << 20)
    let (listener, served) = try serve(budget)
    defer { listener.close() }
    let client = try client()
    var rest = [UInt8](repeating: 1, count: 900_000)[...] + [0]
    #expect(
      try loop.runUntil {
        if !rest.isEmpty {
          try client.send(rest.prefix(10_000), timeout: 1_000_000)
          rest = rest.dropFirst(10_000)
        }
        return served.bytes == 900_000
      })
    #expect(budget.held < 20_000)
  }

  @Test func theUserWithTheMostBytesIsDisconnected() {
    // One large connection, and many small ones that are more together.
    #expect(StreamBudget.worst(of: [(1, 50), (2, 30), (2, 40)]) == 2)
    #expect(StreamBudget.worst(of: [(1, 50), (2, 20), (2, 20)]) == 0)
    #expect(StreamBudget.worst(of: []) == nil)
  }
}
