import CZMQ
import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The loop of programs that run the main queue themselves.
@MainActor
@Suite("The loop on the main queue", .timeLimit(.minutes(1)))
struct QueueLoopTests {
  /// The step of a turn that fails.
  enum Step: CaseIterable {
    case receiving
    case ending
    /// The loop's own check for more messages.
    case looking
  }

  /// A loop that has received a first message.
  private func started(_ pair: Pair) async throws -> (Listener, QueueLoop) {
    let listener = Listener(pair.server)
    let loop = QueueLoop(listener) { listener.failures.append($0) }
    loop.start()
    try pair.client.sendAll([1])
    await eventually { listener.received.last == [1] }
    return (listener, loop)
  }

  @Test("A socket that can no longer be read is reported once, even without a request for a turn")
  func failingSocket() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    // From now on every call on a socket of the context fails.
    zmq_ctx_shutdown(pair.context.handle)
    await eventually { !listener.failures.isEmpty }
    let turns = listener.turns
    for _ in 0..<3 { loop.wakeUp() }
    await letQueueGoOn()
    #expect(listener.turns == turns)
    #expect(listener.failures.map(\.code) == [ETERM])
    #expect(listener.failures.first?.operation == "receive on")
    loop.stop()
  }

  @Test(
    "A failure in any step of a turn is reported once, and the turn is the last one",
    arguments: Step.allCases,
  )
  func failingTurn(step: Step) async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    listener.failing = step
    if step == .looking { zmq_ctx_shutdown(pair.context.handle) }
    loop.wakeUp()
    await eventually { !listener.failures.isEmpty }
    let turns = listener.turns
    for _ in 0..<3 { loop.wakeUp() }
    await letQueueGoOn()
    #expect(listener.turns == turns)
    #expect(listener.failures.count == 1)
    loop.stop()
  }

  @Test("A message that arrives while a turn ends is received, though its signal was consumed")
  func usedUpSignal() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    // The poller consumes the signal of the message, so the descriptor is silent again.
    listener.arriving = Poller([.socket(pair.server)])
    try pair.client.sendAll([2])
    loop.wakeUp()
    await eventually { listener.received.last == [2] }
    #expect(listener.failures == [])
    loop.stop()
  }

  @Test("A socket that is replaced at the end of a turn is read from then on")
  func freshSocket() async throws {
    // The former sockets stay open, so that their end does not wake the loop.
    let (former, fresh) = (try Pair(.router, .dealer), try Pair(.router, .dealer))
    let (listener, loop) = try await started(former)
    listener.replacement = fresh.server
    loop.wakeUp()
    await eventually { listener.socketGeneration == 1 }
    try fresh.client.sendAll([2])
    await eventually { listener.received.last == [2] }
    #expect(listener.failures == [])
    loop.stop()
    former.client.close()
  }

  @Test("A participant that closes its sockets in a turn and stops the loop is not called again")
  func closedInTurn() async throws {
    let socket = try Socket(Context(), kind: .pair)
    let listener = Listener(socket)
    let loop = QueueLoop(listener) { listener.failures.append($0) }
    listener.stopping = loop
    loop.start()
    await eventually { socket.isClosed }
    await letQueueGoOn()
    // A check of a closed socket would end the process.
    #expect(listener.turns == 1 && listener.ends == 0)
    #expect(listener.failures == [])
    loop.stop()
  }

  @Test("Sockets may be closed while they are watched, and a stopped loop receives no messages")
  func closedWhileWatched() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    let turns = listener.turns
    // The loop watches its own descriptor, which outlives the socket's.
    pair.server.close()
    loop.stop()
    loop.wakeUp()
    await letQueueGoOn()
    #expect(listener.turns == turns)
    #expect(listener.failures == [])
    pair.client.close()
    pair.context.terminate()
  }

  @Test("A message to a stopped loop stays in the socket")
  func stopped() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    loop.stop()
    let turns = listener.turns
    try pair.client.sendAll([2])
    #expect(try Poller([.socket(pair.server)]).wait(timeout: patience) == 1)
    await letQueueGoOn()
    #expect(listener.turns == turns)
    #expect(try pair.server.readyMessage()?.last == [2])
  }
}

