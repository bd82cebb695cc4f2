// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "print-farm",
  platforms: [.macOS(.v15)],
  dependencies: [
    // A package elsewhere names the repository by its url instead.
    .package(name: "store-actor", path: "../..")
  ],
  targets: [
    // The features, which are independent of processes.
    .target(
      name: "PrintFarm",
      dependencies: [.product(name: "StoreActor", package: "store-actor")],
    ),
    // The host around them, which the daemon and the tests of its history share.
    .target(
      name: "FarmHost",
      dependencies: ["PrintFarm", .product(name: "StoreDaemon", package: "store-actor")],
    ),
    .executableTarget(name: "farmd", dependencies: ["FarmHost"]),
    .executableTarget(
      name: "farmctl",
      dependencies: ["PrintFarm", .product(name: "StoreClient", package: "store-actor")],
    ),
    .testTarget(
      name: "PrintFarmTests",
      dependencies: [
        "FarmHost", .product(name: "StoreClient", package: "store-actor"),
        .product(name: "StoreTesting", package: "store-actor"),
      ],
    ),
  ],
)
