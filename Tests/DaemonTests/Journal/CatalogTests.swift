import CivilTime
import LinuxRuntime
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// systemd/catalog/georemind.catalog and the entries that it explains.
@Suite struct CatalogTests {
  private struct Text {
    let id: String
    var body = ""

    /// Names between two `@`.
    var fields: Set<String> {
      let parts = body.split(separator: "@", omittingEmptySubsequences: false)
      return Set(
        parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }
  }

  private static func texts() throws -> [Text] {
    var texts: [Text] = []
    let catalog = try contents("\(packageRoot)/systemd/catalog/georemind.catalog")
    for line in catalog.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("-- ") {
        texts.append(Text(id: String(line.dropFirst(3))))
      } else if !line.hasPrefix("#"), !texts.isEmpty {
        texts[texts.count - 1].body += line + "\n"
      }
    }
    return texts
  }

  @Test func hasATextForEachIdAndNoOther() throws {
    let ids = try Self.texts().map(\.id)
    #expect(ids.count == Set(ids).count)
    #expect(Set(ids) == Set(MessageID.allCases.map(\.rawValue)))
  }

  @Test(arguments: MessageID.allCases)
  func idsAreRandomBitsInHexadecimal(_ id: MessageID) {
    #expect(id.rawValue.count == 32)
    #expect(id.rawValue.allSatisfy { "0123456789abcdef".contains($0) })
  }

  @Test func eachTextHasASubject() throws {
    for text in try Self.texts() {
      #expect(text.body.hasPrefix("Subject: "), "\(text.id)")
    }
  }

  /// `journalctl` prints the name of a field that an entry lacks.
  @Test func textsNameOnlyFieldsThatEveryEntryHas() throws {
    let entries = try Self.barestEntries()
    for text in try Self.texts() {
      let entry = try #require(entries[text.id], "no entry was made with the id \(text.id)")
      let names = Set(entry.fields.map { $0.name.description })
      #expect(text.fields.isSubset(of: names), "\(text.body)")
    }
  }

  /// An entry of each kind with as few fields as it can have, by the code that writes it.
  private static func barestEntries() throws -> [String: JournalEntry.Contents] {
    let journal = TestJournal()
    let announcer = Announcer(sink: journal)
    let time = Instant(microseconds: 0)
    for event in [Firing.Event.due, .late] {
      var firing = Firing(
        id: "f", reminderID: "r", kind: .date, title: "t", time: time, event: event, why: "w")
      if event == .late { firing.late = .seconds(1) }
      try journal.write(Announcer.entry(for: firing))
    }
    for notice in [
      Notice.positionLost(after: .minutes(2)), .positionBack(after: .minutes(2)),
      .fixTimeSteppedBack(.minutes(2)),
      .missed(Missed(reported: 1, leftOut: 0, span: time...time)),
    ] { announcer.announce(notice) }
    announcer.announceStoreFailure("disk full")
    announcer.announceDelivery(to: "d", failing: "it exited with 1")
    announcer.announceDelivery(to: "d", backAfter: .minutes(2))

    // A feed that comes, goes and comes back, a start, an end, a reload and a refused client.
    let rig = try Rig("[Feed]\nFeed=file:///dev/null\n", journal: journal)
    try rig.run { !journal.entries(.feedEnded).isEmpty }
    rig.daemon.reloadSettings()
    try FeedScript.hangUpAndComeBack(journal: journal)
    try FeedScript.weekRollover(journal: journal)
    try FeedScript.lateFix(journal: journal)
    announcer.write("Refused", .warning, .clientRefused)
    for id in [MessageID.clockNotTrusted, .clockTrusted, .zoneChanged] {
      announcer.write("Time", .notice, id)
    }
    return Dictionary(
      journal.entries.compactMap { entry in entry[.messageID].map { ($0, entry) } },
      uniquingKeysWith: { $0.fields.count < $1.fields.count ? $0 : $1 })
  }
}
