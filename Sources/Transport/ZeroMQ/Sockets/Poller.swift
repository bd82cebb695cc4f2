import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits until one of several sockets and file descriptors is ready.
///
/// Belongs to the thread of its sockets, and keeps them alive. Waiting and queries do not allocate.
package final class Poller {
  /// The events for which an item can be ready.
  package struct Events: OptionSet, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
      self.rawValue = rawValue
    }

    /// A message can be received.
    package static let readable = Events(rawValue: Int16(ZMQ_POLLIN))
    /// A message can be sent without blocking.
    package static let writable = Events(rawValue: Int16(ZMQ_POLLOUT))
  }

  /// A socket or a descriptor to wait for.
  package enum Item {
    case socket(Socket, Events = .readable)
    case descriptor(Int32, Events = .readable)
  }

  /// The number of items; an item's position identifies it.
  package let count: Int

  private let sockets: [Socket?]
  private let pollItems: UnsafeMutableBufferPointer<zmq_pollitem_t>

  /// Creates a poller for these items; an item's position identifies it.
  package init(_ items: [Item]) {
    count = items.count
    sockets = items.map { if case .socket(let socket, _) = $0 { socket } else { nil } }
    pollItems = .allocate(capacity: items.count)
    for (index, item) in items.enumerated() {
      pollItems.initializeElement(at: index, to: item.pollItem)
    }
  }

  deinit {
    pollItems.deallocate()
  }

  /// Waits until at least one item is ready, the timeout is over, or a signal arrives.
  ///
  /// - Parameter timeout: Rounded up to milliseconds; `.zero` returns at once, `nil` sets no limit.
  /// - Returns: The number of ready items: 0 after the timeout and after a signal.
  /// - Throws: ``ZeroMQError`` if the context has been terminated or belongs to another process.
  package func wait(timeout: Duration?) throws(ZeroMQError) -> Int {
    checkOpen()
    let milliseconds = timeout.map { Int($0.millisecondsRoundedUp) } ?? -1
    let ready = zmq_poll(pollItems.baseAddress, Int32(count), milliseconds)
    guard ready < 0 else { return Int(ready) }
    let code = zmq_errno()
    forgetReadiness()
    guard code == EINTR, !isForkedCopy else {
      throw ZeroMQError(code: code, operation: "wait for", subject: "\(count) items")
    }
    return 0
  }

  /// Whether the item was ready, for any of its events, when the last wait ended.
  package func isReady(_ index: Int) -> Bool {
    pollItems[index].revents != 0
  }

  /// Changes an item's events, such as to `.writable` while a message waits to be sent.
  package func watch(_ index: Int, for events: Events) {
    pollItems[index].events = events.rawValue
  }

  /// Stops the process if a socket is closed: libzmq would read its freed memory.
  private func checkOpen() {
    for index in sockets.indices {
      precondition(sockets[index]?.isClosed != true, "socket \(index) of a poller is closed")
    }
  }

  private func forgetReadiness() {
    for index in pollItems.indices { pollItems[index].revents = 0 }
  }

  private var isForkedCopy: Bool {
    sockets.contains { $0?.context.isForkedCopy == true }
  }
}

// A poller belongs to the thread of its sockets.
@available(*, unavailable)
extension Poller: Sendable {}

extension Poller.Item {
  fileprivate var pollItem: zmq_pollitem_t {
    switch self {
    case .socket(let socket, let events):
      zmq_pollitem_t(socket: socket.opened(), fd: -1, events: events.rawValue, revents: 0)
    case .descriptor(let descriptor, let events):
      zmq_pollitem_t(socket: nil, fd: descriptor, events: events.rawValue, revents: 0)
    }
  }
}
