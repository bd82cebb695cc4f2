import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// What the macros of the Simplex surface write, as text.
@Suite("The Simplex surface")
struct SimplexExpansionTests {
  private let macros: [String: MacroSpec] = [
    "Reducer": MacroSpec(
      type: SimplexReducerMacro.self,
      conformances: ["ReducerProtocol", "Reducer", "CaseReducer"],
    ),
    "ViewState": MacroSpec(type: ViewStateMacro.self, conformances: ["ActionSendable"]),
  ]

  @Test("merges the actions of a reducer of a view's state")
  func reducer() {
    expectExpansion(
      """
      @Reducer
      struct MyReducer {
        enum ViewAction { case increment }
        enum ReducerAction { case response(Int) }
        func reduce(into state: StateContainer<MyView>, action: Action) -> SideEffect<Self> {
          .none
        }
      }
      """,
      ExpectedSimplex.reducer,
      macros: macros,
    )
  }

  @Test("leaves reducers with a state of their own to the other surface")
  func ordinary() {
    expectExpansion(
      """
      @Reducer
      struct Counter {
        struct State {}
        enum Action {}
        func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
      }
      """,
      """
      struct Counter {
        struct State {}
        @StoreActor::CasePathable
        enum Action {}
        func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
      }

      extension Counter: nonisolated StoreActor::Reducer {
      }
      """,
      macros: macros,
    )
  }

  @Test("asks for what the view may send")
  func withoutView() {
    expectExpansion(
      """
      @Reducer
      struct MyReducer: ReducerProtocol {
      }
      """,
      """
      struct MyReducer: ReducerProtocol {
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "A reducer of a view's state needs an 'enum ViewAction' with the actions of the view",
          line: 2,
          column: 8,
        )
      ],
    )
  }

  @Test("gathers a view's state")
  func viewState() {
    expectExpansion(
      """
      @ViewState
      public struct MyView {
        @State var counter = 0
        @State private var name: String = ""
        @Binding var isShown: Bool
        let store: Store<MyReducer>
      }
      """,
      """
      public struct MyView {
        @State var counter = 0
        @State private var name: String = ""
        @Binding var isShown: Bool
        let store: Store<MyReducer>

        public struct ViewState: StoreActorSimplex.ViewStateProtocol {
          public var counter = 0
          public var name: String = ""
          public var isShown: Bool
          @MainActor
          public static let keyPathMap:
          [Swift.PartialKeyPath<ViewState>: Swift.PartialKeyPath<MyView>] = [\\ViewState.counter: \\MyView.counter, \\ViewState.name: \\MyView.name, \\ViewState.isShown: \\MyView.isShown]
        }
      }

      extension MyView: StoreActorSimplex.ActionSendable {
      }
      """,
      macros: macros,
    )
  }

  @Test("refuses what is no struct, and a property that it cannot copy")
  func mistakes() {
    expectExpansion(
      """
      @ViewState
      final class MyView {
      }
      """,
      """
      final class MyView {
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@ViewState' can only be applied to a struct: a view with '@State' properties",
          line: 2,
          column: 7,
        )
      ],
    )
    expectExpansion(
      """
      @ViewState
      struct MyView: ActionSendable {
        @State var counter
      }
      """,
      """
      struct MyView: ActionSendable {
        @State var counter
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@ViewState' copies this property, and needs its type or its value here",
          line: 3,
          column: 14,
        )
      ],
    )
  }
}
