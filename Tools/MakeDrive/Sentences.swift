import CivilTime
import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// NMEA 0183 version 4.10 text in the order of a u-blox receiver: RMC, VTG, GGA, GSA, GSV, GST.
struct Sentences {
  private(set) var text = ""

  /// All sentences of one second; satellites in view are told with `withView`.
  mutating func append(_ epoch: Receiver.Epoch, at time: Instant, withView: Bool) {
    let (date, clock) = Self.stamps(time)
    if let solution = epoch.solution {
      append(solution, date: date, clock: clock)
    } else {
      emit("GNRMC,\(clock),V,,,,,,,\(date),,,N,V")
      emit("GNVTG,,,,,,,,,N")
      emit("GNGGA,\(clock),,,,,0,00,99.99,,,,,,")
      emit("GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,1")
      emit("GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,3")
    }
    if withView { append(view: epoch.view) }
    if let solution = epoch.solution {
      let perAxis = Self.fixed(solution.sigmaHorizontal, 1)
      emit(
        "GNGST,\(clock),\(Self.fixed(solution.sigmaHorizontal * 2.4, 1)),,,,\(perAxis),\(perAxis),"
          + Self.fixed(solution.sigmaVertical, 1))
    } else {
      emit("GNGST,\(clock),,,,,,,")
    }
  }

  private mutating func append(
    _ solution: Receiver.Epoch.Solution, date: String, clock: String
  ) {
    let position = Self.position(solution.position)
    let knots = Self.fixed(solution.speed * 3600 / 1852, 3)
    let track = solution.track.map { Self.fixed($0, 2) } ?? ""
    emit("GNRMC,\(clock),A,\(position),\(knots),\(track),\(date),,,A,V")
    emit("GNVTG,\(track),T,,M,\(knots),N,\(Self.fixed(solution.speed * 3.6, 3)),K,A")
    let count = solution.usedGPS.count + solution.usedGalileo.count
    emit(
      "GNGGA,\(clock),\(position),1,\(Self.padded(count, 2)),\(Self.fixed(solution.hdop, 2)),"
        + "\(Self.fixed(solution.heightMSL, 1)),M,42.4,M,,")
    let dilutions = [
      hypot(solution.hdop, solution.vdop), solution.hdop, solution.vdop,
    ].map { Self.fixed($0, 2) }.joined(separator: ",")
    for (system, used) in [(1, solution.usedGPS), (3, solution.usedGalileo)] {
      let slots = (0..<12).map { $0 < used.count ? Self.padded(used[$0], 2) : "" }
      let mode = solution.isThreeD ? 3 : 2
      emit("GNGSA,A,\(mode),\(slots.joined(separator: ",")),\(dilutions),\(system)")
    }
  }

  private mutating func append(view: [(satellite: Receiver.Satellite, signal: Int)]) {
    let messages = (view.count + 3) / 4
    for message in 0..<messages {
      let rows = view[(message * 4)..<min(view.count, message * 4 + 4)].map { row in
        let signal = row.signal > 0 ? Self.padded(row.signal, 2) : ""
        return "\(Self.padded(row.satellite.number, 2)),\(Self.padded(row.satellite.elevation, 2)),"
          + "\(Self.padded(row.satellite.azimuth, 3)),\(signal)"
      }
      emit(
        "GPGSV,\(messages),\(message + 1),\(Self.padded(view.count, 2)),"
          + "\(rows.joined(separator: ",")),1")
    }
  }

  /// Puts `$` before and the checksum behind: the exclusive or of all that is between `$` and `*`.
  private mutating func emit(_ body: String) {
    let checksum = body.utf8.reduce(0, ^)
    let digits = String(checksum, radix: 16, uppercase: true)
    text += "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
  }

  /// `ddmm.mmmmm,N,dddmm.mmmmm,E`: five decimals of a minute are 2 cm.
  private static func position(_ position: Coordinate) -> String {
    func angle(_ degrees: Double, width: Int) -> String {
      let units = Int((abs(degrees) * 60 * 100_000).rounded())
      let (whole, fraction) = (units / 100_000, units % 100_000)
      return "\(padded(whole / 60, width))\(padded(whole % 60, 2)).\(padded(fraction, 5))"
    }
    return "\(angle(position.latitude, width: 2)),\(position.latitude < 0 ? "S" : "N"),"
      + "\(angle(position.longitude, width: 3)),\(position.longitude < 0 ? "W" : "E")"
  }

  /// `ddmmyy` and `hhmmss.00`; civil from days after Hinnant, "chrono-Compatible Low-Level Date
  /// Algorithms".
  private static func stamps(_ time: Instant) -> (date: String, clock: String) {
    let seconds = Int(time.microseconds / 1_000_000)
    let (days, second) = (seconds / 86_400, seconds % 86_400)
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (
      padded(day, 2) + padded(month, 2) + padded(year % 100, 2),
      padded(second / 3600, 2) + padded(second / 60 % 60, 2) + padded(second % 60, 2) + ".00"
    )
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// `value` with `decimals` digits behind the point.
  private static func fixed(_ value: Double, _ decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let units = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && units > 0 ? "-" : ""
    return "\(sign)\(units / scale).\(padded(units % scale, decimals))"
  }
}
