// Support: Input
import CivilTime
import Configuration
import Feeds
import Geodesy
import LinuxRuntime

/// A configuration and a drop-in, parted by a NUL. Whatever is in force reads back from what is
/// printed, and each kind of value is read or refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSettings(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let parts = Input(start, count).rest.split(separator: 0, maxSplits: 1)
  var files: [ConfigurationFile] = []
  for (number, part) in parts.enumerated() {
    do {
      files.append(try ConfigurationFile.parse(Array(part), path: "\(number).conf"))
    } catch {
      require(error.description.hasPrefix("\(number).conf"), "an error does not say where")
      return 0
    }
  }
  let configuration = Configuration(files, declared: keys)
  require(
    configuration.warnings.count <= Configuration.maximumWarnings, "there are too many warnings")
  let printed = configuration.dump()
  guard let again = try? ConfigurationFile.parse(printed, path: "printed") else {
    fatalError("what is printed cannot be read")
  }
  let second = Configuration([again], declared: keys)
  for key in keys {
    require(
      configuration.values(of: key).map(\.text) == second.values(of: key).map(\.text),
      "\(key.name) changes when it is printed")
    for value in configuration.values(of: key) { read(value.text) }
  }
  read(configuration)
  return 0
}

private let scalar = ConfigurationKey.scalar("Fence", "A", default: "20m")
private let unset = ConfigurationKey.scalar("Fence", "B")
private let list = ConfigurationKey.list("Feed", "Feed", default: ["gpsd://localhost:2947"])
private let emptyList = ConfigurationKey.list("Feed", "File")
private let keys = [list, emptyList, scalar, unset]

private enum Word: String, CaseIterable { case a, b }

private func read(_ configuration: Configuration) {
  _ = try? configuration.value(scalar, .flag)
  _ = try? configuration.value(scalar, SettingForm<Word>.word)
  if let whole = try? configuration.value(scalar, .whole(0...100)) {
    require((0...100).contains(whole), "\(whole) is out of range")
  }
  if let number = try? configuration.value(scalar, .number(0...100)) {
    require((0...100).contains(number), "\(number) is out of range")
  }
  do {
    _ = try configuration.value(unset, SettingForm("nothing") { _ in String?.none })
  } catch {
    require(error.description.contains("is not nothing"), "an error does not say what is expected")
  }
}

private func read(_ text: String) {
  if let url = try? FeedURL(parsing: text) {
    require((try? FeedURL(parsing: url.description)) == url, "\(url) is another feed")
  }
  if let length = try? Length.metres(parsing: text) {
    require(length.isFinite && length >= 0, "a length of \(length) m")
  }
  if let span = try? TimeSpan(parsing: text) {
    require((try? TimeSpan(parsing: span.description)) == span, "\(span) is another span")
  }
  if let hours = try? HourRange(parsing: text) {
    require((try? HourRange(parsing: hours.description)) == hours, "\(hours) are other hours")
  }
  if let days = try? WeekdaySet(parsing: text) {
    require((try? WeekdaySet(parsing: days.description)) == days, "\(days) are other days")
  }
}
