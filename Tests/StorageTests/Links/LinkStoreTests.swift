import CivilTime
import TestSupport
import Testing

@testable import Storage

@Suite struct LinkStoreTests {
  @Test func aLinkIsStoredAsItWasGiven() throws {
    let store = try Store(in: try TemporaryFolder())
    let rights = [LinkRight.view, .change, .answer, .phone]
    for right in rights {
      var link = AccessLink(
        name: right.rawValue, user: 1_000, right: right, made: .start, expires: .start + .hours(1))
      link.used = .start + .minutes(1)
      try store.links.keep(link, hash: right.rawValue)
      #expect(try store.links.link(hash: right.rawValue) == link)
    }
    #expect(try store.links.all().count == rights.count)
    #expect(try store.links.phones().map(\.link.right) == [.phone])
    #expect(try store.links.link(hash: "another") == nil)
  }
}