/// The descriptors of a loop, in processes that do no other work.
@Suite("The descriptors of the loop on the main queue", .timeLimit(.minutes(1)))
struct QueueLoopDescriptorTests {
  @Test("A loop that was stopped keeps no descriptor open")
  func closed() async {
    await #expect(processExitsWith: .success) { try await stopManyLoops() }
  }

  #if os(Linux)
  @Test("The lack of a descriptor for a socket is reported before the first turn")
  func noneLeft() async {
    await #expect(processExitsWith: .success) { try await failToWatch() }
  }
  #endif
}

@MainActor
private func stopManyLoops() async throws {
  let before = openDescriptors()
  let listener = try Listener(Socket(Context(), kind: .pair))
  for _ in 0..<100 {
    let turns = listener.turns
    let loop = QueueLoop(listener) { listener.failures.append($0) }
    loop.start()
    await eventually { listener.turns > turns }
    loop.stop()
  }
  try #require(listener.turns >= 100 && listener.failures.isEmpty)
  // Each loop had one; the library and the main queue have some of their own.
  await eventually { openDescriptors() < before + 50 }
  try #require(openDescriptors() < before + 50)
}

/// The number of open descriptors among the first 512.
private func openDescriptors() -> Int {
  (0..<512).count { fcntl(Int32($0), F_GETFD) >= 0 }
}

#if os(Linux)
@MainActor
private func failToWatch() async throws {
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var usual = rlimit()
  try #require(getrlimit(resource, &usual) == 0)
  let listener = try Listener(Socket(Context(), kind: .pair))
  // Only while the loop requests the sockets: other code in the process needs descriptors too.
  listener.onLook = { [usual] in
    var none = usual
    none.rlim_cur = 1
    setrlimit(resource, &none)
  }
  let loop = QueueLoop(listener) { [usual] error in
    var again = usual
    setrlimit(resource, &again)
    listener.failures.append(error)
  }
  loop.start()
  await eventually { !listener.failures.isEmpty }
  loop.wakeUp()
  await letQueueGoOn()
  try #require(listener.failures.map(\.code) == [EMFILE])
  try #require(listener.failures.first?.operation == "watch")
  try #require(listener.turns == 0)
  loop.stop()
}
#endif

/// The participant of the loop in these tests: one socket.
@MainActor
private final class Listener: LoopParticipant {
  private static let failure = ZeroMQError(code: EIO, operation: "use", subject: "a test's socket")

  private var socket: Socket
  private(set) var socketGeneration = 0
  let resumesMainQueue = false
  let awaitsAnswer = false
  let nextDeadline: Int64? = nil
  /// Called when the loop requests the sockets.
  var onLook: @MainActor () -> Void = {}
  /// The step that fails.
  var failing: QueueLoopTests.Step?
  /// Waits at the end of the next turn for a message, which that turn does not take.
  var arriving: Poller?
  /// Replaces the socket at the end of the next turn.
  var replacement: Socket?
  /// Stopped in the next turn, in which the socket is closed.
  weak var stopping: QueueLoop?

  private(set) var turns = 0
  private(set) var ends = 0
  private(set) var received: [[UInt8]] = []
  var failures: [ZeroMQError] = []

  init(_ socket: Socket) { self.socket = socket }

  var sockets: [Socket] {
    onLook()
    return [socket]
  }

  func receiveMessages() throws(ZeroMQError) -> Bool {
    turns += 1
    if let stopping {
      socket.close()
      stopping.stop()
      return false
    }
    if failing == .receiving { throw Self.failure }
    // Either the socket is empty, or the message is not to be taken yet.
    guard failing == nil, arriving == nil else { return false }
    var message = Message()
    while try socket.receive(into: &message) { received.append(message.bytes) }
    return false
  }

  func endTurn() throws(ZeroMQError) {
    ends += 1
    if failing == .ending { throw Self.failure }
    if let poller = arriving {
      arriving = nil
      _ = try poller.wait(timeout: patience)
    }
    if let fresh = replacement {
      replacement = nil
      socket = fresh
      socketGeneration += 1
    }
  }
}

/// Lets the main queue run until a condition holds, or a limit is reached.
@MainActor
private func eventually(_ condition: () -> Bool) async {
  let end = ContinuousClock().now + patience
  while !condition(), ContinuousClock().now < end { await Task.yield() }
  #expect(condition())
}

/// Lets the main queue run the pending work, and the work that this enqueues.
@MainActor
private func letQueueGoOn() async {
  for _ in 0..<100 { await Task.yield() }
}
