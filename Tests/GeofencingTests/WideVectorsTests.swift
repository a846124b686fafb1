import CProcessor
import TestSupport
import Testing

@testable import Geofencing

/// The kernels over lists of edges: what they say is what each edge says alone, and the way for wide vectors answers
/// bit for bit as the one for every processor.
@Suite struct WideVectorsTests {
  // MARK: - Hot edges

  /// What `hot_copy` leaves behind.
  private struct HotCopies: Equatable {
    var fields: [UInt32]
    var homes: [UInt32]
    var edges: UInt32
    var nearest: UInt32
  }

  private typealias Circle4 = (
    x: Float, y: Float, z: Float, radius: Float, doubt: Float, side: Float
  )

  private static func circle(_ random: inout SeededGenerator) -> Circle4 {
    guard random.uniform(0...1) > 0.1 else { return (0, 0, 0, -1e30, 0, 1) }
    let radius = Float(power(10, random.uniform(0.5...4)))
    func part() -> Float { Float(random.uniform(-1...1)) * (radius + 100) }
    let circle = (
      x: part(), y: part(), z: part() / 10, radius: radius, doubt: Float(random.uniform(0...3)),
      side: Float(1)
    )
    let away = (circle.x * circle.x + circle.y * circle.y + circle.z * circle.z).squareRoot()
    return (circle.x, circle.y, circle.z, radius, circle.doubt, away < radius ? -1 : 1)
  }

  private static func group(_ circles: [Circle4]) -> near_group {
    func four(_ field: (Circle4) -> Float) -> SIMD4<Float> { SIMD4(circles.map(field)) }
    return near_group(
      x: four { $0.x }, y: four { $0.y }, z: four { $0.z }, radius: four { $0.radius },
      doubt: four { $0.doubt }, side: four { $0.side }, tag: SIMD4(0, 1, 2, 3))
  }

