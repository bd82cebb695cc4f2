package import StoreActor
import StoreState

/// The feature that the simulated daemon runs: one part of every kind that a scope can be.
///
/// Every action of a client carries a tag of its own, so that a history tells which were reduced.
package struct Board: Reducer {
  package struct State: Equatable, Sendable {
    /// Two numbers that one action moves a part between, in two steps of one revision.
    package var accounts = Accounts()
    package var list = RowList()
    /// A part that comes and goes.
    package var note: Note?
    package var presence = Presence()
    /// What was reduced; nobody sees it.
    package var trail = Trail()

    package init() {}
  }

  /// The actions of clients that were reduced: how many, and the last of them.
  package struct Trail: Equatable, Sendable {
    package var count = 0
    package var last: UInt64 = 0

    package init() {}
  }

  package struct Accounts: Equatable, Sendable {
    package var left = 1_000
    package var right = 0
    package var moves = 0

    package init() {}
  }

  package struct RowList: Equatable, Sendable {
    package var rows: IdentifiedArrayOf<Row> = []
    package var nextID = 0

    package init() {}
  }

  package struct Row: Equatable, Identifiable, Sendable {
    package var id: Int
    package var title: String
    package var count = 0

    package init(id: Int, title: String) {
      self.id = id
      self.title = title
    }
  }

  package struct Note: Equatable, Sendable {
    package var text = ""
    package var edits = 0

    package init() {}
  }

  /// The sessions that are there, as the session events say.
  package struct Presence: Equatable, Sendable {
    package var sessions: [UInt64] = []

    package init() {}
  }

  /// Does the work of an effect, and tells its sink when that is over.
  package typealias Work =
    @MainActor @Sendable (_ tag: UInt64, _ sink: EffectSink<Action>) -> Void

  private let ledger: Ledger
  private let work: Work

  /// - Parameters:
  ///   - ledger: Numbers what is put out.
  ///   - work: What effects do.
  package init(ledger: Ledger, work: @escaping Work) {
    self.ledger = ledger
    self.work = work
  }

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      if let tag = action.tag {
        state.trail.count += 1
        state.trail.last = tag
      }
      switch action {
      case .accounts(let action): return reduce(&state, action)
      case .list(let action): return reduce(&state.list, action)
      case .note(let action):
        if case .closed = action { state.note = nil }
        return rung("note")
      case .joined(let session): state.presence.sessions.append(session)
      case .left(let session): state.presence.sessions.removeAll { $0 == session }
      }
      return .none
    }
    .forEach(\.list.rows, action: \.list.rows) { RowFeature() }
    .ifLet(\.note, action: \.note) { NoteFeature() }
  }

  /// A row, which may be gone when an action for it comes.
  private struct RowFeature: Reducer {
    func reduce(into state: inout Row, action: RowAction) -> Effect<RowAction> {
      switch action {
      case .titled(_, let title): state.title = title
      case .counted: state.count += 1
      }
      return .none
    }
  }

  private struct NoteFeature: Reducer {
    func reduce(into state: inout Note, action: NoteAction) -> Effect<NoteAction> {
      guard case .written(_, let text) = action else { return .none }
      state.text = text
      state.edits += 1
      return .none
    }
  }

  private func reduce(_ state: inout State, _ action: AccountsAction) -> Effect<Action> {
    switch action {
    case .transferred(_, let amount):
      state.accounts.left -= amount
      return .concatenate(.send(.accounts(.arrived(amount: amount))), rung("\(amount)"))
    case .arrived(let amount):
      state.accounts.right += amount
      state.accounts.moves += 1
    // An output of a revision that changes nothing.
    case .refreshed: return rung("refreshed")
    case .began(let tag):
      return Effect(.source(EffectSource { [work] sink in work(tag, sink) }))
    case .noteToggled: state.note = state.note == nil ? Note() : nil
    }
    return .none
  }

  private func reduce(_ list: inout RowList, _ action: ListAction) -> Effect<Action> {
    switch action {
    case .added(_, let title):
      list.rows.append(Row(id: list.nextID, title: title))
      list.nextID += 1
    case .removed(_, let id):
      list.rows.remove(id: id)
      return .output(Chime.faded(mark("\(id)")))
    case .moved(_, let id, let offset):
      guard let source = list.rows.index(id: id) else { return .none }
      let destination = min(max(offset, 0), list.rows.count)
      list.rows.move(fromOffsets: [source], toOffset: destination)
      return .merge(rung("from \(source)"), .output(Secret()), rung("to \(destination)"))
    case .rows(.element(let id, .counted)): return rung("row \(id)")
    case .rows: break
    }
    return .none
  }

  /// An output that no exposure names.
  private struct Secret: Sendable {}

  private func rung(_ text: String) -> Effect<Action> { .output(Chime.rung(mark(text))) }

  private func mark(_ text: String) -> Mark {
    var mark = Mark()
    mark.number = ledger.nextOutput()
    mark.text = text
    return mark
  }
}
