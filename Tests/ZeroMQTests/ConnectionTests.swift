import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A connection of which nothing is taken any more")
struct ConnectionTests {
  @Test func `What has come and was not read is thrown away, and nothing can come any more`() throws
  {
    #if canImport(Glibc)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, stream, 0, &pair) == 0)
    defer { for descriptor in pair { close(descriptor) } }
    var bytes = [UInt8](repeating: 7, count: 100_000)
    let sent = send(pair[0], bytes, bytes.count, Int32(MSG_DONTWAIT))
    try #require(sent > 1 << 16, "More than is thrown away at once")

    Connection.discard(pair[1])

    #expect(recv(pair[1], &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 0)
    #expect(send(pair[0], bytes, 1, Int32(MSG_DONTWAIT) | noSignal) == -1)
  }

  @Test func `What is no connection is left alone`() throws {
    var pipes: [Int32] = [0, 0]
    try #require(pipe(&pipes) == 0)
    defer { for descriptor in pipes { close(descriptor) } }
    try #require(write(pipes[1], [1], 1) == 1)
    Connection.discard(pipes[0])
    var byte: UInt8 = 0
    #expect(read(pipes[0], &byte, 1) == 1)
    #expect(byte == 1)
    Connection.discard(-1)
  }

  #if canImport(Glibc)
  private var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
  #else
  private var noSignal: Int32 { 0 }
  #endif
}
