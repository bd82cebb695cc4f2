/// A broken promise, with its evidence.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  package var promise: String
  package var what: String

  package init(_ promise: String, _ what: String) {
    self.promise = promise
    self.what = what
  }

  package var description: String { "\(promise): \(what)" }
}

/// The validators: each judges one promise from the history of a run alone.
package enum Validator {
  package static let all: [@Sendable (History) -> [Violation]] = [
    Rest.check, SerialOrder.check, ExactlyOnce.check, Replies.check, Crashes.check, Alarms.check,
    CutConsistency.check, DeltaOrder.check, ReadYourWrites.check, Resumption.check, Identity.check,
    SessionBound.check,
    WaitsEnd.check, WaitsSucceed.check, BackOff.check, Holding.check, Effects.check,
    OutputOrder.check, OutputPlace.check, OutputReach.check, Builds.check, Durable.check,
    Granted.check,
  ]

  /// Returns all violations in a history.
  package static func check(_ history: History) -> [Violation] { all.flatMap { $0(history) } }
}

extension History {
  func epoch(_ number: UInt64) -> Epoch? { epochs.first { $0.number == number } }

  /// Returns the index of an epoch in time.
  func order(of number: UInt64) -> Int { epochs.firstIndex { $0.number == number } ?? -1 }
}

/// Computes a scope's encoding at a revision, once for each.
struct Projections {
  private struct Key: Hashable {
    var epoch: UInt64
    var revision: UInt64
    var scope: String
    var isLater: Bool
  }

  private let history: History
  private var known: [Key: [UInt8]?] = [:]

  init(_ history: History) { self.history = history }

  /// Returns the encoding of a scope's optional state that a client's build has to show; nil if the
  /// revision does not exist.
  mutating func bytes(
    of scope: String,
    revision: UInt64,
    epoch: UInt64,
    isLater: Bool,
  ) -> [UInt8]? {
    let key = Key(epoch: epoch, revision: revision, scope: scope, isLater: isLater)
    if let bytes = known[key] { return bytes }
    var bytes: [UInt8]?
    if let roots = history.epoch(epoch)?.roots, revision < UInt64(roots.count) {
      let root = roots[Int(revision)]
      bytes =
        isLater
        ? LaterBoard.projection(of: scope, in: root) : Board.projection(of: scope, in: root)
      bytes = bytes.map(History.fold)
    }
    known[key] = .some(bytes)
    return bytes
  }

  /// Returns the scopes that do not show the daemon's state at a revision.
  mutating func differing(_ shown: History.Shown, at revision: UInt64) -> [String] {
    shown.scopes.filter { scope in
      let expected = bytes(
        of: scope.name,
        revision: revision,
        epoch: shown.epoch,
        isLater: scope.isLater,
      )
      return expected != scope.bytes
    }
    .map(\.name)
  }
}
