import CProcessor

/// The kernel over a shelf (`ways.h`), handed the shelf itself: all that is unsafe about it is here. It comes in two ways
/// that answer alike, one of them for processors with wide vectors.
struct ShelfKernel: Sendable {
  /// Whether the processor looks at sixteen at once.
  private let isWide: Bool

  /// - Parameter isWide: whether to use the way for processors with wide vectors, which these must have.
  init(isWide: Bool = has_wide_vectors()) { self.isWide = isWide }

  /// Looks at all on a shelf, and appends those that do not stay to `strays`.
  /// - Parameters:
  ///   - blocks: sixteen of each field by turns, whole ones.
  ///   - places: those in use come first.
  @inline(__always)
  func look(
    _ blocks: Span<Float>, _ places: Span<Int32>, _ view: shelf_view, _ rule: shelf_rule,
    _ rises: Span<way_rises>, _ bounds: shelf_bounds, into strays: inout [shelf_stray]
  ) -> shelf_sight {
    var sight = shelf_sight(least: .infinity, most: -.infinity, nearest: .infinity, strays: 0)
    guard !places.isEmpty else { return sight }
    // A shelf has numbers for all its places. Were that broken, the kernel would read behind them; and to answer that
    // there is none, as is done instead, lets all of them rest for ever: a test must not pass over it.
    let room = blocks.count / Int(shelf_block) * Int(shelf_lanes)
    assert(places.count <= room, "places without numbers")
    guard places.count <= room else { return sight }
    strays.append(addingCapacity: places.count) { found in
      unsafe found.withUnsafeMutableBufferPointer { found, count in
        unsafe blocks.withUnsafeBufferPointer { blocks in
          unsafe places.withUnsafeBufferPointer { places in
            unsafe rises.withUnsafeBufferPointer { rises in
              guard let first = found.baseAddress, let block = blocks.baseAddress,
                let place = places.baseAddress
              else { return }
              let most = UInt32(truncatingIfNeeded: places.count)
              let rise = UInt32(truncatingIfNeeded: rises.count)
              sight =
                unsafe isWide
                ? shelf_look_wide(
                  block, place, most, view, rule, rises.baseAddress, rise, bounds, first)
                : shelf_look(
                  block, place, most, view, rule, rises.baseAddress, rise, bounds, first)
              count = Int(sight.strays)
            }
          }
        }
      }
    }
    return sight
  }
}
