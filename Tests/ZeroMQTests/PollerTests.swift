import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Polling", .timeLimit(.minutes(1)))
struct PollerTests {
  @Test("A wait without an event ends after the timeout, not before")
  func timeout() throws {
    let pair = try Pair(.router, .dealer)
    let poller = Poller([.socket(pair.server)])
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try poller.wait(timeout: shortWait) == 0)
    #expect(clock.now - start >= shortWait - .milliseconds(1))
    #expect(clock.now - start < patience)
    #expect(!poller.isReady(0))
  }

  @Test("Looking without waiting returns at once")
  func looking() throws {
    let pair = try Pair(.router, .dealer)
    #expect(try Poller([.socket(pair.server)]).wait(timeout: .zero) == 0)
  }

  @Test("A poller without items only waits")
  func empty() throws {
    #expect(try Poller([]).wait(timeout: .milliseconds(1)) == 0)
  }

  @Test("Sockets and descriptors are polled together, and each reports whether it is ready")
  func mixed() throws {
    let pair = try Pair(.router, .dealer)
    let pipe = try Pipe()
    let poller = Poller([.socket(pair.server), .descriptor(pipe.readEnd)])

    pipe.writeByte()
    #expect(try poller.wait(timeout: patience) == 1)
    #expect(!poller.isReady(0))
    #expect(poller.isReady(1))
    pipe.readByte()

    try pair.client.sendAll([1])
    #expect(try poller.wait(timeout: nil) == 1)
    #expect(poller.isReady(0))
    #expect(!poller.isReady(1))
    _ = try pair.server.nextMessage()
    #expect(try poller.wait(timeout: .zero) == 0)
    #expect(!poller.isReady(0))
  }

  @Test("A descriptor whose other end has closed is ready")
  func hungUp() throws {
    let pipe = try Pipe()
    let poller = Poller([.descriptor(pipe.readEnd)])
    pipe.closeWriteEnd()
    #expect(try poller.wait(timeout: patience) == 1)
    #expect(poller.isReady(0))
  }

  @Test("The watched events of an item can be changed")
  func watching() throws {
    let pair = try Pair(.router, .dealer)
    let poller = Poller([.socket(pair.client)])
    #expect(try poller.wait(timeout: .zero) == 0)
    poller.watch(0, for: [.readable, .writable])
    #expect(try poller.wait(timeout: patience) == 1)
    #expect(poller.isReady(0))
    poller.watch(0, for: .readable)
    #expect(try poller.wait(timeout: .zero) == 0)
  }

  @Test("A signal ends the wait without a ready item")
  func signal() throws {
    let pipe = try Pipe()
    let poller = Poller([.descriptor(pipe.readEnd)])
    let clock = ContinuousClock()
    let start = clock.now
    let ready = try withSignalsToThisThread { try poller.wait(timeout: patience) }
    #expect(ready == 0)
    #expect(!poller.isReady(0))
    #expect(clock.now - start < patience)
  }

  @Test("A poller keeps its sockets, and their state can be asked directly")
  func keepsSockets() throws {
    weak var kept: Socket?
    let context = try Context()
    do {
      let socket = try Socket(context, kind: .pair)
      kept = socket
      let poller = Poller([.socket(socket)])
      #expect(poller.count == 1)
      #expect(try socket.fileDescriptor >= 0)
      #expect(try socket.events == [])
    }
    #expect(kept == nil)
    context.terminate()
  }

  @Test("Waiting for a closed socket is a programmer's error")
  func closedSocket() async {
    let exit = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent],
    ) {
      let socket = try Socket(Context(), kind: .pair)
      let poller = Poller([.socket(socket)])
      socket.close()
      _ = try poller.wait(timeout: .zero)
    }
    expectMessage("socket 0 of a poller is closed", of: exit)
  }

  #if os(Linux)
  @Test("In a forked child, using a socket is an error with a remedy, not a spin")
  func forked() async {
    await #expect(processExitsWith: .success) {
      let pair = try Pair(.router, .dealer)
      let child = try #require(forkedProcess())
      if child == 0 { _exit(errorsOfForkedCopy(pair.client) == [EINTR, EINTR, EINTR] ? 7 : 1) }
      var status: Int32 = 0
      try #require(waitpid(child, &status, 0) == child)
      try #require(status == 7 << 8)
    }
  }
  #endif
}

#if os(Linux)
/// Forks, which Swift does not offer; the test checks that the library detects it.
private func forkedProcess() -> pid_t? {
  guard let symbol = dlsym(nil, "fork") else { return nil }
  return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
}

private func errorsOfForkedCopy(_ socket: Socket) -> [Int32?] {
  var message = Message()
  let poller = Poller([.socket(socket)])
  return [
    errorCode { _ = try socket.send([1]) },
    errorCode { _ = try socket.receive(into: &message) },
    errorCode { _ = try poller.wait(timeout: .zero) },
  ]
}

private func errorCode(_ body: () throws -> Void) -> Int32? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ZeroMQError)?.code
  }
}
#endif
