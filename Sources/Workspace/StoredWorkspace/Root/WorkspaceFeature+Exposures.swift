import StoreActor
package import StoreExposures
package import StoreHistory

extension WorkspaceFeature {
  /// The scopes that clients may see and send to; all other state is hidden from them.
  package static let exposures: [Expose<State, Action>] = [
    Expose("counter", state: \.counter, action: \.counter),
    Expose("game", state: \.game, action: \.game),
    Expose("game/results", state: \.game.resultList, action: \.game.resultList),
    Expose("todos", state: \.todos, action: \.todos),
    Expose(each: "todos/items", state: \.todos.items, action: \.todos.items),
    Expose("presence", state: \.presence),
  ]

  /// The action for an event of a listed session.
  ///
  /// - Returns: The action; nil would ignore the event, but both events have actions.
  package static func action(for event: SessionEvent) -> Action? {
    switch event {
    case .joined(let info):
      let session = Presence.Session(
        id: info.id,
        name: info.name,
        address: info.address,
        user: info.identity.user,
      )
      return .presence(.sessionJoined(session))
    case .left(let info):
      return .presence(.sessionLeft(id: info.id))
    }
  }
}
