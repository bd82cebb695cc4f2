extension Effect {
  /// The effects of a child as effects of its parent, which end when the child goes.
  ///
  /// - Parameters:
  ///   - path: The child.
  ///   - embed: Turns an action of the child into one of the parent.
  /// - Returns: The parent's effects.
  @inlinable
  func ofChild<ParentAction>(
    at path: NavigationIDPath,
    embed: @escaping @Sendable (Action) -> ParentAction,
  ) -> Effect<ParentAction> {
    isNone ? .none : map(embed).cancellable(child: path)
  }

  /// The effects of a child that is presented as effects of its parent, which end when the child
  /// goes and can make it go.
  ///
  /// - Parameters:
  ///   - path: The child.
  ///   - dismissal: The action of the parent that ends the presentation.
  ///   - embed: Turns an action of the child into one of the parent.
  /// - Returns: The parent's effects.
  func ofPresentedChild<ParentAction>(
    at path: NavigationIDPath,
    dismissal: @escaping @Sendable () -> ParentAction,
    embed: @escaping @Sendable (Action) -> ParentAction,
  ) -> Effect<ParentAction> {
    let effects = map(embed)
    guard let route = path.dismissal else { return effects.cancellable(child: path) }
    return effects.dismissible(by: route, dismissal).cancellable(child: path)
  }

  /// These effects, and the end of those of a child unless it is still there.
  ///
  /// - Parameters:
  ///   - before: The child's identity before its parent ran; nil when there was none.
  ///   - keyPath: Where the parent has it.
  ///   - after: The identity of the child that is there now.
  /// - Returns: The effects.
  @inlinable
  func cancelling(
    child before: AnyHashable?,
    at keyPath: AnyKeyPath,
    unlessStill after: @autoclosure () -> AnyHashable?,
  ) -> Self {
    guard let before, before != after() else { return self }
    return merge(with: .cancel(child: ChildPath(at: keyPath, id: before)))
  }

  /// Cancels everything that a child has running.
  @usableFromInline
  static func cancel(child path: NavigationIDPath) -> Self {
    Self(.cancel(CancelID(child: path)))
  }

  /// Makes the effects of a child end when the child goes.
  @usableFromInline
  func cancellable(child path: NavigationIDPath) -> Self {
    switch operation {
    case .none, .send: self
    default: cancellable(by: CancelID(child: path), cancelInFlight: false)
    }
  }
}

extension Optional {
  /// Changes the wrapped value in place, without a second reference to it that would make
  /// collections in it copy themselves.
  ///
  /// - Returns: Whether there was a value.
  @inlinable
  @discardableResult
  mutating func modifyIfPresent(_ body: (inout Wrapped) -> Void) -> Bool {
    guard var wrapped = take() else { return false }
    body(&wrapped)
    self = .some(wrapped)
    return true
  }
}
