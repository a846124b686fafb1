import CivilTime
import Departure
import Geodesy
import JSONText
import Reminders

/// Rows of the database, on the way back into a partition.
extension Partition {
  /// The devices of partition $1, in the form that `restoreDevice` reads.
  package static let deviceQuery = """
    SELECT device, seq, at, upto, zone, state, trips FROM fleet.device WHERE partition = $1
    """

  /// Restores a device; its reminders follow.
  /// - Parameter row: of `deviceQuery`.
  package func restoreDevice(_ row: [String?]) throws(RowError) {
    let numbers = row.dropFirst().prefix(3).compactMap { $0.flatMap { Int64($0) } }
    guard row.count == 7, let name = row[0], numbers.count == 3 else {
      throw RowError(description: "a row of fleet.device cannot be read: \(row)")
    }
    var zone = TimeZoneRules.utc
    do { if let name = row[4] { zone = try TimeZoneRules(named: name) } } catch {
      throw RowError(description: "device \(name): \(error)")
    }
    let device = device(name, zone: zone)
    device.zone = row[4]
    device.firingCount = numbers[2]
    device.stored = LogPoint(
      sequence: UInt64(clamping: numbers[0]), time: .init(microseconds: numbers[1]))
    device.restoration = Device.Restoration(
      state: row[5].flatMap { try? JSONParser.parse($0) },
      experience: row[6].flatMap { try? JSONParser.parse($0) }.map { TravelExperience(json: $0) })
  }

  /// The reminders of partition $1, in the form that `restoreReminder` reads.
  package static let reminderQuery = """
    SELECT device, r.doc, r.history
    FROM fleet.reminder r JOIN fleet.device d USING (device) WHERE d.partition = $1
    """

  /// Restores a reminder of a restored device.
  /// - Parameter row: of `reminderQuery`. An empty history is a new reminder's.
  package func restoreReminder(_ row: [String?]) throws(RowError) {
    guard row.count == 3, let name = row[0], let text = row[1], let history = row[2],
      let object = (try? JSONParser.parse(text))?.object
    else { throw RowError(description: "a row of fleet.reminder cannot be read: \(row)") }
    do {
      device(name).restoration?.reminders.append(
        (try Reminder(json: object), try History(text: history.isEmpty ? nil : history)))
    } catch {
      throw RowError(description: "device \(name), \(text): \(error)")
    }
  }
}

/// A stored row that cannot be read.
package struct RowError: Error, Equatable, CustomStringConvertible {
  package let description: String
}

/// Trips as JSON: for each mode of transport a list of arrays.
extension TravelExperience {
  var json: JSONValue {
    var object = JSONObject()
    for transport in Transport.allCases where !trips(by: transport).isEmpty {
      object[transport.rawValue] = .array(
        trips(by: transport).map { trip in
          let numbers = [
            trip.goal.latitude, trip.goal.longitude, trip.distance, trip.seconds, trip.time.hour,
            trip.time.isWeekend ? 1 : 0,
          ]
          return .array((numbers + (trip.routed.map { [$0] } ?? [])).compactMap { .double($0) })
        })
    }
    return .object(object)
  }

  /// A trip that cannot be read is left out: it only makes an estimate better.
  init(json: JSONValue) {
    self.init()
    for (key, list) in json.object?.members ?? [] {
      guard let transport = Transport(rawValue: key) else { continue }
      for trip in list.array ?? [] {
        let numbers = trip.array?.compactMap(\.double) ?? []
        guard 6...7 ~= numbers.count,
          let goal = Coordinate(latitude: numbers[0], longitude: numbers[1])
        else { continue }
        add(
          Trip(
            goal: goal, distance: numbers[2], seconds: numbers[3],
            time: TimeOfWeek(hour: numbers[4], isWeekend: numbers[5] == 1),
            routed: numbers.count == 7 ? numbers[6] : nil), by: transport)
      }
    }
  }
}
