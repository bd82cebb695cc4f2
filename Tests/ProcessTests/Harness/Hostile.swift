import Foundation
import GenericState
import StoreProtocol
import StoreReplica
import StoreState
import StoredWorkspace
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Attacks by other users of the machine on a daemon that admits them; each kind repeats.
struct Hostile {
  enum Attack: CaseIterable {
    /// Thousands of connections with one short message each.
    case swarm
    /// Connections that send hello and close, as fast as they can.
    case passersBy
    /// Connections that are refused for their messages: each could be a line of the log.
    case babblers
    /// Queries of the past, more than the daemon's limit.
    case historians
    /// Actions of 900 KB, several at once.
    case largeActions
    /// Hellos whose names are 200,000 spaces.
    case spaces
    /// One row under names of 200,000 and of 900 bytes, and actions for it that are refused.
    case aliases
    /// Joins of a thousand rows.
    case rows
    /// Hellos that are followed by goodbye, and positions in the past.
    case farewells

    /// The attacks that change only the list of present sessions.
    static let changingNothing = allCases.filter { $0 != .largeActions }
  }

  static let grants = """
    user:\(OtherUsers.ann)  counter  see
    user:\(OtherUsers.bob)  counter  see send
    user:\(OtherUsers.stranger)  counter,todos,todos/items/*  see
    user:\(OtherUsers.stranger)  todos/items/*  send=titleChanged
    user:\(OtherUsers.carol)  todos/items/*  send=titleChanged
    """

  private let world: World
  private let attack: Attack
  /// The scope of a row that these users may change.
  private let row: String
  /// Whether the number of peers is the maximum.
  private let isFull: Bool
  /// Whether their sessions are reported to the reducer.
  private let isListed: Bool

  init(_ world: World, _ attack: Attack, row: String, isFull: Bool, isListed: Bool = true) {
    self.world = world
    self.attack = attack
    self.row = row
    self.isFull = isFull
    self.isListed = isListed
  }

  private var path: String { "\(world.directory)/ctl" }

  /// The attacking user; nil for this process's user, if tests cannot act as another.
  private var user: UInt32? {
    guard OtherUsers.canBeActed else { return nil }
    return switch attack {
    case .swarm, .spaces: OtherUsers.ann
    case .passersBy, .farewells: OtherUsers.bob
    case .babblers, .historians, .largeActions, .rows: OtherUsers.stranger
    case .aliases: OtherUsers.carol
    }
  }

  /// - Returns: The number of peers.
  func run(until end: ContinuousClock.Instant) async throws -> Int {
    let clock = ContinuousClock()
    var count = 0
    while clock.now < end {
      let next = min(clock.now + .seconds(1), end)
      switch attack {
      case .swarm: count += try await swarm(until: end)
      case .passersBy: count += try await visits([hello(1)], until: next)
      case .babblers: count += try await visits([hello(2), [0xff]], until: next)
      case .historians, .largeActions, .spaces, .aliases, .rows, .farewells:
        let peers = try await peers()
        count += peers.count
        for peer in peers { try await peer.closed(by: next) }
      }
      try await clock.sleep(until: next)
    }
    return count
  }

  // MARK: - Many connections

  private func swarm(until end: ContinuousClock.Instant) async throws -> Int {
    let (path, count) = (path, isFull ? 6_500 : 300)
    let ping = ClientMessage.ping(number: 1, revision: 0).encoded()
    return try await onThread {
      let swarm = (0..<count).compactMap { _ in
        ContinuousClock().now < end ? try? RawPeer.connect(path) : nil
      }
      defer { for descriptor in swarm { close(descriptor) } }
      let opening = ZMTP.opening("DEALER")
      let open = swarm.filter { RawPeer.send(opening, to: $0) }.filter {
        Self.isLetIn($0, by: end)
      }
      for descriptor in open { _ = RawPeer.send(ZMTP.message(ping), to: descriptor) }
      // Long enough for the daemon to read all of them, or to be busy with them.
      _ = poll(nil, 0, 500)
      return swarm.count
    }
  }

  private func visits(
    _ frames: [[UInt8]],
    until end: ContinuousClock.Instant,
  ) async throws -> Int {
    let path = path
    let bytes = frames.flatMap { ZMTP.longMessage($0) }
    // The daemon limits such visits, and the machine has other work.
    let most = isFull ? 1_500 : 50
    return try await onThread {
      var count = 0
      while count < most, ContinuousClock().now < end {
        count += 1
        guard let descriptor = try? RawPeer.connect(path) else { continue }
        defer { close(descriptor) }
        guard RawPeer.send(ZMTP.opening("DEALER"), to: descriptor),
          Self.isLetIn(descriptor, by: end)
        else { continue }
        _ = RawPeer.send(bytes, to: descriptor)
      }
      return count
    }
  }

