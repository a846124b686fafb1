import Geodesy

/// Where a life goes: a few spots, each far inside or far outside of every region, so that nobody
/// can doubt which regions hold it.
enum Spot: String, CaseIterable, Sendable {
  case home, bakery, work, kiosk, campus, road, lane
  /// On a straight road from west to east, with home between the last two of them.
  case farWest, west, east

  var position: Coordinate {
    let (latitude, longitude) =
      switch self {
      case .home: (53.55, 9.99)
      case .bakery: (53.556, 9.99)
      case .work: (53.6, 9.99)
      case .kiosk: (53.602, 9.996)
      case .campus: (53.55, 10.1)
      case .road: (53.575, 10.03)
      case .lane: (53.52, 9.95)
      case .farWest: (53.55, 9.9)
      case .west: (53.55, 9.96)
      case .east: (53.55, 10.02)
      }
    return Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
  }

  /// The regions that hold it.
  var regions: Set<String> {
    let regions: [Area] =
      switch self {
      case .home: [.home, .town]
      case .bakery: [.town, .food]
      case .work: [.work, .quarter]
      case .kiosk: [.quarter, .food]
      case .campus: [.campus]
      case .road, .lane, .farWest, .west, .east: []
      }
    return Set(regions.map(\.rawValue))
  }
}

/// The regions that reminders wait for.
enum Area: String, CaseIterable, Sendable {
  case home, work
  /// Around home and the bakery; around work and the kiosk.
  case town, quarter
  /// A polygon.
  case campus
  /// A category: the bakery and the kiosk.
  case food

  /// The spot in the middle of a circle.
  var middle: Spot? {
    switch self {
    case .home, .town: .home
    case .work, .quarter: .work
    case .campus, .food: nil
    }
  }

  static let circles: [Area] = [.home, .work, .town, .quarter]

  /// The places of the category, metres around each.
  static let foodPlaces = [Spot.bakery, .kiosk]
  static let foodRadius = 100.0

  /// The members of a reminder's document.
  var json: String {
    switch self {
    case .home: Self.place("home", .home, 150)
    case .work: Self.place("work", .work, 200)
    case .town: Self.place("town", .home, 1500)
    case .quarter: Self.place("quarter", .work, 1000)
    case .food: #""near_category":"food""#
    case .campus:
      #""region":{"type":"Polygon","coordinates":"#
        + "[[[10.098,53.548],[10.102,53.548],[10.102,53.552],[10.098,53.552],[10.098,53.548]]]}"
    }
  }

  private static func place(_ name: String, _ spot: Spot, _ radius: Int) -> String {
    let at = spot.position
    return #""place":{"name":"\#(name)","lat":\#(at.latitude),"lon":\#(at.longitude),"#
      + #""radius_m":\#(radius)}"#
  }
}
