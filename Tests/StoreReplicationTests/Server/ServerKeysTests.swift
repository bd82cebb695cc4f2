import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Peers with a key or a ticket, and the decisions on them: docs/PROTOCOL.md §8.4, §15.
@MainActor
@Suite struct ServerKeysTests {
  private static let owner: UInt8 = 1
  private static let user: UInt8 = 2
  private static let laptop: UInt8 = 3
  private static let phone: UInt8 = 4
  private static let ticket: UInt8 = 5
  private static let loopback: UInt8 = 6
  private static let ticketKey = [UInt8](repeating: 7, count: KeyText.keyBytes)

  private static func key(_ byte: UInt8) -> [UInt8] {
    [UInt8](repeating: byte, count: KeyText.keyBytes)
  }

  private static func caller(_ name: String, _ key: [UInt8]) -> Caller {
    Caller(key: key, called: name, at: "192.0.2.1")
  }

  private static func line(_ grantee: Grants.Grantee, _ scope: String) -> Grants.Line {
    let scopes = [ScopePattern(scope)].compactMap(\.self)
    return Grants.Line(grantee: grantee, scopes: scopes, sees: true, sends: .everything)
  }

  private static let grants = Grants(
    owner: 999,
    lines: [
      line(.user(1000), "counter"), line(.key("laptop", key(1)), "counter"),
      line(.key("phone", key(2)), "counter"), line(.key("phone", key(2)), "cards"),
    ],
  )

  private func bench() -> ServerBench {
    let bench = ServerBench()
    bench.turn.apply(Self.grants)
    let addresses: [UInt8: String] = [
      Self.owner: "localhost:999:100:1", Self.user: "localhost:1000:100:2",
      Self.loopback: "127.0.0.1",
    ]
    for (peer, address) in addresses { bench.addresses[ServerBench.peer(peer)] = address }
    bench.callers = [
      ServerBench.peer(Self.laptop): Self.caller("laptop", Self.key(1)),
      ServerBench.peer(Self.phone): Self.caller("phone", Self.key(2)),
      ServerBench.peer(Self.ticket): Caller(
        ticket: KeyTicket(key: Self.ticketKey),
        at: "192.0.2.1",
      ),
    ]
    return bench
  }

  private func answer(_ bench: ServerBench, _ peer: UInt8) throws -> KeyAnswer? {
    guard case .keys(_, let item)? = bench.take(peer).last else { return nil }
    var decoder = CBORDecoder(item)
    return try KeyAnswer(from: &decoder)
  }

  @Test func `A peer with a key or a ticket has no other identity`() {
    let caller = Self.caller("laptop", Self.key(1))
    #expect(caller.identity == .key("laptop") && caller.key == Self.key(1))
    #expect(caller.address == "key:laptop@192.0.2.1" && caller.ticket == nil)
    let ticket = KeyTicket(key: Self.ticketKey)
    let holder = Caller(ticket: ticket, at: "::1")
    #expect(holder.ticket == ticket && holder.key == nil)
    #expect(holder.identity == .key(ticket.identity) && !KeyText.isName(ticket.identity))
    #expect(KeyTicket(word: ticket.identity) == ticket)
    for word in ["ticket:", "ticket:12", "\(ticket.identity)@::1", "localhost:1:2:3", ""] {
      #expect(KeyTicket(word: word) == nil, "\(word)")
    }
  }

  @Test func `Only the owner and root decide on keys, and only a ticket hands one in`() throws {
    let bench = bench()
    var commands: [KeyCommand] = []
    bench.server.onKeys = { job in
      commands.append(job.command)
      #expect((job.ticket != nil) == (job.command == .enrol(key: Self.key(9))))
      let identity = job.caller["identity"]
      #expect(identity?.hasPrefix(job.ticket == nil ? "user 999, " : "key ticket:") == true)
      bench.turn.finish(job.result(.done(name: "x")))
    }
    let decisions: [KeyCommand] = [
      .list, .revoke(name: "x"), .invite(name: "x", grants: ["counter see"], seconds: 1),
    ]
    for peer in [Self.owner, Self.user, Self.laptop, Self.ticket, Self.loopback] {
      for command in decisions + [.enrol(key: Self.key(9))] {
        bench.receive(.keys(request: 1, command), from: peer)
        try bench.endTurn()
        let isAllowed =
          peer == Self.owner && decisions.contains(command)
          || peer == Self.ticket && !decisions.contains(command)
        let answer = try answer(bench, peer)
        if isAllowed {
          #expect(answer == .done(name: "x"))
        } else if case .failed(code: "unauthorised", _)? = answer {
        } else {
          Issue.record("\(peer) got \(String(describing: answer)) for \(command)")
        }
      }
    }
    #expect(commands == decisions + [.enrol(key: Self.key(9))])
    let refusals = bench.audit.filter { $0.text == "A command for keys is refused." }
    #expect(refusals.count == 5 * (decisions.count + 1) - commands.count)
    #expect(refusals.contains { $0.details["identity"] == "user 1000, group 100, pid 2" })
  }

  @Test func `A daemon without keys reports that`() throws {
    let bench = bench()
    bench.receive(.keys(request: 1, .list), from: Self.owner)
    try bench.endTurn()
    guard case .failed(code: "unavailable", _)? = try answer(bench, Self.owner) else {
      Issue.record("No refusal")
      return
    }
  }

