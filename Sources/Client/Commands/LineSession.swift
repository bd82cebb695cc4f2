import StoreClient

/// A command that prints lines: until it has told everything or cannot go on, nobody reads any
/// more, or, where it has no end of its own, SIGTERM or SIGINT tells it to stop.
///
/// To be told to stop is no failure: it ends with 0 behind a whole line, and only the second signal
/// ends the process. A list that a signal cuts short must not look like a whole one: there, as in
/// every other command, the first one ends the process.
@MainActor
final class LineSession {
  let writer = LineWriter()
  private var signals: StopSignals?
  /// How it has ended; nil while it goes on.
  private var result: Result<Void, any Error>?
  private var waiting: CheckedContinuation<Void, Never>?

  init(isEndless: Bool) {
    if isEndless { signals = StopSignals { [weak self] _ in self?.stop() } }
    writer.whenAbandoned { [weak self] in self?.stop() }
  }

  var isOver: Bool { result != nil }

  /// Ends it, unless it has ended.
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

  /// Tells what becomes of a connection, and ends where nothing more will come.
  func handle(_ event: ConnectionEvent) {
    if let failure = event.end { end(.failure(failure)) } else { Note.print("\(event)") }
  }

  /// Suspends until it has ended and what was to be printed is, and throws why it cannot go on.
  func ended() async throws {
    if result == nil { await withCheckedContinuation { waiting = $0 } }
    await writer.drained()
    signals?.cancel()
    if let error = writer.error { throw error }
    try result?.get()
  }

  /// The same for what ends with `body`, which prints.
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
