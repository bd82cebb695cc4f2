/// An action of a feature on a navigation stack, or a change of the stack.
///
/// ```swift
/// enum Action {
///   case path(StackActionOf<Path>)
/// }
/// ```
///
/// The id selects an element's actions: `\.path[id: id].detail.saveTapped`.
public enum StackAction<State, Action>: CasePathable {
  /// An action of the element with an id.
  indirect case element(id: StackElementID, action: Action)

  /// Removes an element and all that were pushed after it; the parent handles it while they are
  /// still present.
  case popFrom(id: StackElementID)

  /// Pushes an element; the parent handles it with the element on the stack.
  case push(id: StackElementID, state: State)

  /// The case paths of a stack's actions.
  public struct AllCasePaths: CasePathReflectable, Sendable {
    /// The id and the action of any element.
    public var element: AnyCasePath<StackAction, (id: StackElementID, action: Action)> {
      AnyCasePath(
        _$name: "element",
        embed: { .element(id: $0.id, action: $0.action) },
        extract: { root in
          guard case .element(let id, let action) = root else { return nil }
          return (id, action)
        },
      )
    }

    /// The id of the element that is removed with those after it.
    public var popFrom: AnyCasePath<StackAction, StackElementID> {
      AnyCasePath(
        _$name: "popFrom",
        embed: { .popFrom(id: $0) },
        extract: { if case .popFrom(let id) = $0 { id } else { nil } },
      )
    }

    /// The id and the state of the element that is pushed.
    public var push: AnyCasePath<StackAction, (id: StackElementID, state: State)> {
      AnyCasePath(
        _$name: "push",
        embed: { .push(id: $0.id, state: $0.state) },
        extract: { root in
          guard case .push(let id, let state) = root else { return nil }
          return (id, state)
        },
      )
    }

    /// The action of the element with an id.
    public subscript(id id: StackElementID) -> AnyCasePath<StackAction, Action> {
      AnyCasePath(
        name: .element(id.generation),
        embed: { .element(id: id, action: $0) },
        extract: { root in
          guard case .element(id, let action) = root else { return nil }
          return action
        },
      )
    }

    /// The key path of an action's case.
    public subscript(root: StackAction) -> PartialCaseKeyPath<StackAction> {
      switch root {
      case .element: \.element
      case .popFrom: \.popFrom
      case .push: \.push
      }
    }
  }

  /// The case paths of a stack's actions.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// The action of a navigation stack of features: `StackActionOf<Path>`.
public typealias StackActionOf<R: Reducer> = StackAction<R.State, R.Action>

extension StackAction: Equatable where State: Equatable, Action: Equatable {}
extension StackAction: Hashable where State: Hashable, Action: Hashable {}
extension StackAction: Sendable where State: Sendable, Action: Sendable {}
extension StackAction: Decodable where State: Decodable, Action: Decodable {}
extension StackAction: Encodable where State: Encodable, Action: Encodable {}
