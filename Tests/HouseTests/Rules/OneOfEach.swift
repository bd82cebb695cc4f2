/// Code that must be unique: a turn for each machine, a copy of a scope for callers that know its
/// type, and one for callers that do not.
///
/// Tests, the simulator and benches must drive the product's code, so they only move bytes and
/// time.
enum OneOfEach {
  static let turn = "one-turn"
  static let replica = "one-replica"

  /// Calls that only a turn may make to a machine, or a machine to its parts.
  private static let turnCalls = [".nextFrame(", ".nextPiece(", ".nextJob(", ".nextOutgoing("]

  static let turns: Set = [
    "StoreReplica/ClientTurn.swift",
    "StoreServer/DaemonTurn.swift",
  ]

  static let replicas: Set = [
    "StoreReplica/Replicas/GenericReplica.swift",
    "StoreReplica/RemoteStore/TypedReplica.swift",
  ]

  static func check(_ file: SourceFile) -> [Breach] {
    checkTurns(file) + checkReplicas(file)
  }

  private static func checkTurns(_ file: SourceFile) -> [Breach] {
    guard !turns.contains(file.place ?? "") else { return [] }
    return file.code.enumerated().filter { _, line in
      turnCalls.contains { line.contains($0) } && !passesOn(line)
    }
    .map { index, _ in
      Breach(
        rule: turn,
        path: file.path,
        line: index + 1,
        what: "a machine is driven by another turn than the one that ships",
        remedy: "Move bytes and time into DaemonTransport or ClientTransport.",
      )
    }
  }

  /// Whether a line declares a function that forwards such a call to a part of a machine.
  private static func passesOn(_ line: String) -> Bool {
    turnCalls.contains { line.contains("func \($0.dropFirst())") }
  }

  private static func checkReplicas(_ file: SourceFile) -> [Breach] {
    // A type that holds one of the two copies, and forwards to it, is not a copy itself.
    guard !replicas.contains(file.place ?? ""), !file.code.contains(where: holdsReplica) else {
      return []
    }
    return file.code.enumerated().filter { isReplica($1) }.map { index, _ in
      Breach(
        rule: replica,
        path: file.path,
        line: index + 1,
        what: "another copy of a scope than those that ship",
        remedy: "Use TypedReplica or GenericReplica, and watch it.",
      )
    }
  }

  /// Whether a line declares a class that is a replica.
  private static func isReplica(_ line: String) -> Bool {
    guard line.contains("class "), let colon = line.firstIndex(of: ":") else { return false }
    return line[colon...].split { !$0.isLetter }.contains("Replica")
  }

  private static func holdsReplica(_ line: String) -> Bool {
    line.contains("private let copy: any Replica")
  }
}
