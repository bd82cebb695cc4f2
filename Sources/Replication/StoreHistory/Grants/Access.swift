/// The grants in force.
@MainActor
package final class Access {
  package var grants: Grants

  package init(_ grants: Grants) { self.grants = grants }

  /// The rights of a client.
  package func rights(of caller: Caller) -> Rights {
    grants.rights(of: caller.identity, by: caller.key)
  }
}
