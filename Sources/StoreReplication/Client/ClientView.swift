/// The view that a client follows: what its topic and indices mean, and how far it got.
@MainActor
struct ClientView {
  let nonce: UInt64
  let topic: Topic
  /// The epoch of the daemon that publishes it.
  let epoch: UInt64
  /// By index; a scope that is followed twice has both followers there.
  let scopes: [[ClientScope]]
  /// The sequence and the revision of the newest delta or bookmark.
  var sequence: UInt64 = 0
  var revision: UInt64 = 0
  /// Whether nothing is missing; what comes after a loss is of no use until the next join.
  var isIntact = true

  func contains(_ scope: ClientScope) -> Bool {
    scopes.contains { $0.contains { $0 === scope } }
  }

  /// The scopes by index: by name, in bytewise order.
  static func inOrderOfIndex(_ scopes: [ClientScope]) -> [[ClientScope]] {
    Dictionary(grouping: scopes) { Array($0.name.utf8) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map(\.value)
  }
}

/// A join under way.
@MainActor
struct ClientJoin {
  let nonce: UInt64
  /// The scopes asked for, in the order of the request.
  let asked: [Asked]
  var deadline: Instant
  /// The view that was answered; nil before the answer, and when nothing is followed.
  var view: ClientView?
  var isAnswered = false
  var echo: PublishedMessage.Echo?
  /// The captures by handle: nil while they are on their way.
  var captures: [UInt64: Capture] = [:]
  /// What of the new view came after the echo.
  var kept: [Kept] = []

  struct Asked {
    let scope: ClientScope
    let isKept: Bool
    /// The schemas that it was asked for with.
    let hashes: ClientScope.Hashes
  }

  var keepsAny: Bool { asked.contains { $0.isKept } }

  enum Capture {
    case snapshot([UInt8], total: Int, revision: UInt64)
    case replay(ArraySlice<UInt8>?, revision: UInt64)

    var isComplete: Bool {
      switch self {
      case .snapshot(let bytes, let total, _): bytes.count == total
      case .replay: true
      }
    }

    var revision: UInt64 {
      switch self {
      case .snapshot(_, _, let revision), .replay(_, let revision): revision
      }
    }
  }

  /// Whether everything has come.
  var isComplete: Bool {
    guard isAnswered else { return false }
    guard let view else { return true }
    guard echo != nil else { return false }
    return asked.allSatisfy { asked in
      guard !asked.isKept, let handle = asked.scope.handle, view.contains(asked.scope) else {
        return true
      }
      return captures[handle]?.isComplete ?? false
    }
  }
}
