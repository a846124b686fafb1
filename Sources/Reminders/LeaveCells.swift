import Geodesy
import Geofencing

/// The reminders of one mode whose time to leave is far off, by place and time: a cell of the globe
/// rests as a whole, until it may be time to leave for the soonest of its reminders from anywhere in it.
///
/// In a cell the reminders lie in buckets by their moment, an hour or so each. How soon it can be time to
/// leave for the first bucket is reckoned from its beginning and the farthest corner; until then the cell
/// rests in a heap, by the clocks of `LeaveReckoning`, and its reminders cost nothing: neither a place in a
/// heap nor a look. Then the bucket is given out, and the next one counts.
///
/// Numbers are those of `LeaveQueue`. 8 bytes a reminder, 8 for each bucket.
struct LeaveCells: Sendable {
  private struct Bucket: Sendable {
    /// The moments in it, without their lowest bits.
    var time: Int32
    /// The first of its chain.
    var first: Int32
  }

  private struct Cell: Sendable {
    var key: UInt64
    /// At hand without another line of memory; nothing is in that of a cell that is free.
    var soonest: Bucket
    /// The others, the latest first.
    private(set) var later: [Bucket] = []
    /// How many of them there are, known without asking for their lines.
    private(set) var laterCount: Int32 = 0
    var grade: UInt8 = 0
    var isFar = true

    init(key: UInt64) {
      self.key = key
      soonest = Bucket(time: 0, first: LeaveCells.none)
    }

    var isFree: Bool { soonest.first == LeaveCells.none }
    var count: Int { isFree ? 0 : later.count + 1 }

    /// Counted from the soonest one on.
    func bucket(_ number: Int) -> Bucket {
      number == 0 ? soonest : later[later.count - number]
    }

    /// Where it refers to the later ones.
    static let offsetOfLater = MemoryLayout<Cell>.offset(of: \.later)

    /// Takes one in that is sooner than all.
    mutating func insert(soonest bucket: Bucket) {
      if !isFree { insert(soonest, at: later.count) }
      soonest = bucket
    }

    /// Takes one in among the later ones.
    mutating func insert(_ bucket: Bucket, at place: Int) {
      later.insert(bucket, at: place)
      laterCount += 1
    }

    /// Sets the first reminder of one of the later ones; where there is none that is gone.
    mutating func setFirst(_ first: Int32, at place: Int) {
      if first != LeaveCells.none {
        later[place].first = first
      } else {
        later.remove(at: place)
        laterCount -= 1
      }
    }

    /// Goes on to the next one; false where there is none, and the cell is free.
    mutating func removeSoonest() -> Bool {
      guard let next = later.popLast() else {
        soonest.first = LeaveCells.none
        later = []
        return false
      }
      soonest = next
      laterCount -= 1
      return true
    }

  }

  /// A reminder's neighbours in its bucket.
  private struct Link: Sendable {
    var next = LeaveCells.none
    /// For the first one, the number of the cell below −1.
    var previous = LeaveCells.none
  }

  private static let none: Int32 = -1
  /// 2³² µs are 72 minutes.
  private static let bucketBits: Int64 = 32
  /// What would rest for no longer is given out: else the last of its rest would be a row of looks, each of which finds
  /// that some of it is left. Microseconds.
  private static let shortestRest: Int64 = 1_200_000_000
  /// So many cells of a grade are looked at together at most.
  private static let handful = 64

  private let grid: LeaveGrid
  private var cells: [Cell] = []
  private var free: [Int32] = []
  private var numbers: [UInt64: Int32] = [:]
  private var links: [Link] = []
  private var far: GradedHeap
  private var near: GradedHeap
  /// Cells out of the heaps that are being looked at.
  private var due: [Int32] = []

  init(_ reckoning: LeaveReckoning) {
    grid = LeaveGrid(reckoning.pace.profile)
    far = GradedHeap(grades: reckoning.gradeCount)
    near = GradedHeap(grades: reckoning.gradeCount)
  }

  /// Bytes of heap in use.
  var byteCount: Int {
    links.capacity * MemoryLayout<Link>.stride + cells.capacity * MemoryLayout<Cell>.stride
      + cells.reduce(0) { $0 + $1.later.capacity * MemoryLayout<Bucket>.stride }
      + numbers.capacity * 16 + far.byteCount + near.byteCount
  }

  // MARK: - Buckets

  private static func time(_ moment: Int64) -> Int32 {
    Int32(truncatingIfNeeded: moment >> bucketBits)
  }

  /// How long a bucket rests.
  private static func rest(
    _ key: UInt64, _ time: Int32, of grid: LeaveGrid, _ reckoning: LeaveReckoning,
    _ view: LeaveView
  ) -> LeaveReckoning.Rest {
    reckoning.rest(
      distance: grid.farthest(key, view), left: Int64(time) << bucketBits - view.now,
      least: shortestRest)
  }

