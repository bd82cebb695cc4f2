extension Effect {
  /// Makes the effect one that can be cancelled by an id.
  ///
  /// The id is in force as soon as the reducer has returned, before the effect's task first runs.
  /// It belongs to the feature that uses it: rows of a list may all use the same one, and do not
  /// cancel each other's effects. A feature's id also reaches the effects of its children, and of
  /// theirs, that use the same one.
  ///
  /// - Parameters:
  ///   - id: The id. A case of a private enum is good for it.
  ///   - cancelInFlight: Whether whatever already runs under the id is cancelled first; not where
  ///     there is no effect.
  /// - Returns: The effect, cancellable.
  public func cancellable(
    id: some Hashable & Sendable,
    cancelInFlight: Bool = false,
  ) -> Self {
    cancellable(by: CancelID(id), cancelInFlight: cancelInFlight)
  }

  /// Cancels whatever runs under an id in the feature that returns this, and in its children.
  public static func cancel(id: some Hashable & Sendable) -> Self {
    Self(.cancel(CancelID(id)))
  }

  func cancellable(by id: CancelID, cancelInFlight: Bool) -> Self {
    switch operation {
    case .none: self
    case .send, .output:
      // Nothing of it can be cancelled, as it is over at once.
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
/// Outside of any store the id is one of the whole process.
///
/// - Parameters:
///   - id: The id.
///   - cancelInFlight: Whether whatever already runs under the id is cancelled first.
///   - isolation: The caller's isolation.
///   - operation: The work.
/// - Returns: The operation's result.
/// - Throws: What the operation throws.
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
  /// Cancels whatever runs under an id in the feature whose effect calls this, and in its children.
  ///
  /// Outside of any store the id is one of the whole process.
  public static func cancel(id: some Hashable & Sendable) {
    let place = EffectPlace.current
    place.registry.cancel(CancelID(id), at: place)
  }
}
