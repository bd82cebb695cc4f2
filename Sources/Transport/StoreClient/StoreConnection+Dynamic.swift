package import GenericState
import StoreActor
package import StoreProtocol
package import StoreReplica
import StoreState

/// For programs without the types: these functions use the daemon's descriptions only.
extension StoreConnection {
  /// The descriptions of the scopes that the daemon exposes.
  package func describe() async throws -> [ScopeDescription] {
    let client = client
    return try await answer { client.describe($0) }
  }

  /// The daemon's status.
  package func status() async throws -> GenericValue {
    let client = client
    return try await answer { client.status($0) }
  }

  /// An answer about the daemon's history.
  package func history(_ query: HistoryQuery) async throws -> HistoryAnswer {
    let client = client
    return try await answer { client.history(query, $0) }
  }

  /// The daemon's answer to a command for keys.
  package func keys(_ command: KeyCommand) async throws -> KeyAnswer {
    let client = client
    return try await answer { client.keys(command, $0) }
  }

  /// The rows whose ids begin with the query's prefix, from its first row on.
  package func rows(_ query: RowQuery) async throws -> RowAnswer {
    let client = client
    return try await answer { client.rows(query, $0) }
  }

  /// The daemon's answer to a request about schedules.
  package func schedules(_ query: ScheduleQuery) async throws -> ScheduleAnswer {
    let client = client
    return try await answer { client.schedules(query, $0) }
  }

  /// Waits for a duration.
  package func pause(for time: Duration) async throws {
    try await Resumption<Void>().value { resumption in
      client.wait(for: .time, within: time) { _ in resumption.resume(with: .success(())) }
    }
  }

  private func answer<Value: Sendable>(
    _ ask: @MainActor (@escaping @MainActor (Result<Value, CodecError>) -> Void) -> Void
  ) async throws -> Value {
    let result = try await Resumption<Result<Value, CodecError>>().value { resumption in
      ask { resumption.resume(with: .success($0)) }
    }
    do throws(CodecError) {
      return try result.get()
    } catch {
      // If the connection has ended, that is the reason for the missing answer.
      if let ending = client.ending {
        throw ConnectionError(ending, of: "The answer", at: location, nil)
      }
      throw ConnectionError(
        .malformed,
        "The daemon's answer is invalid: \(error).",
        remedy: "Use programs of the same release.",
      )
    }
  }

  /// Runs `body`, and waits for its result within a time limit.
  ///
  /// - Throws: The errors of `body`, or ``ConnectionError/Code/tryAgain`` after the time limit;
  ///   then `body` is canceled, and its result is ignored.
  package func within<Success: Sendable>(
    _ time: Duration,
    _ body: @escaping @MainActor () async throws -> Success,
  ) async throws -> Success {
    try await Resumption<Success>().value { resumption in
      let task = Task { @MainActor in
        do {
          resumption.resume(with: .success(try await body()))
        } catch {
          resumption.resume(with: .failure(error))
        }
      }
      client.wait(for: .time, within: time) { [location] result in
        guard case .failure(let failure) = result else { return }
        task.cancel()
        let error = ConnectionError(failure, of: "The answer", at: location, time)
        resumption.resume(with: .failure(error))
      }
    }
  }

  /// Follows a scope of any type; its events begin with the first snapshot.
  package func follow(
    _ name: String,
    description: ScopeDescription,
    onEvent: @escaping @MainActor (GenericReplica, GenericReplica.Event) -> Void,
  ) -> (replica: GenericReplica, scope: ClientScope) {
    let replica = GenericReplica(name: name, description: description)
    replica.onEvent = { [unowned replica] in onEvent(replica, $0) }
    let scope = client.add(
      name,
      mode: .follow,
      state: description.state,
      action: description.action,
      replica: replica,
    )
    return (replica, scope)
  }

  /// Follows a scope of any type, and waits for its first state; it may be absent.
  ///
  /// - Throws: ``ConnectionError`` if the scope will have no state.
  package func followed(
    _ name: String,
    description: ScopeDescription,
  ) async throws(ConnectionError) -> (replica: GenericReplica, scope: ClientScope) {
    let followed = follow(name, description: description) { _, _ in }
    followed.replica.onEvent = nil
    do throws(ConnectionError) {
      try await state(of: followed.scope, within: nil)
    } catch {
      guard error.code == .absent else {
        client.release(followed.scope)
        throw error
      }
    }
    return followed
  }

  /// Adds a scope for sending only, without following it.
  package func target(_ name: String, description: ScopeDescription) -> ClientScope {
    client.add(name, mode: .sendOnly, action: description.action, replica: nil)
  }
}
