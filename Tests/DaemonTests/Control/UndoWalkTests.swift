import CivilTime
import Control
import JSONText
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Random commands and undos against a model, which knows each reminder before and after.
@Suite(.serialized) struct UndoWalkTests {
  private typealias State = [String: ReminderStore.Entry]

  /// A command as the model knows it.
  private struct Command {
    let method: String
    let before: State
    let after: State
    var touched: Set<String> { Set(before.keys).union(after.keys) }
  }

  private final class Walk {
    let rig: Rig
    let service: ControlService
    var random: SeededGenerator
    var commands: [Command] = []
    var number = 0

    init(seed: UInt64) throws {
      rig = try Rig()
      service = ControlService(
        daemon: rig.daemon, caller: Caller(user: 1000, process: 1, daemon: 61_184))
      random = SeededGenerator(seed: seed)
    }

    func state() throws -> State {
      Dictionary(
        uniqueKeysWithValues: try rig.daemon.store.reminders.all().values.map {
          ($0.reminder.id, $0)
        })
    }

    func call(_ method: String, _ parameters: String) throws -> VarlinkAnswer {
      service.answer(
        VarlinkCall(method: "org.georemind.\(method)", parameters: try object(parameters)))
    }

    private func document() -> String {
      number += 1
      let head = #""id":"r\#(number)","title":"R \#(number)""#
      return switch Int.random(in: 0..<4, using: &random) {
      case 0: #"{\#(head),"due":"21\#(10 + number % 80)-01-01T00:00:00Z","nag_s":600}"#
      case 1: #"{\#(head),"due":"2100-02-01T08:00:00","repeat":"FREQ=DAILY","lead_s":[60,0]}"#
      case 2: #"{\#(head),"kind":"location","place":{"lat":1,"lon":2},"every_visit":true}"#
      default:
        #"{\#(head),"kind":"preemptive","place":{"lat":1,"lon":2},"due":"2100-01-01T00:00:00Z"}"#
      }
    }

    /// A random command, or one that the daemon refuses.
    func step() throws {
      let before = try state()
      let id = before.keys.sorted().randomElement(using: &random) ?? "none"
      let (method, parameters): (String, String) =
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: ("Add", #"{"reminder":\#(document())}"#)
        case 2: ("Import", #"{"reminders":[\#(document()),\#(document())]}"#)
        case 3: ("Edit", #"{"id":"\#(id)","changes":{"title":"E \#(number)"}}"#)
        case 4: ("Edit", #"{"id":"\#(id)","changes":{"days":"mon..fri"}}"#)
        case 5: ("Remove", #"{"id":"\#(id)"}"#)
        case 6: ("Done", #"{"id":"\#(id)"}"#)
        case 7: ("Snooze", #"{"id":"\#(id)","until":"2100-01-02T03:04:05Z"}"#)
        case 8: ("Pop", #"{"kind":"date"}"#)
        case 9: ("Reopen", #"{"id":"\#(id)"}"#)
        default: ("Undo", #"{"number":\#(Int.random(in: 1...3, using: &random))}"#)
        }
      let answer = try call(method, parameters)
      let after = try state()
      if method == "Undo" {
        try checkUndo(
          number: object(parameters)["number"]?.int ?? 1, before: before, after: after, answer)
      } else if case .reply(let reply) = answer, !(method == "Pop" && reply.members.isEmpty) {
        note(method, before, after, about: id)
      } else {
        #expect(Self.areEqual(before, after))
      }
      #expect(try storedCommands() == commands.map(\.method))
    }

    private func note(_ method: String, _ before: State, _ after: State, about id: String) {
      var changed = Set(before.keys).union(after.keys).filter {
        !Self.areEqual(before[$0], after[$0])
      }
      // A command without an effect.
      if changed.isEmpty { changed = [id] }
      commands.insert(
        Command(
          method: method, before: before.filter { changed.contains($0.key) },
          after: after.filter { changed.contains($0.key) }), at: 0)
      commands = Array(commands.prefix(UndoLog.maximumCommands))
    }

    private func checkUndo(
      number: Int, before: State, after: State, _ answer: VarlinkAnswer
    ) throws {
      guard commands.indices.contains(number - 1) else {
        return #expect(Self.areEqual(before, after))
      }
      let command = commands[number - 1]
      let isUntouched = command.touched.allSatisfy {
        Self.areEqual(before[$0], command.after[$0])
      }
      guard isUntouched else {
        guard case .error(let error) = answer, case .changedSince? = GeoremindError(error) else {
          throw Unexpected("\(command.method) was taken back")
        }
        return #expect(Self.areEqual(before, after))
      }
      var expected = before
      for id in command.touched { expected[id] = command.before[id] }
      #expect(Self.areEqual(expected, after), "\(command.method)")
      commands.remove(at: number - 1)
    }

    func storedCommands() throws -> [String] {
      try rig.daemon.store.undo.commands(of: 1000).map(\.method)
    }

    static func areEqual(_ a: ReminderStore.Entry?, _ b: ReminderStore.Entry?) -> Bool {
      a?.reminder == b?.reminder && a?.history == b?.history
    }

    static func areEqual(_ a: State, _ b: State) -> Bool {
      a.count == b.count && a.allSatisfy { areEqual($0.value, b[$0.key]) }
    }
  }

  @Test(arguments: 1...8) func aRandomWalkEqualsTheModel(seed: UInt64) throws {
    let walk = try Walk(seed: seed)
    for _ in 0..<150 { try walk.step() }
    // The engine has what the store has.
    let stored = try walk.state()
    #expect(walk.rig.daemon.host.engine.count == stored.count)
    for (id, entry) in stored {
      let host = walk.rig.daemon.host
      #expect(host.engine.reminder(id)?.title == entry.reminder.title)
      #expect(host.engine.standing(id)?.state == entry.standing.state)
    }
  }

  /// A process that is killed leaves the log cut off anywhere: the result is the state before or
  /// after a command or its undo.
  @Test(arguments: 1...3) func aCutLogIsTheStateBetweenTwoCommands(seed: UInt64) throws {
    let walk = try Walk(seed: seed)
    func standing(_ store: Store) throws -> String {
      let rows = try store.reminders.all().values.map { "\($0.reminder) \($0.history)" }
      return "\(rows) \(try store.undo.commands(of: 1000))"
    }
    var known: Set = [try standing(walk.rig.daemon.store)]
    for _ in 0..<25 {
      try walk.step()
      known.insert(try standing(walk.rig.daemon.store))
    }
    let path = "\(walk.rig.folder.path)/georemind.db"
    let database = try fileBytes(path)
    let log = try fileBytes("\(path)-wal")
    let frame = 24 + 4096
    try #require(log.count > 32 + 20 * frame)
    let folder = try TemporaryFolder()
    for (number, end) in stride(from: 32, through: log.count, by: frame).enumerated() {
      let copy = "\(folder.path)/\(number).db"
      try writeFile(copy, database)
      try writeFile("\(copy)-wal", Array(log[..<end]))
      let store = try Store(path: copy, now: Instant(seconds: 1.8e9))
      #expect(try known.contains(standing(store)), "cut at frame \(number)")
      store.close()
    }
  }
}
