import StoreProtocol

/// Exactly once: within an epoch no action is reduced twice, and every action gets one outcome,
/// which is true.
package enum ExactlyOnce {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    /// The epochs and revisions that reduced each action, by tag.
    var reduced: [UInt64: [(epoch: Int, revision: UInt64)]] = [:]
    for (order, epoch) in history.epochs.enumerated() {
      for reduction in epoch.reductions {
        if reduced[reduction.tag]?.last?.epoch == order {
          violations.append(twice(reduction.tag, order))
        }
        reduced[reduction.tag, default: []].append((order, reduction.revision))
      }
    }
    for (client, records) in history.clients.enumerated() {
      violations += check(client, records, reduced, history)
    }
    return violations
  }

  private static func twice(_ tag: UInt64, _ epoch: Int) -> Violation {
    Violation("Exactly once", "\(name(tag)) was reduced twice in epoch \(epoch)")
  }

  private static func name(_ tag: UInt64) -> String {
    "client \(tag >> 32)'s action \(tag & 0xffff_ffff)"
  }

  private static func check(
    _ client: Int,
    _ records: [History.Record],
    _ reduced: [UInt64: [(epoch: Int, revision: UInt64)]],
    _ history: History,
  ) -> [Violation] {
    var violations: [Violation] = []
    var outcomes: [UInt64: Int] = [:]
    /// Actions that the daemon's build does not know.
    var unknown: Set<UInt64> = []
    for record in records {
      switch record {
      case .submitted(let tag, _, let isKnown):
        outcomes[tag] = 0
        if !isKnown { unknown.insert(tag) }
      case .settled(let tag, let outcome, let isScopeGone):
        outcomes[tag, default: 0] += 1
        let places = reduced[tag] ?? []
        let mayBeRejected = isScopeGone || unknown.contains(tag)
        if let problem = problem(outcome, places, mayBeRejected: mayBeRejected, history) {
          violations.append(Violation("Exactly once", "\(name(tag)) \(problem)"))
        }
      default: break
      }
    }
    for (tag, count) in outcomes.sorted(by: { $0.key < $1.key }) where count != 1 {
      violations.append(Violation("Exactly once", "\(name(tag)) has \(count) outcomes"))
    }
    return violations
  }

  /// Returns the fault of an outcome, given the revisions that reduced the action.
  private static func problem(
    _ outcome: Outcome,
    _ places: [(epoch: Int, revision: UInt64)],
    mayBeRejected: Bool,
    _ history: History,
  ) -> String? {
    switch outcome {
    case .applied(let revision, _):
      return problem(revision, places)
    case .replied(let reply):
      return problem(reply.revision, places)
    case .failed(let failure):
      switch failure.code {
      case Outcome.outcomeUnknown: return nil
      case Outcome.appliedNotShown:
        return problem(failure.revision ?? 0, places)
      case Outcome.expired, Outcome.notSent:
        return places.isEmpty ? nil : "was reported as not run (\(failure.code)), and was reduced"
      default: break
      }
      // In another epoch it may have been reduced before the daemon lost its state.
      if history.epochs.count == 1, !places.isEmpty {
        return "failed (\(failure.code)), and was reduced"
      }
      switch failure.code {
      case Outcome.absent, Outcome.overloaded, Outcome.crashed: return nil
      case Outcome.refused where failure.message == Board.refusal: return nil
      case Outcome.rejected:
        // A restarted daemon reports an action as rejected that an earlier daemon refused.
        let isOld = history.recoveries > 0 && failure.message.contains("started again")
        return mayBeRejected || isOld ? nil : "was rejected: \(failure.message)"
      default: return "failed without a reason: \(failure.code), \(failure.message)"
      }
    }
  }

  /// Returns the fault of a reported revision.
  private static func problem(
    _ reported: UInt64,
    _ places: [(epoch: Int, revision: UInt64)],
  ) -> String? {
    if places.contains(where: { $0.revision == reported }) { return nil }
    return "was reported as revision \(reported), and is \(places.map(\.revision))"
  }
}
