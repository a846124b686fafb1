import Configuration

/// One program of section `[Hook]`, under its name, with the settings.
package struct Hook: Equatable, Sendable {
  package let name: String
  package let program: String
  package let settings: HookSettings

  /// No `Exec=` has this name.
  package struct Unknown: Error, CustomStringConvertible {
    let name: String
    let known: [String]
    /// The file that was read.
    var file = "georemind.conf"

    package var description: String {
      "no hook is named '\(name)': Exec= in section [Hook] of \(file) names "
        + (known.isEmpty ? "no program" : known.joined(separator: ", "))
    }
  }

  /// - Throws: `Unknown`, or a file that cannot be read.
  package init(_ name: String, file: String, mayBeMissing: Bool = false) throws {
    let settings = try HookSettings(file: file, mayBeMissing: mayBeMissing)
    do throws(Unknown) {
      try self.init(name, settings)
    } catch {
      throw Unknown(name: error.name, known: error.known, file: file)
    }
  }

  package init(_ name: String, _ settings: HookSettings) throws(Unknown) {
    let names = settings.names
    guard let found = names.first(where: { $0.name == name }) else {
      throw Unknown(name: name, known: names.map(\.name))
    }
    self.name = name
    program = found.program
    self.settings = settings
  }
}

extension HookSettings {
  /// Each program under its name: its file name in lower case, `blink`, and `n10-blink` for
  /// `10-blink`. Programs of one file name are numbered in the order of the settings.
  package var names: [(name: String, program: String)] {
    var found: [(name: String, program: String)] = []
    for program in programs where !found.contains(where: { $0.program == program }) {
      let file = program.split(separator: "/").last ?? ""
      let plain = String(
        decoding: file.utf8.map { byte in
          let letter = byte | 0x20
          let isKept = (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte)
          return isKept ? letter : 0x2D
        }, as: UTF8.self)
      // A number as the first word of a destination's name is an uid. That has ten digits at
      // most, and the number of a program two: 32 bytes in all.
      let first = plain.prefix { $0 != "-" }
      let isNumber = !first.isEmpty && first.allSatisfy(\.isNumber)
      let stem = (isNumber ? "n" : "") + plain.prefix(isNumber ? 12 : 13)
      var name = stem
      var number = 1
      while found.contains(where: { $0.name == name }) {
        number += 1
        name = "\(stem)-\(number)"
      }
      found.append((name, program))
    }
    return found
  }
}
