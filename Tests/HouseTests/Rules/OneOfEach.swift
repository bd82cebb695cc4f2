/// What there is one of: a turn for each machine, and a copy of a scope for those who know its type
/// and one for those who do not.
///
/// What tests, simulator and benches drive has to be what ships, so they move bytes and time.
enum OneOfEach {
  static let turn = "one-turn"
  static let replica = "one-replica"

  /// What only a turn may ask of a machine, or whoever passes it on.
  private static let turnCalls = [
    "nextFrame()", "nextPiece()", "nextJob()", "nextOutgoing()", "takeOutgoing()", "takeJobs()",
  ]

  private static let turns: Set = [
    "Sources/StoreReplication/Client/ClientTurn.swift",
    "Sources/StoreReplication/Client/ReplicaClient.swift",
    "Sources/StoreReplication/Server/DaemonTurn.swift",
    "Sources/StoreReplication/Server/Joins.swift",
    "Sources/StoreReplication/Server/ReplicaServer.swift",
    "Tests/StoreReplicationTests/Support/ReplicaClient+Taking.swift",
  ]

  private static let replicas: Set = [
    "Sources/StoreReplication/Client/GenericReplica.swift",
    "Sources/StoreReplication/RemoteStore/TypedReplica.swift",
    // Holds one of the two, and writes down what is done to it.
    "Sources/Simulation/World/SimulatedReplica.swift",
  ]

  static func check(_ file: SourceFile) -> [Breach] {
    file.code.enumerated().flatMap { index, line in
      var breaches: [Breach] = []
      if !turns.contains(file.path), turnCalls.contains(where: { line.contains($0) }) {
        breaches.append(
          Breach(
            rule: turn,
            path: file.path,
            line: index + 1,
            what: "a machine is driven by another turn than the one that ships",
            remedy: "Move bytes and time behind DaemonTransport or ClientTransport.",
          )
        )
      }
      if !replicas.contains(file.path), isReplica(line) {
        breaches.append(
          Breach(
            rule: replica,
            path: file.path,
            line: index + 1,
            what: "another copy of a scope than those that ship",
            remedy: "Use TypedReplica or GenericReplica, and watch it.",
          )
        )
      }
      return breaches
    }
  }

  /// Whether a line declares a class that is a replica.
  private static func isReplica(_ line: String) -> Bool {
    guard line.contains("class "), let colon = line.firstIndex(of: ":") else { return false }
    return line[colon...].split { !$0.isLetter }.contains("Replica")
  }
}
