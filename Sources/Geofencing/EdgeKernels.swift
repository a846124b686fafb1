import CProcessor

/// The kernels over lists of edges (`hotedges.h`, `edgelist.h`), handed the lists themselves: all that is unsafe about
/// them is here. Each comes in two ways that answer alike, one of them for processors with wide vectors.
struct EdgeKernels {
  /// Whether the processor looks at sixteen at once.
  private let isWide: Bool

  /// - Parameter isWide: whether to use the way for processors with wide vectors, which these must have.
  init(isWide: Bool = has_wide_vectors()) { self.isWide = isWide }

  /// Most groups that are searched for what they have told. Their tags are 1 024 bytes, the most that Swift puts on
  /// the stack whatever is left of it.
  static let mostSearched = 64

  /// Appends what up to `list_most` entries show: the edges that are near to `groups`, the fences that hold the place
  /// to `holders` if they are wanted. With `isSearched` what is in one of the first `mostSearched` groups is told no
  /// second time. These are all there are where a neighbourhood asks, for it does not while it `isLong`.
  @inline(__always)
  func list(
    _ entries: Span<EntryGroup>, from view: list_view, wantsHolders: Bool, isSearched: Bool,
    to groups: inout [NearGroup], _ holders: inout [FenceID]
  ) -> list_findings {
    unsafe withUnsafeTemporaryAllocation(
      of: four_ints.self, capacity: EdgeKernels.mostSearched
    ) { tags in
      let told = isSearched ? min(groups.count, tags.count) : 0
      for i in 0..<told { unsafe tags[i] = groups[i].tag }
      return unsafe list(
        entries, from: view, wantsHolders: wantsHolders, tags.baseAddress, told, to: &groups,
        &holders)
    }
  }

  @inline(__always)
  private func list(
    _ entries: Span<EntryGroup>, from view: list_view, wantsHolders: Bool,
    _ tags: UnsafePointer<four_ints>?, _ told: Int,
    to groups: inout [NearGroup], _ holders: inout [FenceID]
  ) -> list_findings {
    var findings = list_findings()
    let told = UInt32(truncatingIfNeeded: told)
    groups.append(addingCapacity: Int(list_most)) { near in
      unsafe near.withUnsafeMutableBufferPointer { near, nearCount in
        holders.append(addingCapacity: Int(list_room)) { held in
          unsafe held.withUnsafeMutableBufferPointer { held, heldCount in
            unsafe entries.withUnsafeBytes { entries in
              let count = entries.count / MemoryLayout<entry_group>.stride
              guard let first = entries.baseAddress, let held = held.baseAddress,
                let near = UnsafeMutableRawPointer(near.baseAddress), count <= Int(list_most)
              else { return }
              let list = unsafe first.assumingMemoryBound(to: entry_group.self)
              let groups = unsafe near.assumingMemoryBound(to: near_group.self)
              findings =
                unsafe isWide
                ? list_edges_wide(list, UInt32(count), view, tags, told, groups, held)
                : list_edges(list, UInt32(count), view, tags, told, groups, held)
            }
            heldCount = wantsHolders ? Int(findings.held) : 0
          }
        }
        nearCount = Int(findings.near)
      }
    }
    return findings
  }

  /// Copies the edges of a level behind the first hot ones that are no farther than a limit.
  @inline(__always)
  func copy(
    _ near: [NearGroup], from place: SIMD3<Float>, limit: Float, level: Int, behind edges: UInt32,
    to fields: inout [Float], _ homes: inout [UInt32]
  ) -> hot_copies {
    guard fields.count == Int(hot_fields), homes.count == Int(hot_room), edges <= hot_most
    else { return hot_copies(edges: edges, nearest: -.infinity) }
    return unsafe near.withUnsafeBytes { near in
      let count = UInt32(truncatingIfNeeded: near.count / MemoryLayout<near_group>.stride)
      guard let first = near.baseAddress
      else { return hot_copies(edges: edges, nearest: .infinity) }
      let groups = unsafe first.assumingMemoryBound(to: near_group.self)
      let level = UInt32(truncatingIfNeeded: level)
      return unsafe isWide
        ? hot_copy_wide(
          groups, count, place.x, place.y, place.z, limit, level, edges, &fields, &homes)
        : hot_copy(groups, count, place.x, place.y, place.z, limit, level, edges, &fields, &homes)
    }
  }

  /// Makes the room behind the last hot edge unused.
  @inline(__always)
  func end(_ fields: inout [Float], behind edges: UInt32) {
    guard fields.count == Int(hot_fields), edges <= hot_most else { return }
    unsafe hot_end(&fields, edges)
  }

  /// What the first hot edges show of a place, and which are no farther from it than a limit.
  @inline(__always)
  func look(
    _ fields: [Float], _ edges: UInt32, from place: SIMD3<Float>, limit: Float
  ) -> hot_sight {
    unsafe fields.withUnsafeBufferPointer { fields in
      guard let first = fields.baseAddress, fields.count == Int(hot_fields)
      else { return hot_sight(clearance: -.infinity, sure: -.infinity, crossed: 0) }
      return unsafe isWide
        ? hot_look_wide(first, edges, place.x, place.y, place.z, limit)
        : hot_look(first, edges, place.x, place.y, place.z, limit)
    }
  }
}
