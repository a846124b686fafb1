import ArgumentParser
import CivilTime
import Companion
import Control
import Geodesy
import JSONText
import Reminders

/// The anchor watch: a reminder known by its member `anchor_watch`, with an id of its own.
struct AnchorCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "anchor", abstract: "Watch the anchor: an alarm when the boat leaves its circle.",
    discussion: """
      georemind anchor set
      georemind anchor set --radius 60m --hold 1min
      georemind anchor set --bearing 45 --distance 30m
      georemind anchor
      georemind anchor raise

      'anchor set' sets the watch around the present position, or around the anchor with \
      --bearing and --distance; with a watch, it changes the given options, and --here moves it. \
      'anchor' alone shows it. The alarm repeats each minute until 'georemind done anchor'; a \
      boat that goes on drifting is silent then, until it is back in the circle. 'snooze anchor \
      10min' sounds again. An alarm also comes when the position is lost. 'anchor raise' ends the \
      watch.
      """)

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case set
    case raise

    init?(argument: String) {
      let others = ["up": Action.raise, "off": .raise, "weigh": .raise, "on": .set, "drop": .set]
      guard let action = Self(rawValue: argument) ?? others[argument] else { return nil }
      self = action
    }
  }

  @Argument(help: "set sets or changes the watch, raise ends it; without, it is shown.")
  var action: Action?

  @Option("The radius of the circle around the anchor: 40m (the default), 150ft …", "length")
  var radius: String?
  @Option("The time outside before the alarm: 30s (the default), 1min …", "span")
  var hold: String?
  @Option("The true bearing of the anchor from here, degrees; with --distance.", "degrees")
  var bearing: String?
  @Option("The distance of the anchor from here; with --bearing.", "length")
  var distance: String?

  @Flag(help: "Moves the watch that is set to the present position.")
  var here = false

  @OptionGroup var options: CommonOptions

  /// The id of a new watch: the first free one of these; without, the daemon chooses.
  private static let ids = ["anchor", "anchor-watch"]
  private static let usualRadius = 40.0
  private static let usualHold = TimeSpan.seconds(30)
  /// In a longer one a boat drifts ashore.
  private static let longHold = TimeSpan.minutes(5)
  /// The oldest position that sets an anchor, seconds.
  static let maximumAge = 60.0

  private var hasOptions: Bool { radius != nil || hold != nil || bearing != nil || here }

  func validate() throws {
    guard (bearing == nil) == (distance == nil) else {
      throw ValidationError("--bearing and --distance go together")
    }
    guard !here || bearing == nil else {
      throw ValidationError("--here and --bearing exclude each other")
    }
    if action != .set, hasOptions {
      throw ValidationError(
        "--radius, --hold, --bearing, --distance and --here go with 'anchor set'")
    }
  }

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    let watch = try watch(daemon)
    if action == .set { return try set(watch, daemon, context) }
    guard let watch else {
      throw Failure(.noAnswer, "no anchor watch is set; 'georemind anchor set' sets one here")
    }
    guard action == .raise else { return try show(watch, daemon, context) }
    _ = try daemon.call("Remove", ["id": watch["id"]])
    if options.json { return try context.output.line(["id": watch["id"]]) }
    try context.output.line("The anchor watch has ended")
    try context.noteUndo(options)
  }

  /// The watch that is set; nil if there is none.
  private func watch(_ daemon: DaemonConnection) throws -> JSONObject? {
    func isSet(_ reminder: JSONObject) -> Bool {
      let state = reminder["state"]?.string.flatMap(Reminder.State.init)
      return reminder["anchor_watch"]?.bool == true && state != .done && state != .expired
    }
    // Nearly always it has this id. The answer may also be a reminder with the word in its title.
    try daemon.begin("Show", ["id": .string(Self.ids[0])])
    do {
      if let found = try daemon.answer()["reminder"]?.object, isSet(found) { return found }
    } catch let error as VarlinkError {
      switch GeoremindError(error) {
      case .notFound, .ambiguous: break
      default: throw error
      }
    }
    return try daemon.reminders().first(where: isSet)
  }

  // MARK: - Setting it

  private func set(
    _ watch: JSONObject?, _ daemon: DaemonConnection, _ context: Context
  ) throws {
    let display = try context.display()
    let old = try watch.map { try ListedReminder($0, zone: display.zone).reminder }
    let metres =
      try radius.map { try ReminderOptions.length($0, option: "--radius") }
      ?? old?.place?.radius ?? Self.usualRadius
    let hold = try hold.map(Self.span) ?? old?.dwell ?? Self.usualHold
    let fix = try daemon.call("Where")
    let former = old?.place?.position
    // A command without options means this place, unless the boat lies in the circle.
    let distance = former.flatMap { CurrentPosition(fix)?.position.distance(to: $0) }
    let isMoved = here || bearing != nil || !hasOptions && distance.map { $0 > metres } ?? false
    let kept = isMoved ? nil : former
    let position = try kept ?? self.position(fix, radius: metres, display)
    let members: JSONObject = [
      "kind": "location", "title": "Anchor watch",
      "place": [
        "name": "the anchor", "lat": .double(position.latitude),
        "lon": .double(position.longitude),
        "radius_m": .double(metres),
      ], "on": "depart", "dwell_s": .double(hold.seconds), "every_visit": true, "nag_s": 60,
      "nag_limit": 0, "priority": 1, "anchor_watch": true,
    ]
    let answer =
      try old.map {
        try daemon.call("Edit", ["id": .string($0.id), "changes": .object(members)])
      } ?? add(members, daemon)
    let added = try ListedReminder(
      answer["reminder"]?.object ?? JSONObject(), zone: display.zone
    ).reminder
    if old == nil, added.id != Self.ids[0] {
      try context.note(
        "note: the id '\(Self.ids[0])' belongs to another reminder; "
          + "'georemind done \(added.id)' ends an alarm")
    }
    if hold > Self.longHold {
      try context.note("note: an alarm comes only after \(hold) outside the circle")
    }
    if let end = answer["reminder"]?["snoozed_until"]?.instant {
      try context.note("note: the watch is silent until \(display.answer(end))")
    }
    let circle = Circle(anchor: position, radius: metres, former: former)
    for note in circle.notes(fix, display) { try context.note("note: \(note)") }
    guard !options.json else { return try context.output.line(["id": .string(added.id)]) }
    let text = ReminderSentence.text(added, display, detail: .position(here: nil))
    try context.output.line(text)
    try context.noteUndo(options)
  }

  private func add(_ members: JSONObject, _ daemon: DaemonConnection) throws -> JSONObject {
    var document = members
    for id in Self.ids {
      document["id"] = .string(id)
      do {
        return try daemon.call("Add", ["reminder": .object(document)])
      } catch let error as VarlinkError {
        guard case .alreadyExists? = GeoremindError(error) else { throw error }
      }
    }
    document["id"] = nil
    return try daemon.call("Add", ["reminder": .object(document)])
  }

  private static func span(_ text: String) throws(Failure) -> TimeSpan {
    do throws(TimeSpanError) {
      return try TimeSpan(typedWithUnit: text)
    } catch {
      throw Failure(.badData, "--hold '\(text)': \(error)")
    }
  }

  /// Where the anchor lies, from the last fix.
  /// - Parameter answer: of `Where`.
  private func position(
    _ answer: JSONObject, radius: Double, _ display: Display
  ) throws -> Coordinate {
    guard let here = CurrentPosition(answer), let age = answer["age_s"]?.double else {
      throw Failure(
        .noAnswer, "there is no position to set the anchor at; see 'georemind status'")
    }
    guard age <= Self.maximumAge else {
      throw Failure(
        .noAnswer,
        "the last position is \(TimeSpan(seconds: age).words) old, too old to set the anchor at; "
          + "see 'georemind status'")
    }
    guard let bearing, let distance else { return here.position }
    guard let degrees = Double(bearing), (0...360).contains(degrees) else {
      throw Failure(.badData, "--bearing '\(bearing)' is no number of degrees from 0 to 360")
    }
    let metres = try ReminderOptions.length(distance, option: "--distance")
    guard metres <= radius else {
      throw Failure(
        .badData,
        "you are \(display.length(metres)) from the anchor, outside the circle of "
          + "\(display.length(radius)); give a larger --radius")
    }
    return here.position.destination(bearing: degrees, distance: metres)
  }
}
