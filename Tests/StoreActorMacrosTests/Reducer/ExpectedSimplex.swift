/// What the tests of the Simplex macros expect, where it is long.
enum ExpectedSimplex {
  static let reducer = """
    struct MyReducer {
      enum ViewAction { case increment 
    }
      enum ReducerAction { case response(Int) 
    }
      func reduce(into state: StateContainer<MyView>, action: Action) -> SideEffect<Self> {
        .none
      }

      enum Action: StoreActorSimplex.ActionProtocol, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case increment
        case response(Int)
        init(viewAction: ViewAction) {
          switch viewAction {
          case .increment:
            self = .increment
          }
        }
        init(reducerAction: ReducerAction) {
          switch reducerAction {
          case .response(let v0):
            self = .response(v0)
          }
        }

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .increment:
              return \\.increment
            case .response:
              return \\.response
            }
          }
          var increment: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "increment",
              embed: {
                Action.increment
              },
              extract: {
                guard case .increment = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var response: StoreActor::AnyCasePath<Action, Int> {
            StoreActor::AnyCasePath<Action, Int>(
              _$name: "response",
              embed: Action.response,
              extract: {
                guard case .response(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(2)
            list.append(\\.increment)
            list.append(\\.response)
            return list
          }
        }
      }
    }

    extension MyReducer: StoreActorSimplex.ReducerProtocol {
    }
    """
}
