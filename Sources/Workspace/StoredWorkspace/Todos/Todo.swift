package import StoreActor

/// One thing to do: a row of ``Todos``.
@Reducer
package struct Todo {
  @ObservableState
  package struct State: Equatable, Identifiable, ReplicatedState, Sendable {
    package var id: UUID
    package var title: String
    package var isCompleted: Bool

    package init(id: UUID, title: String = "", isCompleted: Bool = false) {
      self.id = id
      self.title = title
      self.isCompleted = isCompleted
    }
  }

  package enum Action: Equatable, Sendable, WireAction {
    case titleChanged(title: String)
    case toggleButtonTapped
  }

  /// The bytes of a title: actions come from clients, and what they bring is kept.
  package static let titleBytes = 64 << 10

  /// A title, or as much of it as has room.
  static func clamped(_ title: String) -> String {
    guard title.utf8.count > titleBytes else { return title }
    // A character may be as long as a text, so it is cut between two scalars.
    var (scalars, bytes) = (String.UnicodeScalarView(), 0)
    for scalar in title.unicodeScalars {
      bytes += UTF8.width(scalar)
      if bytes > titleBytes { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .titleChanged(let title):
        state.title = Self.clamped(title)
        return .none

      case .toggleButtonTapped:
        state.isCompleted.toggle()
        return .none
      }
    }
  }
}
