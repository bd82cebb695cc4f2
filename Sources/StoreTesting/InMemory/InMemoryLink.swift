import DequeModule
import StoreReplication

/// What a client's sockets would carry, in queues; time stands still.
@MainActor
final class InMemoryLink: ClientTransport {
  /// What the client sent.
  enum Sent {
    case control([UInt8])
    case upstream([UInt8])
  }

  let now = Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 0)
  private var sent: Deque<Sent> = []
  private var control: Deque<[UInt8]> = []
  private var published: Deque<(topic: [UInt8], body: [UInt8]?)> = []
  /// Whether the client has given the connection up.
  private(set) var isGivenUp = false

  /// Takes what the client sent next; nil when there is nothing.
  func next() -> Sent? { sent.popFirst() }

  func deliver(control frame: [UInt8]) { control.append(frame) }

  func deliver(topic: [UInt8], _ body: [UInt8]?) { published.append((topic, body)) }

  /// Whether the client has everything that was delivered.
  var isEmpty: Bool { control.isEmpty && published.isEmpty && sent.isEmpty }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard let frame = control.popFirst() else { return false }
    take(frame[...])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    guard let (topic, body) = published.popFirst() else { return false }
    take(topic[...], body?[...])
    return true
  }

  func send(control frame: consuming [UInt8]) { sent.append(.control(frame)) }

  func send(upstream frame: [UInt8]) { sent.append(.upstream(frame)) }

  func reconnect() { isGivenUp = true }
}
