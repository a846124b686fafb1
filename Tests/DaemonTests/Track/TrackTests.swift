import CivilTime
import Control
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Positioning
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Trips, the trail, and what would have fired along them.
@Suite struct TrackTests {
  /// In the future, so that no deadline of the machine's clock passes.
  private static let start = 4_000_000_000.0
  private static let perDegree = Sphere.radius * .pi / 180

  /// A drive to work and back, each on so many days, as a daemon with a live clock takes it.
  private static func live(
    _ daemon: Daemon, days: Int, from first: Int = 0, home: Double = 9.5
  ) {
    for day in first..<first + days {
      var time = start + Double(day) * 86_400
      func go(_ seconds: Int, from begin: Double, to end: Double) {
        for second in stride(from: 0, to: seconds, by: 10) {
          let part = Double(second) / Double(seconds)
          let metres = begin + (end - begin) * part
          daemon.track.take(
            Fix(
              time: Instant(seconds: time + Double(second)),
              position: Coordinate(
                clampingLatitude: 0, wrappingLongitude: home + metres / perDegree), eph: 5),
            at: Instant(seconds: time + Double(second)))
        }
        time += Double(seconds)
      }
      go(3_600, from: 0, to: 0)
      go(900, from: 0, to: 10_000)
      go(7_200, from: 10_000, to: 10_000)
      go(900, from: 10_000, to: 0)
      go(3_600, from: 0, to: 0)
    }
  }

  private func rig(
    _ config: String, folder: TemporaryFolder? = nil, day: Double = 20
  ) throws -> Rig {
    try Rig(config, folder: folder, systemClock: { Int64((Self.start + day * 86_400) * 1e6) })
  }

  private static let keeping = "[Track]\nKeep=365d\n"

