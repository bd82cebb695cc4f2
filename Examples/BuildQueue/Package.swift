// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "build-queue",
  platforms: [.macOS(.v15)],
  products: [.library(name: "BuildQueue", targets: ["BuildQueue"])],
  dependencies: [
    // A package elsewhere names the repository by its url instead.
    .package(name: "store-actor", path: "../..")
  ],
  targets: [
    // The feature, which is independent of processes.
    .target(
      name: "BuildQueue",
      dependencies: [.product(name: "StoreActor", package: "store-actor")],
    ),
    // The daemon that owns the queue.
    .executableTarget(
      name: "queued",
      dependencies: ["BuildQueue", .product(name: "StoreDaemon", package: "store-actor")],
    ),
    // A client for a shell.
    .executableTarget(
      name: "queuectl",
      dependencies: ["BuildQueue", .product(name: "StoreClient", package: "store-actor")],
    ),
    .testTarget(
      name: "BuildQueueTests",
      dependencies: ["BuildQueue", .product(name: "StoreTesting", package: "store-actor")],
    ),
  ],
)
