import CivilTime
import Glibc
import LinuxRuntime
import Positioning

/// Whether the system's clock is trusted, and on what ground. Trust lasts for the whole run.
///
/// A board without a clock chip starts in 1970 or at the time of its last shutdown; until its clock
/// is set, dates are wrong by up to years.
struct ClockTrust {
  /// Grounds that the configuration accepts.
  enum Demand: String, CaseIterable {
    /// Any of the grounds.
    case automatic = "auto"
    /// Time from the network or from satellites; a clock chip is not enough.
    case synchronized
    /// Nothing.
    case always
  }

  enum Ground: String {
    /// The configuration says so.
    case configured
    /// The kernel, systemd-timesyncd or systemd-timedated says that the clock is synchronised.
    case synchronized
    /// Three fixes in a row agree with each other and with the clock.
    case fixes
    /// The clock chip set the clock at boot, no earlier than `lastSeen`.
    case clockChip = "clock_chip"
    /// A container or a virtual machine: the host keeps the time.
    case host

    var words: String {
      switch self {
      case .configured: "the configuration says so"
      case .synchronized: "it is synchronized"
      case .fixes: "three fixes in a row agree with it"
      case .clockChip: "it was set from the clock chip at boot"
      case .host: "the machine's host keeps it"
      }
    }
  }

  var demand: Demand
  private(set) var ground: Ground?
  /// The latest time that an earlier run saw.
  private let lastSeen: Instant?
  /// Prefix of all paths, for tests.
  private let root: String
  /// The kernel's synchronisation state; nil if it may not be read.
  private let kernel: () -> Bool?
  private var agreement = FixAgreement()

  init(
    demand: Demand, lastSeen: Instant?, root: String = "",
    kernel: @escaping () -> Bool? = { ClockSynchronisation.kernel }
  ) {
    self.kernel = kernel
    self.demand = demand
    self.lastSeen = lastSeen
    self.root = root
  }

  /// Checks the system for a ground; returns whether trust begins.
  mutating func evaluate(at now: Instant) -> Bool {
    guard ground == nil else { return false }
    if demand == .always {
      ground = .configured
    } else if kernel() == true || exists(ClockSynchronisation.timesyncFile) {
      ground = .synchronized
    } else if demand == .automatic, lastSeen.map({ now >= $0 }) ?? true {
      if isHosted { ground = .host } else if hasClockChip { ground = .clockChip }
    }
    return ground != nil
  }

  /// systemd-timedated has answered.
  mutating func hear(isSynchronized: Bool) -> Bool {
    guard ground == nil, isSynchronized else { return false }
    ground = .synchronized
    return true
  }

  /// A fix that counts, at the time it came; answers whether the fixes have become enough.
  mutating func take(_ fix: Fix, at arrival: Instant) -> Bool {
    guard ground == nil else { return false }
    guard agreement.take(fix, at: arrival) else { return false }
    ground = .fixes
    return true
  }

  private func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// The kernel set its clock at boot from a chip that runs while the power is off (rtc(4)).
  private var hasClockChip: Bool {
    (0..<4).contains { number in
      guard let file = fopen("\(root)/sys/class/rtc/rtc\(number)/hctosys", "re") else {
        return false
      }
      defer { fclose(file) }
      return getc(file) == Int32(UInt8(ascii: "1"))
    }
  }

  /// The marks that systemd, podman and Docker leave. A PC without a clock chip is a virtual one.
  private var isHosted: Bool {
    #if arch(x86_64)
      let isVirtual = !exists("/sys/class/rtc/rtc0")
    #else
      let isVirtual = false
    #endif
    return isVirtual
      || ["/run/systemd/container", "/run/.containerenv", "/.dockerenv"].contains(where: exists)
  }
}

/// Agreement of satellite time and system clock: three consecutive 3D fixes from satellites, each
/// newer, with equal intervals and equal times by both clocks.
struct FixAgreement {
  /// Seconds: receivers report a position up to some seconds after it was measured.
  private static let tolerance = 5.0
  private static let intervalTolerance = 1.5

  private var last: (time: Instant, arrival: Instant)?
  private var count = 0

  mutating func take(_ fix: Fix, at arrival: Instant) -> Bool {
    guard fix.mode == .threeD, let time = fix.time, fix.source.isFromSatellites,
      abs((arrival - time).seconds) <= Self.tolerance
    else {
      last = nil
      count = 0
      return false
    }
    if let last, time > last.time,
      abs((arrival - last.arrival).seconds - (time - last.time).seconds) <= Self.intervalTolerance
    {
      count += 1
    } else {
      count = 1
    }
    last = (time, arrival)
    return count >= 3
  }
}

extension Fix.Source {
  fileprivate var isFromSatellites: Bool {
    switch self {
    // gpsd says nothing of an ordinary fix.
    case .unknown, .gnss, .differential, .rtkFixed, .rtkFloat, .precise: true
    case .deadReckoning, .gnssDeadReckoning, .manual, .network, .simulated, .surveyed: false
    }
  }
}
