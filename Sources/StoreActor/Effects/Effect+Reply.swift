import IssueReporting

extension Effect {
  /// Replies to the sender of the action, which receives the value from ``StoreTask/reply(_:)``.
  ///
  /// ```swift
  /// case .add(let title):
  ///   let item = Item(id: uuid(), title: title)
  ///   state.items.append(item)
  ///   return .reply(item.id)
  /// ```
  ///
  /// ```swift
  /// let id = try await store.send(.add("Milk")).reply(UUID.self)
  /// ```
  ///
  /// A revision has one reply: that of its action, or of the actions that follow from it by
  /// ``send(_:)``. A second one is reported, and replaces the first. A parent changes or drops the
  /// replies of a child with ``Reducer/onReply(_:_:)``. The reply to an action of an effect has no
  /// receiver. A reply must be a direct consequence of the action: one that follows work that takes
  /// time, as in `.concatenate(.run { … }, .reply(1))`, is reported.
  ///
  /// A daemon sends replies of the type that `Expose` names as `replies`, of at most 64 KiB each.
  ///
  /// - Parameter reply: The value for the sender. Use one type for all replies of a feature.
  /// - Returns: An effect that ends at once.
  public static func reply(_ reply: some Sendable) -> Self {
    Self(.reply(reply))
  }
}

/// The reply to an action.
package enum ActionReply: Sendable {
  /// The reducer's value; an ``EncodedOutput`` if the reducer runs in another process.
  indirect case value(any Sendable)
  /// There was a value, which the daemon does not keep any more.
  case forgotten
}

extension Effect {
  /// Takes the reply from the effect; nil if it has none.
  ///
  /// Replies in work that is resolved later are left in it.
  func takingReply<Reply: Sendable>(_ type: Reply.Type) -> (rest: Self, reply: Reply)? {
    var reply: Reply?
    let rest = takingReplies { value in
      guard let value = value as? Reply else { return false }
      if let reply { reportSecondReply(value, after: reply) }
      reply = value
      return true
    }
    return reply.map { (rest, $0) }
  }

  /// Removes the replies that a closure accepts.
  private func takingReplies(_ take: (any Sendable) -> Bool) -> Self {
    switch operation {
    case .none, .refuse, .send, .run, .source, .output, .cancel, .schedule, .rearm, .resolve:
      return self
    case .reply(let reply):
      return take(reply) ? .none : self
    case .merge(let effects):
      return .merge(effects.map { $0.takingReplies(take) })
    case .concatenate(let effects):
      // The rest begins later, and its replies are late.
      let count = effects.prefix(while: \.endsAtOnce).count + 1
      let first = effects.prefix(count).map { $0.takingReplies(take) }
      return .concatenate(first + effects.dropFirst(count))
    case .cancellable(let effect, let id, let cancelInFlight):
      let rest = effect.takingReplies(take)
      return Self(.cancellable(rest, id: id, cancelInFlight: cancelInFlight))
    case .tracked(let effect, let lineage):
      return Self(.tracked(effect.takingReplies(take), by: lineage))
    case .child(let effect, let place, let dismissal):
      return Self(.child(effect.takingReplies(take), at: place, dismissal: dismissal))
    }
  }
}

extension Effect {
  /// Whether the effect ends when the store performs it, as far as that is known before.
  private var endsAtOnce: Bool {
    switch operation {
    case .none, .refuse, .send, .output, .reply, .cancel, .schedule, .rearm: true
    case .run, .source, .resolve: false
    case .merge(let effects), .concatenate(let effects): effects.allSatisfy(\.endsAtOnce)
    case .cancellable(let effect, _, _), .tracked(let effect, _), .child(let effect, _, _):
      effect.endsAtOnce
    }
  }
}

/// Reports that a revision has two replies.
func reportSecondReply(_ reply: any Sendable, after first: any Sendable) {
  reportIssue(
    """
    An action was answered twice, with \(describe(first)) and then with \(describe(reply)). Its \
    sender receives only the last reply.

    All actions that follow from an action by "Effect.send" belong to its revision, which has one \
    reply.

    To fix, reply once, or let a parent drop a child's reply with "onReply".
    """
  )
}

/// Reports a reply that no sender can receive any more.
func reportLateReply(_ reply: any Sendable) {
  reportIssue(
    """
    An action was answered too late, with \(describe(reply)): its sender does not receive it.

    A reply belongs to the revision of its action, which was complete before.

    To fix, return ".reply" from the reducer directly, and not after work that takes time. To \
    notify a client later, emit an output, or change the state.
    """
  )
}

private func describe(_ reply: any Sendable) -> String {
  "a value of type \"\(type(of: reply))\""
}
