import StoreActor

/// A parent's actions in a typical feature, with conformances in the form that a macro generates.
enum ParentAction: CasePathable, CasePathIterable, Equatable {
  case refreshed
  case child(ChildAction)
  case renamed(first: String, last: String)
  case note(String?)

  struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    subscript(root: ParentAction) -> PartialCaseKeyPath<ParentAction> {
      switch root {
      case .refreshed: \.refreshed
      case .child: \.child
      case .renamed: \.renamed
      case .note: \.note
      }
    }

    var refreshed: AnyCasePath<ParentAction, Void> {
      AnyCasePath(embed: { .refreshed }, extract: { if case .refreshed = $0 { () } else { nil } })
    }
    var child: AnyCasePath<ParentAction, ChildAction> {
      AnyCasePath(
        embed: { .child($0) },
        extract: { if case .child(let value) = $0 { value } else { nil } },
      )
    }
    var renamed: AnyCasePath<ParentAction, (first: String, last: String)> {
      AnyCasePath(
        embed: { .renamed(first: $0.first, last: $0.last) },
        extract: { if case .renamed(let first, let last) = $0 { (first, last) } else { nil } },
      )
    }
    var note: AnyCasePath<ParentAction, String?> {
      AnyCasePath(
        embed: { .note($0) },
        extract: { if case .note(let value) = $0 { .some(value) } else { nil } },
      )
    }

    func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<ParentAction>]> {
      [\.refreshed, \.child, \.renamed, \.note].makeIterator()
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// A child's actions, with dot access to their values.
@dynamicMemberLookup
enum ChildAction: CasePathable, Equatable {
  case tapped
  case moved(Int)
  case load(LoadAction)

  struct AllCasePaths: Sendable {
    var tapped: AnyCasePath<ChildAction, Void> {
      AnyCasePath(embed: { .tapped }, extract: { if case .tapped = $0 { () } else { nil } })
    }
    var moved: AnyCasePath<ChildAction, Int> {
      AnyCasePath(
        embed: { .moved($0) },
        extract: { if case .moved(let value) = $0 { value } else { nil } },
      )
    }
    var load: AnyCasePath<ChildAction, LoadAction> {
      AnyCasePath(
        embed: { .load($0) },
        extract: { if case .load(let value) = $0 { value } else { nil } },
      )
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

enum LoadAction: CasePathable, Equatable {
  case response(Result<Int, LoadError>)

  struct AllCasePaths: Sendable {
    var response: AnyCasePath<LoadAction, Result<Int, LoadError>> {
      AnyCasePath(
        embed: { .response($0) },
        extract: { if case .response(let value) = $0 { value } else { nil } },
      )
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

struct LoadError: Error, Equatable {
  var reason = "offline"
}

/// Actions of several elements, whose case paths take an argument.
enum RowsAction: CasePathable, Equatable {
  case row(id: Int, action: ChildAction)

  struct AllCasePaths: Sendable {
    subscript(id id: Int) -> AnyCasePath<RowsAction, ChildAction> {
      AnyCasePath(
        embed: { .row(id: id, action: $0) },
        extract: { root in
          guard case .row(id, let action) = root else { return nil }
          return action
        },
      )
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// An enum of enums around ``RowsAction``.
enum ListAction: CasePathable, Equatable {
  case rows(RowsAction)

  struct AllCasePaths: Sendable {
    var rows: AnyCasePath<ListAction, RowsAction> {
      AnyCasePath(
        embed: { .rows($0) },
        extract: { if case .rows(let value) = $0 { value } else { nil } },
      )
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
