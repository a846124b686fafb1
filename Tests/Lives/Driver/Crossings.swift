import CivilTime
import Geofencing
import JSONText
import Positioning
import Reminders

/// The engine's own monitor with every region of the world, for the regions that the way between
/// two fixes crosses. (The spots alone decide which regions hold a fix.)
struct Crossings {
  private var monitor: FenceMonitor

  /// Places are decided by containment alone, and passes are reported.
  static let policy: MonitorPolicy = {
    var policy = MonitorPolicy.plain
    policy.longestLeg = .minutes(5)
    return policy
  }()

  init() {
    monitor = FenceMonitor(policy: Self.policy)
    for (number, area) in Area.allCases.enumerated() where area != .food {
      let document = #"{"id":"x","title":"x",\#(area.json)}"#
      guard let members = try? JSONParser.parse(document).object,
        let region = try? Reminder(json: members).region
      else { continue }
      monitor.add(region, id: Int32(number))
    }
    for (number, place) in Area.foodPlaces.enumerated() {
      guard let circle = Circle(center: place.position, radius: Area.foodRadius) else { continue }
      monitor.add(.circle(circle), id: Int32(Area.allCases.count + number))
    }
  }

  /// The daemon starts anew: the track is forgotten.
  mutating func restart() { monitor = monitor.restarted(policy: Self.policy) }

  /// Takes a fix, and returns the crossed regions with the times at which they were crossed.
  mutating func follow(_ fix: Fix) -> [String: Double] {
    guard let time = fix.time else { return [:] }
    var transitions: [Transition] = []
    monitor.process(
      PositionSample(time: time, position: fix.position, eph: fix.eph, speed: fix.speed),
      into: &transitions)
    let passes = transitions.filter { $0.kind == .pass }.map { pass in
      let area = Int(pass.fence) < Area.allCases.count ? Area.allCases[Int(pass.fence)] : .food
      return (area.rawValue, pass.time.seconds)
    }
    return Dictionary(passes, uniquingKeysWith: { $1 })
  }
}
