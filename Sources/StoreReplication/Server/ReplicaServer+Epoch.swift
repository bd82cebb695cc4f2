extension ReplicaServer {
  /// How the epoch's history came about.
  enum Continuation: Hashable {
    /// All of it is this daemon's, or there was none in this epoch that was longer.
    case own
    /// A journal had it, of which an older copy may have been put back.
    case inherited
    /// A client has seen more of it than there is: another epoch is to be noted.
    case refuted
    /// It is being noted.
    case renewing(UInt64)
  }

  /// Whether history is about to go on in another epoch, so that nobody may begin in this one.
  var isRenewing: Bool {
    switch continuation {
    case .own, .inherited: false
    case .refuted, .renewing: true
    }
  }

  /// Whether what somebody asks for has to wait, since the journal has less than somebody has seen.
  ///
  /// Nothing is told of a revision before it is durable. So who has seen a later one than there is
  /// has seen a history that went on from here in another way.
  func isBehind(_ requests: [ClientMessage.JoinRequest]) -> Bool {
    if continuation == .inherited,
      let seen = requests.compactMap(\.position)
        .first(where: { $0.epoch == epoch && $0.revision > root.revision })
    {
      continuation = .refuted
      let text =
        "History ends at revision \(root.revision), and a client has seen \(seen.revision): an "
        + "older copy of the journal was put back. It goes on in another epoch."
      notices.append(ServerNotice(kind: .warning, peer: "journal", text: text))
    }
    return isRenewing
  }

  /// The epoch that is to be noted now; nil when there is none.
  func nextEpoch() -> UInt64? {
    guard continuation == .refuted else { return nil }
    let epoch = random.identifier().high
    continuation = .renewing(epoch)
    return epoch
  }

  /// History goes on in another epoch, which is durable: everybody has to ask anew.
  func begin(_ epoch: UInt64) {
    guard continuation == .renewing(epoch) else { return }
    continuation = .own
    self.epoch = epoch
    joins.epoch = epoch
    let message =
      "The daemon's history was rolled back to revision \(root.revision), and goes on from there. "
      + "Actions without an outcome are sent again."
    for session in sessions.all { end(session, code: "rolledBack", message: message) }
  }
}
