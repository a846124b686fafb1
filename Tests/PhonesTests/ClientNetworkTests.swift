import Testing

@testable import Phones

@Suite struct ClientNetworkTests {
  @Test func aClientHasOneAddressOfIPv4AndANetworkOfIPv6() {
    func network(_ first: [UInt8], _ last: UInt8) -> ClientNetwork? {
      ClientNetwork(address: first + Array(repeating: 0, count: 15 - first.count) + [last])
    }
    let site: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0]
    #expect(network(site + [1], 1) == network(site + [1, 0xFF], 2))
    #expect(network(site + [1], 1) != network(site + [2], 1))
    let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0]
    #expect(network(mapped, 1) == ClientNetwork(address: [10, 0, 0, 1]))
    #expect(network(mapped, 1) != network(mapped, 2))
    #expect(network([], 1) != ClientNetwork(address: [0, 0, 0, 0]))
    #expect(ClientNetwork(address: [1, 2, 3]) == nil)
  }
}
