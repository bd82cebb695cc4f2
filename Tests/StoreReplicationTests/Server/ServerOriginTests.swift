import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A session's identity as reported by the transport: docs/PROTOCOL.md §6, §8.2, §15.
@MainActor
@Suite struct ServerOriginTests {
  private static let ann = "localhost:1000:100:71"
  private static let bob = "localhost:1001:100:72"

  private func bench(_ addresses: [UInt8: String]) -> ServerBench {
    let bench = ServerBench()
    for (peer, address) in addresses { bench.addresses[ServerBench.peer(peer)] = address }
    return bench
  }

  @Test func `An address is an identity only in the kernel's words`() {
    let identity = ActionOrigin.Identity(place: Self.ann)
    #expect(identity == .user(1000, group: 100, process: 71))
    #expect(identity.user == 1000)
    for address in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
      #expect(ActionOrigin.Identity(place: address) == .loopback, "\(address)")
    }
    let strangers = [
      "memory", "fe80::1", "other:1:2:3", "192.0.2.1", "127.0.0", "127.0.0.1:5", "127.0.0.256",
      "127.0.0.1.example.org", "127.0.0.", "::ffff:192.0.2.1", "key:laptop@127.0.0.1", "1270.0.0.1",
    ]
    for address in strangers {
      #expect(ActionOrigin.Identity(place: address) == .unknown, "\(address)")
    }
    let unread = [
      "", "localhost", "localhost:1000:100", "localhost:1:2:3:4", "localhost:-1:2:3",
      "localhost:4294967296:2:3", "localhost::2:3", "localhost:root:2:3", "localhost:1:2:x",
      "localhost:::",
    ]
    for address in unread {
      #expect(ActionOrigin.Identity(place: address) == .nobody, "\(address)")
    }
    // Not every kernel reports the process and the group.
    for (address, group) in [("localhost:1000:100:", 100), ("localhost:1000::", .max)]
      as [(String, UInt32)]
    {
      let identity = ActionOrigin.Identity(place: address)
      #expect(identity == .user(1000, group: group, process: 0), "\(address)")
    }
  }

  @Test func `The origin of an action is its connection's identity, and its session`() throws {
    let bench = bench([1: Self.ann, 2: "127.0.0.1"])
    for peer in [1, 2] as [UInt8] {
      let hello = try bench.hello(peer)
      try bench.join(peer, hello, nonce: 1, [.follow("counter")])
      _ = try bench.act(peer, sequence: 1, .incrementButtonTapped)
    }
    #expect(
      bench.probe.origins == [
        ActionOrigin(identity: .user(1000, group: 100, process: 71), session: 1),
        ActionOrigin(identity: .loopback, session: 2),
      ]
    )
  }

  @Test func `Status and the log have a client's real identity, independent of its claims`() throws
  {
    let bench = bench([1: Self.ann])
    try bench.hello(1)
    bench.receive(.status(request: 1), from: 1)
    try bench.endTurn()
    guard case .status(request: 1, let item)? = bench.take(1).last,
      case .array(let sessions)? = try GenericValue(encoded: item)[field: "sessions"]
    else {
      Issue.record("No sessions")
      return
    }
    #expect(sessions.first?[field: "user"] == .unsigned(1000))
    #expect(bench.audit.first?.details["identity"] == "user 1000, group 100, pid 71")
  }

  @Test func `A token opens a session to its own user alone`() throws {
    let bench = bench([1: Self.ann, 2: Self.bob, 3: Self.ann])
    let hello = try bench.hello(1)
    bench.receive(
      .hello(
        ClientMessage.Hello(
          clientID: ServerBench.clientID(1),
          token: hello.token,
          firstSequence: 1,
          name: "",
          isListed: false,
        )
      ),
      from: 2,
    )
    try bench.endTurn()
    guard case .refused(code: "unauthorised", _)? = bench.take(2).first else {
      Issue.record("Not refused")
      return
    }
    #expect(bench.take(1).isEmpty)
    #expect(try bench.hello(3, client: 1, token: hello.token).isResumed)
  }
}
