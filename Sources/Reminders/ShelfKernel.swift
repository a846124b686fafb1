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
  ///   - count: how many there are.
  @inline(__always)
  func look(
    _ blocks: Span<Float>, count: Int, _ view: shelf_view, _ rule: shelf_rule,
    _ rises: Span<way_rises>, _ bounds: shelf_bounds, into strays: inout [shelf_stray]
  ) -> shelf_sight {
    var sight = shelf_sight(least: .infinity, most: -.infinity, nearest: .infinity, strays: 0)
    guard count > 0 else { return sight }
    // A shelf has numbers for all that it counts. Were that broken, the kernel would read behind them; and to answer that
    // there is none, as is done instead, lets all of them rest for ever: a test must not pass over it.
    let room = blocks.count / Int(shelf_block) * Int(shelf_lanes)
    assert(count <= room, "one without numbers")
    guard count <= room else { return sight }
    let most = UInt32(truncatingIfNeeded: count)
    strays.append(addingCapacity: count) { found in
      unsafe found.withUnsafeMutableBufferPointer { found, known in
        unsafe blocks.withUnsafeBufferPointer { blocks in
          unsafe rises.withUnsafeBufferPointer { rises in
            guard let first = found.baseAddress, let block = blocks.baseAddress else { return }
            let rise = UInt32(truncatingIfNeeded: rises.count)
            sight =
              unsafe isWide
              ? shelf_look_wide(block, most, view, rule, rises.baseAddress, rise, bounds, first)
              : shelf_look(block, most, view, rule, rises.baseAddress, rise, bounds, first)
            known = Int(sight.strays)
          }
        }
      }
    }
    return sight
  }
}
