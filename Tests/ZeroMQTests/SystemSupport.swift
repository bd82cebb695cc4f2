import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe of the operating system.
final class Pipe {
  let readEnd: Int32
  private var writeEnd: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    closeWriteEnd()
  }

  func writeByte() {
    var byte: UInt8 = 1
    #expect(write(writeEnd, &byte, 1) == 1)
  }

  func readByte() {
    var byte: UInt8 = 0
    #expect(read(readEnd, &byte, 1) == 1)
  }

  func closeWriteEnd() {
    guard writeEnd >= 0 else { return }
    close(writeEnd)
    writeEnd = -1
  }
}

/// A thread of the operating system, to be joined.
final class TestThread {
  private let thread: pthread_t

  init(_ run: @escaping @Sendable () -> Void) throws {
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    let status = pthread_create(&thread, nil, { runBody($0) }, body)
    try #require(status == 0)
    self.thread = try #require(thread)
    #else
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, { runBody($0) }, body)
    try #require(status == 0)
    self.thread = thread
    #endif
  }

  func join() {
    pthread_join(thread, nil)
  }
}

private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
  return nil
}

private final class Body: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

/// Runs the closure while another thread sends this one signals continuously, which a
/// handler takes.
///
/// A single signal could arrive before the call that it is to interrupt has begun.
func withSignalsToThisThread<Result>(_ body: () throws -> Result) throws -> Result {
  var action = sigaction()
  #if canImport(Darwin)
  action.__sigaction_u.__sa_handler = { _ in }
  #else
  action.__sigaction_handler.sa_handler = { _ in }
  #endif
  try #require(sigaction(SIGUSR1, &action, nil) == 0)

  // Worker threads have nearly all signals blocked.
  var signals = sigset_t()
  var formerMask = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGUSR1)
  pthread_sigmask(SIG_UNBLOCK, &signals, &formerMask)

  let sender = SignalSender()
  let thread = try TestThread { sender.sendUntilOver() }
  defer {
    sender.stop()
    thread.join()
    pthread_sigmask(SIG_SETMASK, &formerMask, nil)
  }
  return try body()
}

/// Sends SIGUSR1 to the thread that created it.
private final class SignalSender: Sendable {
  #if canImport(Darwin)
  // A thread's identifier, which is not dereferenced as a pointer.
  nonisolated(unsafe) private let target = pthread_self()
  #else
  private let target = pthread_self()
  #endif
  private let isOver = Atomic(false)

  func sendUntilOver() {
    while !isOver.load(ordering: .relaxed) {
      pthread_kill(target, SIGUSR1)
      sched_yield()
    }
  }

  func stop() {
    isOver.store(true, ordering: .relaxed)
  }
}
