// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import LoanClient
import StoreActor

/// A book on its own page: to borrow it for some weeks, to return it.
@Reducer
public struct LoanFeature: Sendable {
  @Reducer
  public enum Destination {
    case alert(AlertState<Alert>)
    case dialog(ConfirmationDialogState<Dialog>)

    @CasePathable
    public enum Alert: Equatable, Sendable {
      case giveBackConfirmed
    }

    @CasePathable
    public enum Dialog: Equatable, Sendable {
      case weeksChosen(Int)
    }
  }

  @ObservableState
  public struct State: Equatable, Sendable {
    public var book: Book
    @Presents public var destination: Destination.State?
    public var dueDate: Date?

    public init(book: Book, dueDate: Date? = nil) {
      self.book = book
      self.dueDate = dueDate
    }
  }

  public enum Action: Sendable {
    case borrowButtonTapped
    case borrowResponse(Result<Date, any Error>)
    case delegate(Delegate)
    case destination(PresentationAction<Destination.Action>)
    case giveBackButtonTapped

    @CasePathable
    public enum Delegate: Equatable, Sendable {
      case copiesChanged(Book)
    }
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.loanClient) var loanClient

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .borrowButtonTapped:
        state.destination = .dialog(.weeks(for: state.book))
        return .none

      case .borrowResponse(.success(let dueDate)):
        state.dueDate = dueDate
        state.book.copies -= 1
        return .send(.delegate(.copiesChanged(state.book)))

      case .borrowResponse(.failure(let error)):
        state.destination = .alert(AlertState { TextState(error.localizedDescription) })
        return .none

      case .delegate:
        return .none

      case .destination(.presented(.alert(.giveBackConfirmed))):
        state.dueDate = nil
        state.book.copies += 1
        return .run { [book = state.book] send in
          try await loanClient.giveBack(book: book.id)
          await send(.delegate(.copiesChanged(book)))
          await dismiss()
        }

      case .destination(.presented(.dialog(.weeksChosen(let weeks)))):
        return .run { [id = state.book.id] send in
          await send(
            .borrowResponse(Result { try await loanClient.borrow(book: id, weeks: weeks) })
          )
        }

      case .destination:
        return .none

      case .giveBackButtonTapped:
        state.destination = .alert(.giveBack)
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
  }
}
extension LoanFeature.Destination.State: Equatable, Sendable {}
extension LoanFeature.Destination.Action: Sendable {}

extension AlertState where Action == LoanFeature.Destination.Alert {
  public static let giveBack = Self {
    TextState("Give it back?")
  } actions: {
    ButtonState(role: .destructive, action: .giveBackConfirmed) {
      TextState("Give back")
    }
    ButtonState(role: .cancel) {
      TextState("Keep")
    }
  } message: {
    TextState("Another user may take it at once.")
  }
}

extension ConfirmationDialogState where Action == LoanFeature.Destination.Dialog {
  public static func weeks(for book: Book) -> Self {
    ConfirmationDialogState(titleVisibility: .visible) {
      TextState("How long?")
    } actions: {
      for weeks in [1, 2, 4] {
        ButtonState(action: .weeksChosen(weeks)) {
          TextState("\(weeks) weeks")
        }
      }
      ButtonState(role: .cancel) {
        TextState("Cancel")
      }
    } message: {
      TextState("\(book.copies) copies are on the shelf.")
    }
  }
}
