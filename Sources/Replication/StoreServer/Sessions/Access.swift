import StoreHistory

/// The grants in force.
@MainActor
final class Access {
  var grants: Grants

  init(_ grants: Grants) { self.grants = grants }

  /// The rights of a client.
  func rights(of caller: Caller) -> Rights { grants.rights(of: caller.identity, by: caller.key) }

  /// The holder of a client.
  func holder(of caller: Caller) -> Holder { grants.holder(of: caller.identity) }
}
