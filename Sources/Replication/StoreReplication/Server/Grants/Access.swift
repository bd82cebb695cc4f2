/// The grants in force.
@MainActor
final class Access {
  var grants: Grants

  init(_ grants: Grants) { self.grants = grants }

  /// What a client may do.
  func rights(of caller: Caller) -> Rights { grants.rights(of: caller.identity, by: caller.key) }
}
