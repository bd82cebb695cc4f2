extension AsyncStream where Element: Sendable {
  /// The states of a store: the current one, then the newest one after each revision that
  /// changed it.
  ///
  /// ```swift
  /// for await state in AsyncStream(statesOf: store) { print(state.count) }
  /// ```
  ///
  /// A slow reader misses states, but never the newest. If states can be compared, consecutive
  /// states always differ.
  ///
  /// The sequence does not hold the store. It ends when the store ends or is released: keep the
  /// store as long as you read.
  ///
  /// - Parameter store: The store.
  @MainActor
  public init<Action>(statesOf store: Store<Element, Action>) {
    let node = store.node
    self.init(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let end = StreamEnd(continuation)
      let isSame = Sameness.of(Element.self)
      var last = node.state
      continuation.yield(last)
      if node.end != nil { return continuation.finish() }
      let subscription = node.observe { [weak node] event in
        guard let node, event == .changed else { return end.finish() }
        let state = node.state
        if isSame(last, state) { return }
        last = state
        end.continuation.yield(state)
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }

  /// The outputs of a type that a store's feature and its child features emit from now on.
  ///
  /// ```swift
  /// for await output in AsyncStream<Editor.Output>(outputsOf: store) {
  ///   switch output {
  ///   case .saved: return
  ///   }
  /// }
  /// ```
  ///
  /// An output belongs to the store of its action, and to all stores around it. A parent that emits
  /// an output for its child's action emits it for the child, too, if the type matches. The
  /// sequence does not hold the store and ends with it, like the sequence of states. The outputs
  /// arrive in the order in which they were emitted, each after its commit.
  ///
  /// A store of a daemon's scope has outputs of the type that the scope was exposed with. They
  /// arrive after their state; outputs during an interruption are lost. Its children have none,
  /// except for scopes of their own. Outputs of another build are translated as far as names and
  /// kinds allow, as with states. Unreadable outputs are omitted, and the connection's events state
  /// the reason.
  ///
  /// - Parameters:
  ///   - store: The store. Outputs of other types are omitted.
  ///   - bufferingPolicy: The policy for outputs that are not read in time. By default the newest
  ///     256 are kept.
  @MainActor
  public init<State, Action>(
    outputsOf store: Store<State, Action>,
    bufferingPolicy: Continuation.BufferingPolicy = .bufferingNewest(256),
  ) {
    let (core, node) = (store.core, store.node)
    self.init(bufferingPolicy: bufferingPolicy) { continuation in
      let end = StreamEnd(continuation)
      if node.end != nil { return continuation.finish() }
      let feed = OutputFeed(Element.self) { [weak end] in _ = end?.continuation.yield($0) }
      let outputs = core.observeOutputs { feed.take($0.value) }
      // Only the node reports the end of the store.
      let ends = node.observe { event in if event != .changed { end.finish() } }
      continuation.onTermination = { _ in
        outputs.cancel()
        ends.cancel()
      }
    }
  }
}

/// Ends a stream when its source is released.
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
