// swift-tools-version: 6.2

import PackageDescription

let storeActor = Target.Dependency.product(name: "StoreActor", package: "store-actor")

let package = Package(
  name: "plain-names",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "store-actor", path: "../..")],
  targets: [
    .target(name: "Workspace", dependencies: [storeActor]),
    .executableTarget(
      name: "Daemon",
      dependencies: ["Workspace", .product(name: "StoreDaemon", package: "store-actor")],
    ),
    .executableTarget(
      name: "Client",
      dependencies: ["Workspace", .product(name: "StoreClient", package: "store-actor")],
    ),
    .target(name: "Simulation", dependencies: ["Workspace", storeActor]),
    .executableTarget(name: "Simulator", dependencies: ["Simulation"]),
    .testTarget(name: "WorkspaceTests", dependencies: ["Simulation", "Workspace"]),
  ],
)
