extension Reducer {
  /// Decides the reply to an action when this reducer has replied.
  ///
  /// The function's effects take the place of the reply: `.reply(reply)` lets it through, another
  /// `.reply` changes it, and without one the sender receives none.
  ///
  /// ```swift
  /// Scope(\.list, action: \.list) { ShoppingList() }
  ///   .onReply(UUID.self) { state, _, id in
  ///     state.newest = id
  ///     return .reply(id)
  ///   }
  /// ```
  ///
  /// It runs after this reducer, and before the reducers that follow in the same body.
  ///
  /// - Parameters:
  ///   - type: The type of the replies; those of other types pass unchanged.
  ///   - body: Changes the state, and returns the effects that take the place of the reply.
  /// - Returns: The reducer.
  public func onReply<Reply: Sendable>(
    _ type: Reply.Type = Reply.self,
    _ body: @escaping (_ state: inout State, _ action: Action, _ reply: Reply) -> Effect<Action>,
  ) -> _ReplyReducer<Self, Reply> {
    _ReplyReducer(base: self, body: body)
  }
}

/// The result of ``Reducer/onReply(_:_:)``.
public struct _ReplyReducer<Base: Reducer, Reply: Sendable>: Reducer {
  private let base: Reduce<Base.State, Base.Action>
  private let onReply: (inout Base.State, Base.Action, Reply) -> Effect<Base.Action>

  init(
    base: Base,
    body: @escaping (inout Base.State, Base.Action, Reply) -> Effect<Base.Action>,
  ) {
    self.base = base._prepared()
    onReply = body
  }

  /// Runs the base reducer, and the function if it replies.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let effect = base.reduce(&state, action)
    if effect.isNone { return effect }
    guard let (rest, reply) = effect.takingReply(Reply.self) else { return effect }
    return .merge(rest, onReply(&state, action, reply))
  }

  /// Passes the restoration to the base reducer.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    base._restored(&state, restoration)
  }
}
