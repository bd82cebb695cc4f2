package import StoreState

/// The board in a client's later build: fields are reordered, renamed, added and removed.
package enum LaterBoard {
  package struct Accounts: Equatable, Sendable {
    package var right = 0
    package var currency = "EUR"
    package var moves = 0
    package var left = 0

    package init() {}
  }

  /// The same with another default.
  package struct ForeignAccounts: Equatable, Sendable {
    package var right = 0
    package var currency = "CHF"
    package var moves = 0
    package var left = 0

    package init() {}
  }

  package struct RowList: Equatable, Sendable {
    package var nextID = 0
    package var filter = "all"
    package var rows: IdentifiedArrayOf<Row> = []

    package init() {}
  }

  /// Omits the count: a change of the count alone changes no state here.
  package struct Row: Equatable, Identifiable, Sendable {
    package var label = ""
    package var isOpen = true
    package var id = 0

    package init() {}
  }

  package struct Note: Equatable, Sendable {
    package var edits: Int? = 0
    package var text = ""

    package init() {}
  }

  /// A type that cannot read the daemon's presence.
  package struct Crowd: Equatable, Sendable {
    package var sessions: [String] = []

    package init() {}
  }

  package enum AccountsAction: Equatable, Sendable {
    /// Unknown to the daemon.
    case audited(tag: UInt64)
    case refreshed(tag: UInt64)
    /// The daemon's action has no reason.
    case transferred(amount: Int, reason: String, tag: UInt64)
    case noteToggled(tag: UInt64)
  }

  package enum Chime: Equatable, Sendable {
    case hummed
    case rung(Mark)
  }

  package struct Mark: Equatable, Sendable {
    package var words = ""
    package var loudness = 3
    package var number: UInt64 = 0

    package init() {}
  }
}

// MARK: - Translation of the daemon's values

extension LaterBoard {
  /// Encodes a scope's optional state, by hand-written conversions.
  ///
  /// - Returns: Nil for an unknown scope.
  package static func projection(of scope: String, in state: Board.State) -> [UInt8]? {
    switch scope {
    case "accounts": Optional(Accounts(state.accounts)).encoded()
    case "list": Optional(RowList(state.list)).encoded()
    case "note": state.note.map(Note.init).encoded()
    case "presence": Optional(state.presence).encoded()
    default:
      Board.rowID(of: scope).map { state.list.rows[id: $0].map(Row.init).encoded() }
    }
  }

  /// Encodes an output; nil if this build does not know it.
  package static func chime(_ chime: Board.Chime) -> [UInt8]? {
    guard case .rung(let old) = chime else { return nil }
    var mark = Mark()
    mark.number = old.number
    mark.words = old.text
    return Chime.rung(mark).encoded()
  }
}

extension LaterBoard.Accounts {
  init(_ old: Board.Accounts) {
    (left, right, moves) = (old.left, old.right, old.moves)
  }
}

extension LaterBoard.RowList {
  init(_ old: Board.RowList) {
    nextID = old.nextID
    rows = IdentifiedArray(uniqueElements: old.rows.map(LaterBoard.Row.init))
  }
}

extension LaterBoard.Row {
  init(_ old: Board.Row) {
    (id, label) = (old.id, old.title)
  }
}

extension LaterBoard.Note {
  init(_ old: Board.Note) {
    (text, edits) = (old.text, old.edits)
  }
}
