/// An action of a child feature that is presented, or the end of its presentation.
///
/// ```swift
/// enum Action {
///   case destination(PresentationAction<Destination.Action>)
/// }
/// ```
///
/// The path to the child's actions omits `presented`: `\.destination.saveTapped`.
public enum PresentationAction<Action>: CasePathable {
  /// Removes the child; the parent handles it while the child is still present.
  case dismiss

  /// An action of the child.
  indirect case presented(Action)

  /// The case paths of a presentation's actions, and through them those of the child's.
  @dynamicMemberLookup
  public struct AllCasePaths: CasePathReflectable, Sendable {
    /// The end of the presentation.
    public var dismiss: AnyCasePath<PresentationAction, Void> {
      AnyCasePath(
        _$name: "dismiss",
        embed: { .dismiss },
        extract: { if case .dismiss = $0 { () } else { nil } },
      )
    }

    /// Any action of the child.
    public var presented: AnyCasePath<PresentationAction, Action> {
      presented(name: .named("presented"))
    }

    private func presented(name: CasePathName) -> AnyCasePath<PresentationAction, Action> {
      AnyCasePath(
        name: name,
        embed: { .presented($0) },
        extract: { if case .presented(let action) = $0 { action } else { nil } },
      )
    }

    /// The key path of an action's case.
    public subscript(root: PresentationAction) -> PartialCaseKeyPath<PresentationAction> {
      switch root {
      case .dismiss: \.dismiss
      case .presented: \.presented
      }
    }

    /// A case of the child's actions.
    public subscript<Member>(
      dynamicMember keyPath: any KeyPath<Action.AllCasePaths, AnyCasePath<Action, Member>>
        & Sendable
    ) -> AnyCasePath<PresentationAction, Member> where Action: CasePathable {
      presented(name: .root).appending(Action.allCasePaths[keyPath: keyPath])
    }

    /// A case of the child's actions as a presentation of its own, for `.ifLet` on one case of
    /// a destination.
    @_disfavoredOverload
    public subscript<Member>(
      dynamicMember keyPath: any KeyPath<Action.AllCasePaths, AnyCasePath<Action, Member>>
        & Sendable
    ) -> AnyCasePath<PresentationAction, PresentationAction<Member>> where Action: CasePathable {
      Action.allCasePaths[keyPath: keyPath].presented
    }
  }

  /// The case paths of a presentation's actions.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Decodable where Action: Decodable {}
extension PresentationAction: Encodable where Action: Encodable {}

extension AnyCasePath {
  /// The same path between the presentations of both ends.
  fileprivate var presented: AnyCasePath<PresentationAction<Root>, PresentationAction<Value>> {
    AnyCasePath<PresentationAction<Root>, PresentationAction<Value>>(
      name: name,
      embed: { action in
        switch action {
        case .dismiss: .dismiss
        case .presented(let value): .presented(embed(value))
        }
      },
      extract: { action in
        switch action {
        case .dismiss: .dismiss
        case .presented(let root): extract(from: root).map { .presented($0) }
        }
      },
    )
  }
}
