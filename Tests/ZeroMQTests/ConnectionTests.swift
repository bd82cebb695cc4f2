import CZMQ
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A connection whose further input is discarded")
struct ConnectionTests {
  /// Two connected sockets, of which the second one was accepted at a path.
  private func connected(at path: String) throws -> (Int32, Int32) {
    #if canImport(Glibc)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_UNIX, stream, 0)
    defer { close(listener) }
    let client = socket(AF_UNIX, stream, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    try withUnsafePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try #require(bind(listener, $0, size) == 0 && listen(listener, 1) == 0)
        try #require(connect(client, $0, size) == 0)
      }
    }
    let accepted = accept(listener, nil, nil)
    try #require(accepted >= 0)
    return (client, accepted)
  }

  private func withConnection(_ body: (_ client: Int32, _ accepted: Int32) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/ctl"
    defer { unlink(path) }
    let (client, accepted) = try connected(at: path)
    defer { for descriptor in [client, accepted] { close(descriptor) } }
    #expect(Connection.Identity(accepted)?.ownEnd == .path(path))
    try body(client, accepted)
  }

  @Test func `What has come and was not read is thrown away, and nothing can come any more`() throws
  {
    try withConnection { client, accepted in
      var bytes = [UInt8](repeating: 7, count: 100_000)
      let sent = send(client, bytes, bytes.count, Int32(MSG_DONTWAIT))
      try #require(sent > 1 << 16, "More than is thrown away at once")

      Connection.discard(accepted, try #require(Connection.Identity(accepted)))

      #expect(recv(accepted, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 0)
      #expect(send(client, bytes, 1, Int32(MSG_DONTWAIT) | noSignal) == -1)
    }
  }

  @Test func `Nothing is shut down that has got the descriptor of a connection that is over`()
    throws
  {
    try withConnection { _, accepted in
      let identity = try #require(Connection.Identity(accepted))
      // As when an effect of the daemon opens a socket at once.
      try withConnection { otherClient, other in
        try #require(dup2(other, accepted) == accepted)
        #expect(Connection.Identity(accepted) != identity)
        Connection.shutDown(accepted, identity)
        Connection.discard(accepted, identity)
        var byte: UInt8 = 1
        #expect(send(otherClient, &byte, 1, noSignal) == 1)
        #expect(recv(accepted, &byte, 1, 0) == 1)
        Connection.shutDown(accepted, try #require(Connection.Identity(accepted)))
        #expect(recv(otherClient, &byte, 1, 0) == 0)
      }
    }
  }

  @Test func `What is no connection of an endpoint has no identity`() throws {
    let pipe = try Pipe()
    try withConnection { client, _ in
      for descriptor in [pipe.readEnd, client, -1] {
        #expect(Connection.Identity(descriptor) == nil)
      }
    }
  }

  #if canImport(Glibc)
  private var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
  #else
  private var noSignal: Int32 { 0 }
  #endif
}
