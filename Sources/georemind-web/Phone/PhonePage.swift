import Bytes
import CivilTime
import Configuration
import JSONText
import Phones

/// A request of the page of a phone. Nothing in it is trusted.
struct PhonePageRequest {
  static let prefix = "/phone/"

  /// Method, sender and `Authorization`.
  let request: PhoneRequest
  let path: String
  /// An argument of the query: the origin of the page.
  let origin: String?
  let knownTag: String?

  /// Nil for a target that is not the page's.
  init?(_ request: PhoneRequest, knownTag: String?) {
    let text = String(decoding: request.target, as: UTF8.self)
    guard text.hasPrefix(Self.prefix) else { return nil }
    self.request = request
    self.knownTag = knownTag
    let rest = text.dropFirst(Self.prefix.count)
    path = String(rest.prefix { $0 != "?" })
    let query = rest.drop { $0 != "?" }.dropFirst()
    origin = query.hasPrefix("origin=") ? String(query.dropFirst("origin=".count)) : nil
  }
}

/// The page of a phone: its settings, and whether its positions arrive.
///
/// The files are for everybody. The data are of the phone whose token is the password of Basic.
enum PhonePage {
  typealias Answer = (answer: PageAnswer, isAuthorized: Bool)

  enum File: String, CaseIterable {
    case page = ""
    case script = "phone.js"
    case style = "phone.css"

    var type: String {
      switch self {
      case .page: "text/html; charset=utf-8"
      case .script: "text/javascript; charset=utf-8"
      case .style: "text/css; charset=utf-8"
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .page: PackageResources.phone_html
      case .script: PackageResources.phone_js
      case .style: PackageResources.phone_css
      }
    }
  }

  static func answer(
    _ request: PhonePageRequest, receiver: inout PhoneReceiver, at now: ClockReadings
  ) -> Answer {
    guard request.request.method == "GET" else { return (PageAnswer(405), false) }
    if let file = File(rawValue: request.path) {
      let page = PageAnswer(file: file.bytes, type: file.type, knownTag: request.knownTag)
      return (page, false)
    }
    guard ["state", "setup"].contains(request.path) else { return (PageAnswer(404), false) }
    switch receiver.page(request.request, at: now) {
    case .failure(let refusal): return (PageAnswer(refusal), false)
    case .success(let (name, progress)):
      guard request.path == "setup" else {
        return (PageAnswer(state(name, progress, at: now)), true)
      }
      return (setup(request, of: name), true)
    }
  }

  private static func state(
    _ name: String, _ progress: PhoneProgress, at now: ClockReadings
  ) -> JSONObject {
    let position: JSONObject? = progress.arrival.map { arrival in
      JSONObject([
        "age_s": .double(max(0, Double(now.steady - arrival.time) / 1e6)),
        "accuracy_m": .double(arrival.accuracy),
      ])
    }
    return JSONObject([
      "name": .string(name), "position": position.map { .object($0) },
      "problem": (progress.failure?.says).map { .string($0) },
    ])
  }

  private static func setup(_ request: PhonePageRequest, of name: String) -> PageAnswer {
    let token = AccessToken.password(of: request.request.authorization) ?? []
    guard let origin = request.origin, WebSettings.isAddress(origin) else {
      return PageAnswer(400, error: "NoOrigin", says: "The address of the page is missing.")
    }
    let setups = PhoneSetup.all(
      address: origin, name: name, token: String(decoding: token, as: UTF8.self))
    return PageAnswer([
      "setups": .array(
        setups.map { setup in
          var json = setup.json
          json["code"] = setup.link.flatMap { QRCode($0) }.map { code in
            .array(code.rows.map { .string($0) })
          }
          return .object(json)
        })
    ])
  }
}

extension PageAnswer {
  /// The refusal of a token, in words.
  init(_ refusal: PhoneAnswer) {
    let says =
      switch refusal.status {
      case 401: "This link is wrong, or was revoked: ask for a new one ('georemind phone add')."
      case 429: "Too many wrong links came from your address. Try again in a minute."
      default: "The daemon does not answer; it may be starting."
      }
    self.init(refusal.status, error: "Refused", says: says)
  }
}
