import Geodesy

/// A point that the drive passes, and how the road goes on from there.
struct Waypoint {
  let position: Coordinate
  /// Speed limit of the road that leaves here, km/h.
  let limit: Double
  /// Height of the road above mean sea level, metres.
  let height: Double
  /// Seconds that the car stands here: a red light, a shop, the ends of the drive.
  let stop: Double
  /// The road that leaves here has no sky above it.
  let isTunnel: Bool

  /// `latitude` and `longitude` in degrees; the table below holds valid ones only.
  init(
    _ latitude: Double, _ longitude: Double, limit: Double, height: Double = 10, stop: Double = 0,
    isTunnel: Bool = false
  ) {
    self.position = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
    self.limit = limit
    self.height = height
    self.stop = stop
    self.isTunnel = isTunnel
  }
}

/// From Hamburg's town hall along the Reeperbahn and the Elbchaussee to a shop in Othmarschen,
/// through the A7 tunnel under the Elbe, over the Köhlbrand bridge, and by way of Veddel into
/// HafenCity.
///
/// The corners follow the streets, but were not surveyed: some are a house's breadth off. What
/// matters is that shapes, lengths and speeds are those of a real afternoon.
let route: [Waypoint] = [
  // Rathausmarkt, parked; Große Johannisstraße, Großer Burstah
  Waypoint(53.5509, 9.9936, limit: 30, height: 8, stop: 40),
  Waypoint(53.5500, 9.9941, limit: 30, height: 8),
  Waypoint(53.5494, 9.9926, limit: 30, height: 8),
  Waypoint(53.5488, 9.9895, limit: 30, height: 8),
  Waypoint(53.5484, 9.9868, limit: 40, height: 8, stop: 14),
  // Ludwig-Erhard-Straße, Millerntorplatz
  Waypoint(53.5492, 9.9860, limit: 50, height: 9),
  Waypoint(53.5496, 9.9830, limit: 50, height: 14),
  Waypoint(53.5498, 9.9795, limit: 50, height: 20),
  Waypoint(53.5501, 9.9745, limit: 50, height: 22),
  Waypoint(53.5503, 9.9706, limit: 50, height: 22, stop: 27),
  // Reeperbahn, Nobistor, Königstraße
  Waypoint(53.5498, 9.9670, limit: 50, height: 24),
  Waypoint(53.5496, 9.9600, limit: 50, height: 25),
  Waypoint(53.5498, 9.9565, limit: 50, height: 26),
  Waypoint(53.5494, 9.9505, limit: 50, height: 27),
  Waypoint(53.5478, 9.9445, limit: 50, height: 28, stop: 22),
  Waypoint(53.5471, 9.9385, limit: 50, height: 29),
  // Klopstockplatz, Elbchaussee, Hohenzollernring
  Waypoint(53.5466, 9.9335, limit: 50, height: 29),
  Waypoint(53.5462, 9.9260, limit: 50, height: 30),
  Waypoint(53.5463, 9.9205, limit: 50, height: 30),
  Waypoint(53.5467, 9.9176, limit: 50, height: 30, stop: 16),
  Waypoint(53.5505, 9.9172, limit: 50, height: 30),
  Waypoint(53.5546, 9.9166, limit: 50, height: 29),
  // Behringstraße, with the shop on the right-hand side
  Waypoint(53.5545, 9.9130, limit: 30, height: 28),
  Waypoint(53.5547, 9.9127, limit: 10, height: 28),
  Waypoint(53.5549, 9.9126, limit: 10, height: 28, stop: 170),
  Waypoint(53.5549, 9.9122, limit: 10, height: 28),
  Waypoint(53.5544, 9.9119, limit: 50, height: 28),
  Waypoint(53.5542, 9.9095, limit: 50, height: 27),
  // A7: ramp, New Elbe Tunnel, Waltershof
  Waypoint(53.5544, 9.9062, limit: 50, height: 20, stop: 18),
  Waypoint(53.5536, 9.9056, limit: 70, height: 14),
  Waypoint(53.5523, 9.9068, limit: 80, height: 6, isTunnel: true),
  Waypoint(53.5460, 9.9112, limit: 80, height: -18, isTunnel: true),
  Waypoint(53.5400, 9.9152, limit: 80, height: -27, isTunnel: true),
  Waypoint(53.5330, 9.9192, limit: 80, height: -14, isTunnel: true),
  Waypoint(53.5262, 9.9222, limit: 80, height: 2),
  Waypoint(53.5225, 9.9235, limit: 70, height: 6),
  Waypoint(53.5198, 9.9240, limit: 50, height: 8),
  Waypoint(53.5181, 9.9250, limit: 50, height: 9, stop: 13),
  Waypoint(53.5183, 9.9276, limit: 50, height: 14),
  // Köhlbrand bridge, Neuhof
  Waypoint(53.5188, 9.9312, limit: 60, height: 26),
  Waypoint(53.5192, 9.9350, limit: 60, height: 44),
  Waypoint(53.5197, 9.9406, limit: 60, height: 55),
  Waypoint(53.5203, 9.9465, limit: 60, height: 43),
  Waypoint(53.5202, 9.9511, limit: 60, height: 26),
  Waypoint(53.5194, 9.9556, limit: 60, height: 13),
  Waypoint(53.5182, 9.9598, limit: 50, height: 8),
  Waypoint(53.5173, 9.9641, limit: 50, height: 7),
  // Roßdamm
  Waypoint(53.5166, 9.9668, limit: 50, height: 7),
  Waypoint(53.5169, 9.9694, limit: 50, height: 7, stop: 21),
  Waypoint(53.5179, 9.9701, limit: 60, height: 7),
  Waypoint(53.5223, 9.9722, limit: 60, height: 7),
  Waypoint(53.5247, 9.9734, limit: 50, height: 7),
  Waypoint(53.5268, 9.9735, limit: 50, height: 7),
  Waypoint(53.5281, 9.9738, limit: 50, height: 7),
  // Veddeler Damm, Veddel
  Waypoint(53.5281, 9.9772, limit: 50, height: 7),
  Waypoint(53.5268, 9.9778, limit: 50, height: 7),
  Waypoint(53.5262, 9.9800, limit: 50, height: 7),
  Waypoint(53.5243, 9.9829, limit: 50, height: 7),
  Waypoint(53.5238, 9.9844, limit: 50, height: 7),
  Waypoint(53.5229, 9.9899, limit: 60, height: 7),
  Waypoint(53.5228, 9.9965, limit: 60, height: 7),
  Waypoint(53.5224, 10.0037, limit: 50, height: 7),
  Waypoint(53.5224, 10.0054, limit: 50, height: 7),
  Waypoint(53.5230, 10.0076, limit: 50, height: 7),
  Waypoint(53.5231, 10.0105, limit: 50, height: 7),
  Waypoint(53.5233, 10.0125, limit: 60, height: 7, stop: 24),
  // Elbe bridges, Versmannstraße, HafenCity, parked
  Waypoint(53.5289, 10.0185, limit: 60, height: 9),
  Waypoint(53.5347, 10.0236, limit: 50, height: 12),
  Waypoint(53.5354, 10.0225, limit: 30, height: 9),
  Waypoint(53.5359, 10.0179, limit: 50, height: 8, stop: 15),
  Waypoint(53.5374, 10.0090, limit: 50, height: 8),
  Waypoint(53.5383, 10.0084, limit: 50, height: 8),
  Waypoint(53.5405, 10.0070, limit: 40, height: 8),
  Waypoint(53.5412, 10.0000, limit: 30, height: 8),
  Waypoint(53.5411, 9.9975, limit: 30, height: 8, stop: 45),
]
