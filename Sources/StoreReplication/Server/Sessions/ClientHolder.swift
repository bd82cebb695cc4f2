import StoreActor

/// The holder of a client, by which limits are counted.
package enum ClientHolder: Hashable, Sendable {
  case user(UInt32)
  case key(String)
  /// Nobody.
  case unknown
}

extension ClientHolder {
  /// The connection that holds most, of the holder that holds most in all; nil if none holds
  /// anything.
  ///
  /// So having more connections brings no advantage.
  ///
  /// - Parameter parts: What each connection holds, and whose it is.
  /// - Returns: The connection.
  package static func greediest<ID: Comparable>(
    of parts: [(id: ID, holder: ClientHolder, amount: Int)]
  ) -> ID? {
    var sums: [ClientHolder: Int] = [:]
    for part in parts { sums[part.holder, default: 0] += part.amount }
    let greediest = parts.max { one, other in
      (sums[one.holder] ?? 0, one.amount, one.id)
        < (sums[other.holder] ?? 0, other.amount, other.id)
    }
    return greediest?.id
  }
}

extension ActionOrigin.Identity {
  var holder: ClientHolder {
    switch self {
    case .user(let user, _, _): .user(user)
    case .key(let name): .key(name)
    case .process, .loopback, .unknown: .unknown
    }
  }
}
