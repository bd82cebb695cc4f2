import StoreClient

/// A command that prints lines until it is complete, fails or loses its reader.
///
/// An endless command also stops at SIGTERM or SIGINT.
///
/// A stop by a signal is no failure: the command exits with 0 after a whole line, and only the
/// second signal ends the process. A truncated finite list must not look complete: for finite
/// lists, as in every other command, the first signal ends the process.
@MainActor
final class LineSession {
  let writer = LineWriter()
  private var signals: StopSignals?
  /// The result; nil while the session runs.
  private var result: Result<Void, any Error>?
  private var waiting: CheckedContinuation<Void, Never>?

  init(isEndless: Bool) {
    if isEndless { signals = StopSignals { [weak self] _ in self?.stop() } }
    writer.whenAbandoned { [weak self] in self?.stop() }
  }

  var isOver: Bool { result != nil }

  /// Ends the session; only the first call has an effect.
  func end(_ result: Result<Void, any Error>) {
    guard self.result == nil else { return }
    self.result = result
    waiting?.resume()
    waiting = nil
  }

  /// Ends after the line that is being written.
  private func stop() {
    writer.abandon()
    end(.success(()))
  }

  /// Reports a connection's event, and ends the session if the event is final.
  func handle(_ event: ConnectionEvent) {
    if let failure = event.end { end(.failure(failure)) } else { Note.print("\(event)") }
  }

  /// Suspends until the session has ended and its output is written; throws its error.
  func ended() async throws {
    if result == nil { await withCheckedContinuation { waiting = $0 } }
    await writer.drained()
    signals?.cancel()
    if let error = writer.error { throw error }
    try result?.get()
  }

  /// Runs `body`, which prints, and ends the session with it.
  func run(_ body: @escaping @MainActor () async throws -> Void) async throws {
    let work = Task {
      do {
        try await body()
        end(.success(()))
      } catch {
        end(.failure(error))
      }
    }
    defer { work.cancel() }
    try await ended()
  }
}
