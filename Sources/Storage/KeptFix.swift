package import CivilTime
package import Departure
import Geodesy
import JSONText
package import Positioning

/// The last accepted fix and its arrival by the system's clock.
package struct KeptFix: Equatable, Sendable {
  package var fix: Fix
  package var arrival: Instant

  package init(fix: Fix, arrival: Instant) {
    self.fix = fix
    self.arrival = arrival
  }
}

/// Single values of the engine that survive a restart.
package struct EngineState {
  let database: Database

  private static let lastFixKey = "last_fix"
  private static let clockOffsetKey = "clock_offset"
  private static let experienceKey = "travel_experience"
  private static let quietKey = "quiet"
  private static let mutesKey = "mutes"

  /// The key of a value that each tracker has; nil is the machine itself.
  private static func key(_ key: String, of tracker: String?) -> String {
    tracker.map { "\(key)/\($0)" } ?? key
  }

  /// The stored fix; nil if there is none or it is unreadable.
  package func lastFix(of tracker: String? = nil) throws(StoreError) -> KeptFix? {
    guard let text = try value(of: Self.key(Self.lastFixKey, of: tracker)) else { return nil }
    do throws(JSONError) {
      return KeptFix(json: try JSONParser.parse(text))
    } catch {
      return nil
    }
  }

  package func keep(_ fix: KeptFix, of tracker: String? = nil) throws(StoreError) {
    try keep(JSONValue.object(fix.json).line, as: Self.key(Self.lastFixKey, of: tracker))
  }

  /// Removes the position and the trips of a tracker.
  package func forget(tracker: String) throws(StoreError) {
    for key in [Self.lastFixKey, Self.experienceKey] {
      try database.run("DELETE FROM state WHERE key = ?", [.text(Self.key(key, of: tracker))])
    }
  }

  /// The user's own trips; unreadable ones are left out.
  package func experience(of tracker: String? = nil) throws(StoreError) -> TravelExperience {
    var experience = TravelExperience()
    guard let text = try value(of: Self.key(Self.experienceKey, of: tracker)),
      let kept = try? JSONParser.parse(text)
    else { return experience }
    for transport in Transport.allCases {
      for trip in kept[transport.rawValue]?.array ?? [] {
        if let trip = Trip(json: trip) { experience.add(trip, by: transport) }
      }
    }
    return experience
  }

  package func keep(
    _ experience: TravelExperience, of tracker: String? = nil
  ) throws(StoreError) {
    var object = JSONObject()
    for transport in Transport.allCases {
      let trips = experience.trips(by: transport)
      if !trips.isEmpty { object[transport.rawValue] = .array(trips.map { .object($0.json) }) }
    }
    try keep(JSONValue.object(object).line, as: Self.key(Self.experienceKey, of: tracker))
  }

  /// The wall clock against the time since boot, as the daemon wrote it last.
  package func clockOffset() throws(StoreError) -> String? { try value(of: Self.clockOffsetKey) }

  func keep(clockOffset: String) throws(StoreError) {
    try keep(clockOffset, as: Self.clockOffsetKey)
  }

  /// A person's choice about quiet times, as the daemon wrote it.
  package func quietChoice() throws(StoreError) -> String? { try value(of: Self.quietKey) }

  package func keep(quietChoice: String?) throws(StoreError) {
    try keep(quietChoice ?? "", as: Self.quietKey)
  }

  /// The mutes of members, as the daemon wrote them.
  package func mutes() throws(StoreError) -> String? { try value(of: Self.mutesKey) }

  package func keep(mutes: String) throws(StoreError) { try keep(mutes, as: Self.mutesKey) }

  /// The trips of the machine itself in a database that a daemon may be using; it is only read.
  package static func experience(in path: String) throws(StoreError) -> TravelExperience {
    let source = try Database(path: path, access: .readOnly)
    defer { source.close() }
    try source.refuseForeign(Schema.migrations)
    return try EngineState(database: source).experience()
  }

  func number(_ key: String) throws(StoreError) -> Int64? {
    try value(of: key).flatMap { Int64($0) }
  }

  private func value(of key: String) throws(StoreError) -> String? {
    try database.text("SELECT value FROM state WHERE key = ?", [.text(key)])
  }

  func keep(_ number: Int64, as key: String) throws(StoreError) { try keep("\(number)", as: key) }

  private func keep(_ value: String, as key: String) throws(StoreError) {
    try database.run(
      """
      INSERT INTO state (key, value) VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [.text(key), .text(value)])
  }
}

/// Its own JSON form: gpsd's TPV would cut the time to milliseconds.
extension KeptFix {
  fileprivate var json: JSONObject {
    JSONObject([
      "arrival_us": .int(Int(arrival.microseconds)),
      "time_us": fix.time.map { .int(Int($0.microseconds)) },
      "time_of_day_ms": fix.timeOfDay.map { .int(Int($0)) },
      "lat": .double(fix.position.latitude),
      "lon": .double(fix.position.longitude),
      "mode": .int(Int(fix.mode.rawValue)),
      "source": .int(Int(fix.source.rawValue)),
      "alt_msl_m": .double(fix.altitudeMSL),
      "alt_hae_m": .double(fix.altitudeHAE),
      "speed_mps": .double(fix.speed),
      "track_deg": .double(fix.track),
      "climb_mps": .double(fix.climb),
      "eph_m": .double(fix.eph),
    ])
  }

  fileprivate init?(json: JSONValue) {
    guard let arrival = json["arrival_us"]?.int, let latitude = json["lat"]?.double,
      let longitude = json["lon"]?.double,
      let position = Coordinate(latitude: latitude, longitude: longitude),
      let mode = json["mode"]?.int.flatMap({ UInt8(exactly: $0) }).flatMap(Fix.Mode.init),
      let source = json["source"]?.int.flatMap({ UInt8(exactly: $0) }).flatMap(Fix.Source.init)
    else { return nil }
    let fix = Fix(
      time: json["time_us"]?.int.map { Instant(microseconds: Int64($0)) }, position: position,
      mode: mode, source: source,
      timeOfDay: json["time_of_day_ms"]?.int.flatMap { Int32(exactly: $0) },
      altitudeMSL: json["alt_msl_m"]?.double, altitudeHAE: json["alt_hae_m"]?.double,
      speed: json["speed_mps"]?.double, track: json["track_deg"]?.double,
      climb: json["climb_mps"]?.double, eph: json["eph_m"]?.double)
    self.init(fix: fix, arrival: Instant(microseconds: Int64(arrival)))
  }
}

extension Trip {
  fileprivate var json: JSONObject {
    JSONObject([
      "lat": .double(goal.latitude), "lon": .double(goal.longitude),
      "distance_m": .double(distance), "travel_s": .double(seconds), "hour": .double(time.hour),
      "weekend": .bool(time.isWeekend), "routed_s": .double(routed),
    ])
  }

  fileprivate init?(json: JSONValue) {
    guard let latitude = json["lat"]?.double, let longitude = json["lon"]?.double,
      let goal = Coordinate(latitude: latitude, longitude: longitude),
      let distance = json["distance_m"]?.double, let seconds = json["travel_s"]?.double,
      let hour = json["hour"]?.double, let isWeekend = json["weekend"]?.bool
    else { return nil }
    self.init(
      goal: goal, distance: distance, seconds: seconds,
      time: TimeOfWeek(hour: hour, isWeekend: isWeekend), routed: json["routed_s"]?.double)
  }
}
