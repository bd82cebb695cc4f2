package import StoreActor

/// One task: a row of ``Todos``.
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

  /// The limit of a title in bytes: actions are sent by clients, and the daemon keeps their titles.
  package static let titleBytes = 64 << 10

  /// Returns a title, shortened to its limit.
  static func clamped(_ title: String) -> String {
    guard title.utf8.count > titleBytes else { return title }
    // A character may be longer than the limit, so the cut is between two scalars.
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
