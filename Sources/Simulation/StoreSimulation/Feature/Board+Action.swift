package import StoreActor

extension Board {
  package enum Action: Equatable, Sendable {
    case accounts(AccountsAction)
    case list(ListAction)
    case note(NoteAction)
    /// A listed session joined.
    case joined(session: UInt64)
    case left(session: UInt64)
  }

  package enum AccountsAction: Equatable, Sendable {
    case transferred(tag: UInt64, amount: Int)
    /// The second half of a transfer; only the reducer sends it.
    case arrived(amount: Int)
    /// Changes no exposed state, which also makes a revision.
    case refreshed(tag: UInt64)
    case noteToggled(tag: UInt64)
    /// Changes no exposed state, and has an effect that lasts for some time.
    case began(tag: UInt64)
    /// Changes no exposed state, and schedules an alarm.
    case alarmSet(tag: UInt64, milliseconds: Int)
    /// The alarm of an action rings; only the schedule sends it.
    case rang(tag: UInt64)
  }

  package enum ListAction: Equatable, Sendable {
    case added(tag: UInt64, title: String)
    case removed(tag: UInt64, id: Int)
    case moved(tag: UInt64, id: Int, toOffset: Int)
    case rows(IdentifiedAction<Int, RowAction>)
  }

  package enum RowAction: Equatable, Sendable {
    case titled(tag: UInt64, title: String)
    case counted(tag: UInt64)
  }

  package enum NoteAction: Equatable, Sendable {
    case written(tag: UInt64, text: String)
    case closed(tag: UInt64)
  }
}

extension Board {
  /// The tag of the ring that an action has scheduled.
  package static func ring(of tag: UInt64) -> UInt64 { tag | 1 << 63 }

  /// The tag of the action that has scheduled a ring; nil for the tag of a client's action.
  package static func alarm(ofRing tag: UInt64) -> UInt64? {
    tag >> 63 == 1 ? tag & ~(1 << 63) : nil
  }
}

extension Board.Action {
  /// The tag of a client's action, or of a ring; nil for other actions.
  package var tag: UInt64? {
    switch self {
    case .accounts(.transferred(let tag, _)), .accounts(.refreshed(let tag)),
      .accounts(.noteToggled(let tag)), .accounts(.began(let tag)),
      .accounts(.alarmSet(let tag, _)),
      .list(.added(let tag, _)), .list(.removed(let tag, _)),
      .list(.moved(let tag, _, _)), .list(.rows(.element(_, .titled(let tag, _)))),
      .list(.rows(.element(_, .counted(let tag)))), .note(.written(let tag, _)),
      .note(.closed(let tag)):
      tag
    case .accounts(.rang(let tag)): Board.ring(of: tag)
    case .accounts(.arrived), .joined, .left: nil
    }
  }
}
