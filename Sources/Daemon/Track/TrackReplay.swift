import CivilTime
import Positioning
import Reminders

/// The firings that reminders would have along a way: the engine of the daemon takes the reminders
/// as if new, as `georemind replay` plays a recording.
struct TrackReplay: ~Copyable {
  private var engine: Engine
  private var effects: [Effect] = []
  /// The places of a category.
  let places: (String) -> [NumberedPlace]

  init(
    settings: EngineSettings, zone: TimeZoneRules,
    places: @escaping (String) -> [NumberedPlace]
  ) {
    var settings = settings
    (settings.asksRoutes, settings.learnsFromTrips) = (false, false)
    (settings.correctsAtStart, settings.firstFixWait) = (false, .zero)
    engine = Engine(settings: settings, zone: zone)
    self.places = places
  }

  /// The firings in order.
  mutating func play(_ points: [TrackPoint], _ reminders: [Reminder]) -> [Firing] {
    guard let first = points.first else { return [] }
    var firings: [Firing] = []
    engine.load(reminders.map { ($0, nil) }, at: first.time, into: &effects)
    carryOut(at: first.time, &firings)
    for point in points {
      engine.advance(to: point.time, into: &effects)
      engine.handle(.fix(point.fix, from: FixOrigin(feed: 0)), at: point.time, into: &effects)
      carryOut(at: point.time, &firings)
    }
    return firings
  }

  private mutating func carryOut(at now: Instant, _ firings: inout [Firing]) {
    while !effects.isEmpty {
      let due = effects
      effects.removeAll(keepingCapacity: true)
      for effect in due {
        switch effect {
        case .fire(let firing): firings.append(firing)
        case .watch(let category):
          engine.handle(
            .places(category: category, places(category)), at: now, into: &effects)
        case .persist, .forget, .say, .route, .keep: continue
        }
      }
    }
  }
}
