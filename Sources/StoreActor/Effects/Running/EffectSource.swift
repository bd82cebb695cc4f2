/// The work of an effect without a task: it begins synchronously on the main actor and calls back
/// from there.
///
/// Examples are publishers of other libraries and the effects of older ones.
///
/// It begins after the state of its action has been committed, before `send` returns.
@usableFromInline
package final class EffectSource<Action>: Sendable {
  let begin: @MainActor @Sendable (EffectSink<Action>) -> Void

  /// Describes work.
  ///
  /// - Parameter begin: Begins the work. It receives a sink for its actions, and must finish the
  ///   sink once unless the effect is cancelled.
  package init(begin: @escaping @MainActor @Sendable (EffectSink<Action>) -> Void) {
    self.begin = begin
  }

  func map<T>(_ transform: @escaping @Sendable (Action) -> T) -> EffectSource<T> {
    EffectSource<T> { [begin] sink in begin(sink.map(transform)) }
  }
}

/// Sends the actions of an ``EffectSource``.
///
/// It drops actions after the effect has been cancelled or has finished.
@MainActor
package final class EffectSink<Action> {
  private let work: EffectWork
  private let deliver: (Action) -> Void
  /// Called once when the effect is cancelled, but not when it finishes by itself.
  package var onCancel: (() -> Void)?

  init(work: EffectWork, deliver: @escaping (Action) -> Void) {
    self.work = work
    self.deliver = deliver
  }

  /// Sends an action.
  ///
  /// It is reduced when this returns.
  package func send(_ action: Action) {
    guard !work.isEnded, !work.isCancelled else { return }
    deliver(action)
  }

  /// Ends the work.
  package func finish() {
    onCancel = nil
    work.end()
  }

  /// Calls `onCancel` and ends the work, because the effect has been cancelled.
  func stop() {
    guard !work.isEnded else { return }
    onCancel?()
    onCancel = nil
    work.end()
  }

  func map<T>(_ transform: @escaping @Sendable (T) -> Action) -> EffectSink<T> {
    let sink = EffectSink<T>(work: work) { [deliver] in deliver(transform($0)) }
    onCancel = { sink.onCancel?() }
    return sink
  }
}
