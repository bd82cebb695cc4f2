// swift-tools-version: 6.2

import PackageDescription

// The modules of values and the protocol as they are (through symbolic links), built for libFuzzer.
// A package of its own: instrumented code has its own build folder, and nothing else is fetched.
let package = Package(
  name: "store-actor-fuzz",
  platforms: [.macOS(.v15)],
  products: [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])],
  targets: [
    .target(name: "StoreBytes"),
    .target(name: "StoreValues", dependencies: ["StoreBytes"]),
    .target(name: "StoreCollections", dependencies: ["StoreBytes", "StoreValues"]),
    .target(name: "StoreState", dependencies: ["StoreBytes", "StoreCollections", "StoreValues"]),
    .target(name: "GenericState", dependencies: ["StoreState"]),
    .target(name: "StoreProtocol", dependencies: ["GenericState", "StoreBytes", "StoreState"]),
    .target(name: "Fuzz", dependencies: ["GenericState", "StoreProtocol", "StoreState"]),
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
