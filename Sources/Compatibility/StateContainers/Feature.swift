public import StoreActor

extension Reducer where Output: Sendable {
  /// Returns the reducer as one of `StoreActor`, for a daemon or for `TestStore(remote:)`.
  ///
  /// ```swift
  /// let store = TestStore(remote: .idle) { NumbersViewReducer().feature() }
  /// await store.send(.input(.onAppear)) { $0 = .loading }
  /// ```
  ///
  /// In a daemon, the state and the input need wire forms, `ReplicatedState` and `WireAction`,
  /// which an extension can add. Feedback never leaves the daemon. As for any feature,
  /// `AsyncStream(outputsOf: store)` delivers the outputs.
  ///
  /// - Returns: The reducer.
  public func feature() -> some StoreActor.Reducer<State, Message<Input, Feedback>> {
    Reduce { state, message in
      onMainActor(&state) {
        self.reduce(message: message, into: &$0).storeEffect { output in .output(output) }
      }
    }
  }
}

extension Message: WireAction where Input: WireAction {}

extension Message: WirePayload where Input: WireAction {
  /// Returns the schema of the input, the only message that a client can send.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Input.schema(in: &registry)
  }

  /// Writes the input.
  ///
  /// - Throws: A `CodecError` for feedback, which only effects send.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    switch self {
    case .input(let input): try input.encode(to: &encoder)
    case .feedback:
      throw CodecError(
        .privateAction,
        "feedback is private to the process that owns the state; a client sends inputs only",
      )
    }
  }

  /// Reads an input.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = .input(try Input(from: &decoder))
  }
}
