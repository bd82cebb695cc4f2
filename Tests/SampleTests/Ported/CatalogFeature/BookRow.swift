// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import LoanClient
import StoreActor

/// One line of the catalog.
@Reducer
public struct BookRow: Sendable {
  @ObservableState
  public struct State: Equatable, Identifiable, Sendable {
    public let book: Book
    public var isMarked: Bool

    public var id: Book.ID { book.id }

    public init(book: Book, isMarked: Bool = false) {
      self.book = book
      self.isMarked = isMarked
    }
  }

  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case tapped
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    BindingReducer()
  }
}
