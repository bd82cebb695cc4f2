/// What there is one of: a turn for each machine, and a copy of a scope for those who know its type
/// and one for those who do not.
///
/// What tests, simulator and benches drive has to be what ships, so they move bytes and time.
enum OneOfEach {
  static let turn = "one-turn"
  static let replica = "one-replica"

  /// What only a turn may ask of a machine, or a part of it that is asked for another.
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
        remedy: "Move bytes and time behind DaemonTransport or ClientTransport.",
      )
    }
  }

  /// Whether a line declares a function that asks a part of a machine for what it is asked itself.
  private static func passesOn(_ line: String) -> Bool {
    turnCalls.contains { line.contains("func \($0.dropFirst())") }
  }

  private static func checkReplicas(_ file: SourceFile) -> [Breach] {
    // What holds one of the two copies, and hands on to it, is none itself.
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
