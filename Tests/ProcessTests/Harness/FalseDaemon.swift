import Foundation
import StoreState
import Synchronization
import ZeroMQ

@testable import StoreProtocol

/// Speaks a daemon's protocol, and sends the messages that a test chooses.
final class FalseDaemon: Sendable {
  private let isOver = Watched(false)
  /// The number of queries of the past so far.
  private let questions = Watched(0)

  /// Opens the sockets of a directory.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - scopes: The scopes that it claims to expose.
  ///   - status: The answer to a request for the status.
  ///   - flood: Messages that are sent repeatedly to each client that has sent hello.
  ///   - past: Returns the answer to a query of the past.
  ///   - says: Returns answers that replace all of these; nil for the usual answer.
  /// - Throws: The reason why they could not be opened.
  init(
    in directory: String,
    scopes: [ScopeDescription] = [],
    status: DaemonMessage? = nil,
    flood: [DaemonMessage] = [],
    past: @escaping @Sendable (HistoryQuery) -> HistoryAnswer = { _ in
      .failed(HistoryError(.unavailable, "No past is played."))
    },
    says: @escaping @Sendable (ClientMessage) -> [DaemonMessage]? = { _ in nil },
  ) async throws {
    let questions = questions
    try await serve(directory, flood) { message in
      if case .history = message { questions.update { $0 += 1 } }
      let answers = says(message) ?? Self.answer(message, scopes, status, past).map { [$0] } ?? []
      return answers.map { $0.encoded() }
    }
  }

  /// Opens the sockets of a directory, and answers with frames.
  init(
    in directory: String,
    answering: @escaping @Sendable (ClientMessage) -> [[UInt8]],
  ) async throws {
    try await serve(directory, [], answering)
  }

  private func serve(
    _ directory: String,
    _ flood: [DaemonMessage],
    _ answer: @escaping @Sendable (ClientMessage) -> [[UInt8]],
  ) async throws {
    let state = Watched<Result<Void, ProcessFailure>?>(nil)
    let isOver = isOver
    Thread.detachNewThread {
      do throws(ZeroMQError) {
        var sockets = try Sockets(in: directory)
        let flood = flood.map { $0.encoded() }
        state.update { $0 = .success(()) }
        while !isOver.value { try sockets.turn(flood, answer) }
        sockets.close()
      } catch {
        state.update { $0 = .failure(ProcessFailure("\(error)")) }
      }
    }
    try await state.wait(within: .seconds(20), for: "the sockets") { $0 }.get()
  }

  deinit { isOver.update { $0 = true } }

  /// The number of queries of the past so far.
  var questionCount: Int { questions.value }

  private static func answer(
    _ message: ClientMessage,
    _ scopes: [ScopeDescription],
    _ status: DaemonMessage?,
    _ past: (HistoryQuery) -> HistoryAnswer,
  ) -> DaemonMessage? {
    switch message {
    case .hello: return .helloOK(helloOK)
    case .ping(let number, let revision):
      let reach = DaemonMessage.Watermark(nonce: 0, sequence: 0)
      return .pong(number: number, revision: revision, watermark: reach)
    case .describe(let request):
      var encoder = CBOREncoder()
      encoder.arrayHeader(scopes.count)
      for scope in scopes { scope.encode(to: &encoder) }
      return .description(request: request, item: encoder.bytes[...])
    case .status: return status
    case .history(let request, let query):
      var encoder = CBOREncoder()
      past(query).encode(to: &encoder)
      return .history(request: request, item: encoder.bytes[...])
    default: return nil
    }
  }

  private static var helloOK: DaemonMessage.HelloOK {
    DaemonMessage.HelloOK(
      session: 1,
      token: Identifier(high: 1, low: 2),
      epoch: 77,
      revision: 0,
      privateTopic: Topic(.session, Identifier(high: 3, low: 4)),
      lastSequence: 0,
      isResumed: false,
      leaseMilliseconds: 10_000,
      frameBytes: 1 << 20,
      window: 1024,
      scopes: 1024,
      actions: 128,
      running: [],
    )
  }
}

/// The two sockets of a daemon; used only on the thread that created them.
private struct Sockets {
  private let control: Socket
  private let publishing: Socket
  private let poller: Poller
  /// The routing ids of the clients that have sent hello.
  private var guests: Set<[UInt8]> = []

  init(in directory: String) throws(ZeroMQError) {
    let context = try Context()
    var options = SocketOptions()
    options.probeRouter = true
    control = try Socket(context, kind: .router, options: options)
    options = SocketOptions()
    options.welcomeMessage = Welcome(epoch: 77).encoded()
    publishing = try Socket(context, kind: .xpub, options: options)
    poller = Poller([.socket(control), .socket(publishing)])
    let location = StoreLocation(directory: directory)
    try control.bind(location.control)
    try publishing.bind(location.publishing)
  }

  func close() {
    control.close()
    publishing.close()
  }

  /// Answers received messages.
  ///
  /// Waits for a while if neither a message nor a flood is pending.
  mutating func turn(
    _ flood: [[UInt8]],
    _ answer: (ClientMessage) -> [[UInt8]],
  ) throws(ZeroMQError) {
    let isFlooding = !flood.isEmpty && !guests.isEmpty
    _ = try poller.wait(timeout: isFlooding ? .milliseconds(1) : .milliseconds(50))
    var message = Message()
    while try publishing.receive(into: &message) {}
    while try control.receive(into: &message) {
      let peer = message.bytes
      guard message.more, try control.receive(into: &message),
        let request = try? ClientMessage(frame: message.bytes[...])
      else { continue }
      if case .hello = request { guests.insert(peer) }
      try say(answer(request), to: peer)
    }
    for guest in guests { try say(flood, to: guest) }
  }

  private func say(_ frames: [[UInt8]], to peer: [UInt8]) throws(ZeroMQError) {
    for frame in frames where try control.send(peer, more: true) == .sent {
      _ = try control.send(frame)
    }
  }
}
