extension Store where State: Sendable {
  /// The states of the store: the current one, and then the newest one after each commit.
  ///
  /// Whoever reads too slowly misses states, but never the newest. It ends with the store.
  public var states: AsyncStream<State> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let end = StreamEnd(continuation)
      continuation.yield(core.state)
      let subscription = core.observeChanges { [weak core] in
        guard let core, !core.isInvalid else { return end.finish() }
        end.continuation.yield(core.state)
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

/// Ends a stream when whatever feeds it has gone.
private final class StreamEnd<Element>: Sendable {
  let continuation: AsyncStream<Element>.Continuation

  init(_ continuation: AsyncStream<Element>.Continuation) {
    self.continuation = continuation
  }

  func finish() {
    continuation.finish()
  }

  deinit {
    continuation.finish()
  }
}
