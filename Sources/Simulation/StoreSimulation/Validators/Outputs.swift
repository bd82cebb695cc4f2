/// Outputs in order, and at most once: the numbers of a replica's outputs increase.
package enum OutputOrder {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.heard { replica, outputs, client in
      zip(outputs, outputs.dropFirst()).compactMap { before, after in
        if after.number > before.number { return nil }
        let order = after.number == before.number ? "twice" : "after \(before.number)"
        return Violation(
          "Outputs in order",
          "client \(client)'s replica \(replica) of \(after.scope) got \(after.number) \(order)",
        )
      }
    }
  }
}

/// Outputs in place: only followers of a scope receive its outputs, as the daemon made them or as
/// the client's build reads them, and they show the state that precedes the output.
package enum OutputPlace {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var projections = Projections(history)
    var made: [UInt64: (output: History.Output, epoch: UInt64)] = [:]
    for epoch in history.epochs {
      for output in epoch.outputs { made[output.number] = (output, epoch.number) }
    }
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      var shown: History.Shown?
      for record in records {
        if case .shown(let next) = record { shown = next }
        guard case .heard(_, let scope, let number, let bytes, let isLater) = record else {
          continue
        }
        let heard = History.Heard(scope: scope, number: number, bytes: bytes, isLater: isLater)
        if let problem = problem(heard, made[number], shown, &projections, history) {
          violations.append(
            Violation("Outputs in place", "client \(client) got \(number) of \(scope)\(problem)")
          )
        }
      }
    }
    return violations
  }

  private static func problem(
    _ heard: History.Heard,
    _ made: (output: History.Output, epoch: UInt64)?,
    _ shown: History.Shown?,
    _ projections: inout Projections,
    _ history: History,
  ) -> String? {
    guard let (output, epoch) = made else { return ", which no daemon emitted" }
    guard output.scopes.contains(heard.scope) else { return ", which is of \(output.scopes)" }
    guard heard.bytes == (heard.isLater ? output.laterBytes : output.bytes) else {
      return " with other bytes"
    }
    guard let shown else { return " before any state" }
    guard shown.epoch == epoch else {
      // An output that waited for its schema may arrive with the state of a later daemon.
      return history.order(of: shown.epoch) > history.order(of: epoch) && heard.isLater
        ? nil : " with the state of another epoch"
    }
    let differing = projections.differing(shown, at: max(output.revision, shown.revision))
    return differing.isEmpty
      ? nil : " of revision \(output.revision), showing \(differing) of \(shown.revision)"
  }
}

/// Outputs arrive: in a calm run, a follower receives every output after its snapshot, except those
/// that its build does not know.
package enum OutputReach {
  @Sendable package static func check(_ history: History) -> [Violation] {
    guard history.isCalm, history.epochs.count == 1, history.unrest == nil else { return [] }
    return history.clients.enumerated().flatMap { client, records in
      check(records, of: client, history.epochs[0].outputs)
    }
  }

  private static func check(
    _ records: [History.Record],
    of client: Int,
    _ made: [History.Output],
  ) -> [Violation] {
    var began: [Int: (scope: String, revision: UInt64)] = [:]
    var heard: [Int: [UInt64]] = [:]
    var later: Set<Int> = []
    var left: Set<Int> = []
    /// The replicas that have a snapshot and show no state yet.
    var fresh: [Int] = []
    for record in records {
      switch record {
      case .reset(let replica, let scope, let revision):
        if began[replica] == nil {
          began[replica] = (scope, revision)
          fresh.append(replica)
        }
      case .shown(let shown):
        // A replay may have made the first shown state newer than the snapshot.
        for replica in fresh { began[replica]?.revision = shown.revision }
        fresh = []
      case .heard(let replica, _, let number, _, let isLater):
        heard[replica, default: []].append(number)
        if isLater { later.insert(replica) }
      case .left(let replica): left.insert(replica)
      default: break
      }
    }
    return began.sorted { $0.key < $1.key }.compactMap { replica, start in
      let due = made.filter { $0.scopes.contains(start.scope) && $0.revision > start.revision }
      let known = due.filter { $0.laterBytes != nil }
      let numbers = heard[replica] ?? []
      // A replica without outputs may be of either build.
      let candidates = later.contains(replica) ? [known] : numbers.isEmpty ? [known, due] : [due]
      let fits = candidates.contains { candidate in
        let all = candidate.map(\.number)
        return left.contains(replica) ? all.starts(with: numbers) : all == numbers
      }
      if fits { return nil }
      let text = "heard \(numbers.count) of \(due.count) outputs of \(start.scope)"
      return Violation("Outputs arrive", "client \(client)'s replica \(replica) \(text)")
    }
  }
}

extension History {
  struct Heard {
    var scope: String
    var number: UInt64
    var bytes: [UInt8] = []
    var isLater = false
  }

  /// Judges the outputs of each replica, in order.
  func heard(_ judge: (_ replica: Int, [Heard], _ client: Int) -> [Violation]) -> [Violation] {
    var violations: [Violation] = []
    for (client, records) in clients.enumerated() {
      var heard: [Int: [Heard]] = [:]
      for case .heard(let replica, let scope, let number, _, _) in records {
        heard[replica, default: []].append(Heard(scope: scope, number: number))
      }
      for (replica, outputs) in heard.sorted(by: { $0.key < $1.key }) {
        violations += judge(replica, outputs, client)
      }
    }
    return violations
  }
}
