import CZMQ

/// Tells what befalls the connections of a socket, on whichever thread reads it.
///
/// Nothing is lost and nothing overtaken: when some thousand events have not been read, the
/// library's I/O thread waits with what it is doing. So whoever has a monitor has to read it for as
/// long as the socket lives, and must not wait for that socket meanwhile.
package final class SocketMonitor {
  /// What happened.
  package enum Event: Hashable, Sendable {
    /// A connection was accepted, and has this descriptor from now on.
    case accepted(Int32)
    /// The other end has taken the connection, and messages may come.
    case connected
    /// The connection with this descriptor is over; the descriptor may be used anew.
    case disconnected(Int32)
    /// The other end has refused the connection, and goes on to do so.
    case refused
    /// The other end asks for keys and we have none, or the other way round; it goes on so.
    case mismatched
    /// Nothing more will be told.
    case stopped
  }

  /// What to poll.
  package let socket: Socket

  private var head = Message()
  private var address = Message()

  /// Creates the monitor of a socket that is not bound or connected yet.
  ///
  /// To be called on the socket's thread. The monitor may then move to another one.
  ///
  /// - Parameters:
  ///   - context: The socket's context.
  ///   - watched: The socket.
  ///   - name: A name that no other monitor of the context has.
  ///   - connects: Whether the socket is one that connects: besides ``Event/disconnected`` it tells
  ///     of ``Event/connected``, ``Event/refused`` and ``Event/mismatched`` then, else of the other
  ///     two.
  /// - Throws: ``ZeroMQError`` of the context or the socket.
  package init(
    _ context: Context,
    of watched: Socket,
    name: String,
    connects: Bool = false,
  ) throws(ZeroMQError) {
    let endpoint = "inproc://monitor-\(name)"
    var options = SocketOptions()
    // The library's end has a limit of a thousand; ours adds one.
    options.receiveHighWater = 1
    socket = try Socket(context, kind: .pair, options: options)
    let others =
      connects
      ? ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
        | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
      : ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_MONITOR_STOPPED
    let events = ZMQ_EVENT_DISCONNECTED | others
    guard zmq_socket_monitor(watched.opened(), endpoint, events) == 0 else {
      throw .last("monitor", "a \(watched.kind) socket")
    }
    try socket.connect(endpoint)
  }

  /// The next event, if there is one.
  package func next() throws(ZeroMQError) -> Event? {
    while try socket.receive(into: &head) {
      if head.more { _ = try socket.receive(into: &address) }
      if let event = Self.event(head) { return event }
    }
    return nil
  }

  private static func event(_ head: borrowing Message) -> Event? {
    head.withUnsafeBytes { bytes in
      guard bytes.count == 6 else { return nil }
      let value = bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self)
      switch Int32(bytes.loadUnaligned(as: UInt16.self)) {
      case ZMQ_EVENT_ACCEPTED: return .accepted(value)
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .connected
      case ZMQ_EVENT_DISCONNECTED: return .disconnected(value)
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return .refused
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        return value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? .mismatched : nil
      case ZMQ_EVENT_MONITOR_STOPPED: return .stopped
      default: return nil
      }
    }
  }
}

extension Socket {
  /// Ends what ``SocketMonitor`` tells, after what has happened; the monitor must still be read.
  ///
  /// To be called before the socket is closed. Nothing has to end where the context was terminated.
  package func stopMonitoring() {
    let status = zmq_socket_monitor(opened(), nil, 0)
    precondition(
      status == 0 || zmq_errno() == ETERM,
      "a socket's monitor could not be stopped: error \(zmq_errno())",
    )
  }
}
