import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGTERM and SIGINT as requests to stop, SIGHUP as a request to reload the configuration, and
/// SIGUSR2 as a request to let the program's current file take over.
///
/// No request is lost after this object was created: a handler writes into a pipe for each kind of
/// request, which the main queue reads. Several requests of a kind may become one. The signals are
/// not blocked, because the programs that a daemon starts would inherit that, and could not be
/// stopped. If the process was started with SIGHUP ignored, as by `nohup`, it stays ignored.
@MainActor
final class StopSignals {
  /// The previous actions of the signals.
  ///
  /// Bounded by ``numbers``.
  private var former: [Int32: sigaction] = [:]
  private let stop: SignalPipe
  private let reload: SignalPipe
  private let handOver: SignalPipe
  /// Whether a request to stop has been read from its pipe.
  private var isStopRead = false
  /// Bounded by ``numbers``.
  private var sources: [any DispatchSourceRead] = []

  private static let numbers = [SIGTERM, SIGINT, SIGHUP, SIGUSR2]

  /// Handles the signals from now on.
  ///
  /// - Throws: ``HostError`` if the process has no descriptor left.
  init() throws(HostError) {
    (stop, reload) = (try SignalPipe.open(&stopPipe), try SignalPipe.open(&reloadPipe))
    handOver = try SignalPipe.open(&handOverPipe)
    // Requests from before belong to the host before.
    for pipe in [stop, reload, handOver] { _ = pipe.hasBytes() }
    for number in Self.numbers {
      var old = sigaction()
      sigaction(number, nil, &old)
      if number == SIGHUP, old.isIgnored { continue }
      var new = sigaction.noting
      sigaction(number, &new, nil)
      former[number] = old
    }
    // The program may have been started with blocked signals; pending ones arrive now.
    var handled = sigset_t()
    sigemptyset(&handled)
    for number in former.keys { sigaddset(&handled, number) }
    pthread_sigmask(SIG_UNBLOCK, &handled, nil)
  }

  /// Whether a request to stop is pending for ``begin(onStop:onReload:)``.
  var isStopWaiting: Bool {
    isStopRead = stop.hasBytes() || isStopRead
    return isStopRead
  }

  /// Calls a body for each kind of request, including pending ones.
  func begin(
    onStop: @escaping @MainActor () -> Void,
    onReload: @escaping @MainActor () -> Void,
    onHandOver: @escaping @MainActor () -> Void,
  ) {
    sources = [(stop, onStop), (reload, onReload), (handOver, onHandOver)].map { pipe, body in
      let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reading, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated { if pipe.hasBytes() { body() } } }
      source.resume()
      return source
    }
    if isStopRead { DispatchQueue.main.async { onStop() } }
  }

  /// Restores the previous actions of the signals.
  func end() {
    for (number, action) in former {
      var action = action
      sigaction(number, &action, nil)
    }
    for source in sources { source.cancel() }
    sources = []
  }
}

/// A pipe into which a signal's handler writes.
///
/// It is never closed: a handler on another thread may still write into it.
private struct SignalPipe {
  let reading: Int32
  let writing: Int32

  private init() throws(HostError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw HostError(
        .cannotCreate,
        "The daemon cannot wait for signals: \(StoreDirectory.systemMessage()).",
        remedy: "Raise the limit of open files, with `ulimit -n`.",
      )
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  /// The pipe of the process, which is made at the first call.
  static func open(_ known: inout Self?) throws(HostError) -> Self {
    if let known { return known }
    let new = try Self()
    known = new
    return new
  }

  /// Empties the pipe; false if it was empty.
  func hasBytes() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    var isFound = false
    while true {
      let count = read(reading, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return isFound }
      isFound = true
    }
  }
}

/// The pipes of the process; nil before the first ``StopSignals``.
///
/// The main thread sets each once, before a handler is installed.
@exclusivity(unchecked) private nonisolated(unsafe) var stopPipe: SignalPipe?
@exclusivity(unchecked) private nonisolated(unsafe) var reloadPipe: SignalPipe?
@exclusivity(unchecked) private nonisolated(unsafe) var handOverPipe: SignalPipe?

/// Notes a signal; a full pipe contains the request already.
private let noteSignal: @convention(c) (Int32) -> Void = { number in
  let former = errno
  var byte: UInt8 = 1
  let pipe =
    switch number {
    case SIGHUP: reloadPipe
    case SIGUSR2: handOverPipe
    default: stopPipe
    }
  if let pipe { _ = write(pipe.writing, &byte, 1) }
  errno = former
}

extension sigaction {
  /// The action that notes a signal; interrupted calls continue.
  fileprivate static var noting: sigaction {
    var action = sigaction()
    #if canImport(Glibc)
    action.__sigaction_handler.sa_handler = noteSignal
    #else
    action.__sigaction_u.__sa_handler = noteSignal
    #endif
    action.sa_flags = SA_RESTART
    return action
  }

  fileprivate var isIgnored: Bool {
    #if canImport(Glibc)
    let handler = __sigaction_handler.sa_handler
    #else
    let handler = __sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