  private static func copies(
    _ lists: [[near_group]], _ place: SIMD3<Float>, limit: Float, isWide: Bool
  ) -> (HotCopies, fields: [Float]) {
    var fields = [Float](repeating: 0, count: Int(hot_fields))
    var homes = [UInt32](repeating: 0, count: Int(hot_room))
    var edges: UInt32 = 0
    var nearest = Float.infinity
    for (level, list) in lists.enumerated() {
      let copy = isWide ? hot_copy_wide : hot_copy
      let copies = copy(
        list, UInt32(list.count), place.x, place.y, place.z, limit, UInt32(level), edges, &fields,
        &homes)
      edges = copies.edges
      nearest = min(nearest, copies.nearest)
    }
    hot_end(&fields, edges)
    var kept: [UInt32] = []
    for start in stride(from: 0, to: Int(hot_fields), by: Int(hot_room)) {
      kept += fields[start..<(start + Int(edges))].map(\.bitPattern)
    }
    return (
      HotCopies(
        fields: kept, homes: Array(homes.prefix(Int(edges))), edges: edges,
        nearest: nearest.bitPattern), fields
    )
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func hotEdgesAreWhatEachSays(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var wrong = 0
    var kept = 0
    var left = 0
    for _ in 0..<400 {
      var lists: [[near_group]] = []
      var all: [(level: Int, group: Int, lane: Int, circle: Circle4)] = []
      for level in 0..<Int.random(in: 1...4, using: &random) {
        var list: [near_group] = []
        for group in 0..<Int.random(in: 0...11, using: &random) {
          let circles = (0..<4).map { _ in Self.circle(&random) }
          list.append(Self.group(circles))
          for lane in 0..<4 { all.append((level, group, lane, circles[lane])) }
        }
        lists.append(list)
      }
      func part() -> Float { Float(random.uniform(-50...50)) }
      let place = SIMD3(part(), part(), part())
      let limit = Float(power(10, random.uniform(0...3)))
      let (copies, fields) = Self.copies(lists, place, limit: limit, isWide: false)
      if has_wide_vectors() {
        let (wide, _) = Self.copies(lists, place, limit: limit, isWide: true)
        if wide != copies { wrong += 1 }
      }
      func clearance(_ circle: Circle4, _ x: Float, _ y: Float, _ z: Float) -> (Float, Float) {
        let (dx, dy, dz) = (circle.x - x, circle.y - y, circle.z - z)
        let edge = (dx * dx + dy * dy + dz * dz).squareRoot() - circle.radius
        return (edge * circle.side - circle.doubt, abs(edge) - circle.doubt)
      }
      // Every edge that is near is copied or bounds the disc.
      let homes = Set(copies.homes)
      for edge in all {
        let (near, _) = clearance(edge.circle, place.x, place.y, place.z)
        let home = hot_home(UInt32(edge.group), UInt32(edge.level), UInt32(edge.lane))
        if homes.contains(home) {
          kept += 1
          if near > limit + 0.01 { wrong += 1 }
        } else {
          left += 1
          if Float(bitPattern: copies.nearest) > near + 0.01 { wrong += 1 }
        }
      }
      if homes.count != Int(copies.edges) || copies.edges > hot_most { wrong += 1 }
      // A look tells the least of all that are copied, and which they are.
      for _ in 0..<4 {
        let (x, y, z) = (part(), part(), part())
        let least = hot_look(fields, copies.edges, x, y, z, -1e30).clearance
        let limit = Bool.random(using: &random) ? least : least + Float(random.uniform(-10...100))
        let seen = hot_look(fields, copies.edges, x, y, z, limit)
        if has_wide_vectors() {
          let wide = hot_look_wide(fields, copies.edges, x, y, z, limit)
          if wide.clearance.bitPattern != seen.clearance.bitPattern
            || wide.sure.bitPattern != seen.sure.bitPattern || wide.crossed != seen.crossed
          {
            wrong += 1
          }
        }
        if seen.crossed != hot_crossed(fields, copies.edges, x, y, z, limit) { wrong += 1 }
        let crossed = hot_crossed(fields, copies.edges, x, y, z, seen.clearance)
        let here = all.filter {
          homes.contains(hot_home(UInt32($0.group), UInt32($0.level), UInt32($0.lane)))
        }.map { clearance($0.circle, x + place.x, y + place.y, z + place.z) }
        guard let least = here.map(\.0).min(), let sure = here.map(\.1).min() else {
          if crossed != 0 { wrong += 1 }
          continue
        }
        if abs(least - seen.clearance) > 0.01 || abs(sure - seen.sure) > 0.01 { wrong += 1 }
        let surely = here.count { $0.0 <= limit - 0.01 }
        let perhaps = here.count { $0.0 <= limit + 0.01 }
        if !(surely...perhaps).contains(seen.crossed.nonzeroBitCount) { wrong += 1 }
        if crossed.nonzeroBitCount != 1 && least > -1e20 {
          wrong += Set(here.map(\.0)).count == here.count ? 1 : 0
        }
      }
    }
    #expect(wrong == 0)
    #expect(kept > 1_000)
    #expect(left > 1_000)
  }

  // MARK: - Lists of cells

  private struct Findings: Equatable {
    var near: [UInt32] = []
    var held: [FenceID] = []
    var asked: UInt32
    var nearest: UInt32
  }

  private static func findings(
    _ entries: [entry_group], _ view: list_view, told: [four_ints], isWide: Bool
  ) -> (Findings, near: [near_group]) {
    var near = [near_group](repeating: near_group(), count: Int(list_most))
    var held = [FenceID](repeating: 0, count: Int(list_room))
    let list = isWide ? list_edges_wide : list_edges
    let found = list(
      entries, UInt32(entries.count), view, told, UInt32(told.count), &near, &held)
    near.removeLast(near.count - Int(found.near))
    var bits: [UInt32] = []
    for group in near {
      for field in [group.x, group.y, group.z, group.radius, group.doubt, group.side] {
        for lane in 0..<4 { bits.append(field[lane].bitPattern) }
      }
      for lane in 0..<4 { bits.append(UInt32(bitPattern: group.tag[lane])) }
    }
    return (
      Findings(
        near: bits, held: Array(held.prefix(Int(found.held))), asked: found.asked,
        nearest: found.nearest.bitPattern), near
    )
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func listsAreWhatEachEntrySays(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var wrong = 0
    var (nearCount, held, asked, repeated) = (0, 0, 0, 0)
    for _ in 0..<500 {
      let middle = (0..<3).map { _ in Int16.random(in: .min ... .max, using: &random) }
      var entries: [entry_group] = []
      var all: [[(tag: FenceID, edge: Float, radius: Float)]] = []
      let skin = Float(power(10, random.uniform(0.5...3.8)))
      let toMiddle = (0..<3).map { _ in Float(random.uniform(-0.5...0.5)) }
      for group in 0..<Int.random(in: 0...Int(list_most), using: &random) {
        var packed = EntryGroup()
        var lanes: [(tag: FenceID, edge: Float, radius: Float)] = []
        for lane in 0..<4 where random.uniform(0...1) > 0.1 {
          let number = FenceID(4 * group + lane)
          let tag = random.uniform(0...1) < 0.03 ? ~number : number
          let radius = Int16(random.uniform(0...6_434))
          let reach = min(9_000, Double(radius) + Double(skin) * 3)
          let way = (0..<3).map { _ in Int16(random.uniform(-reach...reach)) }
          packed[lane] = Entry(
            tag: tag, x: middle[0] &+ way[0], y: middle[1] &+ way[1], z: middle[2] &+ way[2],
            radius: radius)
          let square = zip(way, toMiddle).map { (Float($0) + $1) * (Float($0) + $1) }
          let edge = (square[0] + square[1] + square[2]).squareRoot() - Float(radius)
          lanes.append((tag, edge, Float(radius)))
        }
        entries.append(entry_group(xy: packed.xy, zr: packed.zr, tag: packed.tag))
        all.append(lanes)
      }
      let doubt = Quantum.edgeDoubt
      let view = list_view(
        xy: Int32(middle[1]) << 16 | Int32(middle[0]) & 0xFFFF, z: Int32(middle[2]),
        middle_x: toMiddle[0], middle_y: toMiddle[1], middle_z: toMiddle[2],
        skin: skin, doubt: doubt, quantum: 0.75, flip: Bool.random(using: &random) ? -1 : 0)
      // What has been told before: some of the entries, others, of some the edges alone, and unused lanes.
      let told = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        SIMD4<Int32>.random(in: -40...120, using: &random)
      }
      let (found, groups) = Self.findings(entries, view, told: told, isWide: false)
      if has_wide_vectors(),
        Self.findings(entries, view, told: told, isWide: true).0 != found
      {
        wrong += 1
      }
      let isTold = Set(told.flatMap { tags in (0..<4).map { tags[$0] } }.filter { $0 >= 0 })
      for i in all.indices {
        let count = all[i].count
        all[i].removeAll { isTold.contains($0.tag) }
        repeated += count - all[i].count
      }
      var expected: (near: Set<FenceID>, held: [FenceID]) = ([], [])
      var nearest = Float.infinity
      for (i, lanes) in all.enumerated() {
        let isAsked = lanes.contains {
          abs($0.edge) <= doubt || $0.tag < 0 && $0.edge <= skin
        }
        if isAsked != (found.asked >> UInt32(i) & 1 == 1) { wrong += 1 }
        if isAsked {
          asked += 1
          continue
        }
        for lane in lanes {
          if lane.edge <= 0 { expected.held.append(lane.tag) }
          guard abs(lane.edge) <= skin else { continue }
          expected.near.insert(lane.tag)
          nearest = min(nearest, (abs(lane.edge) - doubt) * 0.75)
        }
      }
      nearCount += expected.near.count
      held += expected.held.count
      if found.held != expected.held { wrong += 1 }
      var near: [FenceID] = []
      for group in groups {
        for lane in 0..<4 where group.radius[lane] > -1e30 {
          let tag = group.tag[lane] ^ view.flip
          near.append(tag)
          let edge = all[Int(tag) / 4].first { $0.tag == tag }?.edge
          if (group.side[lane] < 0) != ((edge ?? 0) < 0) { wrong += 1 }
        }
      }
      if near.count != expected.near.count || Set(near) != expected.near { wrong += 1 }
      let bound = Float(bitPattern: found.nearest)
      if !(bound == nearest || abs(bound - nearest) < 0.01) { wrong += 1 }
    }
    #expect(wrong == 0)
    #expect(nearCount > 500)
    #expect(repeated > 100)
    #expect(held > 500)
    #expect(asked > 100)
  }

  /// An edge that only just counts, of a circle whose centre is corrected by half a quantum on each axis: in whole
  /// numbers, by which candidates are picked, it is 0.87 quanta farther.
  @Test(arguments: Array(stride(from: Int16(500), to: 3_000, by: 37)))
  func anEdgeThatIsJustNearIsNear(axis: Int16) {
    let group = EntryGroup(Entry(tag: 7, x: axis, y: axis, z: axis, radius: 300))
    let entries = [entry_group(xy: group.xy, zr: group.zr, tag: group.tag)]
    let edge = (Float(axis) - 0.5) * Float(3).squareRoot() - 300
    for isWide in has_wide_vectors() ? [false, true] : [false] {
      for (skin, groups) in [(edge + 0.001, 1), (edge - 0.001, 0)] {
        let view = list_view(
          xy: 0, z: 0, middle_x: -0.5, middle_y: -0.5, middle_z: -0.5, skin: skin,
          doubt: Quantum.edgeDoubt, quantum: 1, flip: 0)
        #expect(Self.findings(entries, view, told: [], isWide: isWide).near.count == groups)
      }
    }
  }

  // MARK: - How they lie in memory

  /// The kernels are handed the lists of Swift's types.
  @Test func theyLieInMemoryAsTheKernelsHaveThem() {
    #expect(MemoryLayout<NearGroup>.stride == MemoryLayout<near_group>.stride)
    #expect(MemoryLayout<NearGroup>.alignment >= MemoryLayout<near_group>.alignment)
    #expect(MemoryLayout<NearGroup>.offset(of: \.x) == MemoryLayout<near_group>.offset(of: \.x))
    #expect(MemoryLayout<NearGroup>.offset(of: \.y) == MemoryLayout<near_group>.offset(of: \.y))
    #expect(MemoryLayout<NearGroup>.offset(of: \.z) == MemoryLayout<near_group>.offset(of: \.z))
    #expect(
      MemoryLayout<NearGroup>.offset(of: \.radius) == MemoryLayout<near_group>.offset(of: \.radius))
    #expect(
      MemoryLayout<NearGroup>.offset(of: \.doubt) == MemoryLayout<near_group>.offset(of: \.doubt))
    #expect(
      MemoryLayout<NearGroup>.offset(of: \.side) == MemoryLayout<near_group>.offset(of: \.side))
    #expect(MemoryLayout<NearGroup>.offset(of: \.tag) == MemoryLayout<near_group>.offset(of: \.tag))
    #expect(MemoryLayout<EntryGroup>.stride == MemoryLayout<entry_group>.stride)
    #expect(MemoryLayout<EntryGroup>.alignment >= MemoryLayout<entry_group>.alignment)
    #expect(MemoryLayout<EntryGroup>.offset(of: \.xy) == MemoryLayout<entry_group>.offset(of: \.xy))
    #expect(MemoryLayout<EntryGroup>.offset(of: \.zr) == MemoryLayout<entry_group>.offset(of: \.zr))
    #expect(
      MemoryLayout<EntryGroup>.offset(of: \.tag) == MemoryLayout<entry_group>.offset(of: \.tag))
  }
}
