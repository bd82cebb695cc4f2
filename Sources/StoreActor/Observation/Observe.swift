import Observation
import Synchronization

/// Runs a closure now, and again after a change of the values that it has read.
///
/// ```swift
/// let token = observe {
///   label.text = "\(store.count)"
/// }
/// ```
///
/// Reads of a ``Store``, or of any other `Observable` object, are observed. The closure runs on the
/// caller's actor: the main actor, if it reads a store. After a change it runs again in a turn of
/// its own, once for all changes up to then.
///
/// - Parameters:
///   - isolation: The caller's actor.
///   - apply: Reads values and uses them.
/// - Returns: A token that keeps the closure running. Release or cancel it to end that.
public func observe(
  isolation: isolated any Actor = #isolation,
  _ apply: @escaping () -> Void,
) -> ObserveToken {
  let observer = Observer(apply)
  observer.run(on: isolation)
  return ObserveToken(observer)
}

/// Keeps the closure of ``observe(isolation:_:)`` running.
///
/// The closure is released when the token is cancelled or released.
public final class ObserveToken: Sendable {
  private let observer: Mutex<Observer?>

  init(_ observer: Observer) {
    self.observer = Mutex(observer)
  }

  /// Stops running the closure.
  public func cancel() {
    // Released after the lock, as the release may cancel others.
    _ = observer.withLock { observer in
      defer { observer = nil }
      return observer
    }
  }

  /// Keeps the token in a collection with others.
  public func store(in collection: inout some RangeReplaceableCollection<ObserveToken>) {
    collection.append(self)
  }

  /// Keeps the token in a set with others.
  public func store(in set: inout Set<ObserveToken>) {
    set.insert(self)
  }
}

extension ObserveToken: Hashable {
  /// Whether both are the same token.
  public static func == (lhs: ObserveToken, rhs: ObserveToken) -> Bool {
    lhs === rhs
  }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Runs a closure again and again, on one actor.
// The closure is called on that actor only; other threads only release it.
final class Observer: @unchecked Sendable {
  private let apply: () -> Void

  init(_ apply: @escaping () -> Void) {
    self.apply = apply
  }

  func run(on actor: isolated any Actor) {
    withObservationTracking(apply) { [weak self] in
      // The main actor's turn is scheduled directly, not after a turn of another executor.
      if actor === MainActor.shared {
        Task { @MainActor in self?.run(on: MainActor.shared) }
      } else {
        Task { await self?.run(on: actor) }
      }
    }
  }
}

/// Calls a closure, and another one once after a change of the values that the first has read.
///
/// Another spelling of `withObservationTracking`.
///
/// - Parameters:
///   - apply: Reads values.
///   - onChange: Called once, at the first change.
/// - Returns: The first closure's result.
public func withPerceptionTracking<T>(
  _ apply: () -> T,
  onChange: @autoclosure () -> @Sendable () -> Void,
) -> T {
  withObservationTracking(apply, onChange: onChange())
}
