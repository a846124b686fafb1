package import Companion
package import Control
package import JSONText
package import LinuxRuntime

/// A daemon of a few answers in the loop of the test: its calls, and its ledger.
package final class LoopDaemon {
  package let path: String
  private let loop: EventLoop
  private var listener: UnixListener?
  private var streams: [StreamConnection] = []
  private var watchers: [StreamConnection] = []
  /// Those who watch what `push` announces, by method.
  private var others: [String: [StreamConnection]] = [:]
  /// Tokens that `ActAs` takes, with what their link may do.
  package var links: [String: Bool] = [:]
  /// The phones that `WatchPhones` answers: names by the hash of their tokens.
  package var phones: [String: String] = [:] { didSet { push("WatchPhones", phoneNews) } }
  /// Calls in the order they came.
  package private(set) var calls: [VarlinkCall] = []
  package private(set) var ledger: [JSONObject] = []
  package var rows: [String: ConsumerRow] = [:]
  /// Whether `Show` is left without an answer.
  package var isSilent = false

  package init(path: String, loop: EventLoop) throws {
    self.path = path
    self.loop = loop
    listener = try UnixListener(path: path, loop: loop) { [unowned self] stream in
      streams.append(stream)
      stream.onMessage = { [unowned self, unowned stream] bytes in
        guard let call = try? VarlinkCall(message: Array(bytes)) else { return }
        calls.append(call)
        answer(call, on: stream)
      }
    }
  }

  package func stop() {
    listener?.close()
    listener = nil
    for stream in streams { stream.close() }
    streams.removeAll()
    others.removeAll()
    watchers.removeAll()
  }

  /// A firing as it happens.
  package func fire(_ id: String, priority: Int = 0, for recipient: String? = nil) {
    let firing: JSONObject = [
      "for": recipient.map { .string($0) },
      "priority": .int(priority),
      "firing_id": .string(id), "reminder_id": "r", "title": "Milk", "event": "due",
      "time": "2026-06-12T16:01:00Z", "seq": .int(ledger.count + 1), "ledger": "one",
    ]
    ledger.append(firing)
    for watcher in watchers {
      watcher.send(
        VarlinkReply(parameters: ["firing": .object(firing)], continues: true).encoded)
    }
  }

  /// A test firing for one destination, or for all.
  package func test(_ id: String, of destination: String? = nil) {
    let firing = JSONObject([
      "firing_id": .string(id), "reminder_id": "", "title": "Test", "event": "due",
      "time": "2026-06-12T16:01:00Z", "test": true,
      "destination": destination.map { .string($0) },
    ])
    for watcher in watchers {
      watcher.send(
        VarlinkReply(parameters: ["firing": .object(firing)], continues: true).encoded)
    }
  }

  /// News of a method that answers many times.
  package func push(_ method: String, _ news: JSONObject) {
    for stream in others[method] ?? [] {
      stream.send(VarlinkReply(parameters: news, continues: true).encoded)
    }
  }

  package func isWatched(_ method: String) -> Bool { others[method]?.isEmpty == false }

  package var isWatched: Bool { !watchers.isEmpty }

  private var phoneNews: JSONObject {
    let list = phones.map {
      JSONValue.object(["hash": .string($0.key), "name": .string($0.value)])
    }
    return ["phones": .array(list)]
  }

  private func answer(_ call: VarlinkCall, on stream: StreamConnection) {
    func reply(_ members: KeyValuePairs<String, JSONValue?>) {
      var answer = JSONObject(members)
      answer["ledger"] = "one"
      answer["head"] = .int(ledger.count)
      stream.send(VarlinkReply(parameters: answer).encoded)
    }
    switch call.methodName {
    case "WatchFixes", "WatchPresence", "WatchChanges":
      others[call.methodName, default: []].append(stream)
    case "WatchPhones":
      others[call.methodName, default: []].append(stream)
      stream.send(VarlinkReply(parameters: phoneNews, continues: true).encoded)
    case "ActAs":
      guard let mayChange = links[call.parameters["token"]?.string ?? ""] else {
        stream.send(VarlinkReply(GeoremindError.invalidLink.varlink).encoded)
        return
      }
      reply(["link": ["name": "phone", "may_change": .bool(mayChange)]])
    case "Done":
      let id = call.parameters["id"]?.string ?? ""
      stream.send(VarlinkReply(GeoremindError.notFound(id: id).varlink).encoded)
    case "WatchFirings": watchers.append(stream)
    case "ReadLedger":
      let after = call.parameters["after"]?.int ?? 0
      let urgent = call.parameters["urgent"]?.bool
      let queue = ledger.filter {
        ($0["seq"]?.int ?? 0) > after
          && (urgent ?? (($0["priority"]?.int ?? 0) == 1)) == (($0["priority"]?.int ?? 0) == 1)
      }
      let rows = queue.prefix(call.parameters["limit"]?.int ?? 1_000)
      reply(["first": 1, "rows": .array(rows.map { .object($0) })])
    case "OpenConsumer":
      let name = call.parameters["name"]?.string ?? ""
      let row = rows[name] ?? ConsumerRow(name: name, upto: ledger.count)
      rows[name] = row
      reply(["consumer": .object(row.json)])
    case "SetConsumer":
      guard let row = ConsumerRow(call.parameters["consumer"]) else { return }
      rows[row.name] = row
      reply(["consumer": .object(row.json)])
    case "Log": reply(["firings": .array(ledger.suffix(1).map { .object($0) })])
    case "Show" where isSilent: break
    default: reply(["status": [:]])
    }
  }
}
