import Bytes
import Companion
import Geodesy
import Interchange
import JSONText
import Reminders
import Report

/// The places that reminders of a category are replayed against.
struct ReplayPlaces {
  /// By position; a place's number is its position and one.
  private var names: [String] = []
  private var places: [String: [NumberedPlace]] = [:]
  /// `#RRGGBB` by category in lower case, where a file says.
  private(set) var colors: [String: String] = [:]

  init() {}

  /// - Parameter paths: files in the form of 'place list --json', objects in sequence or in a list.
  init(files paths: [String]) throws {
    for path in paths {
      let (name, bytes) = try ReminderInput.bytes(path)
      do {
        var parser = JSONParser(bytes)
        while let value = try parser.next() {
          for entry in value.array ?? [value] {
            let line = parser.currentLine()
            guard add(entry) else {
              throw Failure(
                .badData,
                "\(name):\(line): no place; one is an object with name, lat, lon, radius_m "
                  + "and category"
              )
            }
          }
        }
      } catch let error as JSONError {
        throw Failure(.badData, "\(name):\(error.line): not JSON: \(error.reason)")
      }
    }
  }

  /// Answers whether it is a place. One without a category is no place that anything waits for.
  mutating func add(_ value: JSONValue) -> Bool {
    guard let name = value["name"]?.string,
      let latitude = (value["lat"] ?? value["latitude"])?.double,
      let longitude = (value["lon"] ?? value["longitude"])?.double,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return false }
    let radius = value["radius_m"]?.double ?? Reminder.Place.defaultRadius
    guard Reminder.Place.radii.contains(radius) else { return false }
    var area: Reminder.Area?
    if let region = value["region"], region != .null {
      area = try? Reminder.Area(geoJSON: region, width: value["width_m"]?.double)
      guard area != nil else { return false }
    }
    guard let category = value["category"]?.string else { return true }
    names.append(name)
    if let color = value["color"]?.string { colors[category.nameKey] = color }
    places[category.nameKey, default: []].append(
      NumberedPlace(
        number: Int64(names.count), position: position, radius: radius, area: area))
    return true
  }

  func places(of category: String) -> [NumberedPlace] { places[category.nameKey] ?? [] }

  /// The places of these categories (by `nameKey`), for a picture.
  func shown(of categories: Set<String>) -> [Report.Place] {
    categories.sorted().flatMap { category in
      places(of: category).compactMap { place in
        name(place.number).map {
          Report.Place(
            name: $0, position: place.position, radius: place.radius, category: category)
        }
      }
    }
  }

  func name(_ number: Int64) -> String? {
    names.indices.contains(Int(number) - 1) ? names[Int(number) - 1] : nil
  }
}
