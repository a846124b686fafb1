package import CivilTime
import Control
import JSONText
package import LinuxRuntime

/// Brings the ledger's firings to one destination: carries out what `Delivery` decides.
///
/// Several followers share one session. The owner keeps it.
package final class FiringFollower {
  package typealias Done = (Delivery.Outcome) -> Void

  /// Delivers a firing, and calls `done` once, at once or later. `isMissed`: it fired while nobody
  /// was connected.
  package var onFiring: (_ firing: FiringNotice, _ isMissed: Bool, _ done: @escaping Done) -> Void =
    { $2(.delivered) }
  package var onReport: (Delivery.Report) -> Void = { _ in }
  /// The daemon refused a call; reported once per reason.
  package var onRefusal: (_ reason: String) -> Void = { _ in }

  /// How long a firing is tried.
  package var giveUpAfter: TimeSpan {
    get { delivery.giveUpAfter }
    set { delivery.giveUpAfter = newValue }
  }

  /// Whose firings it delivers; nil delivers all.
  package var addressee: Addressee?

  /// Whether firings of one visit to a place are one.
  package var readsTogether = false

  private let session: DaemonSession
  private let name: String?
  private var delivery: Delivery
  private var timer: TimerSource?
  private var listener: Int?
  private var lastRefusal: String?

  /// - Parameters:
  ///   - name: of the row in the daemon; see `Delivery.init`.
  package init(
    session: DaemonSession, loop: EventLoop, name: String?, backlog: Int = .max,
    beginsAtHead: Bool = false, giveUpAfter: TimeSpan = .hours(24)
  ) throws(SystemError) {
    self.session = session
    self.name = name
    delivery = Delivery(
      name: name, backlog: backlog, beginsAtHead: beginsAtHead, giveUpAfter: giveUpAfter)
    timer = try loop.addTimer(.monotonic, accuracy: 50_000) { [unowned self] _ in handle(.tick) }
  }

  /// Begins; the handlers are set before.
  package func start() {
    listener = session.addListener { [unowned self] signal in
      switch signal {
      case .connected: handle(.connected)
      case .disconnected: handle(.disconnected)
      case .firing: handle(.news)
      case .test(let firing): test(firing)
      }
    }
    if session.isConnected { handle(.connected) }
  }

  /// Delivers a test firing beside all others, and reports what came of it.
  private func test(_ firing: FiringNotice) {
    guard let name, firing.json["destination"]?.string ?? name == name else { return }
    onFiring(firing, false) { [weak session] outcome in
      let text = outcome.failure.map { JSONValue.string($0) }
      let report: JSONObject = ["name": .string(name), "test": .string(firing.id), "text": text]
      session?.call("EndTest", report) { _ in }
    }
  }

  /// The destination can be reached again: what failed is tried now.
  package func retry() { handle(.reachable) }

  /// Stores a failure of the destination that is none of a firing; nil if it works.
  package func setCondition(failure: String?) { handle(.condition(failure)) }

  package func stop() {
    timer?.close()
    timer = nil
    if let listener { session.removeListener(listener) }
    listener = nil
  }

  private func handle(_ event: Delivery.Event) {
    guard listener != nil else { return }
    for effect in delivery.handle(event, at: .now, random: .random(in: 0..<1)) { carryOut(effect) }
  }

  private func carryOut(_ effect: Delivery.Effect) {
    switch effect {
    case .open:
      guard let name else {
        // No firing has this number: the answer has the head alone.
        return ask("ReadLedger", ["after": .int(.max), "limit": 1]) { answer in
          .opened(nil, ledger: answer["ledger"]?.string ?? "", head: answer["head"]?.int ?? 0)
        }
      }
      ask("OpenConsumer", ["name": .string(name)]) { answer in
        ConsumerRow(answer["consumer"]).map {
          .opened($0, ledger: answer["ledger"]?.string ?? "", head: answer["head"]?.int ?? 0)
        }
      }
    case .read(let seq, let queue):
      let urgent = queue.isUrgent.map { JSONValue.bool($0) }
      let parameters = JSONObject([
        "after": .int(seq), "limit": 1, "urgent": urgent,
        "together": readsTogether ? true : nil,
      ])
      ask("ReadLedger", parameters) { answer in
        guard let row = answer["rows"]?.array?.first else { return .read(nil, queue) }
        return row.object.flatMap { FiringNotice($0) }.map { .read($0, queue) }
      }
    case .store(let row, let ledger):
      ask("SetConsumer", ["consumer": .object(row.json), "ledger": .string(ledger)]) { answer in
        ConsumerRow(answer["consumer"]).map {
          .stored($0, ledger: answer["ledger"]?.string ?? "")
        }
      }
    case .run(let firing, _) where addressee?.receives(firing) == false:
      handle(.ended(firing.seq, .passed))
    case .run(let firing, let isMissed):
      onFiring(firing, isMissed) { [weak self] in self?.handle(.ended(firing.seq, $0)) }
    case .wake(let delay): timer?.arm(in: delay)
    case .report(let report): onReport(report)
    }
  }

  /// - Parameter event: what an answer means; nil where it cannot be understood.
  private func ask(
    _ method: String, _ parameters: JSONObject, event: @escaping (JSONObject) -> Delivery.Event?
  ) {
    session.call(method, parameters) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let answer)?:
        guard let event = event(answer) else { return refuse("\(method): an unknown answer") }
        lastRefusal = nil
        handle(event)
      case .failure(let error)?:
        if case .notFound? = GeoremindError(error) { return handle(.forgotten) }
        refuse("\(method): \(GeoremindError(error)?.description ?? "\(error)")")
      // The session signals the loss.
      case nil: break
      }
    }
  }

  private func refuse(_ reason: String) {
    if reason != lastRefusal { onRefusal(reason) }
    lastRefusal = reason
    handle(.refused)
  }
}
