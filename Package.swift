// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

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
    // Without its default trait: our own, stricter parser reads the file of settings.
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    // Without its default trait, which links FoundationNetworking: that costs every start 14 ms.
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.3.0", traits: []),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.4.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.20.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  swiftLanguageModes: [.v6],
)

extension Target.Dependency {
  static let argumentParser = of("ArgumentParser", "swift-argument-parser")
  static let coreMetrics = of("CoreMetrics", "swift-metrics")
  static let dequeModule = of("DequeModule", "swift-collections")
  static let heapModule = of("HeapModule", "swift-collections")
  static let issueReporting = of("IssueReporting", "xctest-dynamic-overlay")
  static let logging = of("Logging", "swift-log")
  static let orderedCollections = of("OrderedCollections", "swift-collections")
  /// Makes reported issues fail the running test; without it, Linux only prints them.
  static let reports = of("IssueReportingTestSupport", "xctest-dynamic-overlay")
  static let tracing = of("Tracing", "swift-distributed-tracing")

  static func of(_ product: String, _ package: String) -> Self {
    .product(name: product, package: package)
  }
}

/// The targets with their dependencies, by the folder that has their folders: a wing of the product
/// depends on itself and on wings above it.
///
/// A target's folder has its name, unless the name is followed by "in" and another folder. The
/// comment above a target, or behind it, gives its reason. The house rules read this table as text.
let table: KeyValuePairs<String, KeyValuePairs<String, [Target.Dependency]>> = [
  "Sources/Values": [
    "StoreBytes": [],  // Canonical CBOR, digests and texts: everything that needs no schema.
    // The protocols of values that have a form in bytes; conformances of the standard types.
    "StoreValues": ["StoreBytes"],
    // Persistent collections of values; comparing two costs what differs.
    "StoreCollections": ["StoreBytes", "StoreValues"],
    // Records and choices: what the code that macros generate for states and actions calls.
    "StoreState": ["StoreBytes", "StoreCollections", "StoreValues"],
    // Values whose types are known from a schema only; features never import it.
    "GenericState": ["StoreState"],
  ],
  "Sources/Foundations": [
    "StoreConcurrency": [.issueReporting],  // Helpers for tasks, streams and locks.
    "StoreClocks": ["StoreConcurrency", .issueReporting],  // Clocks for tests.
    "StoreCasePaths": [.issueReporting],  // Key paths to the cases of enums.
    // Dependencies of features, with other values for previews and tests.
    "StoreDependencies": ["StoreBytes", "StoreClocks", "StoreConcurrency", .issueReporting],
  ],
  "Sources": [
    // The compiler plugin; no program links it.
    "StoreActorMacros in Macros": [
      .of("SwiftCompilerPlugin", "swift-syntax"), .of("SwiftDiagnostics", "swift-syntax"),
      .of("SwiftSyntax", "swift-syntax"), .of("SwiftSyntaxBuilder", "swift-syntax"),
      .of("SwiftSyntaxMacros", "swift-syntax"),
    ],
    // What a feature imports: reducers, effects, stores, navigation, shared values, test stores.
    "StoreActor": [
      "GenericState", "StoreActorMacros", "StoreBytes", "StoreCasePaths", "StoreClocks",
      "StoreConcurrency", "StoreDependencies", "StoreState", .coreMetrics, .issueReporting,
      .orderedCollections, .tracing, .of("CustomDump", "swift-custom-dump"),
    ],
  ],
  "Sources/Replication": [
    // What a daemon and its clients send each other, and the limits and periods of both.
    "StoreProtocol": ["GenericState", "StoreBytes", "StoreState"],
    // A client's state machine, and its stores; it links no daemon.
    "StoreReplica": [
      "GenericState", "StoreActor", "StoreBytes", "StoreProtocol", "StoreState", .dequeModule,
    ],
    // The parts of a root's state that clients may see, and the actions that they may send.
    "StoreExposures": ["StoreActor", "StoreBytes", "StoreProtocol", "StoreState"],
    // What a daemon records, who caused it, and who may read it.
    "StoreHistory": [
      "GenericState", "StoreActor", "StoreBytes", "StoreExposures", "StoreProtocol", "StoreState",
      .dequeModule, .heapModule,
    ],
    // A daemon's state machine: sessions, views, publishing, and the recording of each step.
    "StoreServer": [
      "GenericState", "StoreActor", "StoreBytes", "StoreExposures", "StoreHistory", "StoreProtocol",
      "StoreState", .dequeModule, .orderedCollections, .heapModule,
    ],
    // A history in a directory; clients do without it.
    "StoreJournal": ["StoreBytes", "StoreHistory", "StoreProtocol", "StoreState"],
    // Both machines joined in memory, for tests of features; no program links it.
    "StoreTesting": [
      "GenericState", "StoreActor", "StoreExposures", "StoreHistory", "StoreProtocol",
      "StoreReplica", "StoreServer", "StoreState", .dequeModule, .reports,
    ],
  ],
  "Sources": [
    "CZMQ": []  // The C header of libzmq.
  ],
  "Sources/Transport": [
    "ZeroMQ": ["CZMQ"],  // A typed wrapper of libzmq, the two event loops, and trusted files.
    // The I/O around a daemon's machine: sockets, lock, signals, keys, numbers.
    "StoreDaemon": [
      "StoreActor", "StoreExposures", "StoreHistory", "StoreJournal", "StoreProtocol",
      "StoreServer", "StoreState", "ZeroMQ", .coreMetrics, .dequeModule, .logging,
    ],
    // The I/O around a client's machine; it links no daemon.
    "StoreClient": [
      "GenericState", "StoreActor", "StoreProtocol", "StoreReplica", "StoreState", "ZeroMQ",
    ],
  ],
  // Two targets of one name cannot be built, and users have a "Workspace" or a "Client": hence the
  // longer names of these modules and of the programs'.
  "Sources/Workspace": [
    // The features, without a clock, a network or a file.
    "StoredWorkspace": ["StoreActor", "StoreExposures", "StoreHistory"],
    "StoredWorkspaceLive": ["StoreActor", "StoredWorkspace"],  // Only the daemon links them.
  ],
  "Sources/Terminal": [
    "CWidth": [],  // How wide a character is, from the C library.
    "CNCurses": [],  // The C header of ncurses, with the handlers of signals.
    "TerminalViews": ["CWidth", "StoreBytes"],  // Layout, widgets, input and sessions, on cells.
    "TerminalCurses": ["CNCurses", "TerminalViews"],  // The real terminal; view tests need none.
  ],
  "Sources/Programs": [
    // What both programs check before they parse their arguments, and their version.
    "ProgramArguments": ["StoreBytes", "StoreJournal", "StoreProtocol", .argumentParser],
    "TraceExport": ["GenericState", "StoreState", "ZeroMQ", .tracing],  // Spans as lines of a file.
  ],
  "Sources": [
    // stored: the daemon of the workspace.
    "StoredMain in Daemon": [
      "GenericState", "ProgramArguments", "StoreActor", "StoreDaemon", "StoreProtocol",
      "StoreState", "StoredWorkspace", "StoredWorkspaceLive", "TraceExport", .argumentParser,
      .coreMetrics, .logging, .tracing, .of("Configuration", "swift-configuration"),
    ],
    // storectl: a client for any daemon, on the command line and as screens.
    "StorectlMain in Client": [
      "GenericState", "ProgramArguments", "StoreActor", "StoreClient", "StoreHistory",
      "StoreJournal", "StoreProtocol", "StoreReplica", "StoreState", "StoredWorkspace",
      "TerminalCurses", "TerminalViews", "TraceExport", .argumentParser, .tracing,
    ],
  ],
  "Sources/Simulation": [
    // The world and its validators; tests use it too.
    "StoreSimulation": [
      "GenericState", "StoreActor", "StoreExposures", "StoreHistory", "StoreProtocol",
      "StoreReplica", "StoreServer", "StoreState",
    ],
    "SimulatorMain": ["StoreSimulation", .argumentParser],  // For `make simulate` and `make soak`.
  ],
  "Sources/Compatibility": [
    // The operator `/Enum.case`, which is visible wherever its module is imported.
    "CasePathOperator": ["StoreActor"],
    // The names of The Composable Architecture 0.3x.
    "StoreActorClassic": [
      "CasePathOperator", "StoreActor", "StoreActorSchedulers", "StoreState", "TerminalViews",
      .tracing,
    ],
    // Simplex.
    "StoreActorSimplex": [
      "CasePathOperator", "StoreActor", "StoreActorClassic", "StoreActorMacros", "TerminalViews",
    ],
    "StateContainersMixed": ["StoreActor"],  // State containers that subclasses extend.
    // State containers with input, feedback and output; their Store is another type.
    "StateContainers": ["StateContainersMixed", "StoreActor"],
    "StoreActorSchedulers": ["StoreActor"],  // `\.mainQueue`, and schedulers for tests.
    // `\.urlSession`; Linux links FoundationNetworking and curl for it.
    "StoreActorNetworking": ["StoreActor"],
  ],
  "Benchmarks": [
    // A daemon's costs: codecs, frames, joins, snapshots, fan-out, the journal.
    "HostBench": [
      "GenericState", "StoreActor", "StoreDaemon", "StoreHistory", "StoreJournal", "StoreProtocol",
      "StoreReplica", "StoreServer", "StoreState", "StoredWorkspace", "ZeroMQ", .dequeModule,
    ],
    "StoreBench": ["StoreActor"],  // The costs of stores in one process.
    "StateBench": ["StoreState"],  // The costs of values and collections.
  ],
  "Tests": [
    // The rules of this repository; they import no module, so that they build in seconds.
    "HouseTests": [],
    "ZeroMQTests": ["CZMQ", "ZeroMQ"],  // Sockets, loops and trusted files.
    // A daemon's connections, keys and numbers.
    "StoreDaemonTests": [
      "CZMQ", "StoreActor", "StoreDaemon", "StoreExposures", "StoreHistory", "StoreJournal",
      "StoreProtocol", "StoreServer", "StoreState", "ZeroMQ", .coreMetrics,
    ],
    // The log and its snapshots, whole and damaged.
    "StoreJournalTests": [
      "StoreBytes", "StoreHistory", "StoreJournal", "StoreProtocol", "StoreServer", "StoreState",
    ],
    // Bytes, values, collections, and states without macros.
    "StoreStateTests": [
      "GenericState", "StoreActor", "StoreBytes", "StoreCollections", "StoreState", "StoreValues",
    ],
    // Reducers, effects, stores, and the foundations.
    "StoreActorTests": [
      "GenericState", "StoreActor", "StoreDependencies", "StoreState", .reports,
      .of("InMemoryTracing", "swift-distributed-tracing"), .of("MetricsTestKit", "swift-metrics"),
    ],
    // States and actions that macros complete, beside their twins by hand.
    "MacroUseTests in StoreActorTests/Macros": [
      "GenericState", "StoreActor", "StoreBytes", "StoreCollections", "StoreState", "StoreValues",
      .reports,
    ],
    // The macros' expansions, compiled into the tests by a link to their folder: a test target that
    // depends on a macro would have the package manager build the whole package twice.
    "StoreActorMacrosTests": [
      .of("SwiftDiagnostics", "swift-syntax"), .of("SwiftParser", "swift-syntax"),
      .of("SwiftSyntax", "swift-syntax"), .of("SwiftSyntaxBuilder", "swift-syntax"),
      .of("SwiftSyntaxMacroExpansion", "swift-syntax"), .of("SwiftSyntaxMacros", "swift-syntax"),
      .of("SwiftSyntaxMacrosGenericTestSupport", "swift-syntax"),
    ],
    "SlipTests": ["StoreActor", "StoreExposures"],  // What the compiler says about users' mistakes.
    // Both machines, step by step and in the simulator.
    "StoreReplicationTests": [
      "GenericState", "StoreActor", "StoreExposures", "StoreHistory", "StoreProtocol",
      "StoreReplica", "StoreServer", "StoreSimulation", "StoreState", .reports,
    ],
    // Remote test stores and replays.
    "StoreTestingTests": [
      "StoreActor", "StoreExposures", "StoreReplica", "StoreServer", "StoreState", "StoreTesting",
      .reports,
    ],
    // The features that ship, and their live values.
    "WorkspaceTests": [
      "GenericState", "StoreActor", "StoreExposures", "StoreHistory", "StoreProtocol",
      "StoreServer", "StoreState", "StoreTesting", "StoredWorkspace", "StoredWorkspaceLive",
      .reports, .of("FlyingFox", "FlyingFox"), .of("FlyingSocks", "FlyingFox"),
    ],
    "TerminalViewsTests": ["StoreActor", "TerminalViews", .reports],  // On a grid of cells.
    // The API of 0.3x.
    "StoreActorClassicTests": [
      "StoreActorClassic", "TerminalViews", .reports, .tracing,
      .of("InMemoryTracing", "swift-distributed-tracing"),
    ],
    "StateContainerTests": ["StateContainers", "StoreActor", .reports],  // Both containers.
    "SimplexTests": ["StoreActorSimplex", .reports],  // The API of Simplex.
    // The benchmarks' code and scripts.
    "BenchmarkTests": [
      "HostBench", "StateBench", "StoreBench", "StoreJournal", "StorectlMain", "StoredMain",
    ],
    // The programs' code within the tests' process: arguments, output, screens.
    "ClientTests": [
      "GenericState", "StoreActor", "StoreClient", "StoreDaemon", "StoreExposures", "StoreProtocol",
      "StoreReplica", "StoreServer", "StoreState", "StoreTesting", "StorectlMain", "StoredMain",
      "StoredWorkspace", "TerminalViews", "TraceExport", .logging, .tracing,
    ],
    // The built programs, started and killed.
    "ProcessTests": [
      "CZMQ", "ClosingClient", "GenericState", "JournalProbe", "SerialProbe", "SimulatorMain",
      "StoreActor", "StoreClient", "StoreHistory", "StoreJournal", "StoreProtocol", "StoreReplica",
      "StoreServer", "StoreState", "StorectlMain", "StoredMain", "StoredWorkspace",
      "StrangerDaemon", "ZeroMQ",
    ],
  ],
  "Tests/Programs": [
    "ClosingClient": ["StoreClient"],  // A client that closes its connection early.
    // A daemon whose types storectl has never seen.
    "StrangerDaemon": ["StoreActor", "StoreDaemon", "StoreState"],
    // A daemon that watches its own reducers.
    "SerialProbe": ["StoreActor", "StoreDaemon", "StoreState", "ZeroMQ"],
    "JournalProbe": ["StoreHistory", "StoreJournal", "StoreState"],  // It writes records.
  ],
  // The samples of documents and guides: see Tests/SampleTests/README.md.
  "Tests/SampleTests": [
    // The Composable Architecture 0.3x.
    "ClassicSampleTests in Classic": [
      "StoreActor", "StoreActorClassic", "StoreTesting", "TerminalViews", .reports,
    ],
    // The same with async effects.
    "AsyncSampleTests in Async": [
      "StoreActor", "StoreActorClassic", "StoreTesting", "TerminalViews", .reports,
    ],
    "ModernSampleTests in Modern": ["StoreActor", "TerminalViews", .reports],  // With `@Reducer`.
    // State containers that subclasses extend.
    "MixedContainerSampleTests in Containers/Mixed": [
      "StateContainersMixed", "StoreActor", .reports,
    ],
    // State containers with input, feedback and output.
    "ContainerSampleTests in Containers/Separated": [
      "StateContainers", "StoreActor", "StoreTesting", "TerminalViews", .reports,
    ],
    // Simplex.
    "SimplexSampleTests in Simplex": [
      "StoreActor", "StoreActorSimplex", "StoreTesting", "TerminalViews", .reports,
    ],
    // The one idea of each of five other architectures: docs/guides/ComingFrom.md.
    "ArchitectureSampleTests in Architectures": ["StoreActor", "StoreTesting", .reports],
    // A feature beside another dependency library: docs/guides/Dependencies.md.
    "BothDependenciesSampleTests in BothDependencies/App": [
      "OtherDependencies", "StoreActor", "StoreTesting", .reports,
    ],
    "OtherDependencies in BothDependencies/Other": [],  // That library: a module with its names.
    // Features as people write them for the original, by the API that they use.
    "OriginalTests in Original": [
      "CasePathOperator", "StoreActor", "StoreActorNetworking", "StoreActorSchedulers",
      "StoreTesting", .reports,
    ],
  ],
  // A feature folder of five modules as written for the original, but for the import lines.
  "Tests/SampleTests/Ported": [
    "LoanClient": ["StoreActor"],  // A dependency client, which the others share.
    "CatalogFeature": ["LoanClient", "StoreActor"],  // A searched list.
    "LoginFeature": ["LoanClient", "StoreActor"],  // A login in two steps.
    "LoanFeature": ["LoanClient", "StoreActor"],  // An alert and a dialog.
    // An enum reducer at the root with a stack and a sheet.
    "DeskFeature": ["CatalogFeature", "LoanClient", "LoanFeature", "LoginFeature", "StoreActor"],
    // Their tests.
    "PortedTests": [
      "CatalogFeature", "DeskFeature", "LoanClient", "LoanFeature", "LoginFeature", "StoreActor",
      .reports,
    ],
  ],
]

