import Control
import JSONText
import TestSupport
import Testing

@Suite struct VarlinkInterfaceTests {
  @Test func readsAllOfTheLanguage() throws {
    let interface = try VarlinkInterface(
      parsing: """
        # comment
        interface org.example.x-y.v2 # behind
        type Color(red,green , blue)
        type Empty ()
        type Tree (value: ?int, children: []Tree, by_name: [string]?Tree, color: Color)
        method Do(a: bool, b: (c: float, d: (on, off)))->(e: ?[]string,
          # within
          f: [string]object)
        method Nothing() -> ()
        error Bad (type: string, interface: string)
        """)
    #expect(interface.name == "org.example.x-y.v2")
    #expect(interface.types["Color"] == .enumeration(["red", "green", "blue"]))
    #expect(interface.types["Empty"] == .structure([]))
    #expect(
      interface.types["Tree"]
        == .structure([
          .init(name: "value", kind: .optional(.int)),
          .init(name: "children", kind: .array(.named("Tree"))),
          .init(name: "by_name", kind: .map(.optional(.named("Tree")))),
          .init(name: "color", kind: .named("Color")),
        ]))
    #expect(
      interface.methods["Do"]?.parameters == [
        .init(name: "a", kind: .bool),
        .init(
          name: "b",
          kind: .structure([
            .init(name: "c", kind: .float), .init(name: "d", kind: .enumeration(["on", "off"])),
          ])),
      ])
    #expect(
      interface.methods["Do"]?.results == [
        .init(name: "e", kind: .optional(.array(.string))), .init(name: "f", kind: .map(.object)),
      ])
    #expect(interface.methods["Nothing"]?.parameters.isEmpty == true)
    #expect(interface.errors["Bad"]?.map(\.name) == ["type", "interface"])
  }

  @Test(arguments: [
    ("", 1, 1, "a word"),
    ("# only\n", 2, 1, "a word"),
    ("type A ()", 1, 1, "'interface'"),
    ("interface example", 1, 11, "reverse-domain"),
    ("interface org..x", 1, 11, "reverse-domain"),
    ("interface org.x-", 1, 11, "reverse-domain"),
    ("interface 1.x", 1, 11, "reverse-domain"),
    ("interface org.x.\n", 1, 11, "reverse-domain"),
    ("interface org.x\nfoo A ()", 2, 1, "'type', 'method' or 'error'"),
    ("interface org.x\nmethod do() -> ()", 2, 8, "upper-case"),
    ("interface org.x\nmethod Do() - ()", 2, 14, "'->'"),
    ("interface org.x\nmethod Do()", 2, 12, "'->'"),
    ("interface org.x\nmethod Do() -> (a, b)", 2, 16, "not an enumeration"),
    ("interface org.x\nmethod Do() ->", 2, 15, "'('"),
    ("interface org.x\nerror E (a)", 2, 9, "not an enumeration"),
    ("interface org.x\ntype A", 2, 7, "'('"),
    ("interface org.x\ntype A int", 2, 8, "'('"),
    ("interface org.x\ntype A (a: int,)", 2, 16, "a word"),
    ("interface org.x\ntype A (a: int", 2, 15, "',' or ')'"),
    ("interface org.x\ntype A (a: )", 2, 12, "a word"),
    ("interface org.x\ntype A (a: strin)", 2, 12, "a type"),
    ("interface org.x\ntype A (a: ??int)", 2, 13, "one '?'"),
    ("interface org.x\ntype A (a: [int]int)", 2, 16, "'[]' or '[string]'"),
    ("interface org.x\ntype A (a: [string int)", 2, 20, "'[]' or '[string]'"),
    ("interface org.x\ntype A (a: int, a: int)", 2, 17, "said twice"),
    ("interface org.x\ntype A (a, a)", 2, 12, "said twice"),
    ("interface org.x\ntype A (a: int, b)", 2, 18, "':'"),
    ("interface org.x\ntype A (a, b: int)", 2, 12, "has no type"),
    ("interface org.x\ntype A (_a: int)", 2, 9, "not a field's name"),
    ("interface org.x\ntype A (a__b: int)", 2, 9, "not a field's name"),
    ("interface org.x\ntype A (a_: int)", 2, 9, "not a field's name"),
    ("interface org.x\ntype A (1: int)", 2, 9, "not a field's name"),
    ("interface org.x\ntype A ()\nmethod A() -> ()", 3, 8, "said twice"),
    ("interface org.x\n\ntype A (b: []B)", 3, 14, "no type 'B'"),
    ("interface org.x\nerror E ()\ntype A (b: E)", 3, 12, "no type 'E'"),
    ("interface org.x\ntype A (a: A)", 2, 6, "without end"),
    ("interface org.x\ntype B (a: (c: A))\ntype A (x: int, b: B)", 3, 6, "without end"),
    ("interface org.x\ntype A (é: int)", 2, 9, "a word"),
  ])
  func refuses(text: String, line: Int, column: Int, words: String) throws {
    let error = try #require(throws: VarlinkInterfaceError.self) {
      try VarlinkInterface(parsing: text)
    }
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.reason.contains(words), "\(error)")
  }

  @Test func boundsHold() throws {
    let head = "interface org.x\n"
    func refused(_ text: String) -> Bool { (try? VarlinkInterface(parsing: head + text)) == nil }
    #expect(refused("type A (a: " + String(repeating: "[]", count: 100_000) + "int)"))
    #expect(refused("type A " + String(repeating: "(a: ", count: 50_000)))
    #expect(refused(String(repeating: "#\n", count: 200_000)))
    let many = (0..<1_024).map { "type A\($0) (b: B)\n" }.joined()
    #expect(refused(many + "type B ()"))
    // A long chain of needs, told backwards, is no endless type.
    let chain = (0..<1_000).map { "type T\($0) (t: T\($0 + 1))\n" }.joined() + "type T1000 (x: int)"
    #expect(!refused(chain))
    #expect(refused(chain.replacing("T1000 (x: int)", with: "T1000 (t: T0)")))
  }

  private static let checked = """
    interface org.x
    type Kind (near, far)
    type Point (x: float, y: float)
    type Node (name: string, next: ?Node)
    method Do(b: ?bool, i: ?int, f: ?float, s: ?string, o: ?object, k: ?Kind, p: ?Point, \
    l: ?[]Point, m: ?[string]int, n: ?Node) -> ()
    method Need(a: string, b: ?string) -> ()
    """

  @Test(arguments: [
    #"{}"#, #"{"b":null,"i":null}"#, #"{"b":true}"#, #"{"i":-1}"#, #"{"i":1.0}"#, #"{"i":1e3}"#,
    #"{"i":9223372036854775807}"#, #"{"f":1}"#, #"{"f":1.5}"#, #"{"s":""}"#, #"{"o":{"any":[1]}}"#,
    #"{"k":"far"}"#, #"{"p":{"x":1,"y":2}}"#, #"{"l":[]}"#, #"{"l":[{"x":1,"y":2}]}"#,
    #"{"m":{}}"#, #"{"m":{"a":1,"b":2}}"#, #"{"n":{"name":"a","next":{"name":"b","next":null}}}"#,
  ])
  func fits(text: String) throws {
    let interface = try VarlinkInterface(parsing: Self.checked)
    try interface.check(object(text), against: #require(interface.methods["Do"]?.parameters))
  }

  @Test(arguments: [
    ("Do", #"{"z":1}"#, "z"), ("Do", #"{"b":1}"#, "b"), ("Do", #"{"b":"true"}"#, "b"),
    ("Do", #"{"i":1.5}"#, "i"), ("Do", #"{"i":"1"}"#, "i"),
    ("Do", #"{"i":9223372036854775808}"#, "i"), ("Do", #"{"f":"1"}"#, "f"),
    ("Do", #"{"f":1e999}"#, "f"), ("Do", #"{"s":1}"#, "s"), ("Do", #"{"s":{}}"#, "s"),
    ("Do", #"{"o":[]}"#, "o"), ("Do", #"{"o":"x"}"#, "o"), ("Do", #"{"k":"nah"}"#, "k"),
    ("Do", #"{"k":1}"#, "k"), ("Do", #"{"p":{"x":1}}"#, "p.y"),
    ("Do", #"{"p":{"x":1,"y":2,"z":3}}"#, "p.z"), ("Do", #"{"p":{"x":1,"y":null}}"#, "p.y"),
    ("Do", #"{"l":{}}"#, "l"), ("Do", #"{"l":[{"x":1,"y":2},{"x":"1","y":2}]}"#, "l[1].x"),
    ("Do", #"{"l":[null]}"#, "l[0]"), ("Do", #"{"m":{"a":1,"b":"2"}}"#, "m.b"),
    ("Do", #"{"n":{"name":"a","next":{"name":1}}}"#, "n.next.name"),
    ("Need", #"{}"#, "a"), ("Need", #"{"a":null}"#, "a"), ("Need", #"{"b":"x"}"#, "a"),
    ("Need", #"{"A":"x"}"#, "A"),
  ])
  func doesNotFit(method: String, text: String, path: String) throws {
    let interface = try VarlinkInterface(parsing: Self.checked)
    let fields = try #require(interface.methods[method]?.parameters)
    let mismatch = try #require(throws: VarlinkMismatch.self) {
      try interface.check(object(text), against: fields)
    }
    #expect(mismatch.path == path)
    #expect(mismatch.description.hasPrefix("'\(path)' is "))
  }

  /// Whatever the text, the parser answers, and a line it names exists.
  @Test(arguments: 0..<4) func neverTraps(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let source = Array((seed < 2 ? Self.checked : VarlinkService.interfaceText).utf8)
    let alphabet = Array("()[]?:,->#_ \nAaz09é".utf8) + [0, 0xFF]
    var refused = 0
    for _ in 0..<250 {
      let text = String(decoding: generator.mutate(source, alphabet: alphabet), as: UTF8.self)
      do {
        let interface = try VarlinkInterface(parsing: text)
        #expect(interface.text == text)
      } catch {
        refused += 1
        #expect(error.line >= 1 && error.column >= 1)
      }
    }
    #expect((1..<250).contains(refused))
  }
}
