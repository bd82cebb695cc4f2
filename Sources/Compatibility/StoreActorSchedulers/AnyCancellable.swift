import StoreActor

/// Something that can be told to stop.
public protocol Cancellable {
  /// Stops it.
  @MainActor func cancel()
}

/// Something under way that stops when it is cancelled, or when the last reference to it goes.
@MainActor
public final class AnyCancellable: Cancellable {
  private var onCancel: (@MainActor @Sendable () -> Void)?

  /// Creates a cancellable of a closure that stops the work.
  public nonisolated init(_ cancel: @escaping @MainActor @Sendable () -> Void) {
    onCancel = cancel
  }

  /// Stops the work, once.
  public func cancel() {
    let stop = onCancel
    onCancel = nil
    stop?()
  }

  /// Keeps this in a set for as long as the set lives.
  public nonisolated func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  deinit {
    guard let onCancel else { return }
    onMainActor(onCancel)
  }
}

extension AnyCancellable: Hashable {
  /// Whether two are the same one.
  public nonisolated static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
    lhs === rhs
  }

  /// Feeds the identity to a hasher.
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
