import StoreHistory
import StoreProtocol
import StoreReplica
import StoreState

/// A client build's interpretation of a scope.
@MainActor
struct Reading {
  /// The shipped replica.
  let replica: any Replica
  /// Whether the build is a later one than the daemon's.
  var isLater = false
  /// Whether the build can read the daemon's state.
  var isReadable = true
  /// The build's schemas; nil if it accepts any.
  var state: SchemaDocument?
  var action: SchemaDocument?
  var reader: (@MainActor () -> ReaderSchema)?

  /// Creates the reading of the daemon's build, with a typed or a generic replica.
  init<State: ReplicatedState>(_ type: State.Type, _ scope: String, isTyped: Bool) {
    if isTyped {
      replica = TypedReplica<State>()
    } else {
      let description = ScopeDescription(
        name: scope,
        state: SchemaRegistry.document(for: type),
        action: SchemaRegistry.document(for: Never.self),
        id: nil,
      )
      replica = GenericReplica(name: scope, description: description)
    }
  }

  /// Creates the reading of a later build.
  init<State: ReplicatedState, Action: WireAction>(later type: State.Type, _ action: Action.Type) {
    replica = TypedReplica<State>()
    isLater = true
    state = SchemaRegistry.document(for: type)
    self.action = SchemaRegistry.document(for: action)
    reader = { SchemaRegistry.readerSchema(for: type) }
  }

  /// Returns the reading of a client of the daemon's build.
  static func own(_ scope: String, isTyped: Bool) -> Self {
    switch scope {
    case "accounts": Self(Board.Accounts.self, scope, isTyped: isTyped)
    case "list": Self(Board.RowList.self, scope, isTyped: isTyped)
    case "note": Self(Board.Note.self, scope, isTyped: isTyped)
    case "presence": Self(Board.Presence.self, scope, isTyped: isTyped)
    default: Self(Board.Row.self, scope, isTyped: isTyped)
    }
  }

  /// Returns the reading of a client of a later build.
  ///
  /// - Parameters:
  ///   - scope: The scope's name.
  ///   - isReadable: Whether to choose a build that can read the daemon's, if both kinds exist.
  ///   - planted: The planted fault; nil without one.
  /// - Returns: The reading.
  static func later(_ scope: String, isReadable: Bool, _ planted: PlantedFault?) -> Self {
    switch scope {
    case "accounts":
      var reading = Self(later: LaterBoard.Accounts.self, LaterBoard.AccountsAction.self)
      if planted == .otherDefault {
        reading.reader = { SchemaRegistry.readerSchema(for: LaterBoard.ForeignAccounts.self) }
      }
      return reading
    case "list": return Self(later: LaterBoard.RowList.self, Board.ListAction.self)
    case "note": return Self(later: LaterBoard.Note.self, Board.NoteAction.self)
    case "presence" where isReadable: return Self(later: Board.Presence.self, Never.self)
    case "presence":
      var reading = Self(later: LaterBoard.Crowd.self, Never.self)
      reading.isReadable = false
      return reading
    default: return Self(later: LaterBoard.Row.self, Board.RowAction.self)
    }
  }
}
