import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A ZeroMQ socket: sends and receives messages to and from any number of peers, and never blocks.
///
/// Belongs to one thread (or one actor that always runs on it): it has no locks, and is not
/// Sendable. Use ``Poller`` to wait.
package final class Socket {
  /// The pattern by which a socket exchanges messages.
  package enum Kind: Sendable {
    /// Many peers; a message's first frame is the routing id of one of them.
    case router
    /// One peer or several in turn; the counterpart of a router.
    case dealer
    /// Publishes; receives subscriptions and other messages from subscribers.
    case xpub
    /// Subscribes by sending `01 topic` (`00 topic` to leave); receives without a filter.
    case xsub
    /// Exactly one peer.
    case pair
    /// Answers one request at a time, such as libzmq's requests for admission.
    case reply
  }

  package let kind: Kind
  let context: Context
  private var handle: UnsafeMutableRawPointer?

  /// Creates a socket with its options set, not yet bound or connected.
  package init(
    _ context: Context,
    kind: Kind,
    options: SocketOptions = SocketOptions(),
  ) throws(ZeroMQError) {
    self.kind = kind
    self.context = context
    context.socketWillOpen()
    handle = zmq_socket(context.handle, kind.code)
    guard handle != nil else {
      let error = ZeroMQError.last("create", "a \(kind) socket")
      context.socketDidClose()
      throw error
    }
    // If an option is refused, `deinit` closes the socket.
    try apply(options)
  }

  deinit {
    close()
  }

  /// Whether ``close()`` has been called.
  package var isClosed: Bool { handle == nil }

  /// Closes the socket.
  ///
  /// Only the first call has an effect; `deinit` calls it, too. Returns at once. Sent messages are
  /// still delivered for the time of the linger option; ``Context/terminate()`` waits for that.
  package func close() {
    guard let handle else { return }
    self.handle = nil
    let status = zmq_close(handle)
    precondition(status == 0, "closing an open socket failed with error \(zmq_errno())")
    context.socketDidClose()
  }

  /// libzmq's socket, for an immediate call; the socket must not be closed.
  func opened() -> UnsafeMutableRawPointer {
    guard let handle else { preconditionFailure("the \(kind) socket is closed") }
    return handle
  }

  // MARK: - Endpoints

  /// Listens on an endpoint.
  ///
  /// An ipc path on which another live process listens is *taken over* without an error: lock the
  /// directory first. The directory must exist, with mode 0700. The socket's file remains when the
  /// socket is closed, and the next bind replaces it.
  package func bind(_ endpoint: String) throws(ZeroMQError) {
    try EndpointPath.check(endpoint, operation: "bind")
    while zmq_bind(opened(), endpoint) != 0 {
      guard wasInterrupted else { throw .last("bind", endpoint) }
    }
  }

  /// Connects to an endpoint as soon as a server listens there, and again after every break.
  package func connect(_ endpoint: String) throws(ZeroMQError) {
    try EndpointPath.check(endpoint, operation: "connect to")
    while zmq_connect(opened(), endpoint) != 0 {
      guard wasInterrupted else { throw .last("connect to", endpoint) }
    }
  }

  /// Ends a connection and its queue; pass the endpoint exactly as to ``connect(_:)``.
  package func disconnect(_ endpoint: String) throws(ZeroMQError) {
    while zmq_disconnect(opened(), endpoint) != 0 {
      guard wasInterrupted else { throw .last("disconnect", endpoint) }
    }
  }

  /// The endpoint bound or connected last, with wildcards such as `tcp://127.0.0.1:*` resolved.
  ///
  /// Empty if no endpoint was bound or connected.
  package var lastEndpoint: String {
    get throws(ZeroMQError) {
      let capacity = 1024
      var size = capacity
      var text = [UInt8](repeating: 0, count: capacity)
      guard zmq_getsockopt(opened(), ZMQ_LAST_ENDPOINT, &text, &size) == 0 else {
        throw .last("read option", "lastEndpoint of a \(kind) socket")
      }
      return String(decoding: text.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  // MARK: - State

  /// The descriptor that becomes readable when ``events`` *may* have changed.
  ///
  /// Prefer ``Poller``: the descriptor is edge-triggered, and every send, receive and read of
  /// ``events`` consumes the edge. After each of these, its user must read ``events``.
  package var fileDescriptor: Int32 {
    get throws(ZeroMQError) { try option(ZMQ_FD, "fileDescriptor") }
  }

  /// The operations that would not block now.
  package var events: Poller.Events {
    get throws(ZeroMQError) {
      Poller.Events(rawValue: Int16(truncatingIfNeeded: try option(ZMQ_EVENTS, "events")))
    }
  }

  private func option(_ option: Int32, _ name: String) throws(ZeroMQError) -> Int32 {
    var value: Int32 = 0
    var size = MemoryLayout.size(ofValue: value)
    while zmq_getsockopt(opened(), option, &value, &size) != 0 {
      try retryAfterInterruption("read option", name)
    }
    return value
  }

  /// Whether a signal interrupted the last call before it had an effect.
  var wasInterrupted: Bool { zmq_errno() == EINTR && !context.isForkedCopy }

  /// Returns if a signal interrupted the last call, so that it can be retried; otherwise throws.
  func retryAfterInterruption(_ operation: String, _ name: String) throws(ZeroMQError) {
    let code = zmq_errno()
    guard wasInterrupted else {
      let subject = name.isEmpty ? "a \(kind) socket" : "\(name) of a \(kind) socket"
      throw ZeroMQError(code: code, operation: operation, subject: subject)
    }
  }
}

// A socket belongs to one thread; see the type's comment.
@available(*, unavailable)
extension Socket: Sendable {}

extension Socket.Kind {
  fileprivate var code: Int32 {
    switch self {
    case .router: ZMQ_ROUTER
    case .dealer: ZMQ_DEALER
    case .xpub: ZMQ_XPUB
    case .xsub: ZMQ_XSUB
    case .pair: ZMQ_PAIR
    case .reply: ZMQ_REP
    }
  }
}
