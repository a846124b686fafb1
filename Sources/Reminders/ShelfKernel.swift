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
  ///   - indices: which ones they are.
  @inline(__always)
  func look(
    _ blocks: Span<Float>, _ indices: Span<Int32>, _ view: shelf_view, _ rule: shelf_rule,
    _ rises: Span<way_rises>, _ bounds: shelf_bounds, into strays: inout [shelf_stray]
  ) -> shelf_sight {
    var sight = shelf_sight(least: .infinity, most: -.infinity, nearest: .infinity, strays: 0)
    guard !indices.isEmpty else { return sight }
    // A shelf has numbers for all its indices. Were that broken, the kernel would read behind them; and to answer that
    // there is none, as is done instead, lets all of them rest for ever: a test must not pass over it.
    let room = blocks.count / Int(shelf_block) * Int(shelf_lanes)
    assert(indices.count <= room, "one without numbers")
    guard indices.count <= room else { return sight }
    strays.append(addingCapacity: indices.count) { found in
      unsafe found.withUnsafeMutableBufferPointer { found, count in
        unsafe blocks.withUnsafeBufferPointer { blocks in
          unsafe indices.withUnsafeBufferPointer { indices in
            unsafe rises.withUnsafeBufferPointer { rises in
              guard let first = found.baseAddress, let block = blocks.baseAddress,
                let index = indices.baseAddress
              else { return }
              let most = UInt32(truncatingIfNeeded: indices.count)
              let rise = UInt32(truncatingIfNeeded: rises.count)
              sight =
                unsafe isWide
                ? shelf_look_wide(
                  block, index, most, view, rule, rises.baseAddress, rise, bounds, first)
                : shelf_look(
                  block, index, most, view, rule, rises.baseAddress, rise, bounds, first)
              count = Int(sight.strays)
            }
          }
        }
      }
    }
    return sight
  }
}
