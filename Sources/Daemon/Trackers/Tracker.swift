import Bytes
import Configuration
import Feeds
import Glibc
import JSONText
import Positioning
import Reminders

/// Somebody or something with a position of its own: a person, a vehicle, a boat.
struct Tracker: Equatable {
  let name: String
  /// The phones that are its receivers, by the name that each sends.
  var carriers: [Carrier] = []
  /// The phones of these topics, as in `Fix.device`.
  var devices: [UInt64] = []
  /// Feeds that are its own.
  var feeds: [FeedURL] = []
  /// The user whom it belongs to; nil is root and the daemon's own.
  var owner: UInt32?
  /// Whether all members of the group may know where it is.
  var isShared = false

  func has(_ fix: Fix) -> Bool {
    fix.carrier != 0 && carriers.contains { $0.number == fix.carrier }
      || fix.device != 0 && devices.contains(fix.device)
  }
}

/// The section `[Tracker NAME]`.
enum TrackerSection {
  private static let prefix = "Tracker "

  private static let phone = SettingForm("the name of a phone, without ':' and '/'") {
    $0.contains { ":/".contains($0) } ? nil : Carrier(name: $0)
  }
  /// A topic of OwnTracks is the device that the broker's positions name.
  private static let topic = SettingForm("a topic such as owntracks/anna/phone") { text in
    let levels = text.split(separator: "/")
    guard levels.count >= 3, !text.contains(where: { "+#".contains($0) }) else {
      return nil as UInt64?
    }
    let device = "owntracks:\(levels.suffix(2).joined(separator: "/"))"
    return Fingerprint(JSONValue.string(device).line.utf8).value
  }
  private static let feed = SettingForm("a live feed") { text in
    let url = try FeedURL(parsing: text)
    return url.recording == nil ? url : nil
  }
  private static let owner = SettingForm("a user's name or number") { text in
    UInt32(text) ?? getpwnam(text).map { $0.pointee.pw_uid }
  }
  private static let share = SettingForm("group") { $0 == "group" ? true : nil }

  /// The keys of all such sections of the files; others are unknown sections.
  static func keys(of files: [ConfigurationFile]) -> [ConfigurationKey] {
    var seen: Set<String> = []
    return files.flatMap(\.headers).map(\.name)
      .filter { name(ofSection: $0) != nil && seen.insert($0).inserted }
      .flatMap { section -> [ConfigurationKey] in
        let keys = Keys(section)
        return [keys.phone, keys.topic, keys.feed, keys.owner, keys.share]
      }
  }

  private struct Keys {
    let phone, topic, feed, owner, share: ConfigurationKey

    init(_ section: String) {
      phone = .list(section, "Phone")
      topic = .list(section, "Topic")
      feed = .list(section, "Feed")
      owner = .scalar(section, "Owner")
      var key = ConfigurationKey.scalar(section, "Share")
      key.concernsAccess = true
      share = key
    }
  }

  private static func name(ofSection section: String) -> String? {
    guard section.hasPrefix(prefix) else { return nil }
    return (try? Who(parsing: String(section.dropFirst(prefix.count))))?.name
  }

  /// The trackers of the files, by name; wrong values are left out and reported. A tracker without
  /// a phone, topic or feed has the phone of its name.
  static func read(_ configuration: inout Configuration) -> [Tracker] {
    let sections = Set(configuration.declared.map(\.section))
    var trackers: [Tracker] = []
    for section in sections.sorted() {
      guard let name = name(ofSection: section) else { continue }
      let keys = Keys(section)
      configuration.leaveOutWrong(keys.phone, phone)
      configuration.leaveOutWrong(keys.topic, topic)
      configuration.leaveOutWrong(keys.feed, feed)
      configuration.leaveOutWrong(keys.owner, owner)
      configuration.leaveOutWrong(keys.share, share)
      var tracker = Tracker(name: name)
      tracker.carriers = (try? configuration.list(keys.phone, phone)) ?? []
      tracker.devices = (try? configuration.list(keys.topic, topic)) ?? []
      tracker.feeds = (try? configuration.list(keys.feed, feed)) ?? []
      tracker.owner = try? configuration.value(keys.owner, owner)
      tracker.isShared = (try? configuration.value(keys.share, share)) ?? false
      if tracker.carriers.isEmpty, tracker.devices.isEmpty, tracker.feeds.isEmpty {
        tracker.carriers = [Carrier(name: name)]
      }
      trackers.append(tracker)
    }
    return trackers
  }
}
