extension Effect {
  /// Makes the effect one that can be cancelled by an id.
  ///
  /// Ids belong to one store.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - cancelInFlight: Whether whatever already runs under the id is cancelled first.
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

  /// Makes the effect one that can be cancelled by a type, which stands for an id.
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Self {
    cancellable(id: ObjectIdentifier(id), cancelInFlight: cancelInFlight)
  }

  /// Cancels whatever runs under an id.
  public static func cancel(id: AnyHashable) -> Self {
    let id = CancellationID(id)
    return Self { pipe in
      pipe.cancellations.cancel(id.value)
      pipe.complete()
    }
  }

  /// Cancels whatever runs under a type, which stands for an id.
  public static func cancel(id: Any.Type) -> Self {
    cancel(id: ObjectIdentifier(id))
  }

  /// Cancels whatever runs under any of several ids.
  public static func cancel(ids: [AnyHashable]) -> Self {
    .merge(ids.map { cancel(id: $0) })
  }

  /// Cancels whatever runs under any of several types, which stand for ids.
  public static func cancel(ids: [Any.Type]) -> Self {
    .merge(ids.map { cancel(id: $0) })
  }
}

/// An id on its way into an effect.
///
/// Sendable although an `AnyHashable` is not: ids are looked at on the main actor only.
struct CancellationID: @unchecked Sendable {
  let value: AnyHashable

  init(_ value: AnyHashable) {
    self.value = value
  }
}

/// Runs an operation that can be cancelled by an id, inside an effect.
///
/// - Parameters:
///   - id: The id.
///   - cancelInFlight: Whether whatever already runs under the id is cancelled first.
///   - operation: The work.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
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

/// Runs an operation that can be cancelled by a type, which stands for an id, inside an effect.
///
/// - Parameters:
///   - id: The type.
///   - cancelInFlight: Whether whatever already runs under the id is cancelled first.
///   - operation: The work.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
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
  /// Cancels whatever runs under an id in the store whose effect calls this.
  @MainActor
  public static func cancel(id: AnyHashable) async {
    CancellationTable.current.cancel(id)
  }

  /// Cancels whatever runs under a type, which stands for an id.
  @MainActor
  public static func cancel(id: Any.Type) async {
    CancellationTable.current.cancel(ObjectIdentifier(id))
  }
}
