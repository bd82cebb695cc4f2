import Observation
import Synchronization

/// Runs a closure now, and again whenever something has changed that it has read.
///
/// ```swift
/// let token = observe {
///   label.text = "\(store.count)"
/// }
/// ```
///
/// What is read of a ``Store``, or of any other `Observable` object, is observed. The closure runs
/// on the caller's actor: the main actor, where it reads a store. After a change it runs again in a
/// turn of its own, once for however many changes came before it.
///
/// - Parameters:
///   - isolation: The caller's actor.
///   - apply: Reads, and does something with what it reads.
/// - Returns: Keeps the closure running: let go of it, or cancel it, to end that.
public func observe(
  isolation: isolated any Actor = #isolation,
  _ apply: @escaping () -> Void,
) -> ObserveToken {
  let observer = Observer(apply)
  observer.run(on: isolation)
  return ObserveToken(observer)
}

/// What keeps the closure of ``observe(isolation:_:)`` running.
///
/// The closure is let go when the token is cancelled or goes.
public final class ObserveToken: Sendable {
  private let observer: Mutex<Observer?>

  init(_ observer: Observer) {
    self.observer = Mutex(observer)
  }

  /// Runs the closure no more.
  public func cancel() {
    // It goes when the lock is free: what it lets go of may cancel others.
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
  /// Whether both are one token.
  public static func == (lhs: ObserveToken, rhs: ObserveToken) -> Bool {
    lhs === rhs
  }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Runs a closure again and again, on one actor.
// The closure is called on that actor only; others just let it go.
final class Observer: @unchecked Sendable {
  private let apply: () -> Void

  init(_ apply: @escaping () -> Void) {
    self.apply = apply
  }

  func run(on actor: isolated any Actor) {
    withObservationTracking(apply) { [weak self] in
      // The main actor's turn is asked for at once, not behind one elsewhere.
      if actor === MainActor.shared {
        Task { @MainActor in self?.run(on: MainActor.shared) }
      } else {
        Task { await self?.run(on: actor) }
      }
    }
  }
}

/// Calls a closure, and another one once when something has changed that the first one has read.
///
/// Another spelling of `withObservationTracking`.
///
/// - Parameters:
///   - apply: Reads.
///   - onChange: Is called once, at the first change.
/// - Returns: What the first closure returns.
public func withPerceptionTracking<T>(
  _ apply: () -> T,
  onChange: @autoclosure () -> @Sendable () -> Void,
) -> T {
  withObservationTracking(apply, onChange: onChange())
}
