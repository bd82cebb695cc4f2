import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Handles SIGTERM and SIGINT as requests to stop; no signal is lost after the creation.
@MainActor
final class StopSignals {
  private static let numbers = [SIGTERM, SIGINT]
  private let sources: [any DispatchSourceSignal]

  /// Calls `body` with the first signal; the second ends the process.
  init(_ body: @escaping @MainActor (Int32) -> Void) {
    // A signal that arrives before its source exists stays pending.
    Self.change(SIG_BLOCK)
    sources = Self.numbers.map {
      DispatchSource.makeSignalSource(signal: $0, queue: .main)
    }
    for (number, source) in zip(Self.numbers, sources) {
      source.setEventHandler { [weak self] in
        MainActor.assumeIsolated {
          self?.cancel()
          body(number)
        }
      }
      source.resume()
    }
  }

  /// Restores the signals' default actions.
  func cancel() {
    for source in sources { source.cancel() }
    // A source installs a signal handler, which is removed here.
    for number in Self.numbers { signal(number, SIG_DFL) }
    Self.change(SIG_UNBLOCK)
  }

  private static func change(_ how: Int32) {
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in numbers { sigaddset(&mask, number) }
    pthread_sigmask(how, &mask, nil)
  }
}
