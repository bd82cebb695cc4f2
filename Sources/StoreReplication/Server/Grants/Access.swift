/// The grants that are in force.
@MainActor
final class Access {
  var grants: Grants

  init(_ grants: Grants) { self.grants = grants }
}