  @Test func `A ticket gives no session and no information`() throws {
    let bench = bench()
    let hello = ClientMessage.Hello(
      clientID: ServerBench.clientID(5),
      token: nil,
      firstSequence: 1,
      name: "",
      isListed: true,
    )
    bench.receive(.hello(hello), from: Self.ticket)
    try bench.endTurn()
    guard case .refused(code: "unauthorised", _)? = bench.take(Self.ticket).last else {
      Issue.record("Not refused")
      return
    }
    for message in [ClientMessage.describe(request: 1), .status(request: 2)] {
      bench.receive(message, from: Self.ticket)
      try bench.endTurn()
      #expect(bench.take(Self.ticket) == [.needHello])
    }
  }

  @Test func `A key's origin is its name, which is in status and opens no other's session`() throws
  {
    let bench = bench()
    let hello = try bench.hello(Self.laptop)
    try bench.join(Self.laptop, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(Self.laptop, sequence: 1, .incrementButtonTapped)
    #expect(bench.probe.origins == [ActionOrigin(identity: .key("laptop"), session: 1)])
    bench.receive(.status(request: 1), from: Self.laptop)
    try bench.endTurn()
    guard case .status(_, let item)? = bench.take(Self.laptop).last,
      case .array(let sessions)? = try GenericValue(encoded: item)[field: "sessions"]
    else {
      Issue.record("No sessions")
      return
    }
    #expect(sessions.first?[field: "key"] == .text("laptop"))
    #expect(sessions.first?[field: "user"] == .null)
    // Another key, or a peer without one, with the same client id and the right token.
    for peer in [Self.phone, Self.loopback] {
      bench.receive(
        .hello(
          ClientMessage.Hello(
            clientID: ServerBench.clientID(Self.laptop),
            token: hello.token,
            firstSequence: 1,
            name: "",
            isListed: false,
          )
        ),
        from: peer,
      )
      try bench.endTurn()
      guard case .refused(code: "unauthorised", _)? = bench.take(peer).first else {
        Issue.record("\(peer) is not refused")
        continue
      }
    }
  }

  @Test func `A key whose lines are gone loses its session`() throws {
    let bench = bench()
    let hello = try bench.hello(Self.laptop)
    try bench.join(Self.laptop, hello, nonce: 1, [.follow("counter")])
    bench.turn.apply(Grants(owner: 999, lines: Self.grants.lines.filter { $0.sends == .nothing }))
    try bench.endTurn()
    guard case .goodbye(code: "narrowed", _)? = bench.take(Self.laptop).last else {
      Issue.record("No goodbye")
      return
    }
    #expect(bench.cuts.contains { $0.peer == ServerBench.peer(Self.laptop) })
  }

  @Test func `A name that has become another key's is not the old key's any more`() throws {
    let bench = bench()
    let hello = try bench.hello(Self.laptop)
    try bench.join(Self.laptop, hello, nonce: 1, [.follow("counter")])
    let lines = [
      Self.line(.key("laptop", Self.key(9)), "counter"),
      Self.line(.key("old", Self.key(1)), "counter"),
    ]
    bench.turn.apply(Grants(owner: 999, lines: lines))
    // A message that it had in flight.
    bench.receive(.describe(request: 1), from: Self.laptop)
    try bench.endTurn()
    let messages = bench.take(Self.laptop)
    guard case .goodbye(code: "narrowed", _)? = messages.last, messages.count == 1 else {
      Issue.record("No goodbye but \(messages)")
      return
    }
    for peer in [ServerBench.peer(Self.laptop), ServerBench.publisher(Self.laptop)] {
      #expect(bench.cuts.contains { $0.peer == peer })
    }
    #expect(bench.server.sessions.all.isEmpty)
    // It is refused with the token, and as a new client.
    for token in [hello.token, nil] {
      bench.receive(
        .hello(
          ClientMessage.Hello(
            clientID: ServerBench.clientID(Self.laptop),
            token: token,
            firstSequence: 1,
            name: "",
            isListed: false,
          )
        ),
        from: Self.laptop,
      )
      try bench.endTurn()
      guard case .refused(code: "unauthorised", _)? = bench.take(Self.laptop).last else {
        Issue.record("Not refused")
        return
      }
    }
    bench.callers[ServerBench.peer(9)] = Self.caller("laptop", Self.key(9))
    try bench.join(9, try bench.hello(9), nonce: 1, [.follow("counter")])
  }

  @Test func `An answer may have a warning, and need not`() throws {
    for answer in [KeyAnswer.done(name: "laptop"), .done(name: "laptop", warning: "line 1")] {
      var encoder = CBOREncoder()
      answer.encode(to: &encoder)
      var decoder = CBORDecoder(encoder.bytes[...])
      #expect(try KeyAnswer(from: &decoder) == answer)
    }
  }

  @Test func `A peer that hands in its own key gets its name`() throws {
    let bench = bench()
    bench.server.onKeys = { _ in Issue.record("No request is expected") }
    for (key, isOwn) in [(Self.key(1), true), (Self.key(2), false)] {
      bench.receive(.keys(request: 1, .enrol(key: key)), from: Self.laptop)
      try bench.endTurn()
      #expect((try answer(bench, Self.laptop) == .done(name: "laptop")) == isOwn)
    }
  }
}
