/// The work of an effect that is no task: it begins on the spot, on the main actor, and calls back
/// from there.
///
/// Publishers of other libraries, and the effects of older ones, are such work.
///
/// It begins after the state of its action has been committed, before `send` returns.
@usableFromInline
package final class EffectSource<Action>: Sendable {
  let begin: @MainActor @Sendable (EffectSink<Action>) -> Void

  /// Describes work.
  ///
  /// - Parameter begin: Begins it. What it calls back with is the sink; it must finish that once,
  ///   unless it is cancelled.
  package init(begin: @escaping @MainActor @Sendable (EffectSink<Action>) -> Void) {
    self.begin = begin
  }

  func map<T>(_ transform: @escaping @Sendable (Action) -> T) -> EffectSource<T> {
    EffectSource<T> { [begin] sink in begin(sink.map(transform)) }
  }
}

/// What an ``EffectSource`` sends its actions with.
///
/// It takes nothing any more once the effect has been cancelled or has finished.
@MainActor
package final class EffectSink<Action> {
  private let work: EffectWork
  private let deliver: (Action) -> Void
  /// Is called once when the effect is cancelled, and not when it finishes by itself.
  package var onCancel: (() -> Void)?

  init(work: EffectWork, deliver: @escaping (Action) -> Void) {
    self.work = work
    self.deliver = deliver
  }

  /// Sends an action: it has been reduced when this returns.
  package func send(_ action: Action) {
    guard !work.isEnded, !work.isCancelled else { return }
    deliver(action)
  }

  /// The work is over.
  package func finish() {
    onCancel = nil
    work.end()
  }

  /// The effect has been cancelled.
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
