// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import LoanClient
import StoreActor

/// A form for a book that a reader donates to the library.
@Reducer
public struct DonationFeature: Sendable {
  @ObservableState
  public struct State: Equatable, Sendable {
    public var author = ""
    public let id: Book.ID
    public var title = ""

    public init(id: Book.ID) {
      self.id = id
    }
  }

  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case delegate(Delegate)
    case donateButtonTapped

    @CasePathable
    public enum Delegate: Equatable, Sendable {
      case donated(Book)
    }
  }

  @Dependency(\.dismiss) var dismiss

  public init() {}

  public var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding, .delegate:
        return .none

      case .donateButtonTapped:
        let book = Book(id: state.id, title: state.title, author: state.author, copies: 1)
        return .run { send in
          await send(.delegate(.donated(book)))
          await dismiss()
        }
      }
    }
  }
}
