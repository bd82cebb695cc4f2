import StateContainers

// The same reducer with two other forms of effects: values that a handler interprets, and types
// that contain their work.

enum Numbers: Equatable {
  case idle
  case loading
  case loaded([Int])
}

enum NumbersInput {
  case onAppear
}

enum NumbersFeedback: Equatable {
  case didFinishFetching([Int])
}

final class ValueReducer: CommandingReducer {
  enum Effect: Equatable {
    case downloadNumbers
  }

  func reduce(
    message: Message<NumbersInput, NumbersFeedback>,
    into state: inout Numbers,
  ) -> [Effect] {
    switch message {
    case .input(.onAppear):
      state = .loading
      return [.downloadNumbers]
    case .feedback(.didFinishFetching(let numbers)):
      state = .loaded(numbers)
      return []
    }
  }
}

final class NumbersEffectHandler: EffectHandler {
  private let apiClient: APIClient

  init(apiClient: APIClient) {
    self.apiClient = apiClient
  }

  func handle(
    effect: ValueReducer.Effect,
    send: @escaping @MainActor @Sendable (NumbersFeedback) async -> Void,
  ) async {
    switch effect {
    case .downloadNumbers:
      let numbers = (try? await apiClient.numbers()) ?? []
      await send(.didFinishFetching(numbers))
    }
  }
}

final class ProtocolReducer: CommandingReducer {
  private let apiClient: APIClient

  init(apiClient: APIClient) {
    self.apiClient = apiClient
  }

  func reduce(
    message: Message<NumbersInput, NumbersFeedback>,
    into state: inout Numbers,
  ) -> [any EffectProtocol<NumbersFeedback>] {
    switch message {
    case .input(.onAppear):
      state = .loading
      return [DownloadNumbers(apiClient: apiClient)]
    case .feedback(.didFinishFetching(let numbers)):
      state = .loaded(numbers)
      return []
    }
  }
}

final class DownloadNumbers: EffectProtocol {
  private let apiClient: APIClient

  init(apiClient: APIClient) {
    self.apiClient = apiClient
  }

  func run(send: @escaping @MainActor @Sendable (NumbersFeedback) async -> Void) async {
    let numbers = (try? await apiClient.numbers()) ?? []
    await send(.didFinishFetching(numbers))
  }
}
