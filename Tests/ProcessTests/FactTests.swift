import Foundation
import StoreReplication
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The service that a daemon asks for facts, and those who have it asked.
  @Suite("Facts")
  struct FactTests {
    @Test("Facts that are asked for and left again, and answers that are too long, harm nobody")
    func leaving() async throws {
      try await World.run { world in
        let service = try FactService("200 OK", body: String(repeating: "7", count: 100_000))
        let daemon = try await world.startDaemon(
          .stored,
          ["--number-fact-url", service.url, "--grace-ms", "10"],
        )
        // It stays until the service was asked; those below may have gone before they ask anything.
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [#""numberFactButtonTapped""#])
        try await service.isAsked()
        #expect(try await world.finish(sender).isSuccess)
        var encoder = CBOREncoder()
        encoder.encode(text: "numberFactButtonTapped")
        let tap = ClientMessage.ActionRequest(
          handle: 1,
          action: encoder.bytes[...],
          deadline: nil,
        )
        for number: UInt64 in 0..<50 {
          var messages = [
            ClientMessage.rawHello(number), .rawJoin(["counter"], mode: .sendOnly),
            .actions(first: 1, [tap, tap, tap]), .cancel(sequence: 2),
          ]
          if number.isMultiple(of: 2) { messages.append(.bye) }
          let peer = try RawPeer(
            "\(world.directory)/ctl",
            as: "DEALER",
            sending: messages.flatMap { ZMTP.longMessage($0.encoded()) },
            afterwards: .hangsUp,
          )
          try await peer.closed()
        }
        try await world.send("counter", #""incrementButtonTapped""#)
        #expect(try await world.get("counter")["count"] == 1)
        #expect(daemon.isRunning)
      }
    }

    @Test("A service that sends to another one is not followed, and that is shown")
    func redirect() async throws {
      try await World.run { world in
        let other = try FactService("200 OK", body: "a secret")
        let service = try FactService("302 Found\r\nLocation: \(other.url)/")
        _ = try await world.startDaemon(.stored, ["--number-fact-url", service.url])
        let watcher = try await world.watch("counter")
        // It stays until the fact has come, for what it began ends with it.
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [#""numberFactButtonTapped""#])
        try await watcher.output.state("what the service said") {
          $0.text().contains("status 302")
        }
        try await service.isAsked()
        #expect(!other.wasAsked)
        #expect(try await world.finish(sender).isSuccess)
      }
    }
  }
}

/// A service on this machine that answers everybody the same.
private final class FactService: Sendable {
  let url: String
  private let descriptor: Int32
  private let requests = Watched(0)

  /// Listens, and answers with a status, which more headers may follow, and a body.
  init(_ status: String, body: String = "") throws {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) | listen(descriptor, 64) | getsockname(descriptor, $0, &size)
      }
    }
    guard result == 0 else {
      throw ProcessFailure("listening failed: \(String(cString: strerror(errno)))")
    }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    let length = "Content-Length: \(body.utf8.count)"
    let answer = "HTTP/1.1 \(status)\r\n\(length)\r\nConnection: close\r\n\r\n\(body)"
    let requests = requests
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let connection = accept(descriptor, nil, nil), connection >= 0 {
        if recv(connection, &buffer, buffer.count, 0) > 0 { requests.update { $0 += 1 } }
        _ = RawPeer.send(Array(answer.utf8), to: connection)
        close(connection)
      }
      close(descriptor)
    }
  }

  // Its thread, which waits for a connection, closes it.
  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  var wasAsked: Bool { requests.value > 0 }

  /// Waits until somebody has asked.
  func isAsked() async throws {
    try await requests.wait(within: .seconds(20), for: "a request") { $0 > 0 ? true : nil }
  }
}
