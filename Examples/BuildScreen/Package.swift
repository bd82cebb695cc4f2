// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "build-screen",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "store-actor", path: "../.."),
    .package(name: "build-queue", path: "../BuildQueue"),
  ],
  targets: [
    .target(
      name: "BuildScreen",
      dependencies: [
        .product(name: "BuildQueue", package: "build-queue"),
        .product(name: "StoreActor", package: "store-actor"),
        .product(name: "TerminalViews", package: "store-actor"),
      ],
    ),
    .executableTarget(
      name: "queueui",
      dependencies: [
        "BuildScreen",
        .product(name: "BuildQueue", package: "build-queue"),
        .product(name: "StoreClient", package: "store-actor"),
        .product(name: "TerminalViews", package: "store-actor"),
      ],
    ),
    .testTarget(
      name: "BuildScreenTests",
      dependencies: [
        "BuildScreen",
        .product(name: "BuildQueue", package: "build-queue"),
        .product(name: "StoreActor", package: "store-actor"),
        .product(name: "TerminalViews", package: "store-actor"),
      ],
    ),
  ],
)
