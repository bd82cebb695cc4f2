import Foundation
import StateContainers
import TerminalViews

final class APIClient {
  let result: Result<[Int], any Error>

  init(result: Result<[Int], any Error> = .success([1, 2, 3])) {
    self.result = result
  }

  func numbers() async throws -> [Int] {
    await Task.yield()
    return try result.get()
  }
}

final class NumbersViewReducer: Reducer {
  enum State: Equatable {
    case idle
    case loading
    case loaded([Int])
    case error
  }

  enum Input {
    case onAppear
  }

  enum Feedback {
    case numbersDownloaded(Result<[Int], any Error>)
  }

  enum Output {
    case numbersDownloaded
  }

  private let apiClient: APIClient

  init(apiClient: APIClient = APIClient()) {
    self.apiClient = apiClient
  }

  func reduce(
    message: Message<Input, Feedback>,
    into state: inout State,
  ) -> Effect<Feedback, Output> {
    switch message {
    case .input(.onAppear):
      state = .loading
      return .run { [weak self] send in
        guard let self else { return }
        do {
          let numbers = try await apiClient.numbers()
          await send(.numbersDownloaded(.success(numbers)))
        } catch {
          await send(.numbersDownloaded(.failure(error)))
        }
      }
    case .feedback(.numbersDownloaded(.success(let values))):
      state = .loaded(values)
      return .output(.numbersDownloaded)
    case .feedback(.numbersDownloaded(.failure)):
      state = .error
      return .none
    }
  }
}

struct NumbersListView: View {
  @State private var viewModel:
    Store<
      NumbersViewReducer.State, NumbersViewReducer.Input,
      NumbersViewReducer.Feedback, NumbersViewReducer.Output
    >

  init(apiClient: APIClient = APIClient()) {
    _viewModel = State(
      wrappedValue: Store(
        state: NumbersViewReducer.State.idle,
        reducer: NumbersViewReducer(apiClient: apiClient),
      )
    )
  }

  var body: some View {
    Group {
      switch viewModel.state {
      case .idle, .loading:
        Text("…")
      case .loaded(let values):
        List(values, id: \.self) { value in
          Text("\(value)")
        }
      case .error:
        Text("Some error happened")
      }
    }.onAppear {
      viewModel.send(.onAppear)
    }
  }
}
