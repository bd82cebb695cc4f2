/// An action of one row of a list, with the row's id.
///
/// ```swift
/// enum Action { case rows(IdentifiedActionOf<Row>) }
/// …
/// .forEach(\.rows, action: \.rows) { Row() }
/// ```
///
/// The id selects a row's actions: `\.rows[id: id].tapped`.
public enum IdentifiedAction<ID: Hashable & Sendable, Action>: CasePathable {
  /// An action of the row with an id.
  case element(id: ID, action: Action)

  /// The case paths of an action of a row.
  public struct AllCasePaths: CasePathReflectable, Sendable {
    /// The id and the action of any row.
    public var element: AnyCasePath<IdentifiedAction, (id: ID, action: Action)> {
      AnyCasePath(
        _$name: "element",
        embed: { .element(id: $0.id, action: $0.action) },
        extract: { root in
          guard case .element(let id, let action) = root else { return nil }
          return (id, action)
        },
      )
    }

    /// The action of the row with an id.
    public subscript(id id: ID) -> AnyCasePath<IdentifiedAction, Action> {
      IdentifiedAction.element(id: id)
    }

    /// The key path of the only case.
    public subscript(root: IdentifiedAction) -> PartialCaseKeyPath<IdentifiedAction> {
      \.element
    }
  }

  /// The case paths of an action of a row.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }

  static func element(id: ID) -> AnyCasePath<IdentifiedAction, Action> {
    AnyCasePath(
      name: .element(id),
      embed: { .element(id: id, action: $0) },
      extract: { root in
        guard case .element(id, let action) = root else { return nil }
        return action
      },
    )
  }
}

/// The action of one row of a list of a feature: `IdentifiedActionOf<Row>`.
public typealias IdentifiedActionOf<R: Reducer> = IdentifiedAction<R.State.ID, R.Action>
where R.State: Identifiable, R.State.ID: Sendable

extension IdentifiedAction: Equatable where Action: Equatable {}
extension IdentifiedAction: Hashable where Action: Hashable {}
extension IdentifiedAction: Sendable where Action: Sendable {}
extension IdentifiedAction: Decodable where ID: Decodable, Action: Decodable {}
extension IdentifiedAction: Encodable where ID: Encodable, Action: Encodable {}
