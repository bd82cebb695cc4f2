import CatalogFeature
import DeskFeature
import Foundation
import LoanClient
import LoanFeature
import LoginFeature
import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DeskFeatureTests {
  private func desk() -> DeskFeature.State {
    var state = DeskFeature.State(reader: Reader(name: "Ada", needsPIN: false))
    state.catalog.rows = [BookRow.State(book: .atlas)]
    return state
  }

  @Test("A selected book is pushed, and its changes appear in the catalog")
  func stack() async {
    let store = TestStore(initialState: desk()) {
      DeskFeature()
    } withDependencies: {
      $0.loanClient.borrow = { @Sendable _, _ in Date(timeIntervalSince1970: 0) }
    }

    await store.send(\.catalog.rows[id: Book.atlas.id].tapped)
    await store.receive(\.catalog.delegate.bookSelected) {
      $0.path[id: 0] = .loan(LoanFeature.State(book: .atlas))
    }
    await store.send(\.path[id: 0].loan.borrowButtonTapped) {
      $0.path[id: 0]?.modify(\.loan) { $0.destination = .dialog(.weeks(for: .atlas)) }
    }
    await store.send(\.path[id: 0].loan.destination.dialog.weeksChosen, 4) {
      $0.path[id: 0]?.modify(\.loan) { $0.destination = nil }
    }
    await store.receive(\.path[id: 0].loan.borrowResponse.success) {
      $0.path[id: 0]?.modify(\.loan) {
        $0.book.copies = 1
        $0.dueDate = Date(timeIntervalSince1970: 0)
      }
    }
    await store.receive(\.path[id: 0].loan.delegate.copiesChanged) {
      var book = Book.atlas
      book.copies = 1
      $0.catalog.rows = [BookRow.State(book: book)]
    }
    await store.send(\.path.popFrom, 0) {
      $0.path = StackState()
    }
  }

  @Test("A page without logic is pushed like any other")
  func openingHours() async {
    let store = TestStore(initialState: desk()) {
      DeskFeature()
    } withDependencies: {
      $0.loanClient.openingHours = { "always" }
    }

    await store.send(.openingHoursButtonTapped) {
      $0.path[id: 0] = .openingHours("always")
    }
  }

  @Test("A donated book is in the catalog after the sheet has closed itself")
  func donation() async {
    let store = TestStore(initialState: desk()) {
      DeskFeature()
    } withDependencies: {
      $0.uuid = .incrementing
    }

    await store.send(.donateButtonTapped) {
      $0.destination = .donate(DonationFeature.State(id: UUID(0)))
    }
    await store.send(\.destination.donate.binding.title, "Moss") {
      $0.destination?.modify(\.donate) { $0.title = "Moss" }
    }
    await store.send(\.destination.donate.donateButtonTapped)
    await store.receive(\.destination.donate.delegate.donated) {
      let book = Book(id: UUID(0), title: "Moss", author: "", copies: 1)
      $0.catalog.rows.append(BookRow.State(book: book))
    }
    await store.receive(\.destination.dismiss) {
      $0.destination = nil
    }
  }

  @Test("The application switches from the login to the desk and back")
  func root() async {
    let reader = Reader(name: "Ada", needsPIN: false)
    let store = TestStore(initialState: LibraryFeature.State.login(LoginFeature.State())) {
      LibraryFeature.body
    } withDependencies: {
      $0.loanClient.login = { @Sendable _, _ in reader }
    }

    await store.send(\.login.view.loginButtonTapped) {
      $0.modify(\.login) { $0.isRequestInFlight = true }
    }
    await store.receive(\.login.loginResponse.success) {
      $0 = .desk(DeskFeature.State(reader: reader))
    }
    await store.send(\.desk.logoutButtonTapped) {
      $0.modify(\.desk) { $0.destination = .alert(.logout(reader)) }
    }
    await store.send(\.desk.destination.alert.logoutConfirmed) {
      $0.modify(\.desk) { $0.destination = nil }
    }
    await store.receive(\.desk.delegate.loggedOut) {
      $0 = .login(LoginFeature.State())
    }
  }
}
