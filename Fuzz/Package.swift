// swift-tools-version: 6.2

import PackageDescription

// The modules of values and the messages as they are (through symbolic links), built for libFuzzer.
// A package of its own: instrumented code has its own build folder, and nothing else is fetched.
let package = Package(
  name: "store-actor-fuzz",
  platforms: [.macOS(.v15)],
  products: [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0")
  ],
  targets: [
    .target(
      name: "StoreState",
      dependencies: [.product(name: "OrderedCollections", package: "swift-collections")],
    ),
    .target(name: "GenericState", dependencies: ["StoreState"]),
    .target(name: "Messages", dependencies: ["GenericState", "StoreState"]),
    .target(name: "Fuzz", dependencies: ["GenericState", "Messages", "StoreState"]),
  ],
  swiftLanguageModes: [.v6],
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
