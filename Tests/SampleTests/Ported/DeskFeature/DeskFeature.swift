// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CatalogFeature
import Foundation
import LoanClient
import LoanFeature
import StoreActor

/// The desk of a logged-in reader: the catalog, a stack of pages, a sheet.
@Reducer
public struct DeskFeature: Sendable {
  @Reducer
  public enum Path {
    case loan(LoanFeature)
    case marked(CatalogFeature)
    @ReducerCaseIgnored case openingHours(String)
  }

  @Reducer
  public enum Destination {
    case alert(AlertState<Alert>)
    case donate(DonationFeature)

    @CasePathable
    public enum Alert: Equatable, Sendable {
      case logoutConfirmed
    }
  }

  @ObservableState
  public struct State: Equatable, Sendable {
    public var catalog = CatalogFeature.State()
    @Presents public var destination: Destination.State?
    public var path = StackState<Path.State>()
    public let reader: Reader

    public init(reader: Reader) {
      self.reader = reader
    }
  }

  public enum Action: Sendable {
    case catalog(CatalogFeature.Action)
    case delegate(Delegate)
    case destination(PresentationAction<Destination.Action>)
    case donateButtonTapped
    case logoutButtonTapped
    case openingHoursButtonTapped
    case path(StackActionOf<Path>)

    @CasePathable
    public enum Delegate: Equatable, Sendable {
      case loggedOut
    }
  }

  @Dependency(\.loanClient) var loanClient
  @Dependency(\.uuid) var uuid

  public init() {}

  public var body: some ReducerOf<Self> {
    Scope(state: \.catalog, action: \.catalog) {
      CatalogFeature()
    }
    Reduce { state, action in
      switch action {
      case .catalog(.delegate(.bookSelected(let book))):
        state.path.append(.loan(LoanFeature.State(book: book)))
        return .none

      case .catalog, .delegate:
        return .none

      case .destination(.presented(.alert(.logoutConfirmed))):
        return .send(.delegate(.loggedOut))

      case .destination(.presented(.donate(.delegate(.donated(let book))))):
        state.catalog.rows.updateOrAppend(BookRow.State(book: book))
        return .none

      case .destination:
        return .none

      case .donateButtonTapped:
        state.destination = .donate(DonationFeature.State(id: uuid()))
        return .none

      case .logoutButtonTapped:
        state.destination = .alert(.logout(state.reader))
        return .none

      case .openingHoursButtonTapped:
        state.path.append(.openingHours(loanClient.openingHours()))
        return .none

      case .path(.element(id: _, action: .loan(.delegate(.copiesChanged(let book))))):
        state.catalog.rows[id: book.id] = BookRow.State(book: book)
        return .none

      case .path:
        return .none
      }
    }
    .forEach(\.path, action: \.path)
    .ifLet(\.$destination, action: \.destination)
  }
}
extension DeskFeature.Path.State: Equatable, Sendable {}
extension DeskFeature.Path.Action: Sendable {}
extension DeskFeature.Destination.State: Equatable, Sendable {}
extension DeskFeature.Destination.Action: Sendable {}

extension AlertState where Action == DeskFeature.Destination.Alert {
  public static func logout(_ reader: Reader) -> Self {
    Self {
      TextState("Log out, \(reader.name)?")
    } actions: {
      ButtonState(role: .destructive, action: .logoutConfirmed) { TextState("Log out") }
    }
  }
}
