import Companion
import Control
import JSONText
import LinuxRuntime

/// The daemon as the user of one link: a connection for calls and, while a page listens, one for
/// positions and one for changes.
final class LinkSession {
  typealias Answer = (PageAnswer) -> Void

  /// The connection is lost: `watch` is to be called soon.
  var onLoss: () -> Void = {}
  /// Whether pages wait for the daemon.
  var isAway: Bool { watches.isEmpty && !streams.isEmpty }

  /// Rows of the ledger that are read at a time.
  private static let rows = 100
  static let maximumStreams = 24

  private let path: String
  private let loop: EventLoop
  private let token: String
  private var calls: DaemonLink?
  private var watches: [DaemonLink] = []
  private var waiting: [Int: Answer] = [:]
  private var nextCall = 0
  private(set) var streams: [EventStream] = []
  private var lastFix: String?
  /// The link as the daemon describes it.
  private var link: JSONValue?
  private var ledger = ""
  /// The last row that the pages have; nil until the ledger is read.
  private var last: Int?
  /// Steady time of the last use.
  private(set) var lastUse: Int64 = 0
  /// The changes of the last minute, and of the last second's calls.
  private var changes = RequestRate(limit: 20, period: 60_000_000)
  private var requests = RequestRate(limit: 40, period: 1_000_000)

  init(token: String, path: String, loop: EventLoop) {
    (self.token, self.path, self.loop) = (token, path, loop)
  }

  func close() {
    for stream in streams { stream.end() }
    lose()
  }

  // MARK: - Calls

  /// Calls a method as the link's user; the answer comes once, at once or later.
  func call(
    _ method: String, _ parameters: JSONObject, isChange: Bool, answer: @escaping Answer
  ) {
    let now = SystemClock.monotonic.microseconds
    lastUse = now
    guard requests.admits(at: now), !isChange || changes.admits(at: now) else {
      return answer(
        PageAnswer(429, error: "TooMany", says: "That was too fast; try again in a minute."))
    }
    do {
      let link = try connected()
      nextCall += 1
      let number = nextCall
      waiting[number] = answer
      link.call(method, parameters) { [weak self] result in
        guard let answer = self?.waiting.removeValue(forKey: number) else { return }
        answer(Self.answer(to: result))
      }
    } catch {
      answer(.away)
    }
  }

  /// Answers whose link it is, and what it may do.
  func describe(_ answer: @escaping Answer) {
    call("ListCategories", JSONObject(), isChange: false) { [weak self] result in
      guard result.status == 200, let link = self?.link else { return answer(result) }
      answer(PageAnswer(["link": link]))
    }
  }

  /// The connection for calls, on which the link has been named first.
  private func connected() throws(SystemError) -> DaemonLink {
    if let calls { return calls }
    let link = try open()
    calls = link
    return link
  }

  private func open() throws(SystemError) -> DaemonLink {
    let link = try DaemonLink(path: path, loop: loop)
    link.onLoss = { [weak self] _ in self?.lose() }
    link.call("ActAs", ["token": .string(token)]) { [weak self] result in
      switch result {
      case .success(let answer): self?.link = answer["link"]
      case .failure(let error): self?.end(Self.answer(to: .failure(error)))
      }
    }
    return link
  }

  private static func answer(to result: Result<JSONObject, VarlinkError>) -> PageAnswer {
    switch result {
    case .success(let reply): return PageAnswer(reply)
    case .failure(let error):
      let name = String(error.name.split(separator: ".").last ?? "")
      let known = GeoremindError(error)
      let status =
        switch known {
        case .invalidReminder: 400
        case .notFound: 404
        case .refusedByPolicy: 403
        case .invalidLink: 401
        case .storeFailure: 503
        case .ambiguous, .inUse, .alreadyExists, .wrongState, .changedSince: 409
        case nil: 400
        }
      return PageAnswer(
        status, error: name, says: known?.description ?? error.description,
        parameters: error.parameters)
    }
  }

  /// The daemon is away: calls fail, and pages ask again.
  private func lose() {
    end(.away)
    onLoss()
    for stream in streams { stream.send("away", "{}") }
  }

