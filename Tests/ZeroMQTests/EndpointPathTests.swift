import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Requirements of an endpoint")
struct EndpointPathTests {
  private static func endpoint(bytes: Int) -> String {
    "ipc:///" + String(repeating: "a", count: bytes - 1)
  }

  @Test("The longest path that the kernel takes is accepted")
  func longest() throws {
    try EndpointPath.check(Self.endpoint(bytes: EndpointPath.limit))
  }

  @Test("A path one byte too long is refused before the library sees it, with the numbers")
  func tooLong() throws {
    let endpoint = Self.endpoint(bytes: EndpointPath.limit + 1)
    let socket = try Socket(Context(), kind: .router)
    let error = #expect(throws: ZeroMQError.self) { try socket.bind(endpoint) }
    #expect(error?.code == ENAMETOOLONG)
    #expect(error?.operation == "bind")
    #expect(error?.subject == endpoint)
    #expect(
      error?.remedy == """
        The path has \(EndpointPath.limit + 1) bytes and a socket's path may have \
        \(EndpointPath.limit) at most: choose a directory whose name is at least 1 bytes shorter.
        """
    )
  }

  @Test("Bytes count, not characters")
  func bytes() {
    let path = String(repeating: "é", count: EndpointPath.limit / 2 + 1)
    #expect(throws: ZeroMQError.self) { try EndpointPath.check("ipc://\(path)") }
  }

  @Test("Connecting is checked like binding")
  func connecting() throws {
    let socket = try Socket(Context(), kind: .dealer)
    let error = #expect(throws: ZeroMQError.self) {
      try socket.connect(Self.endpoint(bytes: 500))
    }
    #expect(error?.code == ENAMETOOLONG)
    #expect(error?.operation == "connect to")
  }

  @Test(
    "Empty paths, abstract names and zero bytes are refused",
    arguments: ["ipc://", "ipc://@storeactor", "ipc:///tmp/a\0b", "tcp://\0"],
  )
  func refused(endpoint: String) {
    let error = #expect(throws: ZeroMQError.self) { try EndpointPath.check(endpoint) }
    #expect(error?.code == EINVAL)
  }

  @Test("Other transports have no limit of this kind")
  func otherTransports() throws {
    try EndpointPath.check("tcp://" + String(repeating: "a", count: 300) + ":1")
  }

  @Test("A missing directory is an error with a remedy")
  func missingDirectory() throws {
    let socket = try Socket(Context(), kind: .router)
    let error = #expect(throws: ZeroMQError.self) {
      try socket.bind("ipc:///nonexistent-directory/ctl")
    }
    #expect(error?.code == ENOENT)
    #expect(error?.remedy.contains("Create the directory") == true)
  }

  @Test("Invalid text is an error, no trap", arguments: ["", "x", "tcp://", "carrier-pigeon://a"])
  func nonsense(endpoint: String) throws {
    let socket = try Socket(Context(), kind: .router)
    #expect(throws: ZeroMQError.self) { try socket.bind(endpoint) }
    #expect(throws: ZeroMQError.self) { try socket.connect(endpoint) }
  }
}
