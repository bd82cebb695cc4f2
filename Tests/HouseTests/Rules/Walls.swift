/// A room of the house and the guarded modules it may import; the others it may not.
struct Room {
  /// The folder's name.
  var name: String
  /// What is imported.
  var module: String
  var mayImport: Set<String>

  /// - Parameters:
  ///   - name: The folder's name.
  ///   - module: What is imported; the folder's name unless told.
  ///   - mayImport: The guarded modules that the room may import.
  init(name: String, module: String? = nil, mayImport: Set<String>) {
    self.name = name
    self.module = module ?? name
    self.mayImport = mayImport
  }
}

/// Who may import whom: the picture of the house in docs/ARCHITECTURE.md as a table.
///
/// Guarded are the rooms themselves and the outside modules in `guardedOutside`. Everything else
/// (the standard library, Foundation, collections, logging) is free.
enum Walls {
  static let rooms: [Room] = [
    Room(name: "CZMQ", mayImport: []),
    Room(name: "ZeroMQ", mayImport: ["CZMQ"] + libc),
    Room(name: "CNCurses", mayImport: []),
    Room(name: "CWidth", mayImport: []),
    Room(name: "TerminalViews", mayImport: ["CWidth", "StoreBytes"] + libc),
    Room(name: "TerminalCurses", mayImport: ["CNCurses", "TerminalViews"] + libc),
    Room(name: "StoreActorMacros", mayImport: []),
    Room(name: "StoreBytes", mayImport: libc),
    Room(name: "StoreValues", mayImport: ["StoreBytes"] + libc),
    Room(name: "StoreCollections", mayImport: ["StoreBytes", "StoreValues"] + libc),
    Room(name: "StoreState", mayImport: ["StoreBytes", "StoreCollections", "StoreValues"]),
    Room(name: "GenericState", mayImport: values + libc),
    Room(name: "StoreConcurrency", mayImport: libc),
    Room(name: "StoreClocks", mayImport: ["StoreConcurrency"]),
    Room(name: "StoreCasePaths", mayImport: []),
    Room(name: "StoreDependencies", mayImport: ["StoreBytes", "StoreClocks", "StoreConcurrency"]),
    Room(
      name: "StoreActor",
      mayImport: values + [
        "GenericState", "StoreCasePaths", "StoreClocks", "StoreConcurrency", "StoreDependencies",
      ] + libc,
    ),
    Room(name: "StoreReplication", mayImport: core + ["GenericState"]),
    Room(name: "StoreJournal", mayImport: values + ["StoreReplication"] + libc),
    Room(
      name: "StoreDaemon",
      mayImport: core + ["StoreJournal", "StoreReplication", "ZeroMQ"] + libc,
    ),
    Room(
      name: "StoreClient",
      mayImport: core + ["GenericState", "StoreReplication", "ZeroMQ"] + libc,
    ),
    Room(name: "TraceExport", mayImport: values + ["GenericState", "ZeroMQ"] + libc),
    Room(
      name: "ProgramArguments",
      mayImport: ["StoreBytes", "StoreJournal", "StoreReplication"] + libc,
    ),
    Room(name: "Workspace", module: "StoredWorkspace", mayImport: core + ["StoreReplication"]),
    Room(
      name: "WorkspaceLive",
      module: "StoredWorkspaceLive",
      mayImport: core + ["StoredWorkspace", "FoundationNetworking"],
    ),
    Room(
      name: "Daemon",
      module: "StoredMain",
      mayImport: core + libc + [
        "GenericState", "ProgramArguments", "StoreReplication", "StoreDaemon", "StoredWorkspace",
        "StoredWorkspaceLive", "TraceExport",
      ],
    ),
    Room(
      name: "Client",
      module: "StorectlMain",
      mayImport: core + libc + [
        "GenericState", "ProgramArguments", "StoreReplication", "StoreClient", "StoreJournal",
        "TerminalCurses", "TerminalViews", "StoredWorkspace", "TraceExport",
      ],
    ),
    Room(
      name: "Simulation",
      module: "StoreSimulation",
      mayImport: core + ["GenericState", "StoreReplication"],
    ),
    Room(name: "StoreTesting", mayImport: core + ["GenericState", "StoreReplication"]),
    Room(name: "Simulator", module: "SimulatorMain", mayImport: ["StoreSimulation"]),
    // What the older documents write, on top of the architecture and never below it.
    Room(name: "CasePathOperator", mayImport: core),
    Room(name: "StateContainers", mayImport: core + ["StateContainersMixed"]),
    Room(name: "StateContainersMixed", mayImport: core),
    Room(
      name: "StoreActorClassic",
      mayImport: core + ["CasePathOperator", "StoreActorSchedulers", "TerminalViews"],
    ),
    Room(name: "StoreActorNetworking", mayImport: core + ["FoundationNetworking"]),
    Room(name: "StoreActorSchedulers", mayImport: core),
    Room(
      name: "StoreActorSimplex",
      mayImport: core + ["CasePathOperator", "StoreActorClassic", "TerminalViews"],
    ),
  ]

