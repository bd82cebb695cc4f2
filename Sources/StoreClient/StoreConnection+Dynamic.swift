package import StoreReplication
package import StoreState

/// For programs that know no types: everything works from what the daemon describes.
extension StoreConnection {
  /// What the daemon exposes.
  package func describe() async throws(ConnectionError) -> [ScopeDescription] {
    let result = await withCheckedContinuation { continuation in
      client.describe { continuation.resume(returning: $0) }
      wakeUp()
    }
    return try decoded(result)
  }

  /// How the daemon is.
  package func status() async throws(ConnectionError) -> GenericValue {
    let result = await withCheckedContinuation { continuation in
      client.status { continuation.resume(returning: $0) }
      wakeUp()
    }
    return try decoded(result)
  }

  /// Runs `body`, and waits no longer than so much time for what it returns.
  ///
  /// - Throws: What `body` throws, or ``ConnectionError/Code/tryAgain`` when the time is over; then
  ///   `body` is cancelled, and waited for no more.
  package func within<Success: Sendable>(
    _ time: Duration,
    _ body: @escaping @MainActor () async throws -> Success,
  ) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
      let race = Race(continuation)
      let task = Task { @MainActor in
        do {
          race.finish(.success(try await body()))
        } catch {
          race.finish(.failure(error))
        }
      }
      after(time) { [location] in
        task.cancel()
        race.finish(
          .failure(
            ConnectionError(
              .tryAgain,
              "The daemon at \(location) did not answer within \(time).",
              remedy: "Try again, or see what keeps it busy.",
            )
          )
        )
      }
    }
  }

  private func decoded<Value>(
    _ result: Result<Value, CodecError>
  ) throws(ConnectionError) -> Value {
    do throws(CodecError) {
      return try result.get()
    } catch {
      throw ConnectionError(
        .malformed,
        "The daemon's answer makes no sense: \(error)",
        remedy: "Use programs of the same release.",
      )
    }
  }

  /// Follows a scope of any type; its events begin with the first snapshot.
  package func follow(
    _ name: String,
    description: ScopeDescription,
    onEvent: @escaping @MainActor (DynamicScope, DynamicScope.Event) -> Void,
  ) -> DynamicScope {
    let dynamic = DynamicScope(name: name, description: description)
    dynamic.onEvent = { [unowned dynamic] in onEvent(dynamic, $0) }
    dynamic.scope = client.add(
      name,
      mode: .follow,
      state: description.state,
      action: description.action,
      replica: dynamic,
    )
    wakeUp()
    return dynamic
  }

  /// Follows a scope of any type, and waits for its first state.
  ///
  /// - Throws: ``ConnectionError`` when there will be none.
  package func followed(
    _ name: String,
    description: ScopeDescription,
  ) async throws(ConnectionError) -> DynamicScope {
    var scope: DynamicScope?
    let result = await withCheckedContinuation { continuation in
      let first = FirstState { continuation.resume(returning: $0) }
      scope = follow(name, description: description) { _, event in first.took(event) }
    }
    try result.get()
    guard let scope else { preconditionFailure("\(name) has a state, but is not followed") }
    return scope
  }

  /// A scope to send to without following it.
  package func target(_ name: String, description: ScopeDescription) -> ClientScope {
    defer { wakeUp() }
    return client.add(name, mode: .sendOnly, action: description.action, replica: nil)
  }
}

/// A continuation for whoever comes first.
@MainActor
private final class Race<Success: Sendable> {
  private var continuation: CheckedContinuation<Success, any Error>?

  init(_ continuation: CheckedContinuation<Success, any Error>) {
    self.continuation = continuation
  }

  func finish(_ result: Result<Success, any Error>) {
    continuation?.resume(with: result)
    continuation = nil
  }
}

/// Waits for a scope's first state, or for the news that there will be none.
@MainActor
private final class FirstState {
  private var body: (@MainActor (Result<Void, ConnectionError>) -> Void)?

  init(_ body: @escaping @MainActor (Result<Void, ConnectionError>) -> Void) { self.body = body }

  func took(_ event: DynamicScope.Event) {
    switch event {
    case .settled: finish(.success(()))
    case .status(.refused(let failure)): finish(.failure(ConnectionError(failure)))
    case .snapshot, .delta, .output, .status: break
    }
  }

  private func finish(_ result: Result<Void, ConnectionError>) {
    body?(result)
    body = nil
  }
}
