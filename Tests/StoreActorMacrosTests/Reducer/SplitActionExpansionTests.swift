import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// What `@Reducer` makes of an action in two parts, as text.
@Suite("@Reducer with ViewAction and ReducerAction")
struct SplitActionExpansionTests {
  private let macros = reducerMacros.filter { $0.key != "CasePathable" }

  @Test("writes an Action with the cases of both, and what both inherit")
  func merged() {
    expectExpansion(
      """
      @Reducer
      public struct Login {
        struct State {}
        let body = EmptyReducer<State, Action>()
        public enum ViewAction: Hashable, Sendable {
          case nameChanged(to: String), submitted
          indirect case delegate(Delegate)
          public enum Delegate {}
        }
        public enum ReducerAction: Equatable, Sendable {
          #if DEBUG
            case loginResponse(User, status: Int)
          #endif
        }
      }
      """,
      ExpectedSplitActions.merged,
      macros: macros,
    )
  }

  @Test("writes an Action of the view's cases alone where there are no others")
  func viewOnly() {
    expectExpansion(
      """
      @Reducer
      struct Login {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ViewAction: Equatable {
          case submitted
        }
      }
      """,
      ExpectedSplitActions.viewOnly,
      macros: macros,
    )
  }

  @Test("keeps the feature's own cases off the wire")
  func wireAction() {
    expectExpansion(
      """
      @Reducer
      struct Login {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ViewAction: WireAction {
          case submitted
        }
        enum ReducerAction {
          case loginResponse(User)
        }
      }
      """,
      ExpectedSplitActions.wireAction,
      macros: macros,
    )
  }

  @Test("merges nothing where an Action is written")
  func writtenAction() {
    expectExpansion(
      """
      @Reducer
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        @CasePathable enum Action: ViewAction {
          case view(ViewAction)
        }
        enum ViewAction {}
      }
      """,
      """
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        @CasePathable enum Action: ViewAction {
          case view(ViewAction)
        }
        enum ViewAction {}
      }
      """,
      macros: macros,
    )
  }

  @Test("refuses a type in a part that is less visible than the Action which gets its cases")
  func hiddenType() {
    expectExpansion(
      """
      @Reducer
      public struct Login: Reducer {
        public struct State {}
        public let body = EmptyReducer<State, Action>()
        public enum ViewAction {}
        enum ReducerAction {
          case done(Answer)
          enum Answer {}
        }
      }
      """,
      """
      public struct Login: Reducer {
        public struct State {}
        public let body = EmptyReducer<State, Action>()
        public enum ViewAction {}
        enum ReducerAction {
          case done(Answer)
          enum Answer {}
        }
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'Answer' is less visible than the 'Action' that '@Reducer' gives the cases of "
            + "'ReducerAction' to: declare it in the feature, or make 'ReducerAction' as visible "
            + "as the feature",
          line: 8,
          column: 10,
        )
      ],
    )
  }

  @Test("refuses a ReducerAction alone, and adds the other")
  func reducerOnly() {
    expectExpansion(
      """
      @Reducer
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ReducerAction {}
      }
      """,
      """
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ReducerAction {}
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'ReducerAction' needs a 'ViewAction' beside it, for the actions of views and clients",
          line: 5,
          column: 8,
          fixIts: [FixItSpec(message: "Add an empty 'ViewAction'")],
        )
      ],
      fixed: """
        @Reducer
        struct Login: Reducer {
          struct State {}
          let body = EmptyReducer<State, Action>()
          enum ViewAction {}
          enum ReducerAction {}
        }
        """,
    )
  }

  @Test("stores the feature's own cases where its part is a DurableAction")
  func durableAction() {
    expectExpansion(
      """
      @Reducer
      struct Login {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ViewAction: WireAction {
          case submitted
        }
        enum ReducerAction: DurableAction {
          case loginResponse(User)
          @DurableIgnored case tokenReceived(Token)
        }
      }
      """,
      ExpectedSplitActions.durableAction,
      macros: macros,
    )
  }

  @Test("refuses a case that both have and a wire form of the feature's own")
  func mistakes() {
    expectExpansion(
      """
      @Reducer
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ViewAction {
          case submitted
        }
        enum ReducerAction: WireAction {
          case other, submitted
        }
      }
      """,
      """
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ViewAction {
          case submitted
        }
        enum ReducerAction: WireAction {
          case other, submitted
        }
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'ViewAction' has a case 'submitted' too, and their 'Action' can have only one: "
            + "rename one of them",
          line: 9,
          column: 17,
        ),
        DiagnosticSpec(
          message:
            "Only the feature itself sends a 'ReducerAction', so that it has no form on the "
            + "wire: let 'ViewAction' alone be a 'WireAction'",
          line: 8,
          column: 8,
        ),
      ],
    )
  }

  @Test("refuses parts that are no enums")
  func kinds() {
    expectExpansion(
      """
      @Reducer
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        typealias ViewAction = Int
      }
      """,
      """
      struct Login: Reducer {
        struct State {}
        let body = EmptyReducer<State, Action>()
        typealias ViewAction = Int
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'ViewAction' has to be an enum here, whose cases '@Reducer' copies into the 'Action' "
            + "that it writes; or write 'Action' yourself",
          line: 5,
          column: 13,
        )
      ],
    )
  }

  @Test("warns where the Action is less than one of its parts, and adds the conformance")
  func inheritance() {
    expectExpansion(
      """
      @Reducer
      struct Login {
        struct State {}
        let body = EmptyReducer<State, Action>()
        enum ViewAction: Equatable {
          case submitted
        }
        enum ReducerAction {
          case response
        }
      }
      """,
      ExpectedSplitActions.inheritance,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'ReducerAction' is not 'Equatable' as 'ViewAction' is, so that their 'Action' isn't "
            + "either",
          line: 8,
          column: 8,
          severity: .warning,
          fixIts: [FixItSpec(message: "Add 'Equatable'")],
        )
      ],
      fixed: """
        @Reducer
        struct Login {
          struct State {}
          let body = EmptyReducer<State, Action>()
          enum ViewAction: Equatable {
            case submitted
          }
          enum ReducerAction: Equatable {
            case response
          }
        }
        """,
    )
  }
}
