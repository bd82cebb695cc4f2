package import StoreActor
package import StoreState

/// Journals keep the whole root; no exposure shows it to clients.
extension Board.State: DurableState, ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Board",
    [
      .field("accounts", \.accounts), .field("list", \.list), .field("note", \.note),
      .field("presence", \.presence), .field("trail", \.trail),
    ],
  )
}

extension Board.Trail: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Trail",
    [.field("count", \.count), .field("last", \.last)],
  )
}

extension Board.Accounts: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Accounts",
    [.field("left", \.left), .field("right", \.right), .field("moves", \.moves)],
  )
}

extension Board.RowList: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "List",
    [.field("rows", \.rows), .field("nextID", \.nextID)],
  )
}

extension Board.Row: ReplicatedRecord {
  package init() { self.init(id: 0, title: "") }

  package static let layout = RecordLayout<Self>(
    "Row",
    [.field("id", \.id), .field("title", \.title), .field("count", \.count)],
  )
}

extension Board.Note: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Note",
    [.field("text", \.text), .field("edits", \.edits)],
  )
}

extension Board.Presence: ReplicatedRecord {
  package static let layout = RecordLayout<Self>("Presence", [.field("sessions", \.sessions)])
}

extension Board.AccountsAction: DurableAction, WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Accounts.Action",
    [
      .case("transferred", "tag", "amount", embed: Self.transferred(tag:amount:)) {
        if case .transferred(let tag, let amount) = $0 { (tag, amount) } else { nil }
      },
      .case("refreshed", "tag", embed: Self.refreshed(tag:)) {
        if case .refreshed(let tag) = $0 { tag } else { nil }
      },
      .case("noteToggled", "tag", embed: Self.noteToggled(tag:)) {
        if case .noteToggled(let tag) = $0 { tag } else { nil }
      },
      .case("began", "tag", embed: Self.began(tag:)) {
        if case .began(let tag) = $0 { tag } else { nil }
      },
      .case("alarmSet", "tag", "milliseconds", embed: Self.alarmSet(tag:milliseconds:)) {
        if case .alarmSet(let tag, let milliseconds) = $0 { (tag, milliseconds) } else { nil }
      },
      .case("rang", "tag", embed: Self.rang(tag:)) {
        if case .rang(let tag) = $0 { tag } else { nil }
      }
      .notSent(),
    ],
  )
}

extension Board.ListAction: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "List.Action",
    [
      .case("added", "tag", "title", embed: Self.added(tag:title:)) {
        if case .added(let tag, let title) = $0 { (tag, title) } else { nil }
      },
      .case("removed", "tag", "id", embed: Self.removed(tag:id:)) {
        if case .removed(let tag, let id) = $0 { (tag, id) } else { nil }
      },
      .case("moved", "tag", "id", "toOffset", embed: Self.moved(tag:id:toOffset:)) {
        if case .moved(let tag, let id, let offset) = $0 { (tag, id, offset) } else { nil }
      },
      .case("rows", embed: Self.rows) {
        if case .rows(let action) = $0 { action } else { nil }
      },
    ],
  )
}

extension Board.RowAction: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Row.Action",
    [
      .case("titled", "tag", "title", embed: Self.titled(tag:title:)) {
        if case .titled(let tag, let title) = $0 { (tag, title) } else { nil }
      },
      .case("counted", "tag", embed: Self.counted(tag:)) {
        if case .counted(let tag) = $0 { tag } else { nil }
      },
    ],
  )
}

extension Board.NoteAction: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Note.Action",
    [
      .case("written", "tag", "text", embed: Self.written(tag:text:)) {
        if case .written(let tag, let text) = $0 { (tag, text) } else { nil }
      },
      .case("closed", "tag", embed: Self.closed(tag:)) {
        if case .closed(let tag) = $0 { tag } else { nil }
      },
    ],
  )
}

/// Journals keep the actions that schedules send.
extension Board.Action: DurableAction, WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Board.Action",
    [
      .case("accounts", embed: Self.accounts) {
        if case .accounts(let action) = $0 { action } else { nil }
      }
    ],
  )
}

extension Board.Action: CasePathable {
  package struct AllCasePaths: Sendable {
    package var accounts: AnyCasePath<Board.Action, Board.AccountsAction> {
      AnyCasePath(
        embed: { .accounts($0) },
        extract: { if case .accounts(let action) = $0 { action } else { nil } },
      )
    }

    package var list: AnyCasePath<Board.Action, Board.ListAction> {
      AnyCasePath(
        embed: { .list($0) },
        extract: { if case .list(let action) = $0 { action } else { nil } },
      )
    }

    package var note: AnyCasePath<Board.Action, Board.NoteAction> {
      AnyCasePath(
        embed: { .note($0) },
        extract: { if case .note(let action) = $0 { action } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Board.ListAction: CasePathable {
  package struct AllCasePaths: Sendable {
    package var rows: AnyCasePath<Board.ListAction, IdentifiedAction<Int, Board.RowAction>> {
      AnyCasePath(
        embed: { .rows($0) },
        extract: { if case .rows(let action) = $0 { action } else { nil } },
      )
    }
  }

  package static var allCasePaths: AllCasePaths { AllCasePaths() }
}
