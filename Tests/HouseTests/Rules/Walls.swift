/// A target of the product, and the guarded modules that it may import; all others are forbidden.
struct Doors {
  var room: String
  var mayImport: Set<String>
}

/// The allowed imports: the picture of the house in docs/ARCHITECTURE.md as a table.
///
/// Guarded are the targets themselves and the outside modules in `guardedOutside`. All other
/// modules (the standard library, Foundation, collections, logging) are free.
enum Walls {
  static let doors: [Doors] = [
    Doors(room: "CZMQ", mayImport: []),
    Doors(room: "ZeroMQ", mayImport: ["CZMQ"] + libc),
    Doors(room: "CNCurses", mayImport: []),
    Doors(room: "CWidth", mayImport: []),
    Doors(room: "TerminalViews", mayImport: ["CWidth", "StoreBytes"] + libc),
    Doors(room: "TerminalCurses", mayImport: ["CNCurses", "TerminalViews"] + libc),
    Doors(room: "StoreActorMacros", mayImport: []),
    Doors(room: "StoreBytes", mayImport: libc),
    Doors(room: "StoreValues", mayImport: ["StoreBytes"] + libc),
    Doors(room: "StoreCollections", mayImport: ["StoreBytes", "StoreValues"] + libc),
    Doors(room: "StoreState", mayImport: ["StoreBytes", "StoreCollections", "StoreValues"]),
    Doors(room: "GenericState", mayImport: values + libc),
    Doors(room: "StoreConcurrency", mayImport: libc),
    Doors(room: "StoreClocks", mayImport: ["StoreConcurrency"]),
    Doors(room: "StoreCasePaths", mayImport: []),
    Doors(
      room: "StoreDependencies",
      mayImport: ["StoreBytes", "StoreClocks", "StoreConcurrency"],
    ),
    Doors(
      room: "StoreActor",
      mayImport: values + [
        "GenericState", "StoreCasePaths", "StoreClocks", "StoreConcurrency", "StoreDependencies",
      ] + libc,
    ),
    Doors(room: "StoreProtocol", mayImport: values + ["GenericState"]),
    Doors(room: "StoreReplica", mayImport: core + ["GenericState", "StoreProtocol"]),
    Doors(room: "StoreExposures", mayImport: core + ["StoreProtocol"]),
    Doors(
      room: "StoreHistory",
      mayImport: core + ["GenericState", "StoreExposures", "StoreProtocol"],
    ),
    Doors(
      room: "StoreServer",
      mayImport: core + ["GenericState", "StoreExposures", "StoreHistory", "StoreProtocol"],
    ),
    Doors(room: "StoreJournal", mayImport: values + ["StoreHistory", "StoreProtocol"] + libc),
    Doors(
      room: "StoreDaemon",
      mayImport: core + server + ["StoreJournal", "ZeroMQ"] + libc,
    ),
    Doors(
      room: "StoreClient",
      mayImport: core + ["GenericState", "StoreProtocol", "StoreReplica", "ZeroMQ"] + libc,
    ),
    Doors(room: "TraceExport", mayImport: values + ["GenericState", "ZeroMQ"] + libc),
    Doors(
      room: "ProgramArguments",
      mayImport: ["StoreBytes", "StoreJournal", "StoreProtocol"] + libc,
    ),
    Doors(room: "StoredWorkspace", mayImport: core + ["StoreExposures", "StoreHistory"]),
    Doors(
      room: "StoredWorkspaceLive",
      mayImport: core + ["StoredWorkspace", "FoundationNetworking"],
    ),
    Doors(
      room: "StoredMain",
      mayImport: core + libc + [
        "GenericState", "ProgramArguments", "StoreDaemon", "StoreProtocol", "StoredWorkspace",
        "StoredWorkspaceLive", "TraceExport",
      ],
    ),
    Doors(
      room: "StorectlMain",
      mayImport: core + libc + [
        "GenericState", "ProgramArguments", "StoreClient", "StoreHistory", "StoreJournal",
        "StoreProtocol", "StoreReplica", "TerminalCurses", "TerminalViews", "StoredWorkspace",
        "TraceExport",
      ],
    ),
    Doors(
      room: "StoreSimulation",
      mayImport: core + server + ["GenericState", "StoreReplica"],
    ),
    Doors(room: "StoreTesting", mayImport: core + server + ["GenericState", "StoreReplica"]),
    Doors(room: "SimulatorMain", mayImport: ["StoreSimulation"]),
    // Targets for the older documents, on top of the architecture and never below it.
    Doors(room: "CasePathOperator", mayImport: core),
    Doors(room: "StateContainers", mayImport: core + ["StateContainersMixed"]),
    Doors(room: "StateContainersMixed", mayImport: core),
    Doors(
      room: "StoreActorClassic",
      mayImport: core + ["CasePathOperator", "StoreActorSchedulers", "TerminalViews"],
    ),
    Doors(room: "StoreActorNetworking", mayImport: core + ["FoundationNetworking"]),
    Doors(room: "StoreActorSchedulers", mayImport: core),
    Doors(
      room: "StoreActorSimplex",
      mayImport: core + ["CasePathOperator", "StoreActorClassic", "TerminalViews"],
    ),
  ]

