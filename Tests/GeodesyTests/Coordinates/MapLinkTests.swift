import Geodesy
import Testing

@Suite struct MapLinkTests {
  @Test(arguments: [
    "https://www.openstreetmap.org/?mlat=52.52&mlon=13.405#map=17/1.0/2.0",
    "https://www.openstreetmap.org/?mlat=52.52&mlon=13.405",
    "https://www.openstreetmap.org/#map=17/52.52/13.405",
    "https://www.openstreetmap.org/#map=17/52.52000/13.40500&layers=N",
    "https://openstreetmap.org/#map=5/52.52/13.405", "http://osm.org/#map=17/52.52/13.405",
    "www.openstreetmap.org/?lat=52.52&lon=13.405&zoom=12",
    "https://www.openstreetmap.org/search?query=52.52%2C13.405#map=6/51/10",
    "https://www.google.com/maps/@52.52,13.405,17z",
    "https://www.google.de/maps/@52.52,13.405,3a,75y,90t/data=!3m6!1e1",
    "https://maps.google.com/?q=52.52,13.405", "https://maps.google.com/maps?q=loc:52.52,13.405",
    "https://maps.google.com/?q=52.52,13.405(Berlin+Mitte)",
    "https://maps.google.com/?ll=52.52,13.405&z=12", "https://maps.google.co.uk/?q=52.52%2C+13.405",
    "https://www.google.com/maps/search/?api=1&query=52.52%2C13.405",
    "https://www.google.com/maps/search/52.52,+13.405?entry=tts",
    "https://www.google.com/maps/dir/?api=1&destination=52.52,13.405",
    "https://www.google.com/maps/place/52%C2%B031'12.0%22N+13%C2%B024'18.0%22E/@52.5,13.4,17z",
    "https://www.google.com/maps/place/Berlin/@52.5,13.4,11z/data=!3m1!4b1!4m6!8m2!3d52.52!4d13.405",
    "https://maps.google.com/?q=Berlin&ll=52.52,13.405", "comgooglemaps://?q=52.52,13.405",
    "https://maps.apple.com/?ll=52.52,13.405&q=Berlin", "https://maps.apple.com/?q=52.52,13.405",
    "https://maps.apple.com/place?coordinate=52.52,13.405&name=Berlin",
    "https://maps.apple.com/?q=Cafe&sll=52.52,13.405&z=10",
    "http://maps.apple.com/?daddr=52.52,13.405",
    "maps://?ll=52.52,13.405", "maps.apple.com/?ll=52.52%2C13.405",
  ]) func findsThePosition(_ link: String) throws {
    let found = try Coordinate(parsing: link)
    #expect(abs(found.latitude - 52.52) < 1e-12)
    #expect(abs(found.longitude - 13.405) < 1e-12)
  }

  @Test func keepsSigns() throws {
    let south = "https://www.google.com/maps/@-33.8688,-151.2093,17z"
    #expect(try Coordinate(parsing: south) == point(-33.8688, -151.2093))
    let marker = "https://www.openstreetmap.org/?mlat=-33.8688&mlon=-151.2093"
    #expect(try Coordinate(parsing: marker) == point(-33.8688, -151.2093))
  }

  @Test(arguments: [
    ("https://www.openstreetmap.org/go/0MZtY2a--?m=", CoordinateError.Reason.shortLink, 9),
    ("https://osm.org/go/0MZtY2a--", .shortLink, 9), ("https://goo.gl/maps/abc", .shortLink, 9),
    ("https://maps.app.goo.gl/abc", .shortLink, 9), ("https://maps.apple/p/abc", .shortLink, 9),
    ("https://example.org/?q=52.52,13.405", .unknownLink, 9),
    ("example.org/52.52,13.405", .unknownLink, 1),
    ("https://www.google.com/search?q=52.52,13.405", .unknownLink, 9),
    ("https://www.openstreetmap.org/", .linkWithoutCoordinate, 9),
    ("https://www.openstreetmap.org/node/17#map=19/52.5/13.4", .linkWithoutCoordinate, 9),
    ("https://www.openstreetmap.org/#map=17/52.52", .linkWithoutCoordinate, 9),
    ("https://www.openstreetmap.org/?mlat=95&mlon=13", .latitudeOutOfRange, 37),
    ("https://www.openstreetmap.org/?mlat=52#map=17/52.5/13", .incomplete, 37),
    ("https://www.openstreetmap.org/#map=17/52.5/190", .longitudeOutOfRange, 36),
    ("https://www.openstreetmap.org/#map=17/x/13", .unexpectedCharacter, 36),
    ("https://maps.google.com/?q=Berlin", .linkWithoutCoordinate, 9),
    ("https://maps.google.com/?q=95,13", .latitudeOutOfRange, 28),
    ("https://maps.google.com/?ll=52.5", .incomplete, 29),
    ("https://www.google.com/maps/dir/Berlin/Paris/@50.6,7.9,7z", .severalPlaces, 9),
    ("https://www.google.com/maps/place/X/data=!3d1!4d2!3d3!4d4", .severalPlaces, 37),
    ("https://maps.apple.com/?q=Berlin", .linkWithoutCoordinate, 9),
    ("https://maps.apple.com/?ll=here", .unexpectedCharacter, 28),
    ("https://", .unknownLink, 9),
  ]) func refuses(_ link: String, _ reason: CoordinateError.Reason, _ position: Int) {
    #expect(throws: CoordinateError(reason, at: position)) { try Coordinate(parsing: link) }
  }

  /// What is shared can be read back, both halves of it.
  @Test(arguments: [(52.52, 13.405), (-33.868812, 151.209299), (0, -180), (89.999999, 0.000001)])
  func aSharedPositionReadsBack(_ latitude: Double, _ longitude: Double) throws {
    let shared = point(latitude, longitude).shareable(uncertainty: 4.2)
    let halves = shared.split(separator: " ").map(String.init)
    #expect(try ParsedCoordinate(parsing: halves[0]).uncertainty == 5)
    for half in halves {
      let found = try Coordinate(parsing: half)
      #expect(abs(found.latitude - latitude) < 1e-6 && abs(found.longitude - longitude) < 1e-6)
    }
    #expect(!point(latitude, longitude).shareable().contains(";u="))
  }
}
