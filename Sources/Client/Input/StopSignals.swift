import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGTERM and SIGINT as a request to come to an end.
@MainActor
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  /// Calls `body` at the first signal; the second ends the process.
  init(_ body: @escaping @MainActor () -> Void) {
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .main)
    }
    for source in sources {
      source.setEventHandler { [weak self] in
        MainActor.assumeIsolated {
          self?.cancel()
          body()
        }
      }
      source.resume()
    }
  }

  /// From now on the signals do what they do to any program.
  func cancel() {
    for source in sources { source.cancel() }
    for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
  }
}
