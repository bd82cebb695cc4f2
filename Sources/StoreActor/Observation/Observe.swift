import Observation

/// Runs a closure now, and again whenever something has changed that it has read.
///
/// ```swift
/// let token = observe {
///   label.text = "\(store.count)"
/// }
/// ```
///
/// What is read of a ``Store``, or of any other `Observable` object, is observed. The closure runs
/// on the main actor; after a change it runs again in a turn of its own, once for however many
/// changes came before it.
///
/// - Parameter apply: Reads, and does something with what it reads.
/// - Returns: Keeps the closure running: let go of it, or cancel it, to end that.
@MainActor
public func observe(_ apply: @escaping @MainActor () -> Void) -> ObserveToken {
  let observer = Observer(apply)
  observer.run()
  return ObserveToken(observer)
}

/// What keeps the closure of ``observe(_:)`` running.
///
/// The closure is let go when the token is cancelled or goes.
@MainActor
public final class ObserveToken {
  private var observer: Observer?

  init(_ observer: Observer) {
    self.observer = observer
  }

  /// Runs the closure no more.
  public func cancel() {
    observer = nil
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
  public nonisolated static func == (lhs: ObserveToken, rhs: ObserveToken) -> Bool {
    lhs === rhs
  }

  /// Hashes the token's identity.
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Runs a closure again and again.
@MainActor
final class Observer {
  private let apply: @MainActor () -> Void

  init(_ apply: @escaping @MainActor () -> Void) {
    self.apply = apply
  }

  func run() {
    withObservationTracking(apply) { [weak self] in
      Task { @MainActor in self?.run() }
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
