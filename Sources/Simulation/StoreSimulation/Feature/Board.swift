package import StoreActor
import StoreState

/// The feature of the simulated daemon, with one part for each kind of scope.
///
/// Every action of a client has a unique tag, by which a history identifies the reduced actions.
package struct Board: Reducer {
  package struct State: Equatable, Sendable {
    /// Two numbers: one action moves an amount between them, in two steps of one revision.
    package var accounts = Accounts()
    package var list = RowList()
    /// An optional part.
    package var note: Note?
    package var presence = Presence()
    /// The reduced actions; it is not exposed.
    package var trail = Trail()

    package init() {}
  }

  /// The number of reduced client actions, and the tag of the last one.
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

  /// The present sessions, according to the session events.
  package struct Presence: Equatable, Sendable {
    package var sessions: [UInt64] = []

    package init() {}
  }

  /// Performs the work of an effect, and notifies its sink of the end.
  package typealias Work =
    @MainActor @Sendable (_ tag: UInt64, _ sink: EffectSink<Action>) -> Void

  @Dependency(\.date) private var date
  private let ledger: Ledger
  private let work: Work

  /// - Parameters:
  ///   - ledger: Numbers the outputs.
  ///   - work: Performs the work of effects.
  package init(ledger: Ledger, work: @escaping Work) {
    self.ledger = ledger
    self.work = work
  }

  /// The reason for a refused transfer.
  package static let refusal = "The account is full."

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

  /// A row, which may be absent when an action for it arrives.
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
      // The transfer belongs to the same revision, so it is refused, too.
      if (state.accounts.moves + amount).isMultiple(of: 13) {
        return .refuse(Self.refusal, code: "full", value: amount)
      }
      state.accounts.right += amount
      state.accounts.moves += 1
    // An output of a revision that changes no exposed state.
    case .refreshed: return rung("refreshed")
    case .began(let tag):
      return Effect(.source(EffectSource { [work] sink in work(tag, sink) }))
    case .alarmSet(let tag, let milliseconds):
      return .schedule(
        id: "alarm \(tag)",
        at: date.now.addingTimeInterval(Double(milliseconds) / 1_000),
        .accounts(.rang(tag: tag)),
      )
    case .rang: break
    case .noteToggled: state.note = state.note == nil ? Note() : nil
    }
    return .none
  }

  private func reduce(_ list: inout RowList, _ action: ListAction) -> Effect<Action> {
    switch action {
    // The sender receives the action's tag, if it has sent the action to the list itself.
    case .added(let tag, let title):
      list.rows.append(Row(id: list.nextID, title: title))
      list.nextID += 1
      return .reply(tag)
    case .removed(let tag, let id):
      list.rows.remove(id: id)
      return .merge(.output(Chime.faded(mark("\(id)"))), .reply(tag))
    case .moved(let tag, let id, let offset):
      guard let source = list.rows.index(id: id) else { return .reply(tag) }
      let destination = min(max(offset, 0), list.rows.count)
      list.rows.move(fromOffsets: [source], toOffset: destination)
      return .merge(
        rung("from \(source)"),
        .reply(tag),
        .output(Secret()),
        rung("to \(destination)"),
      )
    case .rows(.element(let id, .counted(let tag))):
      return .merge(rung("row \(id)"), .reply(tag))
    case .rows(.element(_, .titled(let tag, _))):
      return .reply(tag)
    }
  }

  /// An output without an exposure.
  private struct Secret: Sendable {}

  private func rung(_ text: String) -> Effect<Action> { .output(Chime.rung(mark(text))) }

  private func mark(_ text: String) -> Mark {
    var mark = Mark()
    mark.number = ledger.nextOutput()
    mark.text = text
    return mark
  }
}