  /// The guarded modules that only some tests may import; all others are free for tests.
  static let tests: [String: Set<String>] = [
    "CNCurses": [],
    // Tests shut down a daemon's context during its run, and inspect a client's connection.
    "CZMQ": ["ProcessTests", "StoreDaemonTests", "ZeroMQTests"],
    "FoundationNetworking": [],
  ]

  /// States and their parts.
  static let values: Set = ["StoreBytes", "StoreCollections", "StoreState", "StoreValues"]
  static let core: Set = values + ["StoreActor"]
  /// A daemon's machine.
  static let server: Set = ["StoreExposures", "StoreHistory", "StoreProtocol", "StoreServer"]
  static let libc: Set = ["Bionic", "Darwin", "Glibc", "Musl"]
  static let guardedOutside = libc + ["FoundationNetworking", "Network"]
  static let guarded = Set(doors.map(\.room)) + guardedOutside

  /// The targets that use sockets; the others must not, not even by the name of a libc symbol.
  static let socketed: Set = ["StoreClient", "StoreDaemon", "ZeroMQ"]
  static let socketNames: Set = [
    "AF_INET", "AF_INET6", "AF_UNIX", "SOCK_DGRAM", "SOCK_STREAM", "recvmsg", "sendmsg",
    "sockaddr_in", "sockaddr_un", "socketpair",
  ]

  /// The breaches of one file.
  static func check(_ file: SourceFile) -> [Breach] {
    guard let room = file.room?.name else { return [] }
    if file.isTest { return checkTest(file, in: room) }
    guard file.isProduct else { return [] }
    return checkProduct(file, in: room) + checkSockets(file, in: room)
  }

  /// The targets of the product that the table lacks.
  static func unlisted(_ rooms: [Room]) -> [Breach] {
    let known = Set(doors.map(\.room))
    return rooms.filter { !known.contains($0.name) }.map { room in
      Breach(
        rule: "walls",
        path: Manifest.path,
        line: room.line,
        what: "the target \(room.name) is not in the table of imports",
        remedy: "Give it a line in Tests/HouseTests/Rules/Walls.swift.",
      )
    }
  }

  private static func checkProduct(_ file: SourceFile, in name: String) -> [Breach] {
    guard let room = doors.first(where: { $0.room == name }) else { return [] }
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
    guard !socketed.contains(name) else { return [] }
    return file.words.filter { socketNames.contains($0.text) }.map { word in
      Breach(
        rule: "walls",
        path: file.path,
        line: word.line,
        what: "\(name) names \(word.text)",
        remedy: "It knows no socket: move the code to StoreDaemon or StoreClient.",
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
