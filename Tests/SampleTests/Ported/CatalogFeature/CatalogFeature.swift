// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import LoanClient
import StoreActor

/// The list of books: a search after the end of typing, and rows that can be marked.
@Reducer
public struct CatalogFeature: Sendable {
  @ObservableState
  public struct State: Equatable, Sendable {
    public var isLoading = false
    public var query = ""
    public var rows: IdentifiedArrayOf<BookRow.State> = []

    public init() {}

    public var marked: IdentifiedArrayOf<BookRow.State> { rows.filter(\.isMarked) }
  }

  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case booksResponse(Result<[Book], any Error>)
    case clearMarksButtonTapped
    case delegate(Delegate)
    case rows(IdentifiedActionOf<BookRow>)

    @CasePathable
    public enum Delegate: Equatable, Sendable {
      case bookSelected(Book)
    }
  }

  private enum CancelID { case search }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.loanClient) var loanClient

  public init() {}

  public var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.query):
        guard !state.query.isEmpty else {
          state.isLoading = false
          state.rows = []
          return .cancel(id: CancelID.search)
        }
        state.isLoading = true
        return .run { [query = state.query] send in
          try await clock.sleep(for: .milliseconds(300))
          await send(.booksResponse(Result { try await loanClient.books(matching: query) }))
        }
        .cancellable(id: CancelID.search, cancelInFlight: true)

      case .binding:
        return .none

      case .booksResponse(.success(let books)):
        state.isLoading = false
        state.rows = IdentifiedArray(uniqueElements: books.map { BookRow.State(book: $0) })
        return .none

      case .booksResponse(.failure):
        state.isLoading = false
        return .none

      case .clearMarksButtonTapped:
        for id in state.rows.ids {
          state.rows[id: id]?.isMarked = false
        }
        return .none

      case .delegate:
        return .none

      case .rows(.element(id: let id, action: .tapped)):
        guard let row = state.rows[id: id] else { return .none }
        return .send(.delegate(.bookSelected(row.book)))

      case .rows:
        return .none
      }
    }
    .forEach(\.rows, action: \.rows) {
      BookRow()
    }
  }
}
