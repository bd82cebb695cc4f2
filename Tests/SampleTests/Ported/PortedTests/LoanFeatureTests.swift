import Foundation
import LoanClient
import LoanFeature
import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LoanFeatureTests {
  let dueDate = Date(timeIntervalSince1970: 1_000_000)

  @Test("The dialog asks for the duration, and the loan removes a copy from the shelf")
  func borrow() async {
    let store = TestStore(initialState: LoanFeature.State(book: .atlas)) {
      LoanFeature()
    } withDependencies: { [dueDate] in
      $0.loanClient.borrow = { @Sendable _, weeks in
        #expect(weeks == 2)
        return dueDate
      }
    }

    await store.send(.borrowButtonTapped) {
      $0.destination = .dialog(.weeks(for: .atlas))
    }
    await store.send(\.destination.dialog.weeksChosen, 2) {
      $0.destination = nil
    }
    await store.receive(\.borrowResponse.success) {
      $0.book.copies = 1
      $0.dueDate = dueDate
    }
    await store.receive(\.delegate.copiesChanged)
  }

  @Test("A refusal replaces the dialog")
  func refusal() async {
    let store = TestStore(initialState: LoanFeature.State(book: .atlas)) {
      LoanFeature()
    } withDependencies: {
      $0.loanClient.borrow = { @Sendable _, _ in throw LoanError.noCopyLeft }
    }

    await store.send(.borrowButtonTapped) {
      $0.destination = .dialog(.weeks(for: .atlas))
    }
    await store.send(\.destination.dialog.weeksChosen, 1) {
      $0.destination = nil
    }
    await store.receive(\.borrowResponse.failure) {
      $0.destination = .alert(AlertState { TextState("All copies are out.") })
    }
    await store.send(\.destination.dismiss) {
      $0.destination = nil
    }
  }

  @Test("Returning a book is confirmed, and closes the page")
  func giveBack() async {
    let returned = LockIsolated<[Book.ID]>([])
    let state = LoanFeature.State(book: .novel, dueDate: dueDate)
    let store = TestStore(initialState: state) {
      LoanFeature()
    } withDependencies: {
      $0.loanClient.giveBack = { @Sendable id in returned.withValue { $0.append(id) } }
    }

    await store.send(.giveBackButtonTapped) {
      $0.destination = .alert(.giveBack)
    }
    await store.send(\.destination.alert.giveBackConfirmed) {
      $0.book.copies = 2
      $0.destination = nil
      $0.dueDate = nil
    }
    await store.receive(\.delegate.copiesChanged)
    await store.finish()
    #expect(returned.value == [Book.novel.id])
    #expect(store.isDismissed)
  }
}