  /// Of the guarded modules, those that only some rooms' tests may import; the rest is free to all.
  static let tests: [String: Set<String>] = [
    "CNCurses": [],
    // A daemon is looked at whose context is shut down under it, and a client's connection.
    "CZMQ": ["ProcessTests", "StoreDaemonTests", "ZeroMQTests"],
    "FoundationNetworking": ["OriginalTests", "WorkspaceLiveTests"],
  ]

  /// States and what they are made of.
  static let values: Set = ["StoreBytes", "StoreCollections", "StoreState", "StoreValues"]
  static let core: Set = values + ["StoreActor"]
  static let libc: Set = ["Bionic", "Darwin", "Glibc", "Musl"]
  static let guardedOutside = libc + ["FoundationNetworking", "Network"]

  /// The rooms that stay free of sockets, by name of a libc symbol too.
  static let socketless: Set =
    values + [
      "GenericState", "StoreActor", "StoreCasePaths", "StoreClocks", "StoreConcurrency",
      "StoreDependencies", "StoreReplication",
    ]
  static let socketNames: Set = [
    "AF_INET", "AF_INET6", "AF_UNIX", "SOCK_DGRAM", "SOCK_STREAM", "recvmsg", "sendmsg",
    "sockaddr_in", "sockaddr_un", "socketpair",
  ]

  /// The breaches of one file.
  static func check(_ file: SourceFile) -> [Breach] {
    guard let room = file.room else { return [] }
    return file.isTest
      ? checkTest(file, in: room)
      : checkProduct(file, in: room) + checkSockets(file, in: room)
  }

  /// The rooms on disk that the table does not know.
  static func unlisted(_ names: [String]) -> [Breach] {
    let known = Set(rooms.map(\.name))
    return names.filter { !known.contains($0) }.map { name in
      Breach(
        rule: "walls",
        path: "Sources/\(name)",
        line: 1,
        what: "the room \(name) is not in the table of who may import whom",
        remedy: "Give it a line in Tests/HouseTests/Rules/Walls.swift.",
      )
    }
  }

  private static func checkProduct(_ file: SourceFile, in name: String) -> [Breach] {
    guard let room = rooms.first(where: { $0.name == name }) else { return [] }
    let guarded = Set(rooms.map(\.module)) + guardedOutside
    return file.imports.compactMap { module, line in
      guard guarded.contains(module), !room.mayImport.contains(module) else { return nil }
      let allowed = room.mayImport.sorted().joined(separator: ", ")
      return Breach(
        rule: "walls",
        path: file.path,
        line: line,
        what: "\(name) imports \(module)",
        remedy: "Of the guarded modules it may import \(allowed.isEmpty ? "none" : allowed); "
          + "move the code to the room that may, or hand the value in.",
      )
    }
  }

  private static func checkTest(_ file: SourceFile, in name: String) -> [Breach] {
    file.imports.compactMap { module, line in
      guard let allowed = tests[module], !allowed.contains(name) else { return nil }
      return Breach(
        rule: "walls",
        path: file.path,
        line: line,
        what: "\(name) imports \(module)",
        remedy: "Only \(allowed.sorted().joined(separator: ", ")) may; "
          + "test through the room that wraps it.",
      )
    }
  }

  private static func checkSockets(_ file: SourceFile, in name: String) -> [Breach] {
    guard socketless.contains(name) else { return [] }
    return file.words.filter { socketNames.contains($0.text) }.map { word in
      Breach(
        rule: "walls",
        path: file.path,
        line: word.line,
        what: "\(name) names \(word.text)",
        remedy: "It knows no socket; StoreDaemon and StoreClient do the talking.",
      )
    }
  }
}

extension SourceFile {
  /// The modules that the file imports, each with its line.
  var imports: [(module: String, line: Int)] {
    let kinds: Set = [
      "actor", "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
    ]
    return code.enumerated().compactMap { index, line in
      guard line.contains("import") else { return nil }
      let words = line.split { $0 == " " || $0 == "." }.map(String.init)
      guard let keyword = words.firstIndex(of: "import"),
        words[..<keyword].allSatisfy({ $0.hasPrefix("@") || accessLevels.contains($0) }),
        let module = words[(keyword + 1)...].first(where: { !kinds.contains($0) })
      else { return nil }
      return (module, index + 1)
    }
  }
}

private let accessLevels: Set = ["fileprivate", "internal", "package", "private", "public"]

private func + (left: Set<String>, right: some Sequence<String>) -> Set<String> {
  left.union(right)
}
