import Configuration
import Testing

private let url = ConfigurationKey.list("Feed", "URL", default: ["gpsd://localhost:2947"])
private let margin = ConfigurationKey.scalar("Engine", "MarginMetres", default: "20")
private let quiet = ConfigurationKey.scalar("Engine", "Quiet")
private let mode = ConfigurationKey.scalar("Engine", "Mode")
private let declared = [url, margin, quiet, mode]

@Suite struct ConfigurationTests {
  private func merged(_ texts: String...) throws -> Configuration {
    var files: [ConfigurationFile] = []
    for (index, text) in texts.enumerated() {
      files.append(try ConfigurationFile.parse(text, path: "\(index).conf"))
    }
    return Configuration(files, declared: declared)
  }

  @Test func defaultsApplyWithoutSettings() throws {
    let configuration = try merged()
    #expect(try configuration.value(margin, .whole(0...100)) == 20)
    #expect(configuration.values(of: url).map(\.text) == ["gpsd://localhost:2947"])
    #expect(configuration.value(of: margin)?.source == nil)
    #expect(try configuration.value(quiet, .flag) == nil)
    #expect(configuration.warnings.isEmpty)
  }

  @Test func laterFilesWinAndListsGrow() throws {
    let configuration = try merged(
      "[Engine]\nMarginMetres=1\nMarginMetres=2\n[Feed]\nURL=a\nURL=b\n",
      "[Feed]\nURL=c\n[Engine]\nMarginMetres=3\n")
    #expect(configuration.string(margin) == "3")
    #expect(configuration.value(of: margin)?.source?.description == "1.conf:4")
    #expect(configuration.values(of: url).map(\.text) == ["a", "b", "c"])
    #expect(
      configuration.values(of: url).map { $0.source?.description } == [
        "0.conf:5", "0.conf:6", "1.conf:2",
      ]
    )
  }

  @Test func anEmptyValueRestoresTheDefault() throws {
    let configuration = try merged(
      "[Engine]\nMarginMetres=1\n[Feed]\nURL=a\n", "[Feed]\nURL=\nURL=c\n[Engine]\nMarginMetres=\n")
    #expect(configuration.string(margin) == "20")
    #expect(configuration.values(of: url).map(\.text) == ["c"])
    let emptied = try merged("[Feed]\nURL=\n")
    #expect(emptied.values(of: url).isEmpty)
    #expect(try merged(emptied.dump()).values(of: url).isEmpty)
  }

  @Test(arguments: [
    ("1", true), ("yes", true), ("Y", true), ("TRUE", true), ("t", true), ("On", true),
    ("0", false), ("no", false), ("n", false), ("False", false), ("f", false), ("off", false),
  ])
  func booleans(text: String, value: Bool) throws {
    #expect(try merged("[Engine]\nQuiet=\(text)").value(quiet, .flag) == value)
  }

  @Test(arguments: ["2", "ja", "yes please", "enabled", "-1"])
  func notBooleans(text: String) throws {
    let configuration = try merged("\n[Engine]\nQuiet=\(text)")
    let error = try #require(throws: ConfigurationError.self) {
      try configuration.value(quiet, .flag)
    }
    #expect(error.file == "0.conf" && error.line == 3)
    #expect(
      error.message == "[Engine] Quiet=\(text) is not yes or no;"
        + " correct the value or remove the line to have the default")
  }

  @Test(arguments: [
    ("5", 5), ("-3", -3), ("+7", 7), ("8", nil), ("-4", nil), ("5.0", nil), ("0x5", nil),
    ("99999999999999999999", nil), ("5 ", 5), ("fünf", nil),
  ])
  func wholeNumbers(text: String, value: Int?) throws {
    let configuration = try merged("[Engine]\nMarginMetres=\(text)")
    if let value {
      #expect(try configuration.value(margin, .whole(-3...7)) == value)
    } else {
      let error = try #require(throws: ConfigurationError.self) {
        try configuration.value(margin, .whole(-3...7))
      }
      #expect(error.description.contains("0.conf:2: [Engine] MarginMetres="))
      #expect(error.message.contains("a whole number from -3 to 7"))
    }
  }

  @Test(arguments: [
    ("0.5", 0.5), ("1e-1", 0.1), ("1", 1), ("nan", nil), ("inf", nil), ("1e999", nil),
    ("0x1p-1", nil), ("1.1", nil), ("-0.1", nil), ("0,5", nil), ("½", nil),
  ])
  func numbers(text: String, value: Double?) throws {
    let configuration = try merged("[Engine]\nMarginMetres=\(text)")
    #expect((try? configuration.value(margin, .number(0...1))) == value)
  }

  private enum Mode: String, CaseIterable { case car, bike }

  @Test func choices() throws {
    #expect(try merged("[Engine]\nMode=bike").value(mode, SettingForm<Mode>.word) == .bike)
    #expect(try merged().value(mode, SettingForm<Mode>.word) == nil)
    let wrong = try merged("[Engine]\nMode=Bike")
    let error = try #require(throws: ConfigurationError.self) {
      try wrong.value(mode, SettingForm<Mode>.word)
    }
    #expect(error.message.contains("one of: car, bike"))
  }

  private struct Refusal: Error, CustomStringConvertible { let description = "no such unit" }

  @Test func otherSubjectsBringTheirOwnReader() throws {
    let configuration = try merged("[Feed]\nURL=5min\nURL=3min\n", "[Feed]\nURL=2parsec\n")
    let lengths = try merged("[Feed]\nURL=ab\nURL=c").list(
      url, SettingForm("a word") { $0.utf8.count })
    #expect(lengths == [2, 1])
    let error = try #require(throws: ConfigurationError.self) {
      try configuration.list(
        url,
        SettingForm("a span such as 5min") { text in
          if text.hasSuffix("parsec") { throw Refusal() }
          return text
        })
    }
    #expect(error.description.hasPrefix("1.conf:2: [Feed] URL=2parsec is not a span such as 5min"))
    #expect(error.message.contains("(no such unit)"))
    let later = configuration.error(url, "two feeds use one device; remove one")
    #expect(later.description == "1.conf:2: [Feed] URL=: two feeds use one device; remove one")
  }

  @Test func unknownNamesAreWarnedOf() throws {
    let configuration = try merged(
      """
      [Fed]
      URL=x
      [Engine]
      MarginMeters=3
      quiet=yes
      URL=y
      Colour=red
      X-Mine=1
      [X-Other]
      a=b
      [Completely Other]
      """)
    #expect(
      configuration.warnings.map(\.description) == [
        "0.conf:1: unknown section [Fed], passed over; did you mean [Feed]?",
        "0.conf:4: unknown key 'MarginMeters' in [Engine], passed over;"
          + " did you mean 'MarginMetres'?",
        "0.conf:5: unknown key 'quiet' in [Engine], passed over; did you mean 'Quiet'?",
        "0.conf:6: unknown key 'URL' in [Engine], passed over; it belongs into [Feed]",
        "0.conf:7: unknown key 'Colour' in [Engine], passed over;"
          + " georemind.conf(5) lists what there is",
        "0.conf:11: unknown section [Completely Other], passed over;"
          + " known are [Feed], [Engine]",
      ])
  }

  /// A wrong line that is left out leaves the right value before it in force.
  @Test func wrongValuesAreLeftOut() throws {
    var configuration = try merged(
      "[Engine]\nMarginMetres=1\nMarginMetres=far\n[Feed]\nURL=ab\nURL=a\n",
      "[Engine]\nQuiet=maybe\nMarginMetres=5 fathoms\n[Feed]\nURL=cd\nURL=c\nURL=x\n")
    configuration.leaveOutWrong(margin, .whole(0...100))
    configuration.leaveOutWrong(quiet, .flag)
    configuration.leaveOutWrong(url, SettingForm("two letters") { $0.utf8.count == 2 ? $0 : nil })
    #expect(configuration.string(margin) == "1")
    #expect(configuration.string(quiet) == nil)
    #expect(configuration.values(of: url).map(\.text) == ["ab", "cd"])
    #expect(
      configuration.errors.map { "\($0.file):\($0.line ?? 0)" } == [
        "0.conf:3", "1.conf:3", "1.conf:2", "0.conf:6", "1.conf:6", "1.conf:7",
      ])
  }

  @Test func aListWithWrongValuesAloneIsEmpty() throws {
    var configuration = try merged("[Feed]\nURL=a\n")
    configuration.leaveOutWrong(url, SettingForm("nothing") { _ in String?.none })
    #expect(configuration.values(of: url).isEmpty)
  }

  @Test func aRightValueMakesAnEarlierWrongOneHarmless() throws {
    var configuration = try merged("[Engine]\nMarginMetres=far\nMarginMetres=3\n")
    configuration.leaveOutWrong(margin, .whole(0...100))
    #expect(configuration.string(margin) == "3" && configuration.errors.isEmpty)
  }

  @Test(arguments: [
    ("[Access]\nAllow everyone\n", true), ("[Access]\n  allow : everyone\n", true),
    ("Allow=everyone\n", true), ("[Access\nX=1\nAllow=everyone\n", true),
    ("[Access]\nX allow\n", false), ("[Access]\nAllowed everyone\n", false), ("[A", false),
  ])
  func aLineAboutAccessIsKnownByItsKey(text: String, concernsAccess: Bool) throws {
    var key = ConfigurationKey.scalar("Access", "Allow")
    key.concernsAccess = true
    let file = try ConfigurationFile.parse(text, path: "t.conf")
    let errors = Configuration([file], declared: [key]).errors
    #expect(errors.map(\.concernsAccess) == [concernsAccess])
  }

  @Test func anErrorAboutAccessIsNeverPastTheLimit() throws {
    var key = ConfigurationKey.scalar("Access", "Allow")
    key.concernsAccess = true
    let text = "[Access]\n" + String(repeating: "x\n", count: 1_000) + "Allow everyone\n"
    let errors = Configuration([try .parse(text, path: "t.conf")], declared: [key]).errors
    #expect(errors.count == Configuration.maximumWarnings)
    #expect(errors.contains { $0.concernsAccess })
  }

  @Test func warningsAreBounded() throws {
    let flood = "[Engine]\n" + String(repeating: "k=\n[F]\n[Engine]\n", count: 2_000)
    #expect(try merged(flood, flood).warnings.count == Configuration.maximumWarnings)
  }

  @Test func dumpShowsValuesWithTheirSources() throws {
    let configuration = try merged("[Feed]\nURL=a\n", "[Feed]\nURL=b\\ \n[Engine]\nQuiet=no")
    #expect(
      configuration.dump() == """
        [Feed]
        # 0.conf:2
        URL=a
        # 1.conf:2
        URL=b\\\u{20}

        [Engine]
        # default
        MarginMetres=20
        # 1.conf:4
        Quiet=no
        # not set
        #Mode=

        """)
    let again = try merged(configuration.dump())
    for key in declared {
      #expect(again.values(of: key).map(\.text) == configuration.values(of: key).map(\.text))
    }
  }
}
