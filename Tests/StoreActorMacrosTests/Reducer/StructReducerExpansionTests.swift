import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// What `@Reducer` writes for a struct, as text.
///
/// Attributes that it adds stand unexpanded, but for
/// those of its own package.
@Suite("@Reducer on a struct")
struct StructReducerExpansionTests {
  private let macros = reducerMacros.filter { $0.key != "CasePathable" }

  @Test("fills in all that is missing")
  func empty() {
    expectExpansion(
      """
      @Reducer
      public struct Feature {
      }
      """,
      ExpectedStructReducers.empty,
      macros: macros,
    )
  }

  @Test("writes no type that the body names from elsewhere")
  func outerTypes() {
    expectExpansion(
      """
      @Reducer
      struct Feature<ID> {
        var body: some Reducer<Toggled<ID>, ToggledAction> {
          EmptyReducer()
        }
      }
      """,
      """
      struct Feature<ID> {
        @StoreActor::ReducerBuilder<Toggled<ID>, ToggledAction>
        var body: some Reducer<Toggled<ID>, ToggledAction> {
          EmptyReducer()
        }
      }

      extension Feature: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
  }

  @Test("writes no type where the body's value has them, or a feature around it")
  func typesOfOthers() {
    expectExpansion(
      """
      @Reducer
      struct Feature {
        let body = EmptyReducer<Int, Int>()
      }
      """,
      """
      struct Feature {
        let body = EmptyReducer<Int, Int>()
      }

      extension Feature: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
    expectExpansion(
      """
      @Reducer
      struct Feature {
        struct State {}
        enum Action {}
        let body = EmptyReducer<State, Action>()
        @Reducer
        struct Logic: Reducer {
          var body: some Reducer<State, Action> {
            EmptyReducer()
          }
        }
      }
      """,
      """
      struct Feature {
        struct State {}
        @StoreActor::CasePathable
        enum Action {}
        let body = EmptyReducer<State, Action>()
        struct Logic: Reducer {
          @StoreActor::ReducerBuilder<State, Action>
          var body: some Reducer<State, Action> {
            EmptyReducer()
          }
        }
      }

      extension Feature: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
  }

  @Test("gives case paths to the action and to an enum state, and a builder to the body")
  func attributes() {
    expectExpansion(
      """
      @Reducer
      struct Feature {
        @dynamicMemberLookup
        enum State {
          case one
        }
        enum Action {
          case tapped
        }
        var body: some ReducerOf<Self> {
          EmptyReducer()
        }
      }
      """,
      """
      struct Feature {
        @dynamicMemberLookup
        @StoreActor::CasePathable
        enum State {
          case one
        }
        @StoreActor::CasePathable
        enum Action {
          case tapped
        }
        @StoreActor::ReducerBuilder<Self.State, Self.Action>
        var body: some ReducerOf<Self> {
          EmptyReducer()
        }
      }

      extension Feature: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
  }

  @Test("takes the builder's types from the body's")
  func builder() {
    expectExpansion(
      """
      @Reducer
      struct Feature {
        struct State {}
        typealias Action = Int
        var body: some StoreActor::Reducer<State, Action> {
          EmptyReducer()
        }
      }
      """,
      """
      struct Feature {
        struct State {}
        typealias Action = Int
        @StoreActor::ReducerBuilder<State, Action>
        var body: some StoreActor::Reducer<State, Action> {
          EmptyReducer()
        }
      }

      extension Feature: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
  }

  @Test("leaves a body with a return, a written builder and a written conformance alone")
  func written() {
    expectExpansion(
      """
      @Reducer
      struct Feature: Reducer {
        struct State {}
        @CasePathable enum Action {}
        var body: some ReducerOf<Self> {
          return EmptyReducer()
        }
      }
      """,
      """
      struct Feature: Reducer {
        struct State {}
        @CasePathable enum Action {}
        var body: some ReducerOf<Self> {
          return EmptyReducer()
        }
      }
      """,
      macros: macros,
    )
  }

  @Test("is content with reduce(into:action:) instead of a body")
  func leaf() {
    expectExpansion(
      """
      @Reducer
      struct Feature {
        struct State {}
        enum Action {}
        func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
      }
      """,
      """
      struct Feature {
        struct State {}
        @StoreActor::CasePathable
        enum Action {}
        func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
      }

      extension Feature: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
  }

  @Test("refuses classes, actors and whatever is no value")
  func wrongDeclaration() {
    let message =
      "'@Reducer' can only be applied to a struct, or to an enum whose cases are features"
    expectExpansion(
      """
      @Reducer
      final class Feature {
      }
      """,
      """
      final class Feature {
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message: message,
          line: 2,
          column: 7,
          fixIts: [FixItSpec(message: "Make it a struct")],
        )
      ],
    )
    expectExpansion(
      """
      @Reducer
      actor Feature {
      }
      """,
      """
      actor Feature {
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message: message,
          line: 2,
          column: 1,
          fixIts: [FixItSpec(message: "Make it a struct")],
        )
      ],
      fixed: """
        @Reducer
        struct Feature {
        }
        """,
    )
  }

  @Test("refuses conformances, which a struct's types declare themselves")
  func conformances() {
    expectExpansion(
      """
      @Reducer(state: .equatable)
      struct Feature: Reducer {
        struct State {}
        typealias Action = Int
        let body = EmptyReducer<State, Action>()
      }
      """,
      """
      struct Feature: Reducer {
        struct State {}
        typealias Action = Int
        let body = EmptyReducer<State, Action>()
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'state:' and 'action:' name conformances of the types that '@Reducer' writes for an "
            + "enum; write those of a struct's State and Action at their declarations",
          line: 1,
          column: 10,
        )
      ],
    )
  }

  @Test("warns of a reduce(into:action:) that is never called, and moves it into the body")
  func uncalledReduce() {
    expectExpansion(
      """
      @Reducer
      struct Feature: Reducer {
        struct State {}
        typealias Action = Int

        var body: some ReducerOf<Self> {
          Scope(\\.child, action: \\.child) { Child() }
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
          state.count += action
          return .none
        }
      }
      """,
      ExpectedStructReducers.uncalledReduce,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "A store runs the 'body' and never calls this 'reduce(into:action:)'; move its logic "
            + "into a 'Reduce' in the body",
          line: 10,
          column: 8,
          severity: .warning,
          fixIts: [FixItSpec(message: "Move it into the body")],
        )
      ],
      fixed: """
        @Reducer
        struct Feature: Reducer {
          struct State {}
          typealias Action = Int

          var body: some ReducerOf<Self> {
            Scope(\\.child, action: \\.child) { Child() }
            Reduce { state, action in
              state.count += action
              return .none
            }
          }
        }
        """,
    )
  }
}
