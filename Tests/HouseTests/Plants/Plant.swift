/// A file with a breach of one rule, to be planted into targets.
struct Plant: Sendable {
  /// The rule's short name, as in its breaches.
  let rule: String
  /// The planted file's path within the target's folder.
  let path: String
  /// The targets in which the rule holds.
  let place: Place
  /// The file's text for a target.
  let text: @Sendable (Room) -> String

  init(
    _ rule: String,
    at path: String = "Planted.swift",
    in place: Place = .product(except: []),
    text: @escaping @Sendable (Room) -> String,
  ) {
    (self.rule, self.path, self.place, self.text) = (rule, path, place, text)
  }

  /// A selection of targets.
  enum Place: Sendable {
    /// The targets of all wings, except some.
    case product(except: Set<String>)
    /// The targets with these names.
    case targets(Set<String>)
    /// Test targets, except some.
    case tests(except: Set<String>)
  }

  func holds(in room: Room) -> Bool {
    switch place {
    case .product(let excepted): room.wing != nil && !excepted.contains(room.name)
    case .targets(let names): names.contains(room.name)
    case .tests(let excepted):
      room.folder.hasPrefix("Tests/") && room.name.hasSuffix("Tests")
        && !excepted.contains(room.name)
    }
  }

  /// The file with the breach; the number makes the names of several plants in one target unique.
  func file(in room: Room, number: Int) -> SourceFile {
    var parts = path.split(separator: "/").map(String.init)
    parts[parts.count - 1] = "\(number)\(parts[parts.count - 1])"
    let path = "\(room.folder)/\(parts.joined(separator: "/"))"
    return SourceFile(path: path, text: text(room), room: room)
  }
}

extension Plant {
  static let all: [Plant] = [lengths, reasons, kinds, walls, pages, tables, bans, inTests]
    .flatMap(\.self)

  private static let lengths: [Plant] = [
    Plant("line-length") { _ in "let a = \(String(repeating: "1", count: 100))\n" },
    Plant("file-length") { _ in String(repeating: "\n", count: 801) },
    Plant("function-length") { _ in
      "func planted() {\n\(String(repeating: "  work()\n", count: 59))}\n"
    },
  ]

  private static let reasons: [Plant] = [
    Plant("unexplained: @unchecked Sendable") { _ in "class Planted: @unchecked Sendable {}\n" },
    Plant("unexplained: nonisolated(unsafe)") { _ in "nonisolated(unsafe) var planted = 1\n" },
    Plant("one-word") { _ in "/// Nothing.\nlet planted = 1\n" },
    Plant("unfinished") { _ in "let planted = 1  // \(Reasons.marks[0]): more\n" },
  ]

  private static let kinds: [Plant] = [
    Plant("names") { "struct \($0.name) {}\n" },
    Plant("names", at: "planted.c") { _ in "int planted;\n" },
    Plant("callers") { "public struct Planted\($0.name) {}\n" },
    Plant("dynamic members") { room in
      "@dynamicMemberLookup\npublic struct Looks\(room.name) {\n  public var planted: Int\n}\n"
    },
    Plant(OneOfEach.turn) { _ in "let planted = server.nextFrame()\n" },
    Plant(OneOfEach.replica) { _ in "final class Planted<State>: Replica {}\n" },
  ]

  private static let walls: [Plant] = [
    // Each of these two C headers is walled off from all targets except one.
    Plant("walls", in: .product(except: ["ZeroMQ"])) { room in
      "import \(room.name == "CZMQ" ? "StoreBytes" : "CZMQ")\n"
    },
    Plant("walls", in: .product(except: ["TerminalCurses"])) { room in
      "internal import \(room.name == "CNCurses" ? "StoreBytes" : "CNCurses")\n"
    },
    Plant("walls", in: .product(except: ["StoreClient", "StoreDaemon", "ZeroMQ"])) { _ in
      "let planted = socket(AF_UNIX, 1, 0)\n"
    },
    Plant("walls", in: .tests(except: ["ProcessTests", "StoreDaemonTests", "ZeroMQTests"])) { _ in
      "import CZMQ\n"
    },
  ]

  private static let pages: [Plant] = [
    Plant("links", at: "planted.md") { _ in "[a](missing.md)\n" },
    Plant("architecture", at: "planted.md") { _ in "See `Sources/Missing/File.swift`.\n" },
    Plant("code blocks", at: "Planted.docc/Planted.md") { _ in
      "```swift\nnobody.compiles(this)\n```\n"
    },
  ]

  private static let tables: [Plant] = Tables.rooms.map { room in
    Plant(
      Tables.rule,
      at: "\(room.drop { $0 != "/" }.dropFirst())Planted.swift",
      in: .targets([String(room.prefix { $0 != "/" })]),
    ) { _ in "struct Planted {\n  var names: [String] = []\n}\n" }
  }

  private static let inTests: [Plant] = [
    Plant("banned: Task.sleep", in: .tests(except: [])) { _ in
      "try await Task.sleep(for: .seconds(1))\n"
    },
    Plant("file-length", in: .tests(except: [])) { _ in String(repeating: "\n", count: 1_201) },
    Plant("time limits", in: .targets(["HouseTests"])) { _ in
      "@Suite(.timeLimit(.minutes(1))) struct Planted {}\n"
    },
  ]

  private static let everywhere = [
    "DispatchQueue.global", "DispatchSemaphore", "Thread.sleep", "usleep(", "sleep(",
  ]
  private static let inProduct = ["try!", "fatalError(", "Task.detached"]
  private static let inReplication = [
    "Task", "Date()", "Date.now", "ContinuousClock", "SuspendingClock", "UUID()",
    "SystemRandomNumberGenerator", "FileManager", "random(",
  ]

  private static let bans: [Plant] = [
    (everywhere + inProduct).map { ban($0, in: .product(except: [])) },
    everywhere.map { ban($0, in: .tests(except: [])) },
    inReplication.map { ban($0, in: .targets(BannedCalls.machines)) },
    [ban("print(", in: .product(except: ["SimulatorMain", "StorectlMain", "StoredMain"]))],
  ].flatMap(\.self)

  private static func ban(_ code: String, in place: Place) -> Plant {
    Plant("banned: \(code)", in: place) { _ in
      "let planted = \(code)\(code.hasSuffix("(") ? ")" : " { }")\n"
    }
  }
}
