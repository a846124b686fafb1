// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Every target is built in Swift 6 mode with warnings as errors. A function that a newer release
/// of a system library deprecates remains a warning: the oldest release may lack its successor.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// The pure targets mark every unsafe expression as well.
let pure: [SwiftSetting] = strict + [.strictMemorySafety()]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = pure,
  resources: [Resource] = [], testData: [String] = []
) -> [Target] {
  [
    .target(
      name: name, dependencies: dependencies,
      resources: resources, swiftSettings: settings),
    .testTarget(
      name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
      exclude: testData, swiftSettings: strict),
  ]
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Whether the headers of the fleet's libraries are there. `GEOREMIND_FLEET=0` leaves the program
/// out. SwiftPM remembers the result until that variable changes: the Makefile lists the headers in it.
func has(_ headers: String...) -> Bool {
  let roots = ["/usr/include", "/usr/include/postgresql", "/usr/local/include"]
  return Context.environment["GEOREMIND_FLEET"] != "0"
    && headers.allSatisfy { header in roots.contains { access("\($0)/\(header)", R_OK) == 0 } }
}

/// `georemind-fleet`, a package of its own for its libraries; Kafka may be left out.
let hasFleet = has("libpq-fe.h", "nats/nats.h")
let hasKafka = hasFleet && has("librdkafka/rdkafka.h")
let fleet: [Target] =
  !hasFleet
  ? []
  : [
    .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .target(
      name: "FleetPostgreSQL", dependencies: ["CPQ", "CivilTime", "Geodesy", "Fleet"],
      swiftSettings: strict),
    .target(
      name: "FleetNATS", dependencies: ["CNats", "CivilTime", "Fleet"], swiftSettings: strict),
    .executableTarget(
      name: "georemind-fleet",
      dependencies: [
        "CivilTime", "Reminders", "Fleet", "FleetPostgreSQL", "FleetNATS", "LinuxRuntime",
        "Companion", arguments,
      ] + (hasKafka ? ["FleetKafka"] : []),
      swiftSettings: strict),
  ]
    + (!hasKafka
      ? []
      : [
        .systemLibrary(name: "CKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
        .target(
          name: "FleetKafka", dependencies: ["CKafka", "CivilTime", "Fleet"], swiftSettings: strict),
        .testTarget(
          name: "FleetKafkaTests",
          dependencies: ["CKafka", "CivilTime", "Fleet", "FleetKafka", "TestSupport"],
          swiftSettings: strict),
      ])

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
  name: "georemind",
  products: [
    .executable(name: "georemind", targets: ["georemind"]),
    .executable(name: "georemind-route", targets: ["georemind-route"]),
    .executable(name: "georemind-web", targets: ["georemind-web"]),
    .executable(name: "georemind-mqtt", targets: ["georemind-mqtt"]),
    .executable(name: "georemind-bench", targets: ["georemind-bench"]),
  ]
    + (hasFleet ? [.executable(name: "georemind-fleet", targets: ["georemind-fleet"])] : []),
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  ]
    + library("Bytes")
    + library("Unpacking", ["CZlib"])
    + library("Containers")
    + library("Geodesy", ["Bytes", "Containers"])
    + library("CivilTime", ["Bytes", "Containers"], testData: ["Text/phrases.txt"])
    + library("JSONText")
    + library("Configuration", ["Bytes", "Geodesy", "CivilTime"])
    + library("Positioning", ["Bytes", "Geodesy", "CivilTime", "JSONText"])
    + library("Phones", ["Bytes", "Geodesy", "CivilTime", "JSONText", "Positioning"])
    + library("Geofencing", ["Containers", "Geodesy", "CivilTime"])
    + library("Departure", ["Containers", "Geodesy", "CivilTime"])
    + library(
      "Reminders",
      [
        "Containers", "Departure", "Bytes", "Geodesy", "CivilTime", "Positioning", "Geofencing",
        "JSONText",
      ])
    + library(
      "Rules",
      ["CivilTime", "Configuration", "Departure", "Geofencing", "Positioning", "Reminders"])
    + library(
      "Fleet",
      [
        "Bytes", "Containers", "Departure", "Geodesy", "CivilTime", "JSONText", "Positioning",
        "Phones",
        "Reminders",
      ], settings: strict)
    + fleet
    + library(
      "Interchange",
      [
        "CExpat", "Unpacking", "Bytes", "Geodesy", "CivilTime", "JSONText", "Positioning",
        "Departure", "Reminders",
      ])
    + library(
      "Storage",
      [
        "CSQLite", "Bytes", "Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing",
        "Departure", "Reminders",
      ],
      settings: strict)
    + library(
      "Control", ["CivilTime", "JSONText"], resources: [.embedInCode("org.georemind.varlink")])
    + library(
      "BaseMap", ["CSQLite", "Bytes", "Geodesy", "JSONText"], settings: strict,
      resources: ["map.js", "vector.js", "track.js", "map.css"].map { .embedInCode("Page/\($0)") })
    + library(
      "Report",
      [
        "BaseMap", "Bytes", "Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing",
        "Reminders",
      ],
      settings: strict,
      resources: ["page.css", "frame.html", "data.js", "timeline.js", "page.js"].map {
        .embedInCode("Page/\($0)")
      })
    + library("LinuxRuntime", ["CSystemd", "Bytes"], settings: strict)
    + library(
      "Feeds", ["Bytes", "Unpacking", "CivilTime", "JSONText", "LinuxRuntime"], settings: strict)
    + library(
      "Routing",
      [
        "Geodesy", "CivilTime", "JSONText", "Configuration", "Departure", "Control",
        "LinuxRuntime",
      ], settings: strict)
    + library(
      "Companion", ["CivilTime", "JSONText", "Control", "LinuxRuntime", arguments], settings: strict
    )
    + library(
      "Notifier", ["CivilTime", "JSONText", "Control", "LinuxRuntime", "Companion", arguments],
      settings: strict)
    + library(
      "Hooks",
      ["CivilTime", "JSONText", "Configuration", "LinuxRuntime", "Companion", arguments],
      settings: strict)
    + library(
      "MQTT",
      [
        "Geodesy", "CivilTime", "JSONText", "Configuration", "Positioning", "Phones", "Reminders",
        "Companion",
      ],
      settings: strict)
    + library(
      "Client",
      [
        "Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing", "Departure", "Reminders",
        "Interchange", "Control", "LinuxRuntime", "Feeds", "BaseMap", "Report", "Companion",
        "Configuration", "Bytes", "Phones", "Rules", "Storage", arguments,
      ], settings: strict, testData: ["Screens"])
    + library(
      "Daemon",
      [
        "Bytes", "Geodesy", "CivilTime", "JSONText", "Configuration", "Positioning", "Geofencing",
        "Departure", "Reminders", "Interchange", "Storage", "Control", "LinuxRuntime", "Feeds",
        "Routing", "Rules", "Companion", "Hooks", "MQTT", arguments, logging,
      ], settings: strict)
    + [
      .executableTarget(
        name: "georemind", dependencies: ["Client", "Daemon", "Notifier", "Hooks"],
        swiftSettings: strict),
      .testTarget(
        name: "ProgramTests",
        dependencies: [
          "georemind", "CivilTime", "Companion", "Daemon", "LinuxRuntime", "Reminders", "Storage",
          "TestSupport",
        ],
        swiftSettings: strict),
      .executableTarget(
        name: "georemind-route",
        dependencies: [
          "CCurl", "CivilTime", "JSONText", "Configuration", "Departure", "Control",
          "LinuxRuntime", "Routing", "Companion",
          arguments, logging,
        ], swiftSettings: strict),
      .testTarget(
        name: "RouteProgramTests",
        dependencies: ["georemind-route", "Geodesy", "Departure", "Routing", "LinuxRuntime"],
        swiftSettings: strict),
      .executableTarget(
        name: "georemind-web",
        dependencies: [
          "CMicroHTTPD", "BaseMap", "Bytes", "CivilTime", "JSONText", "Configuration", "Control",
          "LinuxRuntime", "Phones", "Companion", arguments,
        ],
        resources: [
          "page.html", "page.css", "past.js", "page.js", "icon.svg", "app.webmanifest",
          "phone.html", "phone.css", "phone.js",
        ].map { .embedInCode("Page/\($0)") },
        swiftSettings: strict),
      .testTarget(
        name: "WebProgramTests",
        dependencies: [
          "georemind-web", "BaseMap", "CSQLite", "CivilTime", "Configuration", "Control", "Geodesy",
          "JSONText",
          "LinuxRuntime", "Phones", "Positioning", "TestSupport",
        ],
        swiftSettings: strict),
      .executableTarget(
        name: "georemind-mqtt",
        dependencies: [
          "CMosquitto", "CivilTime", "JSONText", "Configuration", "Control", "LinuxRuntime",
          "Companion",
          "MQTT", arguments,
        ], swiftSettings: strict),
      .testTarget(
        name: "MQTTProgramTests",
        dependencies: [
          "georemind-mqtt", "JSONText", "Control", "LinuxRuntime", "Companion", "MQTT",
          "TestSupport",
        ],
        swiftSettings: strict),
      .testTarget(
        name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: strict),
      .target(
        name: "TestSupport",
        dependencies: ["CZlib", "Geodesy", "JSONText", "Control", "LinuxRuntime", "Companion"],
        path: "Tests/TestSupport",
        swiftSettings: strict),
      .target(name: "ReferenceModel", path: "Tests/Lives/Model", swiftSettings: strict),
      .target(
        name: "Lives",
        dependencies: [
          "ReferenceModel", "Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing",
          "Reminders", "Storage", "TestSupport",
        ],
        path: "Tests/Lives/Driver", swiftSettings: strict),
      .executableTarget(
        name: "georemind-lives", dependencies: ["ReferenceModel", "Lives"],
        path: "Tests/Lives/Program", swiftSettings: strict),
      .testTarget(
        name: "LivesTests", dependencies: ["CivilTime", "ReferenceModel", "Lives"],
        swiftSettings: strict),
      .executableTarget(
        name: "georemind-bench",
        dependencies: [
          "Bytes", "Containers", "Geodesy", "CivilTime", "Positioning", "Geofencing", "Departure",
          "Reminders", "Storage", "Interchange",
        ],
        path: "Benchmarks", swiftSettings: strict),
      .executableTarget(
        name: "make-manual", dependencies: ["JSONText"], path: "Tools/MakeManual",
        swiftSettings: strict),
      .executableTarget(
        name: "make-drive", dependencies: ["Geodesy", "CivilTime"], path: "Tools/MakeDrive",
        swiftSettings: strict),
    ],
  swiftLanguageModes: [.v6]
)
