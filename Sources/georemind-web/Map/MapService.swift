import BaseMap
import Companion
import Configuration
import JSONText
import LinuxRuntime

/// The map: the page's files, its session, events, tiles, and calls as the link's user.
final class MapService {
  static let maximumSessions = 32
  /// Microseconds after which a session without a page is closed.
  private static let idleTime: Int64 = 120_000_000
  private static let beatTime: Int64 = 15_000_000
  private static let retryTime: Int64 = 1_000_000

  private let socketPath: () -> String
  private let loop: EventLoop
  private let access: PageAccess
  private let port: UInt16
  private var sessions: [String: LinkSession] = [:]
  private var timer: TimerSource?
  var tiles: TileFile?
  /// An address of tiles with {z}, {x} and {y}, and their authors.
  var online: (address: String, attribution: String)?
  /// The only host besides this service that the page may load images of.
  var imageHost: String? {
    tiles == nil ? online.flatMap { WebSettings.tileHost($0.address) } : nil
  }

  init(
    names: [String], port: UInt16, loop: EventLoop, socketPath: @escaping () -> String
  )
    throws(SystemError)
  {
    access = PageAccess(names: names)
    (self.port, self.loop, self.socketPath) = (port, loop, socketPath)
    timer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in beat() }
  }

  func stop() {
    timer?.close()
    for session in sessions.values { session.close() }
    sessions = [:]
  }

  /// The answer that a head alone deserves; nil to read the body.
  func refusal(_ request: PageRequest, announced: Int?) -> PageAnswer? {
    var request = request
    request.port = port
    if let refusal = access.refusal(request) { return refusal }
    return announced ?? 0 > PageRequest.maximumBody ? PageAnswer(413) : nil
  }

  /// Answers a whole request that `refusal` let through, at once or later.
  func answer(_ request: PageRequest, _ answer: @escaping LinkSession.Answer) {
    var request = request
    request.port = port
    guard !request.lacksSlash else {
      var moved = PageAnswer(308)
      moved.headers = [["Location", PageRequest.prefix]]
      return answer(moved)
    }
    let route = PageRoute(request.path)
    switch route {
    case .file(let file):
      answer(
        request.method == "GET"
          ? PageAnswer(file: file.bytes, type: file.type, knownTag: request.knownTag)
          : PageAnswer(405))
    case .session: openSession(request, answer)
    case .unknown, .events: answer(PageAnswer(404))
    case .base: answer(PageAnswer(base))
    case .tile(let name):
      answer(request.method == "GET" ? tiles?.answer(name, request) ?? PageAnswer(404) : .init(405))
    case .call(let method, let changes):
      guard request.method == (changes ? "POST" : "GET") else { return answer(PageAnswer(405)) }
      guard let document = request.document else {
        return answer(
          PageAnswer(400, error: "NotJSON", says: "The request is no JSON object."))
      }
      guard let session = session(request.token) else { return answer(.away) }
      session.call(method, document, isChange: changes, answer: answer)
    }
  }

  private var base: JSONObject {
    if let tiles { return tiles.description }
    guard let online else { return ["kind": "none"] }
    return [
      "kind": "online", "url": .string(online.address), "min": 0, "max": 19,
      "attribution": .string(online.attribution),
    ]
  }

  /// The session for a stream of events; nil for another request, and where there are too many.
  func session(forEvents request: PageRequest) -> LinkSession? {
    var request = request
    request.port = port
    guard PageRoute(request.path) == .events, request.method == "GET",
      sessions.values.reduce(0, { $0 + $1.streams.count }) < LinkSession.maximumStreams
    else { return nil }
    return session(request.token)
  }

  /// POST changes the token for a cookie that scripts cannot read; DELETE forgets it.
  private func openSession(_ request: PageRequest, _ answer: @escaping LinkSession.Answer) {
    let cookie = "georemind-\(port)="
    let attributes = "; HttpOnly; SameSite=Strict; Path=\(PageRequest.prefix)"
    func done(_ value: String, _ age: Int) -> PageAnswer {
      var answer = PageAnswer(204)
      let secure = request.origin?.hasPrefix("https:") == true ? "; Secure" : ""
      answer.headers = [["Set-Cookie", "\(cookie)\(value)\(attributes); Max-Age=\(age)\(secure)"]]
      return answer
    }
    switch request.method {
    case "DELETE": answer(done("", 0))
    case "POST":
      let token = request.document?["link"]?.string.flatMap { PageToken.checked($0) }
      guard let token, let session = session(token) else {
        return answer(token == nil ? .noLink : .away)
      }
      // Any call shows whether the link is good.
      session.call("ListCategories", JSONObject(), isChange: false) {
        answer($0.status == 200 ? done(token, 31_536_000) : $0)
      }
    default:
      guard let session = session(request.token) else { return answer(.noLink) }
      session.describe(answer)
    }
  }

  private func session(_ token: String?) -> LinkSession? {
    guard let token else { return nil }
    if let session = sessions[token] { return session }
    if sessions.count >= Self.maximumSessions {
      let idle = sessions.filter { $0.value.streams.isEmpty }
      guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return nil }
      oldest.value.close()
      sessions[oldest.key] = nil
    }
    let session = LinkSession(token: token, path: socketPath(), loop: loop)
    session.onLoss = { [unowned self] in timer?.arm(in: Self.retryTime) }
    sessions[token] = session
    timer?.arm(in: Self.beatTime)
    return session
  }

  private func beat() {
    let now = SystemClock.monotonic.microseconds
    for (token, session) in sessions {
      session.beat()
      if session.streams.isEmpty, now - session.lastUse > Self.idleTime {
        session.close()
        sessions[token] = nil
      }
    }
    // Most of the code was for the pages' start.
    ResidentMemory.releaseCode()
    let isAway = sessions.values.contains(where: \.isAway)
    if !sessions.isEmpty { timer?.arm(in: isAway ? Self.retryTime : Self.beatTime) }
  }
}
