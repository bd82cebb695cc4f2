extension AsyncStream where Element: Sendable {
  /// The states of a store: the current one, and then the newest one after each revision that has
  /// changed it.
  ///
  /// ```swift
  /// for await state in AsyncStream(statesOf: store) { print(state.count) }
  /// ```
  ///
  /// A reader that is too slow misses states, but never the newest. No state comes twice in a row,
  /// where states can be compared.
  ///
  /// The sequence does not hold the store. It ends when the store ends or is let go: keep the store
  /// as long as you read.
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

  /// The outputs of a type that a store's feature, and the features in it, emit from now on.
  ///
  /// ```swift
  /// for await output in AsyncStream<Editor.Output>(outputsOf: store) {
  ///   switch output {
  ///   case .saved: return
  ///   }
  /// }
  /// ```
  ///
  /// An output belongs to the store whose action it was made for, and to those around it. A parent
  /// that emits an output when its child's action comes does so in the child's name, but for the
  /// type. The sequence does not hold the store and ends with it, as that of its states does. The
  /// outputs come in the order in which they were made, each after its commit.
  ///
  /// A store whose state a daemon keeps has outputs of the type that its scope was exposed with.
  /// They come after the state that they belong to; those of a break are lost. Its children have
  /// none, but for scopes of their own. A daemon of another build is understood as far as names and
  /// kinds allow, as with states; what cannot be read is left out, and the connection's events say
  /// why.
  ///
  /// - Parameters:
  ///   - store: The store. Outputs of other types are left out.
  ///   - bufferingPolicy: What happens to outputs that are not read in time. Unless told otherwise
  ///     the newest 256 are kept.
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
      // The node alone has the stream's end.
      let ends = node.observe { event in if event != .changed { end.finish() } }
      continuation.onTermination = { _ in
        outputs.cancel()
        ends.cancel()
      }
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