  @Test func tripsAreListedAndTheirTracksRead() throws {
    let rig = try rig(Self.keeping)
    Self.live(rig.daemon, days: 3)
    let client = try rig.client()
    let trips = try client.call("ListTrips", "{}")["trips"]?.array ?? []
    #expect(trips.count == 6)
    for trip in trips {
      #expect(abs((trip["distance_m"]?.double ?? 0) - 10_000) < 200)
      #expect(abs((trip["time_s"]?.double ?? 0) - 900) < 60)
    }
    let latest = try client.call("ReadTrack", #"{"trip":"last"}"#)
    #expect(latest["trip"] == trips[0])
    #expect((latest["track"]?["t"]?.array?.count ?? 0) > 80)
    let id = try #require(trips[5]["id"]?.string)
    #expect(try client.call("ReadTrack", ["trip": .string(id)])["trip"]?["id"]?.string == id)
    let few = try client.call("ListTrips", #"{"limit":2}"#)
    #expect(few["trips"]?.array?.count == 2 && few["more"] == true)
    guard case .notFound? = GeoremindError(try client.error("ReadTrack", #"{"trip":"1999"}"#))
    else { throw Unexpected("an unknown trip") }
    guard case .ambiguous? = GeoremindError(try client.error("ReadTrack", #"{"trip":"2096"}"#))
    else { throw Unexpected("a beginning of six trips") }
  }

  @Test func withoutKeepNothingIsWritten() throws {
    let rig = try rig("")
    Self.live(rig.daemon, days: 1)
    let client = try rig.client()
    guard case .refusedByPolicy? = GeoremindError(try client.error("ListTrips", "{}")) else {
      throw Unexpected("no trips without Keep=")
    }
    rig.daemon.stop()
    #expect(!rig.folder.names.contains { $0.hasPrefix("track") })
  }

  @Test func theNextRunGoesOnWhereTheLastStopped() throws {
    let folder = try TemporaryFolder()
    var first: Rig? = try rig(Self.keeping, folder: folder)
    Self.live(try #require(first).daemon, days: 2)
    first?.daemon.stop()
    first = nil
    let second = try rig(Self.keeping, folder: folder)
    Self.live(second.daemon, days: 2, from: 2)
    let trips = try second.client().call("ListTrips", "{}")["trips"]?.array ?? []
    #expect(trips.count == 8)
    #expect(Set(trips.compactMap { $0["id"]?.string }).count == 8)
  }

  @Test func theTrailIsOfTheLastHoursAndInMemoryAlone() throws {
    let rig = try rig("[Map]\nTrail=1h\n")
    Self.live(rig.daemon, days: 1)
    let points = rig.daemon.track.points
    let (first, last) = (try #require(points.first), try #require(points.last))
    #expect(last.time - first.time <= .hours(1) && points.count >= 119)
    let track = try rig.client().call("ReadTrack", "{}")["track"]
    #expect(track?["t"]?.array?.count == points.count)
    let none = try self.rig("[Map]\nTrail=0\n")
    Self.live(none.daemon, days: 1)
    #expect(none.daemon.track.points.isEmpty)
  }

  @Test func settingsAreFollowedAtAReload() throws {
    let rig = try rig("")
    Self.live(rig.daemon, days: 1)
    try rig.configure("[Feed]\nFeed=\n" + Self.keeping)
    rig.daemon.reloadSettings()
    Self.live(rig.daemon, days: 1, from: 1)
    #expect(try rig.client().call("ListTrips", "{}")["trips"]?.array?.count == 2)
  }

  @Test func whatIsTooOldIsDeleted() throws {
    let rig = try rig("[Track]\nKeep=5d\n")
    Self.live(rig.daemon, days: 12)
    let trips = try rig.client().call("ListTrips", "{}")["trips"]?.array ?? []
    // The clock stands at the twentieth day.
    #expect(trips.isEmpty)
    let later = try self.rig("[Track]\nKeep=5d\n", day: 12)
    Self.live(later.daemon, days: 12)
    #expect(try later.client().call("ListTrips", "{}")["trips"]?.array?.count == 10)
  }

  @Test func tripsAreForgotten() throws {
    let rig = try rig(Self.keeping)
    Self.live(rig.daemon, days: 4)
    let client = try rig.client()
    let noon = Instant(seconds: Self.start + 2 * 86_400).rfc3339()
    #expect(try client.call("ForgetTrack", ["before": .string(noon)])["trips"] == 4)
    #expect(try client.call("ListTrips", "{}")["trips"]?.array?.count == 4)
    #expect(try client.call("ForgetTrack", "{}")["trips"] == 4)
    #expect(try client.call("ReadTrack", "{}")["track"]?["t"] == [])
  }

  @Test func aFileThatCannotBeUsedLeavesTheTrail() throws {
    let folder = try TemporaryFolder()
    #expect(symlink("/dev/null", "\(folder.path)/track.db") == 0)
    let rig = try rig(Self.keeping, folder: folder)
    Self.live(rig.daemon, days: 1)
    #expect(!rig.daemon.track.points.isEmpty)
    #expect(rig.journal.troubles(.error).count { $0.hasPrefix("Trips are not kept") } == 1)
    guard case .storeFailure? = GeoremindError(try rig.client().error("ListTrips", "{}")) else {
      throw Unexpected("the reason is answered")
    }
    // Once the file is removed, the trips that waited are written.
    unlink("\(folder.path)/track.db")
    #expect(try rig.client().call("ListTrips", "{}")["trips"]?.array?.count == 2)
  }

  // MARK: - What would have fired, and where one stays

  @Test func theRemindersArePlayedAlongATrip() throws {
    let rig = try rig(Self.keeping)
    Self.live(rig.daemon, days: 1)
    let client = try rig.client()
    let half = 9.5 + 5_000 / Self.perDegree
    _ = try client.call(
      "Add",
      [
        "reminder": [
          "id": "fuel", "kind": "location", "title": "Fuel", "on": "arrive",
          "place": ["lat": 0, "lon": .double(half), "radius_m": 200],
        ]
      ])
    let before = try client.call("Show", #"{"id":"fuel"}"#)
    let firings = try client.call("ReplayTrack", #"{"trip":"last"}"#)["firings"]?.array ?? []
    #expect(firings.compactMap { $0["reminder_id"]?.string } == ["fuel"])
    #expect(abs((firings.first?["lon"]?.double ?? 0) - half) < 300 / Self.perDegree)
    #expect(try client.call("Show", #"{"id":"fuel"}"#) == before, "nothing is changed")
    #expect(try client.call("Log", "{}")["firings"] == [])
    // A reminder that is done is played as if new.
    _ = try client.call("Done", #"{"id":"fuel"}"#)
    #expect(try client.call("ReplayTrack", #"{"trip":"last"}"#)["firings"]?.array?.count == 1)
  }

  @Test func whereOneStaysOftenIsSuggestedUntilAPlaceIsThere() throws {
    let rig = try rig(Self.keeping)
    Self.live(rig.daemon, days: 4)
    let client = try rig.client()
    func suggested() throws -> [Double] {
      let places = try client.call("SuggestPlaces", "{}")["places"]?.array ?? []
      return places.compactMap { $0["longitude"]?.double }.sorted()
    }
    let work = 9.5 + 10_000 / Self.perDegree
    let found = try suggested()
    #expect(found.count == 2)
    #expect(abs(found[0] - 9.5) < 0.001 && abs(found[1] - work) < 0.001)
    _ = try client.call("AddPlace", #"{"name":"Home","latitude":0,"longitude":9.5,"radius_m":100}"#)
    #expect(try suggested().count == 1)
  }
}
