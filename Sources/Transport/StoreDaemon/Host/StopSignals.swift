import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGTERM and SIGINT as requests to stop, and SIGHUP as a request to reload the configuration.
///
/// No signal is lost after this object was created: a handler writes it into a pipe, which the main
/// queue reads. The signals are not blocked, because the programs that a daemon starts would
/// inherit that, and could not be stopped. If the process was started with SIGHUP ignored, as by
/// `nohup`, it stays ignored.
@MainActor
final class StopSignals {
  /// The previous actions of the signals.
  private var former: [Int32: sigaction] = [:]
  private let pipeEnds: (read: Int32, write: Int32)
  /// The signals that the main queue has not handled yet.
  ///
  /// Bounded by ``mostWaiting``.
  private var waiting: [Int32] = []
  private var source: (any DispatchSourceRead)?

  /// Further signals say nothing new.
  private static let mostWaiting = 64

  /// Handles the signals from now on.
  ///
  /// - Throws: ``HostError`` if the process has no descriptor left.
  init() throws(HostError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw HostError(
        .system,
        "The daemon cannot wait for signals: \(String(cString: strerror(errno))).",
        remedy: "Raise the limit of open files, with `ulimit -n`.",
      )
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    pipeEnds = (ends[0], ends[1])
    // Before the first signal, because the first access initializes the variable.
    signalPipe = ends[1]
    for number in [SIGTERM, SIGINT, SIGHUP] {
      var old = sigaction()
      sigaction(number, nil, &old)
      if number == SIGHUP, old.isIgnored { continue }
      var new = sigaction.noting
      sigaction(number, &new, nil)
      former[number] = old
    }
  }

  /// Whether a request to stop is pending for ``begin(onStop:onReload:)``.
  var isStopWaiting: Bool {
    read()
    return waiting.contains { $0 != SIGHUP }
  }

  /// Calls a body for each signal, including signals that are already pending.
  func begin(
    onStop: @escaping @MainActor () -> Void,
    onReload: @escaping @MainActor () -> Void,
  ) {
    let handle: @MainActor () -> Void = { [weak self] in
      guard let self else { return }
      read()
      let numbers = waiting
      waiting = []
      for number in numbers { if number == SIGHUP { onReload() } else { onStop() } }
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: pipeEnds.read, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated { handle() } }
    source.resume()
    self.source = source
    DispatchQueue.main.async { handle() }
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: Self.mostWaiting)
    while true {
      let count = bytes.withUnsafeMutableBytes { recv in
        #if canImport(Glibc)
        Glibc.read(pipeEnds.read, recv.baseAddress, recv.count)
        #else
        Darwin.read(pipeEnds.read, recv.baseAddress, recv.count)
        #endif
      }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        return
      }
      let room = Self.mostWaiting - waiting.count
      waiting += bytes.prefix(min(count, room)).map { Int32($0) }
    }
  }

  /// Restores the previous actions of the signals.
  func end() {
    for (number, action) in former {
      var action = action
      sigaction(number, &action, nil)
    }
    signalPipe = -1
    let ends = pipeEnds
    guard let source else {
      close(ends.read)
      close(ends.write)
      return
    }
    source.setCancelHandler {
      close(ends.read)
      close(ends.write)
    }
    source.cancel()
    self.source = nil
  }
}

/// The end of the pipe that the handler writes to; -1 for none.
///
/// The main thread sets it while no handler is installed.
private nonisolated(unsafe) var signalPipe: Int32 = -1

/// Writes the signal's number into the pipe. If the pipe is full, it contains enough signals.
private let noteSignal: @convention(c) (Int32) -> Void = { number in
  let (end, former) = (signalPipe, errno)
  var byte = UInt8(truncatingIfNeeded: number)
  if end >= 0 { _ = write(end, &byte, 1) }
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
