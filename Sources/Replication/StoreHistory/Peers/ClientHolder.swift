import StoreActor

/// The user or the key that a client id belongs to, as the journal keeps it.
///
/// Shares of limits are counted by ``Holder``, which distinguishes the owner's processes.
package enum ClientHolder: Hashable, Sendable {
  case user(UInt32)
  case key(String)
  /// An unidentified peer.
  case unknown

  /// Whether it is the owner of a daemon, or root; false for a daemon without an owner.
  package func isOwner(_ owner: UInt32?) -> Bool {
    guard let owner, case .user(let user) = self else { return false }
    return user == owner || user == 0
  }
}

extension ActionOrigin.Identity {
  package var holder: ClientHolder {
    switch self {
    case .user(let user, _, _): .user(user)
    case .key(let name): .key(name)
    case .process, .loopback, .unknown: .unknown
    }
  }
}
