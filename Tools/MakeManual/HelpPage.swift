import JSONText

/// The verbs and options of a program, as its argument parser describes them.
struct HelpPage {
  private let command: JSONValue

  init(_ command: JSONValue) { self.command = command }

  /// The options of a program without verbs.
  var options: String { list(of: command) }

  /// Each verb with its arguments, what it does, and its options.
  var verbs: String {
    subcommands(of: command).map { verb($0, before: "") }.joined(separator: "\n")
  }

  private func subcommands(of command: JSONValue) -> [JSONValue] {
    (command["subcommands"]?.array ?? []).filter {
      $0["commandName"]?.string != "help" && $0["shouldDisplay"]?.bool != false
    }
  }

  private func verb(_ command: JSONValue, before: String) -> String {
    let name = before + (command["commandName"]?.string ?? "")
    let below = subcommands(of: command)
    guard below.isEmpty else {
      return below.map { verb($0, before: name + " ") }.joined(separator: "\n")
    }
    var lines = [".Ss \(Mdoc.argument(name))", ".Bd -ragged -compact"]
    lines.append(".Nm georemind Cm \(name.split(separator: " ").joined(separator: " Cm "))")
    lines += arguments(of: command).filter { isPositional($0) }.map { argument in
      let value = Mdoc.escaped(argument["valueName"]?.string ?? "")
      let dots = argument["isRepeating"]?.bool == true ? " ..." : ""
      return argument["isOptional"]?.bool == true
        ? ".Op Ar \(value)\(dots)" : ".Ar \(value)\(dots)"
    }
    lines += [".Op Ar options", ".Ed", ".Pp"]
    lines.append(Mdoc.text(command["abstract"]?.string ?? ""))
    if let discussion = command["discussion"]?.string, !discussion.isEmpty {
      lines += [".Pp", self.discussion(discussion)]
    }
    let list = list(of: command)
    return (list.isEmpty ? lines : lines + [list]).joined(separator: "\n")
  }

  /// Lines that begin with the program's name are examples, each a paragraph of its own.
  private func discussion(_ text: String) -> String {
    var paragraphs: [String] = []
    var words: [Substring] = []
    let lines: [Substring] = text.split(separator: "\n") + [""]
    for line in lines {
      let isExample = line.hasPrefix("georemind ")
      if isExample || line.isEmpty, !words.isEmpty {
        paragraphs.append(Mdoc.text(words.joined(separator: " ")))
        words = []
      }
      if isExample {
        paragraphs.append(".Dl \(Mdoc.escaped(line))")
      } else {
        words.append(line)
      }
    }
    return paragraphs.joined(separator: "\n.Pp\n")
  }

  private func list(of command: JSONValue) -> String {
    // What every verb takes is said once, in the template.
    let isVerb = command["superCommands"] != nil
    let common = isVerb ? ["help", "version", "json", "socket"] : ["help"]
    let all = arguments(of: command).filter {
      !common.contains($0["preferredName"]?["name"]?.string ?? "")
    }
    guard !all.isEmpty else { return "" }
    return ([".Bl -tag -width Ds"] + all.indices.map { item(all, $0) } + [".El"]).joined(
      separator: "\n")
  }

  private func arguments(of command: JSONValue) -> [JSONValue] {
    (command["arguments"]?.array ?? []).filter { $0["shouldDisplay"]?.bool != false }
  }

  private func isPositional(_ argument: JSONValue) -> Bool {
    argument["kind"]?.string == "positional"
  }

  private func item(_ arguments: [JSONValue], _ index: Int) -> String {
    let argument = arguments[index]
    let value = Mdoc.escaped(argument["valueName"]?.string ?? "")
    let head: String
    if isPositional(argument) {
      head = ".It Ar \(value)"
    } else {
      let names = (argument["names"]?.array ?? []).map { name in
        let dashes = name["kind"]?.string == "long" ? "Fl \\-" : "Fl "
        return dashes + Mdoc.escaped(name["name"]?.string ?? "")
      }
      let shown = names.joined(separator: " , ")
      head = ".It \(shown)" + (argument["kind"]?.string == "option" ? " Ar \(value)" : "")
    }
    var text = argument["abstract"]?.string ?? ""
    if let values = argument["allValues"]?.array?.compactMap(\.string), !values.isEmpty {
      text += " (\(values.joined(separator: ", ")))"
    }
    if let preset = argument["defaultValue"]?.string, !preset.isEmpty {
      text += " The default is \(preset)."
    }
    if argument["isRepeating"]?.bool == true, !isPositional(argument) {
      text += " May be repeated."
    }
    // A flag and what takes it back are two with one description.
    if index + 1 < arguments.count, argument["kind"]?.string == "flag",
      arguments[index + 1]["abstract"]?.string == argument["abstract"]?.string
    {
      return head
    }
    return "\(head)\n\(Mdoc.text(text))"
  }
}
