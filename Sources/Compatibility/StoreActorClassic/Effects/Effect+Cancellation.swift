extension Effect {
  /// Makes the effect cancellable by an id.
  ///
  /// An id is local to its store.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - cancelInFlight: Whether to cancel running effects with the same id first.
  /// - Returns: The effect, cancellable.
  public func cancellable(id: AnyHashable, cancelInFlight: Bool = false) -> Self {
    let id = CancellationID(id)
    return Self { pipe in
      if cancelInFlight { pipe.cancellations.cancel(id.value) }
      let lifetime = Lifetime(within: pipe.lifetime)
      pipe.cancellations.insert(lifetime, for: id.value)
      lifetime.whenOver {
        pipe.cancellations.remove(lifetime, for: id.value)
        pipe.completeCancelled()
      }
      begin(
        into: pipe.upstream(lifetime: lifetime) {
          pipe.send($0)
        } onCompletion: {
          lifetime.close()
          pipe.cancellations.remove(lifetime, for: id.value)
          pipe.complete($0)
        }
      )
    }
  }

  /// Makes the effect cancellable by a type, which stands for an id.
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Self {
    cancellable(id: ObjectIdentifier(id), cancelInFlight: cancelInFlight)
  }

  /// Cancels all running effects with an id.
  public static func cancel(id: AnyHashable) -> Self {
    let id = CancellationID(id)
    return Self { pipe in
      pipe.cancellations.cancel(id.value)
      pipe.complete()
    }
  }

  /// Cancels all running effects with a type, which stands for an id.
  public static func cancel(id: Any.Type) -> Self {
    cancel(id: ObjectIdentifier(id))
  }

  /// Cancels all running effects with any of several ids.
  public static func cancel(ids: [AnyHashable]) -> Self {
    .merge(ids.map { cancel(id: $0) })
  }

  /// Cancels all running effects with any of several types, which stand for ids.
  public static func cancel(ids: [Any.Type]) -> Self {
    .merge(ids.map { cancel(id: $0) })
  }
}

/// An id that an effect captures.
///
/// Unchecked because an `AnyHashable` is not Sendable: only the main actor reads ids.
struct CancellationID: @unchecked Sendable {
  let value: AnyHashable

  init(_ value: AnyHashable) {
    self.value = value
  }
}

/// Runs an operation inside an effect, cancellable by an id.
///
/// - Parameters:
///   - id: The id.
///   - cancelInFlight: Whether to cancel running effects with the same id first.
///   - operation: The work.
/// - Returns: The operation's result.
/// - Throws: The operation's error.
@MainActor
public func withTaskCancellation<T: Sendable, Failure: Error>(
  id: AnyHashable,
  cancelInFlight: Bool = false,
  operation: @escaping @MainActor () async throws(Failure) -> T,
) async throws(Failure) -> T {
  let table = CancellationTable.current
  if cancelInFlight { table.cancel(id) }
  let task = Task { @MainActor () async -> Result<T, Failure> in
    do throws(Failure) {
      return .success(try await operation())
    } catch {
      return .failure(error)
    }
  }
  let lifetime = Lifetime()
  lifetime.whenOver { task.cancel() }
  table.insert(lifetime, for: id)
  defer { table.remove(lifetime, for: id) }
  let result = await withTaskCancellationHandler {
    await task.value
  } onCancel: {
    task.cancel()
  }
  return try result.get()
}

/// Runs an operation inside an effect, cancellable by a type, which stands for an id.
///
/// - Parameters:
///   - id: The type.
///   - cancelInFlight: Whether to cancel running effects with the same id first.
///   - operation: The work.
/// - Returns: The operation's result.
/// - Throws: The operation's error.
@MainActor
public func withTaskCancellation<T: Sendable, Failure: Error>(
  id: Any.Type,
  cancelInFlight: Bool = false,
  operation: @escaping @MainActor () async throws(Failure) -> T,
) async throws(Failure) -> T {
  try await withTaskCancellation(
    id: ObjectIdentifier(id),
    cancelInFlight: cancelInFlight,
    operation: operation,
  )
}

extension Task where Success == Never, Failure == Never {
  /// Cancels all running effects with an id in the store whose effect calls this.
  @MainActor
  public static func cancel(id: AnyHashable) async {
    CancellationTable.current.cancel(id)
  }

  /// Cancels all running effects with a type, which stands for an id.
  @MainActor
  public static func cancel(id: Any.Type) async {
    CancellationTable.current.cancel(ObjectIdentifier(id))
  }
}
