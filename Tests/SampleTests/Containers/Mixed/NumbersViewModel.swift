import Foundation
import StateContainersMixed

enum NumbersViewState: Equatable {
  case idle
  case loading
  case loaded([Int])
  case error
}

enum NumbersViewOutput {
  case numbersDownloaded
}

final class NumbersViewModel: Store<NumbersViewState, NumbersViewOutput> {
  private let apiClient: APIClient

  init(apiClient: APIClient) {
    self.apiClient = apiClient
    super.init(state: .idle)
  }

  func load() async {
    state = .loading
    do {
      let numbers = try await apiClient.numbers()
      state = .loaded(numbers)
      send(output: .numbersDownloaded)
    } catch {
      state = .error
    }
  }
}

final class APIClient {
  let isOnline: Bool

  init(isOnline: Bool = true) {
    self.isOnline = isOnline
  }

  func numbers() async throws -> [Int] {
    await Task.yield()
    if !isOnline { throw CancellationError() }
    return [1, 2, 3]
  }
}

/// Three flags that stand for the three subviews of the document's UIKit view.
@MainActor
final class NumbersScreen {
  private(set) var isLoading = false
  private(set) var isError = false
  private(set) var numbers: [Int]?

  func render(_ state: NumbersViewState) {
    switch state {
    case .idle, .loading:
      isLoading = true
      numbers = nil
      isError = false
    case .loaded(let numbers):
      isLoading = false
      self.numbers = numbers
      isError = false
    case .error:
      isLoading = false
      numbers = nil
      isError = true
    }
  }
}
