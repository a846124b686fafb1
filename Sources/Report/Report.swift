package import BaseMap
package import CivilTime
package import Geodesy
import Geofencing
package import JSONText
package import Positioning
package import Reminders

/// The content of a report: a replayed trip, or a daemon's ledger.
package struct Report {
  package enum Kind: String, Sendable {
    case replay
    case ledger
  }

  /// A fix that decided nothing.
  package struct ExcludedFix: Equatable, Sendable {
    package enum Reason: String, CaseIterable, Sendable {
      /// Too far from those before and after for its time.
      case outlier
      /// Of another device, or excluded by the settings.
      case notFollowed

      var words: String {
        switch self {
        case .outlier: "set aside: nothing moves there and back in so little time"
        case .notFollowed: "of a receiver that was not followed, or older than the fix before"
        }
      }
    }

    package var time: Instant
    package var position: Coordinate
    package var reason: Reason
  }

  /// A place that is shown, and how.
  package struct Place: Equatable, Sendable {
    package var name: String
    package var position: Coordinate
    /// Metres.
    package var radius: Double
    package var category: String?

    package init(name: String, position: Coordinate, radius: Double, category: String? = nil) {
      self.name = name
      self.position = position
      self.radius = radius
      self.category = category
    }
  }

  package var kind: Kind
  /// The recording, or whose ledger it is.
  package var source: String
  package var zone: TimeZoneRules
  /// The time that is shown; nil where nothing has happened.
  package var span: ClosedRange<Instant>?
  package var trip: Trip?
  package var reminders: [Reminder] = []
  package var places: [Place] = []
  /// `#RRGGBB` by name in lower case; a category that is not here is given a colour.
  package var colors: [String: String] = [:]
  /// Firings in the contract's JSON shape, the earliest first.
  package var firings: [JSONObject] = []
  /// The base map (`TileSelection.json`); nil for a grid.
  package private(set) var tiles: JSONObject?
  /// Notes on the data for the reader, a sentence each.
  package var notes: [String] = []
  /// The program and its version.
  package var generator: String

  package init(kind: Kind, source: String, zone: TimeZoneRules, generator: String) {
    self.kind = kind
    self.source = source
    self.zone = zone
    self.generator = generator
  }

  /// Takes along the tiles of a file near the track and the firings; without both, near the fences.
  package mutating func takeTiles(of file: TileFile) {
    var points = trip?.sketch.points.map(\.position) ?? []
    points += firings.compactMap {
      Coordinate(latitude: $0["lat"]?.double, longitude: $0["lon"]?.double)
    }
    if points.isEmpty { points = reminders.compactMap { $0.region?.boundingCircle.center } }
    tiles = TileSelection(file, near: points).json
    let first = "The map has the tiles near the trip"
    if let last = tiles?["max"]?.int {
      guard last < file.levels.upperBound - 1 else { return }
      notes.append("\(first) up to level \(last): deeper levels take too much room.")
    } else {
      notes.append("The map has a grid: its file has no tile near the trip.")
    }
  }
}

/// The stored part of a replayed trip.
package struct Trip {
  package private(set) var sketch: TrackSketch
  /// Fixes that counted.
  package private(set) var fixes = 0
  /// The first ones that did not, `maximumExcluded` at most.
  package private(set) var excluded: [Report.ExcludedFix] = []
  /// Number of excluded fixes for each reason.
  package private(set) var excludedCounts: [Report.ExcludedFix.Reason: Int] = [:]

  /// A jump that the fixes after it will bear out or not.
  private var doubtful: Fix?
  private var outliers = 0
  private static let maximumExcluded = 5000

  package init(sketch: TrackSketch = TrackSketch()) { self.sketch = sketch }

  /// Adds a fix that the engine has taken.
  /// - Parameters:
  ///   - isInDoubt: the engine waits for the next fix before it accepts this one.
  ///   - outliers: rejected fixes so far (`Engine.outlierCount`).
  package mutating func add(_ fix: Fix, isInDoubt: Bool, outliers: Int) {
    settle(outliers)
    if isInDoubt { doubtful = fix } else { take(fix) }
  }

  /// A fix that did not come to the engine.
  package mutating func exclude(_ fix: Fix, _ reason: Report.ExcludedFix.Reason) {
    guard let time = fix.time else { return }
    excludedCounts[reason, default: 0] += 1
    guard excluded.count < Self.maximumExcluded else { return }
    excluded.append(.init(time: time, position: fix.position, reason: reason))
  }

  /// The recording is over.
  package mutating func finish() {
    settle(outliers)
    sketch.finish()
  }

  private mutating func settle(_ outliers: Int) {
    if let fix = doubtful {
      if outliers > self.outliers { exclude(fix, .outlier) } else { take(fix) }
      doubtful = nil
    }
    self.outliers = outliers
  }

  private mutating func take(_ fix: Fix) {
    fixes += 1
    sketch.add(fix)
  }

  /// Metres, from the receiver's speed; what a receiver at rest wanders is not counted.
  package var distance: Double {
    zip(sketch.points, sketch.points.dropFirst()).reduce(0) { sum, pair in
      guard !pair.1.isAfterGap, pair.1.speed >= 0.5 else { return sum }
      return sum + pair.1.speed * (pair.1.time - pair.0.time).seconds
    }
  }

  /// Times without a fix that are longer than the sketch's longest leg.
  package var gaps: [ClosedRange<Instant>] {
    zip(sketch.points, sketch.points.dropFirst()).compactMap { before, after in
      after.isAfterGap && after.time > before.time ? before.time...after.time : nil
    }
  }
}

extension Report {
  /// The title of a firing or a reminder, with the person or vehicle that it is about.
  static func title(of document: JSONObject) -> String {
    let title = document["title"]?.string ?? ""
    return document["who"]?.string.map { "\(title) (\($0))" } ?? title
  }
}
