package import StoreActor
import StoreBytes
import StoreState

/// The scopes of a client as shared values: what `.store` stands for in a program that has one.
///
/// Sendable because `links` is guarded by the lock, and what is the main actor's is only touched
/// there.
package final class ClientSharedScopes: SharedScopes, @unchecked Sendable {
  let client: ReplicaClient
  /// What moves the client's bytes, and is kept as long as somebody shares a value.
  private let connection: (any AnyObject & Sendable)?
  private let links = LockIsolated<[LinkID: WeakLink]>([:])
  /// What shows something new and was not taken over yet.
  @MainActor private var shown: [any SharedTakeover] = []

  private struct LinkID: Hashable {
    let name: String
    let type: ObjectIdentifier
  }

  private struct WeakLink {
    weak var link: AnyObject?
  }

  /// Shares the values of a client's scopes.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - connection: What moves its bytes.
  package init(_ client: ReplicaClient, connection: (any AnyObject & Sendable)? = nil) {
    self.client = client
    self.connection = connection
  }

  package func scope<Value: ReplicatedState>(
    _ name: String,
    of type: Value.Type,
  ) -> any SharedScope<Value> {
    links.withValue { links in
      let id = LinkID(name: name, type: ObjectIdentifier(type))
      if let link = links[id]?.link as? SharedLink<Value> { return link }
      let link = SharedLink<Value>(name, of: self)
      links = links.filter { $0.value.link != nil }
      links[id] = WeakLink(link: link)
      return link
    }
  }

  /// A value is shown, as all of the connection's will be before any is announced.
  @MainActor
  func note(_ link: any SharedTakeover) { shown.append(link) }

  /// Hands over everything that is shown, in one step.
  @MainActor
  func takeOver() {
    guard !shown.isEmpty else { return }
    let links = shown
    shown = []
    withSharedValuesLocked { for link in links { link.takeOver() } }
  }
}

/// A shared value that takes over a new value.
@MainActor
protocol SharedTakeover {
  /// Hands it over to whoever shares it, unless that has been changed.
  func takeOver()
}
