import StoreActor

/// Work that a caller can stop.
public protocol Cancellable {
  /// Stops the work.
  @MainActor func cancel()
}

/// Running work that stops when it is cancelled, or when its last reference is released.
@MainActor
public final class AnyCancellable: Cancellable {
  private var onCancel: (@MainActor @Sendable () -> Void)?

  /// Creates a cancellable from a closure that stops the work.
  public nonisolated init(_ cancel: @escaping @MainActor @Sendable () -> Void) {
    onCancel = cancel
  }

  /// Stops the work.
  ///
  /// Only the first call has an effect.
  public func cancel() {
    let stop = onCancel
    onCancel = nil
    stop?()
  }

  /// Keeps the cancellable in a set, for as long as the set lives.
  public nonisolated func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  deinit {
    guard let onCancel else { return }
    onMainActor(onCancel)
  }
}

extension AnyCancellable: Hashable {
  /// Returns whether two cancellables are identical.
  public nonisolated static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
    lhs === rhs
  }

  /// Feeds the identity to a hasher.
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