/// What installs a C library where the system lacks it.
let providers: [String: [SystemPackageProvider]] = [
  "CZMQ": [.apt(["libzmq3-dev"]), .brew(["zeromq"])],
  "CNCurses": [.apt(["libncurses-dev"]), .brew(["ncurses"])],
]

/// Files in targets' folders that are not compiled there.
let excluded = [
  "StoreActorTests": ["Macros"], "SlipTests": ["Slips"], "ClientTests": ["Screens/Golden"],
  "StoreActorMacrosTests": ["Expansions/StoreActorPlugin.swift", "Expansions/README.md"],
  "StoreReplicationTests": ["Simulation/KeptSeeds.txt", "Simulation/PlantedFaults.tsv"],
  "WorkspaceTests": ["Replays/PlayedGame.journal"],
]

/// Places at which tests can end a daemon within a step: in debug builds, and on request.
let failpoints = SwiftSetting.define(
  "FAILPOINTS",
  Context.environment["FAILPOINTS"] == nil ? .when(configuration: .debug) : nil,
)

for (folder, targets) in table {
  for (key, needs) in targets {
    let words = key.split(separator: " ").map(String.init)
    let (name, path) = (words[0], "\(folder)/\(words[words.count - 1])")
    let target: Target =
      switch name {
      case "CZMQ":
        .systemLibrary(name: name, path: path, pkgConfig: "libzmq", providers: providers[name])
      case "CNCurses", "CWidth":
        .systemLibrary(name: name, path: path, providers: providers[name])
      case "StoreActorMacros": .macro(name: name, dependencies: needs, path: path)
      case _ where name.hasSuffix("Tests"):
        .testTarget(name: name, dependencies: needs, path: path)
      case _ where name.hasSuffix("Main") || ["Benchmarks", "Tests/Programs"].contains(folder):
        .executableTarget(name: name, dependencies: needs, path: path)
      default: .target(name: name, dependencies: needs, path: path)
      }
    package.targets.append(target)
    guard target.type != .system else { continue }
    target.exclude = (excluded[name] ?? []) + (folder == "Sources" ? ["README.md"] : [])
    // A user's package has none of our settings.
    guard !path.contains("/Ported/"), name != "OriginalTests" else { continue }
    target.swiftSettings =
      (["StoreDaemon", "StoreHistory"].contains(name) ? [failpoints] : []) + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
      ]
  }
}
