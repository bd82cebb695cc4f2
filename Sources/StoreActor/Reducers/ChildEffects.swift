extension Effect {
  /// The effects of a child as effects of its parent, which end when the child is removed.
  ///
  /// - Parameters:
  ///   - place: The child's place.
  ///   - embed: Embeds an action of the child in one of the parent.
  /// - Returns: The parent's effects.
  @inlinable
  func ofChild<ParentAction>(
    at place: EffectPlace,
    embed: @escaping @Sendable (Action) -> ParentAction,
  ) -> Effect<ParentAction> {
    isNone ? .none : map(embed).placed(at: place)
  }

  /// These effects as those of a child, which end when the child is removed and can dismiss it.
  ///
  /// - Parameters:
  ///   - place: The child's place.
  ///   - dismissal: The action that dismisses the child; nil if it is not presented.
  /// - Returns: The effects.
  @usableFromInline
  func placed(at place: EffectPlace, dismissal: (@Sendable () -> Action)? = nil) -> Self {
    switch operation {
    case .none, .refuse, .send, .output, .reply: self
    default: Self(.child(self, at: place, dismissal: dismissal))
    }
  }

  /// These effects, plus the end of the effects of children that are absent.
  ///
  /// This action or an earlier one, in any reducer, may have removed a child. Only children with
  /// effects are checked: effects of this action, or of earlier ones.
  ///
  /// - Parameters:
  ///   - path: The path of the children in the parent.
  ///   - started: The effects that a child began by this action.
  ///   - isPresent: Whether a child is present.
  /// - Returns: The effects.
  @inlinable
  func endingChildren<ID: Hashable>(
    at path: ChildrenPath,
    started: Self,
    unless isPresent: (ID) -> Bool,
  ) -> Self {
    if isRefusal || started.isNone && !EffectSite.anyIsChild { return self }
    return merge(with: started.endOfChildren(at: path, unless: isPresent))
  }

  /// The end of the effects of absent children, including the effects that this is about to begin.
  @usableFromInline
  func endOfChildren<ID: Hashable>(at path: ChildrenPath, unless isPresent: (ID) -> Bool) -> Self {
    let place = EffectPlace.current
    var ids = place.registry.children(of: place, at: path)
    if case .child(_, let child, _) = operation { ids.append(child.id) }
    ids.removeAll { id in (id as? ID).map(isPresent) ?? true }
    if ids.isEmpty { return .none }
    // Sound: ids are values.
    let gone = UncheckedSendable(ids)
    return Self(
      .resolve { place in
        place.registry.end(gone.value, at: path, of: place)
        return .none
      }
    )
  }
}