  private func end(_ answer: PageAnswer) {
    let links = watches + [calls].compactMap { $0 }
    (calls, watches) = (nil, [])
    for link in links { link.close() }
    let answers = waiting
    waiting = [:]
    for (_, call) in answers.sorted(by: { $0.key < $1.key }) { call(answer) }
    if answer.status == 401 {
      for stream in streams {
        stream.send("ended", "{}")
        stream.end()
      }
    }
  }

  // MARK: - Streams

  /// Adds a page; it gets the firings behind `after`, and then what happens.
  func add(_ stream: EventStream, after: Int?) {
    lastUse = SystemClock.monotonic.microseconds
    streams.append(stream)
    stream.onEnd = { [weak self, weak stream] in self?.streams.removeAll { $0 === stream } }
    if let lastFix { stream.send("fix", lastFix) }
    readRows(after: after ?? .max, for: stream)
    watch()
  }

  /// Opens the streams of the daemon that are not open; pages wait for them.
  func watch() {
    guard watches.isEmpty, !streams.isEmpty else { return }
    do {
      let fixes = try open()
      let changed = try open()
      watches = [fixes, changed]
      fixes.call("WatchFixes", more: true) { [weak self] in self?.take(fix: $0) }
      changed.call("WatchChanges", more: true) { [weak self] in self?.take(change: $0) }
      for stream in streams { stream.send("back", "{}") }
      // Firings of the meantime.
      if let last { readRows(after: last, for: nil) }
    } catch {
      for stream in streams { stream.send("away", "{}") }
    }
  }

  /// Each quarter of a minute: shows proxies and browsers that the service lives.
  func beat() {
    for stream in streams { stream.beat() }
    watch()
  }

  private func take(fix result: Result<JSONObject, VarlinkError>) {
    guard case .success(let news) = result else { return }
    let text = JSONValue.object(news).line
    lastFix = text
    for stream in streams { stream.send("fix", text) }
  }

  private func take(change result: Result<JSONObject, VarlinkError>) {
    guard case .success(let news) = result else { return }
    let text = JSONValue.object(news).line
    for stream in streams { stream.send("changed", text) }
    if news["what"] == "firings", let last { readRows(after: last, for: nil) }
  }

  /// Sends the rows behind `after` to one page or to all.
  private func readRows(after: Int, for only: EventStream?) {
    guard let link = try? connected() else { return }
    let parameters: JSONObject = ["after": .int(after), "limit": .int(Self.rows)]
    link.call("ReadLedger", parameters) { [weak self, weak only] result in
      guard let self, case .success(let answer) = result else { return }
      let head = answer["head"]?.int ?? 0
      let targets = only.map { [$0] } ?? streams
      let isOther = ledger != answer["ledger"]?.string
      if isOther { last = nil }
      if only != nil || isOther {
        ledger = answer["ledger"]?.string ?? ""
        let object: JSONObject = [
          "ledger": .string(ledger), "head": .int(head), "first": .int(answer["first"]?.int ?? 0),
        ]
        for stream in targets { stream.send("ledger", JSONValue.object(object).line) }
      }
      let rows = answer["rows"]?.array ?? []
      for row in rows {
        for stream in targets { stream.send("firing", id: row["seq"]?.int, row.line) }
      }
      let end = rows.last?["seq"]?.int
      if only == nil || last == nil { last = max(last ?? 0, end ?? head) }
      if let end, end < head { readRows(after: end, for: only) }
    }
  }
}

/// At most so many events in a period, counted in whole periods.
struct RequestRate {
  let limit: Int
  /// Microseconds.
  let period: Int64
  private var begin: Int64 = .min
  private var count = 0

  init(limit: Int, period: Int64) { (self.limit, self.period) = (limit, period) }

  mutating func admits(at now: Int64) -> Bool {
    if now.subtractingReportingOverflow(begin).overflow || now - begin >= period {
      (begin, count) = (now, 0)
    }
    count += 1
    return count <= limit
  }
}
