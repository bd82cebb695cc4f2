/// Code that is banned in some places, and its replacement.
struct Ban: Sendable {
  /// The code, matched at word boundaries.
  var code: String
  var instead: String
  /// Whether the ban holds in a file.
  var holds: @Sendable (SourceFile) -> Bool
  /// Whether only a bare call counts: not a method's (`clock.sleep(`), not a declaration.
  var isBare = false
  /// Code that makes a line allowed if the line also contains it.
  var unless: String?

  var rule: String { "banned: \(code)" }
}

enum BannedCalls {
  static let bans: [Ban] =
    everywhere + inProduct + inReplication + inReplicationUnseeded + inTests

  private static let everywhere = [
    Ban(
      code: "DispatchQueue.global",
      instead: "Use structured tasks; a helper thread belongs to one type that joins it.",
      holds: { _ in true },
    ),
    Ban(
      code: "DispatchSemaphore",
      instead: "Await an answer, or hand over under a Mutex with a condition.",
      holds: { _ in true },
    ),
    Ban(
      code: "Thread.sleep",
      instead: "Wait for the condition itself; time is a clock that is handed in.",
      holds: { _ in true },
    ),
    Ban(
      code: "usleep(",
      instead: "Wait for the condition itself; time is a clock that is handed in.",
      holds: { _ in true },
      isBare: true,
    ),
    Ban(
      code: "sleep(",
      instead: "Wait for the condition itself; time is a clock that is handed in.",
      holds: { _ in true },
      isBare: true,
    ),
  ]

  private static let inProduct = [
    Ban(
      code: "try!",
      instead: "Throw a typed error; for our own mistakes use precondition with the numbers.",
      holds: isProduct,
    ),
    Ban(
      code: "fatalError(",
      instead: "Use preconditionFailure with the numbers; external input gets an error.",
      holds: isProduct,
    ),
    Ban(
      code: "Task.detached",
      instead: "Use a child task, or a Task that its owner keeps and cancels.",
      holds: isProduct,
    ),
    Ban(
      code: "print(",
      instead: "Standard output belongs to the programs; log, or return the text.",
      holds: { isProduct($0) && !isProgram($0) },
      isBare: true,
    ),
  ]

  private static let inReplication = [
    ("Task", "Return an output for the shell to perform."),
    ("Date()", "The time is part of the input."),
    ("Date.now", "The time is part of the input."),
    ("ContinuousClock", "The time is part of the input."),
    ("SuspendingClock", "The time is part of the input."),
    ("UUID()", "Random numbers are part of the input."),
    ("SystemRandomNumberGenerator", "Random numbers are part of the input."),
    ("FileManager", "Return an output for the shell to perform."),
  ].map { code, instead in
    Ban(
      code: code,
      instead: "The protocol is pure. \(instead)",
      // `RemoteStore` is the place at which callbacks become `async`; the machines are elsewhere.
      holds: { isPure($0) && $0.place?.hasPrefix("StoreReplica/RemoteStore/") != true },
    )
  }

  /// A generator that is passed in keeps the protocol pure.
  private static let inReplicationUnseeded = [
    Ban(
      code: "random(",
      instead: "The protocol is pure. Hand the generator in: random(using:).",
      holds: isPure,
      unless: "using",
    )
  ]

  private static let inTests = [
    Ban(
      code: "Task.sleep",
      instead: "Time is a test clock; wait for a condition with yields and a limit.",
      holds: { $0.isTest },
    )
  ]

  static func check(_ file: SourceFile, bans: [Ban] = bans) -> [Breach] {
    bans.filter { $0.holds(file) }.flatMap { ban in
      file.code.enumerated().flatMap { index, line in
        if let unless = ban.unless, line.contains(unless) { return [Breach]() }
        return finds(of: ban.code, in: line, isBare: ban.isBare).map { _ in
          Breach(
            rule: ban.rule,
            path: file.path,
            line: index + 1,
            what: "`\(ban.code)` is not written here",
            remedy: ban.instead,
          )
        }
      }
    }
  }

  @Sendable private static func isProduct(_ file: SourceFile) -> Bool {
    file.isProduct || file.path.hasPrefix("Examples/")
  }

  /// The targets of the protocol's machines.
  static let machines: Set = [
    "StoreProtocol", "StoreReplica", "StoreExposures", "StoreHistory", "StoreServer",
  ]

  /// The protocol's machines, which take bytes and time and return bytes.
  @Sendable private static func isPure(_ file: SourceFile) -> Bool {
    file.room.map { machines.contains($0.name) } == true
  }

  /// The targets that write to standard output.
  private static let programs: Set = ["SimulatorMain", "StorectlMain", "StoredMain"]

  @Sendable private static func isProgram(_ file: SourceFile) -> Bool {
    file.path.hasPrefix("Examples/") || file.room.map { programs.contains($0.name) } == true
  }
}

/// The offsets in a line of code at which a piece of code occurs as separate words.
func finds(of code: String, in line: String, isBare: Bool = false) -> [Int] {
  let wanted = Array(code.utf8)
  guard let first = wanted.first, let last = wanted.last, line.utf8.count >= wanted.count else {
    return []
  }
  let bytes = Array(line.utf8)
  return (0...(bytes.count - wanted.count)).filter { start in
    guard bytes[start] == first, bytes[start..<(start + wanted.count)].elementsEqual(wanted) else {
      return false
    }
    let end = start + wanted.count
    if first.isWord, start > 0, bytes[start - 1].isWord { return false }
    if last.isWord, end < bytes.count, bytes[end].isWord { return false }
    return !isBare || isBareCall(String(decoding: bytes[..<start], as: UTF8.self))
  }
}

/// Whether the name after this text is a free function's: not a method's, not a declaration's.
private func isBareCall(_ before: String) -> Bool {
  if before.hasSuffix("func ") || before.hasSuffix("`") { return false }
  guard before.hasSuffix(".") else { return true }
  let owner = before.dropLast().split { !$0.isLetter }.last.map(String.init) ?? ""
  return ["Darwin", "Foundation", "Glibc", "Musl", "Swift"].contains(owner)
}
