extension Store where State: Sendable {
  /// The states of the store: the current one, and then the newest one after each revision that has
  /// changed it.
  ///
  /// Whoever reads too slowly misses states, but never the newest. No state comes twice in a row,
  /// where states can be compared.
  ///
  /// The sequence holds nothing: it ends with the store, when that ends or nobody holds it. Keep
  /// the store as long as you read.
  public var states: AsyncStream<State> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let end = StreamEnd(continuation)
      let isSame = Sameness.of(State.self)
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
}

extension Store {
  /// The outputs of a type that the feature, and the features in it, put out from now on.
  ///
  /// ```swift
  /// for await output in store.outputs(of: Editor.Output.self) {
  ///   switch output { … }
  /// }
  /// ```
  ///
  /// An output belongs to the store whose action it was made for, and to those around it. A parent
  /// that puts something out when its child's action comes does so in the child's name, but for the
  /// type. The sequence holds nothing and ends with the store, as ``states`` does.
  ///
  /// A store whose state a daemon keeps has outputs of the type that its scope was exposed with.
  /// They come after the state that they belong to; those of a break are lost. Its children have
  /// none, but for scopes of their own. A daemon of another build is understood as far as names and
  /// kinds allow, as with states; what cannot be read is left out, and the connection's events say
  /// why.
  ///
  /// - Parameters:
  ///   - type: The type of the outputs; others are left out.
  ///   - bufferingPolicy: What happens to outputs that are not read in time. Unless told otherwise
  ///     the newest 256 are kept.
  /// - Returns: The outputs, in the order in which they were made, each after its commit.
  public func outputs<Output: Sendable>(
    of type: Output.Type,
    bufferingPolicy: AsyncStream<Output>.Continuation.BufferingPolicy = .bufferingNewest(256),
  ) -> AsyncStream<Output> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let end = StreamEnd(continuation)
      if node.end != nil { return continuation.finish() }
      let feed = OutputFeed(type) { [weak end] in _ = end?.continuation.yield($0) }
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
