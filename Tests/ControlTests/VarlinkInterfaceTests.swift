import Control
import JSONText
import TestSupport
import Testing

@Suite struct VarlinkInterfaceTests {
  @Test func readsADefinition() throws {
    let interface = try VarlinkInterface(
      parsing: """
        # comment
        interface org.example.x-y.v2 # behind
        type Color(red,green , blue)
        type Empty ()
        type Leaf (value: ?int, colors: []Color)
        method Do(a: bool, b: Leaf)->(e: ?[]string,
          # within
          f: []?object)
        method Nothing() -> ()
        error Bad (type: string, interface: float)
        """)
    let color = VarlinkInterface.Kind.enumeration(["red", "green", "blue"])
    let leaf = VarlinkInterface.Kind.structure([
      .init(name: "value", kind: .optional(.int)), .init(name: "colors", kind: .array(color)),
    ])
    #expect(interface.name == "org.example.x-y.v2")
    #expect(interface.types == ["Color": color, "Empty": .structure([]), "Leaf": leaf])
    #expect(
      interface.methods["Do"]?.parameters == [
        .init(name: "a", kind: .bool), .init(name: "b", kind: leaf),
      ])
    #expect(
      interface.methods["Do"]?.results == [
        .init(name: "e", kind: .optional(.array(.string))),
        .init(name: "f", kind: .array(.optional(.object))),
      ])
    #expect(interface.methods["Nothing"]?.parameters.isEmpty == true)
    #expect(
      interface.errors == [
        "Bad": [.init(name: "type", kind: .string), .init(name: "interface", kind: .float)]
      ])
  }

  @Test(arguments: [
    ("", nil), ("type A ()", "type"), ("interface org.x\nfoo A ()", "foo"),
    ("interface org.x\nmethod Do() - ()", "("), ("interface org.x\nmethod Do()", nil),
    ("interface org.x\nmethod Do() -> (a, b)", ","), ("interface org.x\ntype A int", "int"),
    ("interface org.x\ntype A (a: int", nil), ("interface org.x\ntype A (a: strin)", "strin"),
    ("interface org.x\ntype A (a: [int]int)", "int"), ("interface org.x\ntype A (a, b: int)", ":"),
    ("interface org.x\ntype A (b: []B)", "B"), ("interface org.x\ntype A (a: ?A)", "A"),
  ])
  func refuses(text: String, token: String?) throws {
    let error = try #require(throws: VarlinkInterfaceError.self) {
      try VarlinkInterface(parsing: text)
    }
    #expect(error.token == token)
  }

  private static let checked = """
    interface org.x
    type Kind (near, far)
    type Point (x: float, y: float)
    type Node (name: string, next: ?Point)
    method Do(b: ?bool, i: ?int, f: ?float, s: ?string, o: ?object, k: ?Kind, p: ?Point, \
    l: ?[]Point, n: ?Node) -> ()
    method Need(a: string, b: ?string) -> ()
    """

  @Test(arguments: [
    #"{}"#, #"{"b":null,"i":null}"#, #"{"b":true}"#, #"{"i":-1}"#, #"{"i":1.0}"#, #"{"i":1e3}"#,
    #"{"i":9223372036854775807}"#, #"{"f":1}"#, #"{"f":1.5}"#, #"{"s":""}"#, #"{"o":{"any":[1]}}"#,
    #"{"k":"far"}"#, #"{"p":{"x":1,"y":2}}"#, #"{"l":[]}"#, #"{"l":[{"x":1,"y":2}]}"#,
    #"{"n":{"name":"a"}}"#, #"{"n":{"name":"a","next":{"x":1,"y":2}}}"#,
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
    ("Do", #"{"l":[null]}"#, "l[0]"), ("Do", #"{"n":{}}"#, "n.name"),
    ("Do", #"{"n":{"name":"a","next":{"x":1,"y":"2"}}}"#, "n.next.y"),
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
}
