/// The sixteen points of the compass.
package enum CompassPoint: String, CaseIterable, Sendable {
  case north = "N"
  case northNortheast = "NNE"
  case northeast = "NE"
  case eastNortheast = "ENE"
  case east = "E"
  case eastSoutheast = "ESE"
  case southeast = "SE"
  case southSoutheast = "SSE"
  case south = "S"
  case southSouthwest = "SSW"
  case southwest = "SW"
  case westSouthwest = "WSW"
  case west = "W"
  case westNorthwest = "WNW"
  case northwest = "NW"
  case northNorthwest = "NNW"

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