  /// Waits for the other side's READY, up to the attack's end.
  private static func isLetIn(_ descriptor: Int32, by end: ContinuousClock.Instant) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while answer.count < 66 || answer.count < 66 + Int(answer[65]) {
      let left = Int32(clamping: (end - ContinuousClock().now).wholeMilliseconds)
      guard poll(&entry, 1, max(0, min(2_000, left))) > 0 else { return false }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      answer += buffer.prefix(count)
    }
    return true
  }

  /// Runs a body on a thread of its own, as the user.
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws -> Value {
    let user = user
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            #if os(Linux)
            if let user { try RawPeer.become(user) }
            #endif
            return body()
          }
        )
      }
    }
  }

  // MARK: - Some that ask for much

  private func peers() async throws -> [RawPeer] {
    var peers: [RawPeer] = []
    for number in 0..<(attack == .historians ? 24 : 4) as Range<UInt64> {
      guard let descriptor = try? await connect() else { continue }
      peers.append(
        RawPeer(
          connected: descriptor,
          as: "DEALER",
          sending: try frames(number).flatMap { ZMTP.longMessage($0) },
        )
      )
    }
    return peers
  }

  private func connect() async throws -> Int32 {
    #if os(Linux)
    if let user { return try await RawPeer.connect(path, as: user) }
    #endif
    return try RawPeer.connect(path)
  }

  private func frames(_ number: UInt64) throws -> [[UInt8]] {
    let messages: [ClientMessage]
    switch attack {
    case .historians:
      messages = (1...4).map {
        .history(request: $0, .log(after: 0, count: 1_000, scope: "counter", client: nil))
      }
    case .largeActions:
      let request = try titleChange(bytes: 900_000)
      messages =
        [.rawJoin([row], mode: .sendOnly)] + (1...8).map { .actions(first: $0, [request]) }
    case .spaces:
      let name = String(repeating: " ", count: 200_000)
      return (0..<20).map { ClientMessage.rawHello(number << 32 + $0, name: name).encoded() }
    case .aliases:
      let id = "\"\(UUID())\""
      let names = [900, 200_000].map { bytes in
        "todos/items/" + String(repeating: " ", count: bytes) + id
      }
      let requests = Array(repeating: try titleChange(bytes: 1), count: 128)
      messages =
        [.rawJoin(names, mode: .sendOnly)]
        + (0..<8).map { .actions(first: 128 * $0 + 1, requests) }
    case .rows:
      messages = (1...5 as ClosedRange<UInt64>).map { nonce in
        .rawJoin(nonce: nonce, (0..<1_000).map { _ in "todos/items/\(UUID())" })
      }
    case .farewells:
      let position = ClientMessage.Position(epoch: 1, revision: 1)
      return (0..<50 as Range<UInt64>).flatMap { count in
        [
          hello(count), ClientMessage.rawJoin(["counter"], position: position).encoded(),
          ClientMessage.bye.encoded(),
        ]
      }
    case .swarm, .passersBy, .babblers: messages = []
    }
    return [hello(number)] + messages.map { $0.encoded() }
  }

  /// Returns an action that sets a title, to the first scope of a session.
  private func titleChange(bytes: Int) throws -> ClientMessage.ActionRequest {
    let title = String(repeating: "x", count: bytes)
    let action = try Todo.Action.titleChanged(title: title).encoded()[...]
    return ClientMessage.ActionRequest(handle: 1, action: action, deadline: nil)
  }

  private func hello(_ number: UInt64) -> [UInt8] {
    let client = UInt64.random(in: 0 ... .max)
    return ClientMessage.rawHello(client, name: "guest \(number)", isListed: isListed).encoded()
  }
}

extension RawPeer {
  /// Waits until the other side has closed the connection, and closes it at the time limit.
  func closed(by end: ContinuousClock.Instant) async throws {
    // The storm's end is a fixed time, so the factor for slow machines is divided out.
    let left = max(end - ContinuousClock().now, .zero) / TestPatience.factor
    do {
      try await closed(within: left)
    } catch is WaitFailure {
      hangUp()
      try await closed(within: .seconds(60))
    }
  }
}
