import Dispatch
import Logging
import StoreProtocol
import Synchronization
import Testing

@testable import StoreDaemon
@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The end of a daemon whose guard has failed.
@MainActor
@Suite("The guard of connections", .timeLimit(.minutes(2)))
struct ConnectionGuardTests {
  /// Two bound sockets and their guard, which does not run yet.
  private final class Door {
    let context: Context
    let (control, publishing): (Socket, Socket)
    let connections: ConnectionGuard
    let path: String

    init() throws {
      path = "/tmp/guard-\(UInt32.random(in: 0 ... .max))"
      context = try Context()
      var options = SocketOptions()
      options.admissionDomain = ConnectionTable.Side.control.domain
      control = try Socket(context, kind: .router, options: options)
      publishing = try Socket(context, kind: .xpub)
      connections = try ConnectionGuard(
        context,
        control: control,
        publishing: publishing,
        ends: [.path(path)],
        limits: ConnectionTable.Limits(descriptors: 4_096),
        grants: .everything,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      )
      try control.bind("ipc://\(path)")
    }

    /// Closes everything, while a thread reads the monitors.
    func close(_ thread: HelperThread?) {
      control.stopMonitoring()
      publishing.stopMonitoring()
      thread?.join()
      control.close()
      publishing.close()
      connections.close()
      context.terminate()
      unlink(path)
    }
  }

  @Test func `A failure is reported, once, and everything can be closed`() async throws {
    let door = try Door()
    let (failures, failure) = AsyncStream.makeStream(of: ZeroMQError.self)
    door.connections.onFailure = { failure.yield($0) }
    let connections = door.connections
    let thread = HelperThread.start { connections.run() }
    // Its poller and its monitors fail from now on.
    door.context.shutDown()
    var iterator = failures.makeAsyncIterator()
    let error = await iterator.next()
    #expect(error?.operation == "wait for", "\(String(describing: error))")
    door.close(thread)
    failure.finish()
    #expect(await iterator.next() == nil)
  }

  @Test func `After a failure connections open and close, and no thread waits for it`() async throws
  {
    let door = try Door()
    let connections = door.connections
    // As after a failure: more events than the library keeps for a reader.
    let thread = HelperThread.start { connections.drain() }
    for _ in 0..<3_000 {
      close(try connected(to: door.path))
    }
    door.close(thread)
  }

  private func connected(to path: String) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, size)
      }
    }
    try #require(status == 0, "\(errno)")
    return descriptor
  }
}