  /// By how much the clock must go on before a reminder would be given out, if the device stayed.
  func restLength(_ entry: LeaveEntry, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64 {
    let time = Self.time(entry.moment)
    let key = grid.key(entry)
    let first = Self.rest(key, time, of: grid, reckoning, view)
    guard first.isFar, first.length > 0, !reckoning.pace.isRouted else {
      return max(0, first.length)
    }
    var later = view
    later.now += first.length
    let second = Self.rest(key, time, of: grid, reckoning, later).length
    return first.length + (second > Self.shortestRest ? second : 0)
  }

  // MARK: - Coming and going

  /// The order in which entries lie best, by where they are in the slice's own numbers: those of one bucket
  /// together, those of one cell by time, so that `insert` finds the end of its buckets each time. Those that say
  /// themselves how long the way takes are in no cell, and come last.
  /// Complexity: O(n).
  mutating func order(of entries: ArraySlice<LeaveEntry>) -> [Int] {
    // The later ones first, and then, for equal ones stay in order, by cell.
    var keys = entries.indices.map {
      UInt64(UInt32(bitPattern: ~Self.time(entries[$0].moment)) ^ 1 << 31) << 32 | UInt64($0)
    }
    RadixSort.byUpperHalf(&keys)
    for place in keys.indices {
      let number = keys[place] & 0xffff_ffff
      let entry = entries[Int(number)]
      let cell = entry.isFixed ? Int32.max : cell(grid.key(entry))
      keys[place] = UInt64(cell) << 32 | number
    }
    RadixSort.byUpperHalf(&keys)
    return keys.map { Int($0 & 0xffff_ffff) }
  }

  /// Takes a reminder in, and leaves its cell as it rests: `reckonAll` comes later.
  /// Complexity: O(log b) for b buckets in the cell, and O(b) to move them aside for a new one.
  @discardableResult
  mutating func insert(_ index: Int32, _ entry: LeaveEntry) -> (cell: Int32, isFirst: Bool) {
    let number = cell(grid.key(entry))
    let time = Self.time(entry.moment)
    while links.count <= Int(index) { links.appendOnLargePages(Link()) }
    let cell = Int(number)
    let soonest = cells[cell].soonest
    if cells[cell].isFree || time < soonest.time {
      cells[cell].insert(soonest: Bucket(time: time, first: index))
      links[Int(index)] = Link(next: Self.none, previous: -2 - number)
      return (number, true)
    }
    if time == soonest.time {
      chain(index, before: soonest.first, number)
      cells[cell].soonest.first = index
      return (number, false)
    }
    let place = place(time, in: cell)
    if place < cells[cell].later.count, cells[cell].later[place].time == time {
      chain(index, before: cells[cell].later[place].first, number)
      cells[cell].setFirst(index, at: place)
    } else {
      cells[cell].insert(Bucket(time: time, first: index), at: place)
      links[Int(index)] = Link(next: Self.none, previous: -2 - number)
    }
    return (number, false)
  }

  /// Makes a reminder the first one of its bucket.
  private mutating func chain(_ index: Int32, before next: Int32, _ number: Int32) {
    links[Int(next)].previous = index
    links[Int(index)] = Link(next: next, previous: -2 - number)
  }

  /// Takes a reminder in, and lets its cell rest; false where it would be given out at once.
  mutating func insert(
    _ index: Int32, _ entry: LeaveEntry, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) -> Bool {
    let rest = Self.rest(
      grid.key(entry), Self.time(entry.moment), of: grid, reckoning, view)
    guard rest.length > Self.shortestRest else { return false }
    let (cell, isFirst) = insert(index, entry)
    if isFirst { set(cell, rest, reckoning, view) }
    return true
  }

  private mutating func cell(_ key: UInt64) -> Int32 {
    if let number = numbers[key] { return number }
    let cell = Cell(key: key)
    let number: Int32
    if let vacant = free.popLast() {
      number = vacant
      cells[Int(number)] = cell
    } else {
      number = Int32(cells.count)
      cells.append(cell)
    }
    numbers[key] = number
    return number
  }

  /// Where among the later ones a bucket is, or belongs.
  private func place(_ time: Int32, in cell: Int) -> Int {
    var low = 0
    var high = cells[cell].later.count
    while low < high {
      let middle = (low + high) / 2
      if cells[cell].later[middle].time > time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes a reminder out that is in. Its cell may be looked at once in vain for that.
  mutating func remove(_ index: Int32, _ entry: LeaveEntry) {
    let link = links[Int(index)]
    links[Int(index)] = Link()
    if link.next != Self.none { links[Int(link.next)].previous = link.previous }
    guard link.previous < Self.none else {
      links[Int(link.previous)].next = link.next
      return
    }
    let number = -2 - link.previous
    let cell = Int(number)
    let time = Self.time(entry.moment)
    if cells[cell].soonest.time == time {
      cells[cell].soonest.first = link.next
      if link.next == Self.none, !cells[cell].removeSoonest() { drop(number) }
    } else {
      cells[cell].setFirst(link.next, at: place(time, in: cell))
    }
  }

  private mutating func drop(_ number: Int32) {
    cancel(number)
    numbers[cells[Int(number)].key] = nil
    free.append(number)
  }

  // MARK: - Resting

  private mutating func cancel(_ number: Int32) {
    let cell = (grade: Int(cells[Int(number)].grade), isFar: cells[Int(number)].isFar)
    if cell.isFar { far.cancel(number, cell.grade) } else { near.cancel(number, cell.grade) }
  }

  private mutating func set(
    _ number: Int32, _ rest: LeaveReckoning.Rest, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let cell = Int(number)
    if Int(cells[cell].grade) != rest.grade || cells[cell].isFar != rest.isFar {
      cancel(number)
      cells[cell].grade = UInt8(rest.grade)
      cells[cell].isFar = rest.isFar
    }
    if rest.isFar {
      far.set(number, rest.grade, at: reckoning.farClock(rest.grade, view) + max(1, rest.length))
    } else {
      near.set(number, rest.grade, at: reckoning.nearClock(rest.grade, view) + max(1, rest.length))
    }
  }

  /// Reckons every cell anew, and gives out the reminders that may be near. Complexity: O(cells).
  mutating func reckonAll(
    _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout Given
  ) {
    for number in cells.indices where !cells[number].isFree {
      look(at: Int32(number), reckoning, view, into: &given)
    }
  }

  /// The ways as known are others. Complexity: O(cells that are near).
  mutating func lookAtNear(_ reckoning: LeaveReckoning, _ view: LeaveView) {
    near.setAll { reckoning.nearClock($0, view) }
  }

  /// Gives out the reminders that may be near.
  mutating func nextGiven(
    _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout Given
  ) {
    repeat {
      due.removeAll(keepingCapacity: true)
      for grade in 0..<reckoning.gradeCount {
        far.takeDue(grade, until: reckoning.farClock(grade, view), most: Self.handful, into: &due)
        near.takeDue(grade, until: reckoning.nearClock(grade, view), most: Self.handful, into: &due)
      }
      askForBuckets()
      for number in due { look(at: number, reckoning, view, into: &given) }
      // What has been looked at rests; of a grade that had so many due some may be left.
    } while due.count >= Self.handful
  }

  /// Has what lies behind the cells that are due on its way, for all of them at once: memory gives many lines
  /// in little more time than one.
  private func askForBuckets() {
    for number in due { cells.askFor(Int(number)) }
    guard let offset = Cell.offsetOfLater else { return }
    for number in due {
      let cell = Int(number)
      links.askFor(Int(cells[cell].soonest.first))
      let last = Int(cells[cell].laterCount) - 1
      if last >= 0 { cells.askFor(last, of: [Bucket].self, at: offset, in: cell) }
    }
  }

  private mutating func look(
    at number: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout Given
  ) {
    let cell = Int(number)
    repeat {
      let rest = Self.rest(
        cells[cell].key, cells[cell].soonest.time, of: grid, reckoning, view)
      if rest.length > Self.shortestRest { return set(number, rest, reckoning, view) }
      var index = cells[cell].soonest.first
      while index != Self.none {
        given.indices.append(index)
        let next = links[Int(index)].next
        links[Int(index)] = Link()
        index = next
      }
      given.buckets.append(
        .init(end: given.indices.count, slack: reckoning.slack(rest), grade: rest.grade))
    } while cells[cell].removeSoonest()
    drop(number)
  }

  /// By how much each clock must go on at least before something is due.
  @inline(__always)
  func shortestRest(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    sooner(
      far.shortest { reckoning.farClock($0, view) },
      near.shortest { reckoning.nearClock($0, view) })
  }

  // MARK: - Reading

  /// Reminders while `body` answers true, by when it can be time to leave for their bucket at the
  /// earliest, as ways are known. Complexity: O(cells), and O(log cells) for each bucket.
  func forEachInOrder(
    _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ earliest: Int64, _ index: Int32) -> Bool
  ) {
    var order = TimerHeap()
    var told = [Int](repeating: 0, count: cells.count)
    func push(_ cell: Int) {
      guard told[cell] < cells[cell].count else { return }
      let moment = Int64(cells[cell].bucket(told[cell]).time) << Self.bucketBits
      let way = grid.farthest(cells[cell].key, view).map { Int64(reckoning.pace.seconds($0) * 1e6) }
      order.push(slot: Int32(cell), at: moment - (way ?? 0))
    }
    for cell in cells.indices { push(cell) }
    while let first = order.pop() {
      let cell = Int(first.slot)
      var index = cells[cell].bucket(told[cell]).first
      while index != Self.none {
        guard body(first.deadline, index) else { return }
        index = links[Int(index)].next
      }
      told[cell] += 1
      push(cell)
    }
  }
}
