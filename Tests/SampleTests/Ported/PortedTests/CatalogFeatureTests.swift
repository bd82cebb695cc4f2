import CatalogFeature
import Foundation
import LoanClient
import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct CatalogFeatureTests {
  let clock = TestClock()

  @Test("A search waits for the end of typing")
  func search() async {
    let store = TestStore(initialState: CatalogFeature.State()) {
      CatalogFeature()
    } withDependencies: {
      $0.continuousClock = clock
      $0.loanClient.books = { @Sendable query in query == "at" ? [.atlas] : [] }
    }

    await store.send(\.binding.query, "a") {
      $0.isLoading = true
      $0.query = "a"
    }
    await clock.advance(by: .milliseconds(200))
    await store.send(\.binding.query, "at") {
      $0.query = "at"
    }
    await clock.advance(by: .milliseconds(300))
    await store.receive(\.booksResponse.success) {
      $0.isLoading = false
      $0.rows = [BookRow.State(book: .atlas)]
    }
    await store.send(\.binding.query, "") {
      $0.query = ""
      $0.rows = []
    }
  }

  @Test("A failed search ends the loading and keeps the rows")
  func failure() async {
    var state = CatalogFeature.State()
    state.rows = [BookRow.State(book: .novel)]
    let store = TestStore(initialState: state) {
      CatalogFeature()
    } withDependencies: {
      $0.continuousClock = ImmediateClock()
      $0.loanClient.books = { @Sendable _ in throw LoanError.unknownCard }
    }

    await store.send(\.binding.query, "x") {
      $0.isLoading = true
      $0.query = "x"
    }
    await store.receive(\.booksResponse.failure) {
      $0.isLoading = false
    }
  }

  @Test("Rows are marked by themselves, cleared by their list and selected through it")
  func rows() async {
    var state = CatalogFeature.State()
    state.rows = [BookRow.State(book: .atlas), BookRow.State(book: .novel)]
    let store = TestStore(initialState: state) {
      CatalogFeature()
    }

    await store.send(\.rows[id: Book.novel.id].binding.isMarked, true) {
      $0.rows[id: Book.novel.id]?.isMarked = true
    }
    #expect(store.state.marked.map(\.book) == [.novel])
    await store.send(.clearMarksButtonTapped) {
      $0.rows[id: Book.novel.id]?.isMarked = false
    }
    await store.send(\.rows[id: Book.atlas.id].tapped)
    await store.receive(\.delegate.bookSelected, .atlas)
  }
}
