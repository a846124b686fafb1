// swift-tools-version: 6.2
import PackageDescription

/// Every target is built in Swift 6 mode with warnings as errors.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The pure targets mark every unsafe expression as well.
let pure: [SwiftSetting] = strict + [.strictMemorySafety()]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = pure,
  resources: [Resource] = []
) -> [Target] {
  [
    .target(
      name: name, dependencies: dependencies,
      resources: resources, swiftSettings: settings),
    .testTarget(
      name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
      swiftSettings: strict),
  ]
}

/// What the command-line client is made of.
let client: [Target.Dependency] = [
  "Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing", "Reminders", "Interchange",
  "Control", "LinuxRuntime", "Report", "Companion", "Configuration", "Containers",
  "Storage",
  .product(name: "ArgumentParser", package: "swift-argument-parser"),
]

let package = Package(
  name: "georemind",
  products: [
    .executable(name: "georemindd", targets: ["georemindd"]),
    .executable(name: "georemind", targets: ["georemind"]),
    .executable(name: "georemind-route", targets: ["georemind-route"]),
    .executable(name: "georemind-notify", targets: ["georemind-notify"]),
    .executable(name: "georemind-hook", targets: ["georemind-hook"]),
    .executable(name: "georemind-bench", targets: ["georemind-bench"]),
  ],
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
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  ]
    + library("Bytes")
    + library("Containers")
    + library("Geodesy", ["Bytes"])
    + library("CivilTime", ["Bytes"])
    + library("JSONText")
    + library("Configuration")
    + library("Positioning", ["Geodesy", "CivilTime", "JSONText"])
    + library("Geofencing", ["Geodesy", "CivilTime"])
    + library("Departure", ["Containers", "Geodesy", "CivilTime"])
    + library(
      "Reminders",
      [
        "Containers", "Departure", "Bytes", "Geodesy", "CivilTime", "Positioning", "Geofencing",
        "JSONText",
      ])
    + library(
      "Interchange",
      ["CExpat", "CZlib", "Geodesy", "CivilTime", "JSONText", "Positioning", "Reminders"])
    + library(
      "Storage",
      [
        "CSQLite", "Bytes", "Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing",
        "Reminders",
      ],
      settings: strict)
    + library("Control", ["JSONText"])
    + library(
      "Report",
      ["Geodesy", "CivilTime", "JSONText", "Positioning", "Geofencing", "Reminders"],
      settings: strict,
      resources: ["page.css", "frame.html", "data.js", "map.js", "timeline.js", "page.js"].map {
        .embedInCode("Page/\($0)")
      })
    + library("LinuxRuntime", ["CSystemd", "CZlib", "Bytes"], settings: strict)
    + library(
      "Routing",
      [
        "Geodesy", "CivilTime", "JSONText", "Configuration", "Reminders", "Control",
        "LinuxRuntime",
      ], settings: strict)
    + library(
      "Companion", ["CivilTime", "JSONText", "Control", "LinuxRuntime"], settings: strict)
    + library(
      "Notifications", ["JSONText", "Control", "LinuxRuntime", "Companion"], settings: strict)
    + library(
      "Hooks", ["CivilTime", "JSONText", "Configuration", "LinuxRuntime", "Companion"],
      settings: strict)
    + [
      .executableTarget(
        name: "georemindd",
        dependencies: [
          "Geodesy", "CivilTime", "JSONText", "Configuration", "Positioning", "Geofencing",
          "Reminders", "Interchange", "Storage", "Control", "LinuxRuntime", "Routing",
          "Companion", "Hooks",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
          .product(name: "Logging", package: "swift-log"),
        ], swiftSettings: strict),
      .target(
        name: "Client", dependencies: client, swiftSettings: strict),
      .testTarget(
        name: "ClientTests", dependencies: ["Client", "TestSupport"] + client, exclude: ["Screens"],
        swiftSettings: strict
      ),
      .executableTarget(name: "georemind", dependencies: ["Client"], swiftSettings: strict),
      .testTarget(
        name: "DaemonTests",
        dependencies: [
          "georemindd", "Geodesy", "CivilTime", "JSONText", "Configuration", "Reminders",
          "Interchange", "Storage", "Control", "LinuxRuntime", "Routing", "TestSupport",
          .product(name: "Logging", package: "swift-log"),
        ], swiftSettings: strict),
      .executableTarget(
        name: "georemind-route",
        dependencies: [
          "CCurl", "CivilTime", "JSONText", "Configuration", "Reminders", "Control",
          "LinuxRuntime", "Routing", "Companion",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
          .product(name: "Logging", package: "swift-log"),
        ], swiftSettings: strict),
      .testTarget(
        name: "RouteProgramTests",
        dependencies: ["georemind-route", "Geodesy", "Reminders", "Routing", "LinuxRuntime"],
        swiftSettings: strict),
      .testTarget(
        name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: strict),
      .target(
        name: "TestSupport", dependencies: ["Geodesy", "LinuxRuntime"], path: "Tests/TestSupport",
        swiftSettings: strict),
      .executableTarget(
        name: "georemind-notify",
        dependencies: [
          "CivilTime", "LinuxRuntime", "Companion", "Notifications",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], swiftSettings: strict),
      .executableTarget(
        name: "georemind-hook",
        dependencies: [
          "CivilTime", "Configuration", "LinuxRuntime", "Companion", "Hooks",
          .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], swiftSettings: strict),
      .executableTarget(
        name: "georemind-bench",
        dependencies: [
          "Bytes", "Containers", "Geodesy", "CivilTime", "Positioning", "Geofencing", "Reminders",
          "Storage", "Interchange",
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
