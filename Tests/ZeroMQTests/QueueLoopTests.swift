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
  /// What fails of a turn.
  enum Step: CaseIterable {
    case receiving
    case ending
    /// The loop's own look at whether there is more.
    case looking
  }

  /// A loop that has heard a first message.
  private func started(_ pair: Pair) async throws -> (Listener, QueueLoop) {
    let listener = Listener(pair.server)
    let loop = QueueLoop(listener) { listener.failures.append($0) }
    loop.start()
    try pair.client.sendAll([1])
    await eventually { listener.received.last == [1] }
    return (listener, loop)
  }

  @Test("A socket that cannot be read any more is told once, though nobody asks for a turn")
  func failingSocket() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    // From now on every call on a socket of it fails.
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
    "A turn that fails is told once, whatever of it fails, and is the last one",
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

  @Test("What comes while a turn ends is heard, though its signal was used up")
  func usedUpSignal() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    // Waiting for it takes note of its signal, so that the descriptor is silent again.
    listener.arriving = Poller([.socket(pair.server)])
    try pair.client.sendAll([2])
    loop.wakeUp()
    await eventually { listener.received.last == [2] }
    #expect(listener.failures == [])
    loop.stop()
  }

  @Test("A socket that is made anew at the end of a turn is heard from then on")
  func freshSocket() async throws {
    // The former ones stay as they are, so that nothing comes of their end.
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

  @Test("Whoever closes its sockets in a turn and stops the loop is asked nothing more")
  func closedInTurn() async throws {
    let socket = try Socket(Context(), kind: .pair)
    let listener = Listener(socket)
    let loop = QueueLoop(listener) { listener.failures.append($0) }
    listener.stopping = loop
    loop.start()
    await eventually { socket.isClosed }
    await letQueueGoOn()
    // To look at a closed socket would end the process.
    #expect(listener.turns == 1 && listener.ends == 0)
    #expect(listener.failures == [])
    loop.stop()
  }

  @Test("Sockets may be closed while they are watched, and a loop that was stopped hears nothing")
  func closedWhileWatched() async throws {
    let pair = try Pair(.router, .dealer)
    let (listener, loop) = try await started(pair)
    let turns = listener.turns
    // The loop watches a descriptor of its own, which outlives the socket's.
    pair.server.close()
    loop.stop()
    loop.wakeUp()
    await letQueueGoOn()
    #expect(listener.turns == turns)
    #expect(listener.failures == [])
    pair.client.close()
    pair.context.terminate()
  }

  @Test("A message to a loop that was stopped is left where it is")
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

/// The descriptors that a loop has of its own: in processes that have nothing else to do.
@Suite("The descriptors of the loop on the main queue", .timeLimit(.minutes(1)))
struct QueueLoopDescriptorTests {
  @Test("A loop that was stopped keeps no descriptor open")
  func closed() async {
    await #expect(processExitsWith: .success) { try await stopManyLoops() }
  }

  #if os(Linux)
  @Test("A socket for which no descriptor is left is told before the first turn")
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

/// How many of the first descriptors are open.
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
  // For no longer than the loop asks: others in the process need descriptors, too.
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

/// What a loop turns for in these tests: one socket.
@MainActor
private final class Listener: LoopParticipant {
  private static let failure = ZeroMQError(code: EIO, operation: "use", subject: "a test's socket")

  private var socket: Socket
  private(set) var socketGeneration = 0
  let resumesMainQueue = false
  let awaitsAnswer = false
  let nextDeadline: Int64? = nil
  /// Is told when the loop asks for the sockets.
  var onLook: @MainActor () -> Void = {}
  /// What is to fail.
  var failing: QueueLoopTests.Step?
  /// Is asked at the end of the next turn until something has come, which that turn does not take.
  var arriving: Poller?
  /// Takes the socket's place at the end of the next turn.
  var replacement: Socket?
  /// Is stopped in the next turn, in which the socket is closed.
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
    // Nothing was there yet, or nothing is taken.
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

/// Lets the main queue go on until something holds, or a limit is reached.
@MainActor
private func eventually(_ condition: () -> Bool) async {
  let end = ContinuousClock().now + patience
  while !condition(), ContinuousClock().now < end { await Task.yield() }
  #expect(condition())
}

/// Lets what is on the main queue be done, and what that puts there.
@MainActor
private func letQueueGoOn() async {
  for _ in 0..<100 { await Task.yield() }
}
