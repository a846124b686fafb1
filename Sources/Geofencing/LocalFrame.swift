import Geodesy

/// The way to a place from one that is near, by a few products: no sine, and no root.
///
/// East, north and up are those of the origin. With the differences y of latitude and x of longitude, and the
/// sine s and cosine c of the origin's latitude, the way is
///
///     (c − s y) x  east,   y + ½ s c x²  north,   ½ (y² + c² x²)  down
///
/// which is Taylor's series less its third and higher powers. Within 1 500 m of an origin at up to 80° of latitude
/// |y| ≤ 2.4 · 10⁻⁴ and c |x| ≤ 2.7 · 10⁻⁴, and what is left out is below 0.8 mm east (c x³/6 the most of it), 1.9 mm
/// north (s² y x²/2) and 0.4 mm up (c s y x²/2): 2.2 mm together, and much less where the way is short or the latitude low.
///
/// A place that is farther never seems to be nearer than 1 500 m: the way down alone would be as long, but
/// where |y| and c |x| are below 0.022, and there the others are right to a seventh.
struct LocalFrame {
  /// Metres by which the way may be off that seems to be `farthest` long at the most.
  static let error = 0.003
  static let farthest = 1_500.0
  /// Degrees of latitude beyond which there is no frame.
  static let widestLatitude = 80.0

  /// Degrees.
  private var latitude = 0.0
  private var longitude = 0.0
  /// Of the latitude.
  private var sine = 0.0
  private var cosine = 1.0
  private var east = Vector(x: 0, y: 1, z: 0)
  private var north = Vector(x: 0, y: 0, z: 1)
  private(set) var origin = Vector(x: 1, y: 0, z: 0)
  /// Whether the origin is not beyond the widest latitude.
  private(set) var isValid = false

  /// The frame of Greenwich on the equator, which is not valid.
  init() {}

  @inline(__always)
  init(at view: Viewpoint) {
    latitude = view.position.latitude
    longitude = view.position.longitude
    sine = view.sine
    cosine = view.cosine
    origin = view.direction
    isValid = abs(latitude) <= LocalFrame.widestLatitude
    guard isValid else { return }
    let ofLongitude = (sine: origin.y / cosine, cosine: origin.x / cosine)
    east = Vector(x: -ofLongitude.sine, y: ofLongitude.cosine, z: 0)
    north = Vector(x: -sine * ofLongitude.cosine, y: -sine * ofLongitude.sine, z: cosine)
  }

  /// The way from the origin, in radii.
  @inline(__always)
  func way(to position: Coordinate) -> Vector {
    let y = (position.latitude - latitude) * (.pi / 180)
    var degrees = position.longitude - longitude
    if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
    let x = degrees * (.pi / 180)
    let across = cosine * x
    let toEast = across - sine * y * x
    let toNorth = y + 0.5 * sine * across * x
    let down = 0.5 * (y * y + across * across)
    return Vector(
      x: toEast * east.x + toNorth * north.x - down * origin.x,
      y: toEast * east.y + toNorth * north.y - down * origin.y,
      z: toNorth * north.z - down * origin.z)
  }

  /// The cosine of a place's latitude, no less than it is, for one that is no farther than `farthest`.
  @inline(__always)
  func cosine(at position: Coordinate) -> Double {
    // What the series leaves out is below s |y|³/6.
    cosine - sine * (position.latitude - latitude) * (.pi / 180) + 1e-11
  }
}
