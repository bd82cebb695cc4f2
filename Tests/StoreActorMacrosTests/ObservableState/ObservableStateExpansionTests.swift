import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The expansion of @ObservableState")
struct ObservableStateExpansionTests {
  @Test("refuses a type that is private within another, which no extension can name")
  func privateInType() {
    expectExpansion(
      """
      enum Outer {
        @ObservableState
        private struct State {}
      }
      """,
      """
      enum Outer {
        private struct State {}
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'State' is private within another type, so that the extension which "
            + "'@ObservableState' writes cannot name it: make it 'fileprivate'",
          line: 3,
          column: 11,
        )
      ],
    )
  }

  @Test("A struct gets the conformance and nothing else")
  func structure() {
    expectExpansion(
      """
      @ObservableState
      struct State: Equatable {
        var count = 0
        @ObservationStateTracked var title = ""
      }
      """,
      """
      struct State: Equatable {
        var count = 0
        var title = ""
      }

      extension State: StoreActor::ObservableState {
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("Ignored properties are listed")
  func ignored() {
    expectExpansion(
      """
      @ObservableState
      public struct State {
        @ObservationStateIgnored public var scroll = 0.0
        @ObservationStateIgnored var `default`: Int
      }
      """,
      """
      public struct State {
        public var scroll = 0.0
        var `default`: Int
      }

      extension State: StoreActor::ObservableState {
        public static var _$ignoredKeyPaths: [Swift.PartialKeyPath<Self>] {
          [\\Self.scroll, \\Self.`default`]
        }
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("Lists whose rows have ids are listed, as far as the declaration says so")
  func lists() {
    expectExpansion(
      """
      @ObservableState
      struct State {
        var rows: IdentifiedArrayOf<Row.State> = []
        var others = IdentifiedArray<Int, Row.State>(id: \\.number)
        var maybe: IdentifiedArrayOf<Row.State>?
      }
      """,
      """
      struct State {
        var rows: IdentifiedArrayOf<Row.State> = []
        var others = IdentifiedArray<Int, Row.State>(id: \\.number)
        var maybe: IdentifiedArrayOf<Row.State>?
      }

      extension State: StoreActor::ObservableState {
        static var _$lists: [Swift.PartialKeyPath<Self>] {
          [\\Self.rows, \\Self.others]
        }
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("A written conformance is not repeated")
  func written() {
    expectExpansion(
      """
      @ObservableState
      struct State: ObservableState {
        var count = 0
      }
      """,
      """
      struct State: ObservableState {
        var count = 0
      }
      """,
      macros: conformingStateMacros,
    )
  }

  @Test("Members that the author wrote are left alone, and availability is repeated")
  func handWritten() {
    expectExpansion(
      """
      @available(macOS 26, *)
      @ObservableState
      struct State: ReplicatedState {
        var count = 0
        static func schema(in registry: inout SchemaRegistry) -> Schema { .int64 }
      }
      """,
      """
      @available(macOS 26, *)
      struct State: ReplicatedState {
        var count = 0
        static func schema(in registry: inout SchemaRegistry) -> Schema { .int64 }
      }

      @available(macOS 26, *)
      extension State: StoreActor::ObservableState {
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("An enum's identity is that of its case and the payload")
  func enumeration() {
    expectExpansion(
      """
      @ObservableState
      enum State {
        case none
        case child(Child.State)
        #if DEBUG
        case debug(id: Int, text: String)
        #endif
      }
      """,
      """
      enum State {
        case none
        case child(Child.State)
        #if DEBUG
        case debug(id: Int, text: String)
        #endif
      }

      extension State: StoreActor::ObservableState {
        var _$id: StoreActor::ObservableStateID {
          switch self {
          case .none:
            StoreActor::ObservableStateID()._$tag(0)
          case .child(let value):
            StoreActor::ObservableStateID._$id(for: value)._$tag(1)
          #if DEBUG
            case .debug:
              StoreActor::ObservableStateID()._$tag(2)
          #endif
          }
        }
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("Only values can be states")
  func wrongDeclarations() {
    let message = """
      '@ObservableState' can only be applied to a struct or an enum: a state is a value, so that a \
      store can compare its old value with its new one
      """
    expectExpansion(
      """
      @ObservableState
      class State {
      }
      """,
      """
      class State {
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message: message,
          line: 1,
          column: 1,
          fixIts: [FixItSpec(message: "Make it a struct")],
        )
      ],
      fixed: """
        @ObservableState
        struct State {
        }
        """,
    )
    expectExpansion(
      """
      @ObservableState
      actor State {
      }
      """,
      """
      actor State {
      }
      """,
      macros: stateMacros,
      diagnostics: [DiagnosticSpec(message: message, line: 1, column: 1)],
    )
  }
}
