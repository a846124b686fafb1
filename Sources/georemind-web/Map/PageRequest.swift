import Bytes
import JSONText

/// A request of a browser, below `/map/`. Nothing in it is trusted.
struct PageRequest {
  var method: String
  /// The path below `/map/`, and the query, percent-encoded.
  let path: String
  let query: String
  /// Whether it is `/map`, from where a browser would not find the files of the page.
  let lacksSlash: Bool
  var host: String?
  var origin: String?
  var fetchSite: String?
  var contentType: String?
  var cookie: String?
  var authorization: String?
  var lastEvent: String?
  var knownTag: String?
  /// The port of the service.
  var port: UInt16 = 0
  var body: [UInt8] = []

  static let prefix = "/map/"
  static let maximumBody = 65_536

  /// Nil for a target that is not the map's.
  init?(method: String, target: [UInt8]) {
    var text = String(decoding: target, as: UTF8.self)
    lacksSlash = text == Self.prefix.dropLast()
    if lacksSlash { text = Self.prefix }
    guard text.hasPrefix(Self.prefix) else { return nil }
    self.method = method
    let rest = text.dropFirst(Self.prefix.count)
    path = String(rest.prefix { $0 != "?" })
    query = String(rest.drop { $0 != "?" }.dropFirst())
  }

  /// The token of a program, or of the session's cookie.
  var token: String? { bearer ?? cookieToken }

  /// The token in `Authorization` (RFC 6750, section 2.1). No page of another site can send it: a
  /// browser asks the service before, which refuses.
  var bearer: String? {
    guard let words = authorization?.split(separator: " "), words.count == 2,
      words[0].lowercased() == "bearer"
    else { return nil }
    return PageToken.checked(words[1])
  }

  private var cookieToken: String? {
    let name = "georemind-\(port)="
    let pairs = (cookie ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
    guard let pair = pairs.first(where: { $0.hasPrefix(name) }) else { return nil }
    return PageToken.checked(pair.dropFirst(name.count))
  }

  /// An argument of the query: digits and such, not decoded.
  func argument(_ name: String) -> String? {
    query.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map {
      String($0.dropFirst(name.count + 1))
    }
  }

  /// The JSON object that the query or the body is; nil for anything else.
  var document: JSONObject? {
    let bytes = method == "GET" ? Self.decoded(query) : body
    if bytes.isEmpty { return JSONObject() }
    return (try? JSONParser.parse(bytes))?.object
  }

  private static func decoded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}

/// The token of a link.
enum PageToken {
  /// Nil unless it has the form of a token, so that nothing else reaches the daemon.
  static func checked(_ text: some StringProtocol) -> String? {
    SecretToken.isOne(text.utf8) ? String(text) : nil
  }
}

/// The answer to a browser.
struct PageAnswer: Equatable {
  let status: Int
  var type = "application/json"
  var body: [UInt8] = []
  var headers: [[String]] = []

  init(_ status: Int) { self.status = status }

  /// - Parameter name: of the error, without the interface.
  init(_ status: Int, error name: String, says: String, parameters: JSONObject = JSONObject()) {
    self.status = status
    body = Array(
      JSONValue.object([
        "error": .string(name), "parameters": .object(parameters), "says": .string(says),
      ]).line.utf8)
    if status == 503 { headers.append(["Retry-After", "1"]) }
  }

  init(_ object: JSONObject) {
    status = 200
    body = Array(JSONValue.object(object).line.utf8)
  }

  /// A file of a page, which a browser keeps as long as its tag is the same.
  init(file bytes: [UInt8], type: String, knownTag: String?) {
    let tag = "\"\(Fingerprint(bytes).text)\""
    status = knownTag == tag ? 304 : 200
    self.type = type
    if status == 200 { body = bytes }
    headers = [["ETag", tag], ["Cache-Control", "no-cache"]]
  }

  static let noLink = PageAnswer(
    401, error: "InvalidLink", says: "This page needs a link: run 'georemind web link'.")
  static let away = PageAnswer(
    503, error: "Away", says: "The daemon does not answer; it may be starting.")
}
