/// The sixteen points of the compass.
package enum CompassPoint: String, CaseIterable, Sendable {
  case north = "N", northNortheast = "NNE", northeast = "NE", eastNortheast = "ENE"
  case east = "E", eastSoutheast = "ESE", southeast = "SE", southSoutheast = "SSE"
  case south = "S", southSouthwest = "SSW", southwest = "SW", westSouthwest = "WSW"
  case west = "W", westNorthwest = "WNW", northwest = "NW", northNorthwest = "NNW"

  /// The point nearest to a bearing in degrees, of any number of turns; halfway the next one
  /// clockwise. Fails for NaN and infinity.
  package init?(bearing: Double) {
    guard bearing.isFinite else { return nil }
    let turned = bearing.truncatingRemainder(dividingBy: 360)
    let sector = ((turned < 0 ? turned + 360 : turned) / 22.5 + 0.5).rounded(.down)
    self = CompassPoint.allCases[Int(sector) % CompassPoint.allCases.count]
  }

  /// Degrees clockwise from north.
  package var bearing: Double {
    Double(CompassPoint.allCases.firstIndex(of: self) ?? 0) * 22.5
  }
}
