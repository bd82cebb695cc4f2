import StoreActor
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The span that an action carries to the daemon: docs/PROTOCOL.md §8.
@MainActor
@Suite struct ActionTraceTests {
  private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  /// A daemon with the given features, and a connected client.
  private func daemon(_ features: ProtocolFeatures) throws -> PlayedDaemon {
    let daemon = try PlayedDaemon()
    daemon.wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try daemon.greet()
    try daemon.helloOK(last: 0, isResumed: false, frameBytes: 1_024, features: features)
    try daemon.answer(revision: 1, sequence: 0)
    return daemon
  }

  /// The actions that the client has sent since the last call.
  private func requests(_ daemon: PlayedDaemon) -> [ClientMessage.ActionRequest] {
    daemon.take().flatMap { message -> [ClientMessage.ActionRequest] in
      if case .actions(_, let requests) = message { requests } else { [] }
    }
  }

  /// The request of an action with the given number of bytes and a trace.
  private func sent(_ daemon: PlayedDaemon, bytes: Int = 3) throws -> ClientMessage.ActionRequest {
    _ = daemon.take()
    let action = String(repeating: "x", count: bytes - (bytes < 25 ? 1 : bytes < 257 ? 2 : 3))
    let ticket = daemon.client.submit(
      action.encoded(),
      to: daemon.scope,
      trace: Self.trace,
    )
    try daemon.wire.settle()
    let requests = requests(daemon)
    let request = try #require(requests.first)
    #expect(requests.count == 1 && request.action.count == bytes && !ticket.isCancelled)
    return request
  }

  @Test func `A daemon that takes traces is sent the action's`() throws {
    #expect(try sent(daemon(.traces)).trace == Self.trace)
  }

  @Test(arguments: [[], ProtocolFeatures.unicastViews])
  func `One that does not is sent the action alone`(features: ProtocolFeatures) throws {
    #expect(try sent(daemon(features)).trace == nil)
  }

  @Test func `If a frame has no room for both the action is sent alone`() throws {
    let daemon = try daemon(.traces)
    let most = ReplicaClient.actionBytes(inFrameOf: 1_024)
    let room = Self.trace.utf8.count + 4
    #expect(try sent(daemon, bytes: most - room).trace == Self.trace)
    for bytes in [most - room + 1, most] {
      #expect(try sent(daemon, bytes: bytes).trace == nil)
    }
  }

  @Test func `Frames of many actions have room for the traces of all`() throws {
    let daemon = try daemon(.traces)
    _ = daemon.take()
    for _ in 0..<40 {
      _ = daemon.client.submit("up".encoded(), to: daemon.scope, trace: Self.trace)
    }
    try daemon.wire.settle()
    let sent = daemon.take()
    #expect(sent.count > 1 && sent.allSatisfy { $0.encoded().count <= 1_024 })
  }

  @Test func `A trace that is longer than any is no trace, and its action is one`() throws {
    #expect(TraceParent.mostBytes == TextLimits.traceBytes)
    for (count, isTrace) in [(55, true), (64, true), (65, false), (100_000, false)] {
      let trace = String(repeating: "x", count: count)
      let request = ClientMessage.ActionRequest(
        handle: 1,
        action: [0x61, 0x61],
        deadline: 5,
        trace: trace,
      )
      let bytes = ClientMessage.actions(first: 1, [request, request]).encoded()
      guard case .actions(1, let read) = try ClientMessage(frame: bytes[...]) else {
        Issue.record("No actions")
        return
      }
      #expect(read.map(\.trace) == Array(repeating: isTrace ? trace : nil, count: 2))
      #expect(read.allSatisfy { $0.action.elementsEqual([0x61, 0x61]) && $0.deadline == 5 })
    }
  }

  @Test func `Each of many actions has its own`() throws {
    let daemon = try daemon(.traces)
    _ = daemon.take()
    for number in 0..<5 {
      _ = daemon.client.submit(
        "up".encoded(),
        to: daemon.scope,
        timeToLive: number == 2 ? .seconds(1) : nil,
        trace: number == 3 ? nil : "\(number)",
      )
    }
    try daemon.wire.settle()
    let requests = requests(daemon)
    #expect(requests.map(\.trace) == ["0", "1", "2", nil, "4"])
    #expect(requests.map { $0.deadline != nil } == [false, false, true, false, false])
  }
}
