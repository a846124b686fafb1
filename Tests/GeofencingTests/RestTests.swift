import Testing

@testable import Geofencing

/// The disc in which a level is left alone.
@Suite struct RestTests {
  private let place = Vector(latitude: 0.7, longitude: 0.2)

  @Test func whatIsLeftShrinksByTheWay() throws {
    let rest = Rest(1_000, around: place)
    let remainder = try #require(rest.ample(at: Vector(latitude: 0.7 + 1e-4, longitude: 0.2)))
    #expect(abs(remainder - (1_000 - 637.1)) < 0.1)
    #expect(try #require(rest.ample(at: place)) <= 1_000)
  }

  @Test func aQuarterMustBeLeft() {
    let rest = Rest(1_000, around: place)
    #expect(rest.ample(at: Vector(latitude: 0.7 + 1.17e-4, longitude: 0.2)) != nil)
    #expect(rest.ample(at: Vector(latitude: 0.7 + 1.18e-4, longitude: 0.2)) == nil)
  }

  @Test func thereIsNoneOfNothing() {
    #expect(Rest().ample(at: Vector(x: 0, y: 0, z: 0)) == nil)
    #expect(Rest(0, around: place).ample(at: place) == nil)
    #expect(Rest(-3, around: place).ample(at: place) == nil)
  }
}
