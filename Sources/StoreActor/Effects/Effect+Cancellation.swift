extension Effect {
  /// Makes the effect cancellable by an id.
  ///
  /// The id is in force as soon as the reducer has returned, before the effect's task first runs.
  /// It belongs to the feature that uses it: rows of a list may use the same id and do not cancel
  /// each other's effects. A feature's id also reaches the effects of its children and their
  /// descendants under the same id.
  ///
  /// - Parameters:
  ///   - id: The id. A case of a private enum is suitable.
  ///   - cancelInFlight: Whether running work under the id is cancelled first; ignored if there is
  ///     no effect.
  /// - Returns: The effect, cancellable.
  public func cancellable(
    id: some Hashable & Sendable,
    cancelInFlight: Bool = false,
  ) -> Self {
    cancellable(by: CancelID(id), cancelInFlight: cancelInFlight)
  }

  /// Cancels all work under an id in the feature that returns this, and in its children.
  public static func cancel(id: some Hashable & Sendable) -> Self {
    Self(.cancel(CancelID(id)))
  }

  func cancellable(by id: CancelID, cancelInFlight: Bool) -> Self {
    switch operation {
    case .none, .refuse: self
    case .send, .output, .reply:
      // The effect itself ends at once, so only earlier work can be cancelled.
      cancelInFlight ? .merge(Self(.cancel(id)), self) : self
    default:
      Self(.cancellable(self, id: id, cancelInFlight: cancelInFlight))
    }
  }
}

/// Runs an operation that can be cancelled by an id, inside an effect.
///
/// ```swift
/// return .run { send in
///   await send(.started)
///   let value = try await withTaskCancellation(id: CancelID.fetch) { try await fetch() }
///   await send(.response(value))
/// }
/// ```
///
/// Outside of any store, the id applies to the whole process.
///
/// - Parameters:
///   - id: The id.
///   - cancelInFlight: Whether running work under the id is cancelled first.
///   - isolation: The caller's isolation.
///   - operation: The work.
/// - Returns: The operation's result.
/// - Throws: The error that the operation throws.
public func withTaskCancellation<T: Sendable, Failure: Error>(
  id: some Hashable & Sendable,
  cancelInFlight: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  operation: @escaping @concurrent @Sendable () async throws(Failure) -> T,
) async throws(Failure) -> T {
  let (place, id) = (EffectPlace.current, CancelID(id))
  if cancelInFlight { place.registry.cancel(id, at: place) }
  let task = Task { @concurrent () async -> Result<T, Failure> in
    do throws(Failure) {
      return .success(try await operation())
    } catch {
      return .failure(error)
    }
  }
  let work = EffectWork(operationUnder: id) { task.cancel() }
  defer { work.leave() }
  let result = await withTaskCancellationHandler {
    await task.value
  } onCancel: {
    task.cancel()
  }
  return try result.get()
}

extension Task where Success == Never, Failure == Never {
  /// Cancels all work under an id in the feature whose effect calls this, and in its children.
  ///
  /// Outside of any store, the id applies to the whole process.
  public static func cancel(id: some Hashable & Sendable) {
    let place = EffectPlace.current
    place.registry.cancel(CancelID(id), at: place)
  }
}
