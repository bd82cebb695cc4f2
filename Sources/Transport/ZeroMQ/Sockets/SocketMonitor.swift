import CZMQ

/// Reports the events of a socket's connections, on the thread that reads it.
///
/// Events are complete and in order: when some thousand events are unread, libzmq's I/O thread
/// blocks. So the owner of a monitor must read it as long as the socket lives, and must not wait
/// for that socket meanwhile.
package final class SocketMonitor {
  /// An event of a connection.
  package enum Event: Hashable, Sendable {
    /// A connection was accepted, and has this descriptor now.
    case accepted(Int32)
    /// The peer has accepted the connection, and messages may arrive.
    case connected
    /// The connection with this descriptor has ended; the descriptor may be reused.
    case disconnected(Int32)
    /// The peer has refused the connection, and refuses later attempts too.
    case refused
    /// Only one side requires keys; later attempts fail too.
    case mismatched
    /// No further event follows.
    case stopped
  }

  /// The socket to poll for events.
  package let socket: Socket

  private var head = Message()
  private var address = Message()

  /// Creates the monitor of a socket that is not bound or connected yet.
  ///
  /// Must be called on the socket's thread. The monitor may then move to another thread.
  ///
  /// - Parameters:
  ///   - context: The socket's context.
  ///   - watched: The socket.
  ///   - name: A name that no other monitor of the context has.
  ///   - connects: Whether the socket connects. Then the monitor reports ``Event/connected``,
  ///     ``Event/refused`` and ``Event/mismatched`` besides ``Event/disconnected``, otherwise the
  ///     two remaining events.
  /// - Throws: ``ZeroMQError`` of the context or the socket.
  package init(
    _ context: Context,
    of watched: Socket,
    name: String,
    connects: Bool = false,
  ) throws(ZeroMQError) {
    let endpoint = "inproc://monitor-\(name)"
    var options = SocketOptions()
    // libzmq's end has a high-water mark of a thousand; this end adds one.
    options.receiveHighWater = 1
    socket = try Socket(context, kind: .pair, options: options)
    let others =
      connects
      ? ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
        | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
      : ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_MONITOR_STOPPED
    let events = ZMQ_EVENT_DISCONNECTED | others
    while zmq_socket_monitor(watched.opened(), endpoint, events) != 0 {
      guard watched.wasInterrupted else { throw .last("monitor", "a \(watched.kind) socket") }
    }
    try socket.connect(endpoint)
  }

  /// The next event; nil if no event is waiting.
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
  /// Ends the events of ``SocketMonitor`` after those that have occurred; still read the monitor.
  ///
  /// Must be called before the socket is closed. Has no effect if the context was terminated.
  package func stopMonitoring() {
    let status = zmq_socket_monitor(opened(), nil, 0)
    precondition(
      status == 0 || zmq_errno() == ETERM,
      "a socket's monitor could not be stopped: error \(zmq_errno())",
    )
  }
}
