import StoreProtocol
import Testing
import ZeroMQ

/// A socket of a test's own, connected to a daemon.
struct RawSocket {
  private let context: Context
  private let socket: Socket

  init(_ world: World, _ kind: Socket.Kind, _ file: String) throws {
    try self.init(Context(), kind, to: "ipc://\(world.directory)/\(file)")
  }

  init(
    _ context: Context,
    _ kind: Socket.Kind,
    to endpoint: String,
    as key: CurveClient? = nil,
  ) throws {
    var options = SocketOptions()
    options.linger = .zero
    options.curve = key
    self.context = context
    socket = try Socket(context, kind: kind, options: options)
    try socket.connect(endpoint)
  }

  func close() { socket.close() }

  func send(_ message: ClientMessage) throws { try send(message.encoded()) }

  func send(_ bytes: [UInt8]) throws { #expect(try socket.send(bytes) == .sent) }

  /// Takes messages on the control socket until the closure returns a value for one.
  @discardableResult
  func firstMessage<Result>(
    within time: Duration = .seconds(20),
    _ find: (DaemonMessage) throws -> Result?,
  ) throws -> Result {
    try firstFrame(within: time) { bytes in
      guard !bytes.isEmpty else { return nil }
      return try find(DaemonMessage(frame: bytes[...]))
    }
  }

  /// Takes frames until the closure returns a value for one.
  @discardableResult
  func firstFrame<Result>(
    within time: Duration = .seconds(20),
    _ find: ([UInt8]) throws -> Result?,
  ) throws -> Result {
    while try Poller([.socket(socket)]).wait(timeout: time) > 0 {
      while let message = try socket.receive() {
        if let result = try find(message.bytes) { return result }
      }
    }
    throw ProcessFailure("the daemon does not send the awaited message")
  }
}
