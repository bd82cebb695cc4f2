import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The longest time that a test waits for an event that must happen.
let patience = Duration.seconds(10) * TestPatience.factor

/// The time that a test waits to assert that an event does *not* happen.
let shortWait = Duration.milliseconds(50)

/// A directory of mode 0700 that is removed after the test.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/zmq-XXXXXX".utf8CString)
    let made = mkdtemp(&template)
    path = String(cString: try #require(made, "mkdtemp in \(parent) failed"))
  }

  func endpoint(_ name: String) -> String { "ipc://\(path)/\(name)" }

  deinit {
    for name in ["ctl", "pub"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

extension SocketOptions {
  init(_ configure: (inout SocketOptions) -> Void) {
    self.init()
    configure(&self)
  }
}

struct NothingArrived: Error {
  let kind: Socket.Kind
}

extension Socket {
  /// Sends a message of several frames, all of which must be taken.
  func sendAll(_ frames: [UInt8]...) throws {
    for (index, frame) in frames.enumerated() {
      let result = try send(frame, more: index < frames.count - 1)
      try #require(result == .sent)
    }
  }

  /// Waits for the next message, and returns its frames.
  ///
  /// The peer is a socket that has work to do for it: the library does a socket's work, such as
  /// greeting a new connection, only when the socket's own thread polls it.
  func nextMessage(from peer: Socket? = nil) throws -> [[UInt8]] {
    let poller = Poller([.socket(self)] + (peer.map { [.socket($0)] } ?? []))
    let deadline = ContinuousClock().now + patience
    while ContinuousClock().now < deadline {
      _ = try poller.wait(timeout: shortWait)
      if poller.isReady(0) { return try #require(try readyMessage()) }
    }
    throw NothingArrived(kind: kind)
  }

  /// The frames of the next message, if there is one.
  func readyMessage() throws -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    var message = Message()
    while try receive(into: &message) {
      frames.append(message.bytes)
      if !message.more { return frames }
    }
    return nil
  }

  /// Subscribes an XSUB socket.
  func subscribe(_ topic: [UInt8]) throws {
    try sendAll([1] + topic)
  }
}

/// The address of a message's sender. (The macros of tests cannot hold a message.)
func address(of message: borrowing Message) -> String? {
  message.property("Peer-Address")
}

/// A bound socket and one connected to it over ipc.
struct Pair {
  let directory: TemporaryDirectory
  let context: Context
  let server: Socket
  let client: Socket
  let endpoint: String

  init(
    _ serverKind: Socket.Kind,
    _ clientKind: Socket.Kind,
    server serverOptions: SocketOptions = SocketOptions(),
    client clientOptions: SocketOptions = SocketOptions(),
  ) throws {
    directory = try TemporaryDirectory()
    context = try Context()
    server = try Socket(context, kind: serverKind, options: serverOptions)
    client = try Socket(context, kind: clientKind, options: clientOptions)
    endpoint = directory.endpoint("ctl")
    try server.bind(endpoint)
    try client.connect(endpoint)
  }
}

/// Expects the error text of a process that had to trap. (A release build traps without a text.)
func expectMessage(
  _ message: String,
  of exit: ExitTest.Result?,
  sourceLocation: SourceLocation = #_sourceLocation,
) {
  #if DEBUG
  let output = String(decoding: exit?.standardErrorContent ?? [], as: UTF8.self)
  #expect(output.contains(message), sourceLocation: sourceLocation)
  #else
  #expect(exit != nil, sourceLocation: sourceLocation)
  #endif
}
