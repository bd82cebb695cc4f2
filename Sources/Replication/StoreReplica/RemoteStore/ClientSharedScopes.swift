package import StoreActor
import StoreBytes
import StoreState

/// The scopes of a client as shared values: the meaning of `.store` in a program with a client.
///
/// Sendable because the lock guards `links`, and the main actor's properties are only
/// touched there.
package final class ClientSharedScopes: SharedScopes, @unchecked Sendable {
  let client: ReplicaClient
  /// The owner of the client's sockets; kept alive as long as a value is shared.
  private let connection: (any AnyObject & Sendable)?
  private let links = LockIsolated<[LinkID: WeakLink]>([:])
  /// The links that show a new value that was not taken over yet.
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
  ///   - connection: The owner of its sockets.
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

  /// Notes a link that shows a new value.
  ///
  /// All values of the connection are shown before any is announced.
  @MainActor
  func note(_ link: any SharedTakeover) { shown.append(link) }

  /// Hands over all shown values, in one step.
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
  /// Hands it over to the subscriber, unless a local change is pending.
  func takeOver()
}
