import BaseMap

/// The meaning of a path below `/map/`.
enum PageRoute: Equatable {
  case file(PageFile)
  case session
  case base
  case tile(String)
  case events
  /// A method of the daemon; `changes` needs POST.
  case call(method: String, changes: Bool)
  case unknown

  /// The methods of the daemon that a page calls. Nothing else is passed on.
  private static let reads = [
    "status": "Status", "categories": "ListCategories", "reminders": "PageReminders",
    "why": "Why", "places": "PlacesInBox", "fences": "FencesInBox", "find": "FindPlaces",
    "log": "ReadLedger", "next": "Next", "show": "Show", "changes": "ListUndo",
    "trips": "ListTrips", "track": "ReadTrack", "played": "ReplayTrack",
  ]
  private static let changes = [
    "add": "Add", "check": "Check", "edit": "Edit", "done": "Done", "snooze": "Snooze",
    "reopen": "Reopen", "remove": "Remove", "undo": "Undo", "place": "AddPlace",
    "edit-place": "EditPlace", "remove-place": "RemovePlace",
  ]

  init(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if let file = PageFile(path) {
      self = .file(file)
    } else if parts.count == 2, parts[0] == "api", let method = Self.reads[parts[1]] {
      self = .call(method: method, changes: false)
    } else if parts.count == 2, parts[0] == "api", let method = Self.changes[parts[1]] {
      self = .call(method: method, changes: true)
    } else if parts.count == 4, parts[0] == "tiles" {
      self = .tile(parts[1...].joined(separator: "/"))
    } else {
      self = ["session": .session, "base": .base, "events": .events][path] ?? .unknown
    }
  }

  /// Whether it holds no data of anybody.
  var isPublic: Bool {
    switch self {
    case .file, .unknown: true
    case .session, .base, .tile, .events, .call: false
    }
  }
}

/// A file of the page, which is part of the program.
enum PageFile: String, CaseIterable {
  case page = ""
  case map = "map.js"
  case vector = "vector.js"
  case track = "track.js"
  case past = "past.js"
  case script = "page.js"
  case mapStyle = "map.css"
  case style = "page.css"
  case icon = "icon.svg"
  case manifest = "app.webmanifest"

  init?(_ path: String) { self.init(rawValue: path) }

  var type: String {
    switch self {
    case .page: "text/html; charset=utf-8"
    case .map, .vector, .track, .past, .script: "text/javascript; charset=utf-8"
    case .mapStyle, .style: "text/css; charset=utf-8"
    case .icon: "image/svg+xml"
    case .manifest: "application/manifest+json"
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .page: PackageResources.page_html
    case .map: MapProgram.map
    case .vector: MapProgram.vector
    case .mapStyle: MapProgram.style
    case .track: MapProgram.track
    case .past: PackageResources.past_js
    case .script: PackageResources.page_js
    case .style: PackageResources.page_css
    case .icon: PackageResources.icon_svg
    case .manifest: PackageResources.app_webmanifest
    }
  }
}
