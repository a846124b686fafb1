package import CivilTime
import JSONText

/// The right of a browser to act as a user.
package struct BrowserLink: Equatable, Sendable {
  /// Unique among the links of the user.
  package var name: String
  package var user: UInt32
  package var mayChange: Bool
  package var made: Instant
  package var expires: Instant?
  /// When it was last opened; nil before the first time.
  package var used: Instant?

  package init(
    name: String, user: UInt32, mayChange: Bool, made: Instant, expires: Instant? = nil
  ) {
    self.name = name
    self.user = user
    self.mayChange = mayChange
    self.made = made
    self.expires = expires
  }
}

/// The links, each a row of `state` under the hash of its token: a copy of the database gives
/// nobody a token.
package struct LinkStore {
  package typealias Entry = (hash: String, link: BrowserLink)

  let database: Database

  package static let maximumOfUser = 32
  private static let prefix = "link:"

  /// All links by name; unreadable ones are left out, and open nothing.
  package func all() throws(StoreError) -> [Entry] {
    let keys = try database.texts(
      "SELECT key FROM state WHERE key GLOB '\(Self.prefix)*' ORDER BY key")
    var links: [Entry] = []
    for key in keys {
      let hash = String(key.dropFirst(Self.prefix.count))
      if let link = try link(hash: hash) { links.append((hash, link)) }
    }
    return links.sorted { ($0.link.name, $0.link.user) < ($1.link.name, $1.link.user) }
  }

  /// - Parameter hash: of the token, in hexadecimal digits.
  package func link(hash: String) throws(StoreError) -> BrowserLink? {
    let text = try database.text(
      "SELECT value FROM state WHERE key = ?", [.text(Self.prefix + hash)])
    return text.flatMap { try? JSONParser.parse($0) }.flatMap(BrowserLink.init(json:))
  }

  /// Adds a link, or replaces the one of this hash.
  package func keep(_ link: BrowserLink, hash: String) throws(StoreError) {
    try database.run(
      """
      INSERT INTO state (key, value) VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [.text(Self.prefix + hash), .text(JSONValue.object(link.json).line)])
  }

  package func remove(hash: String) throws(StoreError) {
    try database.run("DELETE FROM state WHERE key = ?", [.text(Self.prefix + hash)])
  }
}

extension BrowserLink {
  fileprivate var json: JSONObject {
    func time(_ instant: Instant?) -> JSONValue? {
      instant.map { .int(Int($0.microseconds)) }
    }
    return JSONObject([
      "name": .string(name), "user": .int(Int(user)), "may_change": .bool(mayChange),
      "made_us": time(made), "expires_us": time(expires), "used_us": time(used),
    ])
  }

  fileprivate init?(json: JSONValue) {
    func time(_ member: String) -> Instant? {
      json[member]?.int.map { Instant(microseconds: Int64($0)) }
    }
    guard let name = json["name"]?.string, let made = time("made_us"),
      let user = json["user"]?.int.flatMap({ UInt32(exactly: $0) }),
      let mayChange = json["may_change"]?.bool
    else { return nil }
    self.init(
      name: name, user: user, mayChange: mayChange, made: made, expires: time("expires_us"))
    used = time("used_us")
  }
}
