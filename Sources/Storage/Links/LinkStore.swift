package import CivilTime
import JSONText

/// The right of a token.
package enum LinkRight: String, Sendable {
  /// A browser reads as the user.
  case view
  /// A browser reads and changes as the user.
  case change
  /// A button of a notification completes and snoozes reminders as the user, and reads nothing.
  case answer
  /// A phone of the user sends its positions to `georemind-web`, and calls nothing.
  case phone
}

/// The right of whoever has a token: of a browser to act as a user, or of a phone.
package struct AccessLink: Equatable, Sendable {
  /// Unique among the browsers of the user; for a phone, among all phones.
  package var name: String
  package var user: UInt32
  package var right: LinkRight
  package var made: Instant
  package var expires: Instant?
  /// When it was last opened; nil before the first time.
  package var used: Instant?

  package init(
    name: String, user: UInt32, right: LinkRight, made: Instant, expires: Instant? = nil
  ) {
    self.name = name
    self.user = user
    self.right = right
    self.made = made
    self.expires = expires
  }
}

/// The links, each a row of `state` under the hash of its token: a copy of the database gives
/// nobody a token.
package struct LinkStore {
  package typealias Entry = (hash: String, link: AccessLink)

  let database: Database

  /// Browsers of one user.
  package static let maximumOfUser = 32
  /// Phones of all users.
  package static let maximumPhones = 256
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

  /// The phones by name.
  package func phones() throws(StoreError) -> [Entry] {
    try all().filter { $0.link.right == .phone }
  }

  /// - Parameter hash: of the token, in hexadecimal digits.
  package func link(hash: String) throws(StoreError) -> AccessLink? {
    let text = try database.text(
      "SELECT value FROM state WHERE key = ?", [.text(Self.prefix + hash)])
    return text.flatMap { try? JSONParser.parse($0) }.flatMap(AccessLink.init(json:))
  }

  /// Adds a link, or replaces the one of this hash.
  package func keep(_ link: AccessLink, hash: String) throws(StoreError) {
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

extension AccessLink {
  fileprivate var json: JSONObject {
    func time(_ instant: Instant?) -> JSONValue? {
      instant.map { .int(Int($0.microseconds)) }
    }
    return JSONObject([
      "name": .string(name), "user": .int(Int(user)), "right": .string(right.rawValue),
      "made_us": time(made), "expires_us": time(expires), "used_us": time(used),
    ])
  }

  fileprivate init?(json: JSONValue) {
    func time(_ member: String) -> Instant? {
      json[member]?.int.map { Instant(microseconds: Int64($0)) }
    }
    guard let name = json["name"]?.string, let made = time("made_us"),
      let user = json["user"]?.int.flatMap({ UInt32(exactly: $0) }),
      let right = json["right"]?.string.flatMap(LinkRight.init)
    else { return nil }
    self.init(
      name: name, user: user, right: right, made: made, expires: time("expires_us"))
    used = time("used_us")
  }
}
