import Control
import JSONText
import Testing

@Suite struct GeoremindInterfaceTests {
  private let interface: VarlinkInterface

  init() throws { interface = try VarlinkInterface(parsing: GeoremindInterface.text) }

  /// What other programs rely on: it may grow, nothing may go.
  @Test func offersWhatClientsRelyOn() {
    #expect(interface.name == GeoremindInterface.name)
    let methods: Set = [
      "Add", "Import", "List", "Show", "Edit", "Remove", "Done", "Snooze", "Peek", "Pop", "Next",
      "Status", "Log", "AddPlace", "ListPlaces", "RemovePlace", "AddCategory",
      "ListCategories", "EditCategory", "RemoveCategory", "Where", "Why", "WatchFirings",
      "WatchStatus",
    ]
    #expect(methods.subtracting(interface.methods.keys).isEmpty)
    let errors: Set = [
      "NotFound", "Ambiguous", "InvalidReminder", "InUse", "AlreadyExists", "WrongState",
      "StoreTrouble", "RefusedByPolicy",
    ]
    #expect(errors.subtracting(interface.errors.keys).isEmpty)
    #expect(Set(interface.types.keys).isSuperset(of: ["Kind", "Place", "Category"]))
  }

  @Test func everyMethodOfTheTextIsAMethodOfTheCode() {
    #expect(Set(GeoremindMethod.allCases.map(\.rawValue)) == Set(interface.methods.keys))
  }

  @Test func theTextIsPlain() {
    #expect(GeoremindInterface.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A })
    #expect(GeoremindInterface.text.hasSuffix("\n"))
    for line in GeoremindInterface.text.split(separator: "\n") { #expect(line.count <= 90) }
  }

  @Test(arguments: [
    ("Add", #"{"reminder":{"title":"Milk","place":{"lat":52.5,"lon":13.4},"x-own":1}}"#, nil),
    ("Add", #"{"reminder":"Milk"}"#, "reminder"),
    ("Add", #"{"title":"Milk"}"#, "title"),
    ("Import", #"{"reminders":[{},{}]}"#, nil),
    ("Import", #"{"reminders":[{},1]}"#, "reminders[1]"),
    ("List", #"{}"#, nil),
    ("List", #"{"kind":"date","all":true}"#, nil),
    ("List", #"{"kind":"dates"}"#, "kind"),
    ("PageReminders", #"{"after":17,"limit":100}"#, nil),
    ("Peek", #"{}"#, "kind"),
    ("Snooze", #"{"id":"r1","until":"20min"}"#, nil),
    ("Snooze", #"{"id":"r1"}"#, "until"),
    ("AddPlace", #"{"name":"Home","latitude":52,"longitude":13.4,"radius_m":null}"#, nil),
    ("AddPlace", #"{"name":"Home","latitude":"52","longitude":13.4}"#, "latitude"),
    ("Log", #"{"limit":10,"since":"-1d","reminder":"r1"}"#, nil),
    ("Log", #"{"limit":1.5}"#, "limit"),
    ("Status", #"{"verbose":true}"#, "verbose"),
  ])
  func checksCalls(method: String, text: String, wrong: String?) throws {
    let fields = try #require(interface.methods[method]?.parameters)
    do {
      try interface.check(object(text), against: fields)
      #expect(wrong == nil)
    } catch {
      #expect(error.path == wrong)
    }
  }

  @Test func checksReplies() throws {
    let place = #"{"name":"Home","latitude":1,"longitude":2,"radius_m":150}"#
    let added = try #require(interface.methods["AddPlace"]?.results)
    try interface.check(object(#"{"place":\#(place)}"#), against: added)
    let listed = try #require(interface.methods["ListPlaces"]?.results)
    try interface.check(object(#"{"places":[\#(place)]}"#), against: listed)
    #expect(throws: VarlinkMismatch.self) {
      try interface.check(object(#"{"places":\#(place)}"#), against: listed)
    }
    let fix = try #require(interface.methods["Where"]?.results)
    try interface.check(object(#"{"fix":null,"nearest":[]}"#), against: fix)
  }
}
