package import StoreActor
package import StoreExposures
import StoreProtocol

/// The actions of the past whose names a client with some rights receives.
package struct SeenActions: Sendable {
  /// The name of an action, and the scope that it was sent to.
  struct Seen {
    var name: String?
    /// The scope of a client's action; nil for other actions.
    var scope: String?
  }

  private let rights: Rights
  /// The names of the scopes that an action of the root belongs to, from its durable form.
  private let scopes: @Sendable (_ action: [UInt8]) -> [String]

  /// - Parameters:
  ///   - rights: The client's rights.
  ///   - form: The durable form of the root's actions, if they have one.
  ///   - exposed: The exposures of the root.
  @MainActor
  package init<Action>(
    _ rights: Rights,
    _ form: StoredActionForm<Action>?,
    among exposed: [ExposedScopes],
  ) {
    self.rights = rights
    let names = exposed.map(\.scopeName)
    scopes = { bytes in
      guard let action = form?.read(bytes) else { return [] }
      return withUnsafePointer(to: action) { place in
        names.compactMap { $0(UnsafeRawPointer(place)) }
      }
    }
  }

  /// The action of a record; nil if no scope that the client may see has it.
  ///
  /// Names are without the ids of rows, which the scope's state may hide.
  func action(of record: JournalRecord) -> Seen? {
    switch record.origin {
    case .client(let action):
      guard rights.sees(action.scope) else { return nil }
      return Seen(name: ActionName.read(action.action[...]), scope: action.scope)
    case .internal(let action):
      guard let form = action.form else { return nil }
      let scopes = form.scope.map { [$0] } ?? scopes(form.action)
      return scopes.contains { rights.sees($0) } ? Seen(name: action.name.withoutElementIDs) : nil
    case .daemon, .session, .restored: return nil
    }
  }
}

extension String {
  /// An action's name without everything from its first id to its last one, whatever their texts.
  fileprivate var withoutElementIDs: String {
    guard let start = firstIndex(of: "["), let end = lastIndex(of: "]"), start < end else {
      return self
    }
    return "\(self[..<start])[…]\(self[index(after: end)...])"
  }
}
