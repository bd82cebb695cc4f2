/// What the tests of struct reducers expect, where it is long.
enum ExpectedStructReducers {
  static let uncalledReduce = """
    struct Feature: Reducer {
      struct State {}
      typealias Action = Int
      @StoreActor::ReducerBuilder<Self.State, Self.Action>

      var body: some ReducerOf<Self> {
        Scope(\\.child, action: \\.child) { Child() }
      }

      func reduce(into state: inout State, action: Action) -> Effect<Action> {
        state.count += action
        return .none
      }
    }
    """

  static let empty = """
    public struct Feature {

      public struct State: StoreActor::ObservableState, Swift.Codable, Swift.Equatable, Swift.Hashable, Swift.Sendable {
        public init() {
        }
      }

      public enum Action: Swift.Equatable, Swift.Hashable, Swift.Sendable, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        public nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          public init() {
          }
          public subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            \\.never
          }
          public var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            []
          }
        }
      }

      public let body = StoreActor::EmptyReducer<Self.State, Self.Action>()
    }

    extension Feature: nonisolated StoreActor::Reducer {
    }
    """
}
