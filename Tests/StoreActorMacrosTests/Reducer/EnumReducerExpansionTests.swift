import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// What `@Reducer` writes for an enum, as text.
@Suite("@Reducer on an enum")
struct EnumReducerExpansionTests {
  private let macros = reducerMacros.filter { $0.key != "CasePathable" }

  @Test("refuses a case that the static body would collide with")
  func caseNamedBody() {
    expectExpansion(
      """
      @Reducer
      enum Path: Reducer, CaseReducer {
        case body
      }
      """,
      """
      enum Path: Reducer, CaseReducer {
        case body
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'@Reducer' writes a static property 'body' for the enum, so that a case without a "
            + "value cannot be called 'body': rename it",
          line: 3,
          column: 8,
        )
      ],
    )
  }

  @Test("writes state, action, body and stores of the features in its cases")
  func cases() {
    expectExpansion(
      """
      @Reducer
      public enum Path {
        case detail(Detail)
        case meeting(Meeting = Meeting(isDraft: true))
        case alert(AlertState<Alert>)
        @ReducerCaseEphemeral
        case banner(Banner<Alert>)
        case note(String, size: Int)
        case nothing
        #if DEBUG
          case debug(Debug<Int>)
        #endif
      }
      """,
      ExpectedEnumReducers.cases,
      macros: macros,
    )
  }

  @Test("gives state and action the conformances that are named, and a wire form")
  func conformances() {
    expectExpansion(
      """
      @Reducer(state: .equatable, .replicatedState, action: .sendable, .wireAction)
      enum Path {
        case detail(Detail)
        case nothing
      }
      """,
      ExpectedEnumReducers.conformances,
      macros: macros,
    )
  }

  @Test("honours what is written")
  func written() {
    expectExpansion(
      """
      @Reducer
      enum Path {
        case detail(Detail)
        enum State: CaseReducerState {}
        enum Action {}
        static var body: some ReducerOf<Self> {
          EmptyReducer()
        }
      }
      """,
      ExpectedEnumReducers.written,
      macros: macros,
    )
  }

  @Test("refuses two cases of one name, and actions in two parts")
  func mistakes() {
    expectExpansion(
      """
      @Reducer
      enum Path: CaseReducer, Reducer {
        case detail(A), detail(b: B)
        enum ViewAction {}
      }
      """,
      """
      enum Path: CaseReducer, Reducer {
        case detail(A), detail(b: B)
        enum ViewAction {}
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'@Reducer' needs cases with names of their own, and there is another 'detail': "
            + "rename one of them",
          line: 3,
          column: 19,
        ),
        DiagnosticSpec(
          message:
            "'ViewAction' is a part of a struct's actions; the actions of an enum reducer are "
            + "those of its cases",
          line: 2,
          column: 6,
        ),
      ],
    )
  }

  @Test("marks its cases nowhere else")
  func markers() {
    expectExpansion(
      """
      enum Path {
        @ReducerCaseIgnored case detail(A)
      }
      @ReducerCaseEphemeral struct Other {
      }
      """,
      """
      enum Path {
        case detail(A)
      }
      struct Other {
      }
      """,
      macros: macros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'@ReducerCaseIgnored' can only be applied to a case of an enum that is a '@Reducer'",
          line: 2,
          column: 3,
        ),
        DiagnosticSpec(
          message:
            "'@ReducerCaseEphemeral' can only be applied to a case of an enum that is a '@Reducer'",
          line: 4,
          column: 1,
        ),
      ],
    )
  }
}
