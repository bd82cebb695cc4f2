// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

let issueReporting = Target.Dependency.product(
  name: "IssueReporting",
  package: "xctest-dynamic-overlay",
)

/// Makes reported issues fail the test that runs; without it they are only printed on Linux.
let reportsToTests = Target.Dependency.product(
  name: "IssueReportingTestSupport",
  package: "xctest-dynamic-overlay",
)

/// Places at which tests can end a daemon in the middle of something: in debug, and where it is
/// asked for.
let failpoints: SwiftSetting =
  Context.environment["FAILPOINTS"] == nil
  ? .define("FAILPOINTS", .when(configuration: .debug)) : .define("FAILPOINTS")

let package = Package(
  name: "store-actor",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "StoreActor", targets: ["StoreActor"]),
    .library(
      name: "StoreActorClassic",
      targets: [
        "CasePathOperator", "StateContainers", "StateContainersMixed", "StoreActorClassic",
        "StoreActorSimplex",
      ],
    ),
    .library(name: "StoreActorNetworking", targets: ["StoreActorNetworking"]),
    .library(name: "StoreActorSchedulers", targets: ["StoreActorSchedulers"]),
    .library(name: "StoreDaemon", targets: ["StoreDaemon"]),
    .library(name: "StoreClient", targets: ["StoreClient"]),
    .library(name: "StoreTesting", targets: ["StoreTesting"]),
    .library(name: "TerminalViews", targets: ["TerminalCurses", "TerminalViews"]),
    .executable(name: "stored", targets: ["StoredMain"]),
    .executable(name: "storectl", targets: ["StorectlMain"]),
    .executable(name: "simulator", targets: ["SimulatorMain"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    // Without its default trait: the file of settings is read by our own, stricter parser.
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    // Without its default trait, which links FoundationNetworking and costs every program's start
    // some 14 ms.
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.3.0", traits: []),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.4.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.20.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CZMQ",
      pkgConfig: "libzmq",
      providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])],
    ),
    .target(name: "ZeroMQ", dependencies: ["CZMQ"], path: "Sources/Transport/ZeroMQ"),

    // Views of stores and other values on a terminal, and the terminal.
    .systemLibrary(name: "CWidth", path: "Sources/Terminal/CWidth"),
    .target(
      name: "TerminalViews",
      dependencies: ["CWidth", "StoreBytes"],
      path: "Sources/Terminal/TerminalViews",
    ),
    .systemLibrary(
      name: "CNCurses",
      path: "Sources/Terminal/CNCurses",
      providers: [.apt(["libncurses-dev"]), .brew(["ncurses"])],
    ),
    .target(
      name: "TerminalCurses",
      dependencies: ["CNCurses", "TerminalViews"],
      path: "Sources/Terminal/TerminalCurses",
    ),

    // Bytes; values with a form in bytes; persistent collections of them; states.
    .target(name: "StoreBytes", path: "Sources/Values/StoreBytes"),
    .target(name: "StoreValues", dependencies: ["StoreBytes"], path: "Sources/Values/StoreValues"),
    .target(
      name: "StoreCollections",
      dependencies: ["StoreBytes", "StoreValues"],
      path: "Sources/Values/StoreCollections",
    ),
    .target(
      name: "StoreState",
      dependencies: ["StoreBytes", "StoreCollections", "StoreValues"],
      path: "Sources/Values/StoreState",
    ),
    .target(
      name: "GenericState",
      dependencies: ["StoreState"],
      path: "Sources/Values/GenericState",
    ),
    .macro(
      name: "StoreActorMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      path: "Sources/Macros",
    ),
    // What features need that is no store: each of use without the others.
    .target(
      name: "StoreConcurrency",
      dependencies: [issueReporting],
      path: "Sources/Foundations/StoreConcurrency",
    ),
    .target(
      name: "StoreClocks",
      dependencies: ["StoreConcurrency", issueReporting],
      path: "Sources/Foundations/StoreClocks",
    ),
    .target(
      name: "StoreCasePaths",
      dependencies: [issueReporting],
      path: "Sources/Foundations/StoreCasePaths",
    ),
    .target(
      name: "StoreDependencies",
      dependencies: ["StoreBytes", "StoreClocks", "StoreConcurrency", issueReporting],
      path: "Sources/Foundations/StoreDependencies",
    ),
    .target(
      name: "StoreActor",
      dependencies: [
        "GenericState", "StoreActorMacros", "StoreBytes", "StoreCasePaths", "StoreClocks",
        "StoreConcurrency", "StoreDependencies", "StoreState", issueReporting,
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "CustomDump", package: "swift-custom-dump"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
    ),
    .target(
      name: "StoreReplication",
      dependencies: [
        "GenericState", "StoreActor", "StoreBytes", "StoreState",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      path: "Sources/Replication/StoreReplication",
      swiftSettings: [failpoints],
    ),
    .target(
      name: "StoreTesting",
      dependencies: [
        "GenericState", "StoreActor", "StoreReplication", "StoreState", reportsToTests,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      path: "Sources/Replication/StoreTesting",
    ),
    .target(
      name: "StoreJournal",
      dependencies: ["StoreBytes", "StoreReplication", "StoreState"],
      path: "Sources/Replication/StoreJournal",
    ),
    .target(
      name: "StoreDaemon",
      dependencies: [
        "StoreActor", "StoreJournal", "StoreReplication", "StoreState", "ZeroMQ",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Transport/StoreDaemon",
      swiftSettings: [failpoints],
    ),
    .target(
      name: "StoreClient",
      dependencies: ["GenericState", "StoreActor", "StoreReplication", "StoreState", "ZeroMQ"],
      path: "Sources/Transport/StoreClient",
    ),
    // Spans as lines of a file, for the programs.
    .target(
      name: "TraceExport",
      dependencies: [
        "GenericState", "StoreState", "ZeroMQ",
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources/Programs/TraceExport",
    ),
    // What both programs look at before their arguments are parsed, and their version.
    .target(
      name: "ProgramArguments",
      dependencies: [
        "StoreBytes", "StoreJournal", "StoreReplication",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Programs/ProgramArguments",
    ),
    // These modules and the programs' have names of their own, whatever their folders are called:
    // a package in which two targets have the same name cannot be built, and "Client" and
    // "Workspace" are what a user's are called.
    .target(
      name: "StoredWorkspace",
      dependencies: ["StoreActor", "StoreReplication"],
      path: "Sources/Workspace/StoredWorkspace",
    ),
    .target(
      name: "StoredWorkspaceLive",
      dependencies: ["StoreActor", "StoredWorkspace"],
      path: "Sources/Workspace/StoredWorkspaceLive",
    ),
    .executableTarget(
      name: "StoredMain",
      dependencies: [
        "GenericState", "ProgramArguments", "StoreActor", "StoreDaemon", "StoreReplication",
        "StoreState", "StoredWorkspace", "StoredWorkspaceLive", "TraceExport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources/Daemon",
    ),
    .executableTarget(
      name: "StorectlMain",
      dependencies: [
        "GenericState", "ProgramArguments", "StoreActor", "StoreClient", "StoreJournal",
        "StoreReplication", "StoreState", "StoredWorkspace", "TerminalCurses", "TerminalViews",
        "TraceExport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources/Client",
    ),

    // What features use that were written for the original, and not everybody is to link.
    .target(
      name: "StoreActorNetworking",
      dependencies: ["StoreActor"],
      path: "Sources/Compatibility/StoreActorNetworking",
    ),
    .target(
      name: "StoreActorSchedulers",
      dependencies: ["StoreActor"],
      path: "Sources/Compatibility/StoreActorSchedulers",
    ),

    // What older documents write, on top of StoreActor: the 0.3x names, two kinds of state
    // containers, and Simplex.
    .target(
      name: "CasePathOperator",
      dependencies: ["StoreActor"],
      path: "Sources/Compatibility/CasePathOperator",
    ),
    .target(
      name: "StoreActorClassic",
      dependencies: [
        "CasePathOperator", "StoreActor", "StoreActorSchedulers", "StoreState", "TerminalViews",
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources/Compatibility/StoreActorClassic",
    ),
    .target(
      name: "StoreActorSimplex",
      dependencies: [
        "CasePathOperator", "StoreActor", "StoreActorClassic", "StoreActorMacros", "TerminalViews",
      ],
      path: "Sources/Compatibility/StoreActorSimplex",
    ),
    .target(
      name: "StateContainersMixed",
      dependencies: ["StoreActor"],
      path: "Sources/Compatibility/StateContainersMixed",
    ),
    .target(
      name: "StateContainers",
      dependencies: ["StateContainersMixed", "StoreActor"],
      path: "Sources/Compatibility/StateContainers",
    ),

    // A world in one thread with a daemon, clients, a network and a clock, for tests and for
    // `make simulate`.
    .target(
      name: "StoreSimulation",
      dependencies: ["GenericState", "StoreActor", "StoreReplication", "StoreState"],
      path: "Sources/Simulation/StoreSimulation",
    ),
    .executableTarget(
      name: "SimulatorMain",
      dependencies: [
        "StoreSimulation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Simulation/SimulatorMain",
    ),

    // What `make bench` runs.
    .executableTarget(
      name: "HostBench",
      dependencies: [
        "GenericState", "StoreActor", "StoreDaemon", "StoreJournal", "StoreReplication",
        "StoreState", "StoredWorkspace", "ZeroMQ",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      path: "Benchmarks/HostBench",
    ),
    .executableTarget(
      name: "StoreBench",
      dependencies: ["StoreActor"],
      path: "Benchmarks/StoreBench",
    ),
    .executableTarget(
      name: "StateBench",
      dependencies: ["StoreState"],
      path: "Benchmarks/StateBench",
    ),

    .testTarget(name: "HouseTests"),
    .testTarget(name: "ZeroMQTests", dependencies: ["CZMQ", "ZeroMQ"]),
    .testTarget(
      name: "StoreDaemonTests",
      dependencies: [
        "CZMQ", "StoreActor", "StoreDaemon", "StoreJournal", "StoreReplication", "StoreState",
        "ZeroMQ",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
    ),
    .testTarget(
      name: "StoreJournalTests",
      dependencies: [
        "StoreBytes", "StoreJournal", "StoreReplication", "StoreState",
      ],
    ),
    .testTarget(
      name: "StoreStateTests",
      dependencies: [
        "GenericState", "StoreActor", "StoreBytes", "StoreCollections", "StoreState", "StoreValues",
      ],
    ),
    .testTarget(
      name: "StoreActorTests",
      dependencies: [
        "GenericState", "StoreActor", "StoreDependencies", "StoreState", reportsToTests,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      exclude: ["Macros"],
    ),
    .testTarget(
      name: "MacroUseTests",
      dependencies: [
        "GenericState", "StoreActor", "StoreBytes", "StoreCollections", "StoreState", "StoreValues",
        reportsToTests,
      ],
      path: "Tests/StoreActorTests/Macros",
    ),
    // The expansions are compiled into their tests (a link to their folder): a test target that
    // depends on a macro would have the package manager build the whole package twice.
    .testTarget(
      name: "StoreActorMacrosTests",
      dependencies: [
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ],
      exclude: ["Expansions/StoreActorPlugin.swift"],
    ),
    .testTarget(
      name: "StoreActorClassicTests",
      dependencies: [
        "StoreActorClassic", "TerminalViews", reportsToTests,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
    ),
    .testTarget(
      name: "StateContainerTests",
      dependencies: ["StateContainers", "StoreActor", reportsToTests],
    ),
    // What a user's compiler says of mistakes; the files with them are compiled by the tests.
    .testTarget(
      name: "SlipTests",
      dependencies: ["StoreActor", "StoreReplication"],
      exclude: ["Slips"],
    ),
    .testTarget(name: "SimplexTests", dependencies: ["StoreActorSimplex", reportsToTests]),

    // The samples of the documents that the project starts from: see Tests/SampleTests/README.md.
    .testTarget(
      name: "ClassicSampleTests",
      dependencies: [
        "StoreActor", "StoreActorClassic", "StoreTesting", "TerminalViews", reportsToTests,
      ],
      path: "Tests/SampleTests/Classic",
    ),
    .testTarget(
      name: "AsyncSampleTests",
      dependencies: [
        "StoreActor", "StoreActorClassic", "StoreTesting", "TerminalViews", reportsToTests,
      ],
      path: "Tests/SampleTests/Async",
    ),
    .testTarget(
      name: "ModernSampleTests",
      dependencies: ["StoreActor", "TerminalViews", reportsToTests],
      path: "Tests/SampleTests/Modern",
    ),
    .testTarget(
      name: "MixedContainerSampleTests",
      dependencies: ["StateContainersMixed", "StoreActor", reportsToTests],
      path: "Tests/SampleTests/Containers/Mixed",
    ),
    .testTarget(
      name: "ContainerSampleTests",
      dependencies: [
        "StateContainers", "StoreActor", "StoreTesting", "TerminalViews", reportsToTests,
      ],
      path: "Tests/SampleTests/Containers/Separated",
    ),
    .testTarget(
      name: "SimplexSampleTests",
      dependencies: [
        "StoreActor", "StoreActorSimplex", "StoreTesting", "TerminalViews", reportsToTests,
      ],
      path: "Tests/SampleTests/Simplex",
    ),
    // The one idea of other architectures, each as a feature: see docs/guides/ComingFrom.md.
    .testTarget(
      name: "ArchitectureSampleTests",
      dependencies: ["StoreActor", "StoreTesting", reportsToTests],
      path: "Tests/SampleTests/Architectures",
    ),
    // A module with the names of another dependency library, and a feature beside it: see
    // docs/guides/Dependencies.md.
    .target(name: "OtherDependencies", path: "Tests/SampleTests/BothDependencies/Other"),
    .testTarget(
      name: "BothDependenciesSampleTests",
      dependencies: ["OtherDependencies", "StoreActor", "StoreTesting", reportsToTests],
      path: "Tests/SampleTests/BothDependencies/App",
    ),

    // A feature folder of five modules as it would be written against the original, but for the
    // import lines.
    .target(
      name: "LoanClient",
      dependencies: ["StoreActor"],
      path: "Tests/SampleTests/Ported/LoanClient",
    ),
    .target(
      name: "CatalogFeature",
      dependencies: ["LoanClient", "StoreActor"],
      path: "Tests/SampleTests/Ported/CatalogFeature",
    ),
    .target(
      name: "LoginFeature",
      dependencies: ["LoanClient", "StoreActor"],
      path: "Tests/SampleTests/Ported/LoginFeature",
    ),
    .target(
      name: "LoanFeature",
      dependencies: ["LoanClient", "StoreActor"],
      path: "Tests/SampleTests/Ported/LoanFeature",
    ),
    .target(
      name: "DeskFeature",
      dependencies: ["CatalogFeature", "LoanClient", "LoanFeature", "LoginFeature", "StoreActor"],
      path: "Tests/SampleTests/Ported/DeskFeature",
    ),
    .testTarget(
      name: "PortedTests",
      dependencies: [
        "CatalogFeature", "DeskFeature", "LoanClient", "LoanFeature", "LoginFeature", "StoreActor",
        reportsToTests,
      ],
      path: "Tests/SampleTests/Ported/PortedTests",
    ),

    // Features as people write them for the original, by what they use of it.
    .testTarget(
      name: "OriginalTests",
      dependencies: [
        "CasePathOperator", "StoreActor", "StoreActorNetworking", "StoreActorSchedulers",
        "StoreTesting", reportsToTests,
      ],
      path: "Tests/SampleTests/Original",
    ),

    .testTarget(
      name: "StoreTestingTests",
      dependencies: [
        "StoreActor", "StoreReplication", "StoreState", "StoreTesting", reportsToTests,
      ],
    ),
    .testTarget(
      name: "StoreReplicationTests",
      dependencies: [
        "GenericState", "StoreActor", "StoreReplication", "StoreSimulation", "StoreState",
        reportsToTests,
      ],
      exclude: ["Simulation/KeptSeeds.txt", "Simulation/PlantedFaults.tsv"],
    ),
    .testTarget(
      name: "WorkspaceTests",
      dependencies: [
        "GenericState", "StoreActor", "StoreReplication", "StoreState", "StoreTesting",
        "StoredWorkspace", "StoredWorkspaceLive", reportsToTests,
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      exclude: ["Replays/PlayedGame.journal"],
    ),
    .testTarget(
      name: "TerminalViewsTests",
      dependencies: ["StoreActor", "TerminalViews", reportsToTests],
    ),
    .testTarget(
      name: "BenchmarkTests",
      dependencies: [
        "HostBench", "StateBench", "StoreBench", "StoreJournal", "StoreReplication", "StorectlMain",
        "StoredMain",
      ],
    ),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "GenericState", "StoreActor", "StoreClient", "StoreDaemon", "StoreReplication",
        "StoreState", "StoreTesting", "StorectlMain", "StoredMain", "StoredWorkspace",
        "TerminalViews",
        "TraceExport",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      exclude: ["Screens/Golden"],
    ),
    .testTarget(
      name: "ProcessTests",
      dependencies: [
        "CZMQ", "ClosingClient", "GenericState", "JournalProbe", "SerialProbe", "StoreActor",
        "StoreClient", "StoreJournal", "StoreReplication", "StoreState", "StorectlMain",
        "StoredMain", "StoredWorkspace",
        "StrangerDaemon", "ZeroMQ",
      ],
    ),
    // Programs that the process tests start: a daemon whose types storectl has never seen, one
    // that watches its own reducers, one that only keeps records, and a client that closes its
    // connection early.
    .executableTarget(
      name: "ClosingClient",
      dependencies: ["StoreClient"],
      path: "Tests/Programs/ClosingClient",
    ),
    .executableTarget(
      name: "StrangerDaemon",
      dependencies: ["StoreActor", "StoreDaemon", "StoreState"],
      path: "Tests/Programs/StrangerDaemon",
    ),
    .executableTarget(
      name: "SerialProbe",
      dependencies: ["StoreActor", "StoreDaemon", "StoreState", "ZeroMQ"],
      path: "Tests/Programs/SerialProbe",
    ),
    .executableTarget(
      name: "JournalProbe",
      dependencies: ["StoreJournal", "StoreReplication", "StoreState"],
      path: "Tests/Programs/JournalProbe",
    ),
  ],
  swiftLanguageModes: [.v6],
)

// A user's package has none of our settings.
let ported: Set = [
  "LoanClient", "CatalogFeature", "LoginFeature", "LoanFeature", "DeskFeature", "PortedTests",
  "OriginalTests",
]

for target in package.targets
where target.type != .system && target.type != .plugin && !ported.contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .treatAllWarnings(as: .error),
    ]
}
