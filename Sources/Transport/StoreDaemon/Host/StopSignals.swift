import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGTERM and SIGINT as requests to stop, and SIGHUP as a request to reload the configuration.
///
/// No signal is lost after this object was created.
///
/// The signals are blocked, so that an early one waits for its source. If the process was started
/// with SIGHUP ignored, as by `nohup`, it stays ignored.
@MainActor
final class StopSignals {
  private let numbers: [Int32]
  private var mask = sigset_t()
  /// Bounded by ``numbers``.
  private var sources: [any DispatchSourceSignal] = []

  /// Blocks the signals, for this thread and those that it starts.
  init() {
    var hangUp = sigaction()
    sigaction(SIGHUP, nil, &hangUp)
    numbers = [SIGTERM, SIGINT] + (hangUp.isIgnored ? [] : [SIGHUP])
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in numbers { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_BLOCK, &blocked, &mask)
  }

  /// Whether a request to stop is pending for ``begin(onStop:onReload:)``.
  var isStopWaiting: Bool {
    var waiting = sigset_t()
    sigemptyset(&waiting)
    sigpending(&waiting)
    return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1
  }

  /// Calls a body for each signal, including signals that are already pending.
  func begin(
    onStop: @escaping @MainActor () -> Void,
    onReload: @escaping @MainActor () -> Void,
  ) {
    sources = numbers.map { number in
      let body = number == SIGHUP ? onReload : onStop
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated { body() } }
      source.resume()
      return source
    }
  }

  /// Restores the default effect of the signals.
  func end() {
    for source in sources { source.cancel() }
    sources = []
    for number in numbers {
      // To ignore a signal discards pending ones: the process ends already.
      signal(number, SIG_IGN)
      signal(number, SIG_DFL)
    }
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}

extension sigaction {
  fileprivate var isIgnored: Bool {
    #if canImport(Glibc)
    let handler = __sigaction_handler.sa_handler
    #else
    let handler = __sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
