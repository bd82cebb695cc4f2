package import StoreExposures
import StoreProtocol
import StoreState

/// Scopes whose changes the log names: one scope, or the scopes of rows.
package struct NamedScopes: Sendable {
  /// The most rows that are named for one change.
  static let mostRows = 64

  private static let mostIDBytes = Limits().rowIDBytes

  private let kind: Kind

  private enum Kind: Sendable {
    case scope(String, ErasedScope)
    case rows(
      ScopeDescription,
      Rights,
      changedIDs: @Sendable (ErasedScope.Place, ErasedScope.Place, (String) -> Void) -> Void,
    )
  }

  package init(_ name: String, _ source: ErasedScope) { kind = .scope(name, source) }

  /// The scopes of one exposure that the rights allow to see; nil if they allow no scope.
  @MainActor
  package init?(_ exposed: ExposedScopes, _ rights: Rights) {
    let description = exposed.description
    if let whole = exposed.whole {
      guard rights.sees(description.name) else { return nil }
      kind = .scope(description.name, whole.source)
    } else if let rows = exposed.rows {
      kind = .rows(description, rights, changedIDs: rows.changedIDs)
    } else {
      return nil
    }
  }

  /// The names of the scopes that differ in two roots.
  ///
  /// If there are too many rows, a pattern for the others is the last name: `todos/items/<id>`.
  func changed(from old: ErasedScope.Place, to new: ErasedScope.Place) -> [String] {
    switch kind {
    case .scope(let name, let source):
      var encoder = CBOREncoder()
      return source.encodeDelta(old, new, &encoder) ? [name] : []
    case .rows(let description, let rights, let changedIDs):
      var names: [String] = []
      var hasOthers = false
      changedIDs(old, new) { id in
        guard names.count <= Self.mostRows else { return }
        let name = "\(description.name)/\(id)"
        guard rights.sees(name) else { return }
        // A longer id is not a scope's name, and would enlarge the answer.
        if id.utf8.count <= Self.mostIDBytes { names.append(name) } else { hasOthers = true }
      }
      guard names.count > Self.mostRows || hasOthers else { return names }
      return names.prefix(Self.mostRows) + [description.pattern]
    }
  }
}
