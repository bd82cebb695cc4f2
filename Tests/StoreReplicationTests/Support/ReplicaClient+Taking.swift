@testable import StoreReplication

extension ReplicaClient {
  /// Takes everything that there is to do, in order.
  func takeOutgoing() -> [Outgoing] {
    var taken: [Outgoing] = []
    while let next = nextOutgoing() { taken.append(next) }
    return taken
  }
}
