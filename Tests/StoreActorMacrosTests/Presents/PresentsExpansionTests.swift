import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The expansion of @Presents")
struct PresentsExpansionTests {
  @Test("The property is one of a presentation's")
  func property() {
    expectExpansion(
      """
      struct State {
        @Presents public var child: Child.State?
      }
      """,
      """
      struct State {
        public var child: Child.State? {
          @storageRestrictions(initializes: _child)
          init(initialValue) {
            _child = StoreActor::PresentationState<Child.State>(wrappedValue: initialValue)
          }
          get {
            _child.wrappedValue
          }
          set {
            _child.wrappedValue = newValue
          }
          _modify {
            yield &_child.wrappedValue
          }
        }

        private var _child = StoreActor::PresentationState<Child.State>(wrappedValue: nil)

        public var $child: StoreActor::PresentationState<Child.State> {
          get {
            _child.projectedValue
          }
          set {
            _child.projectedValue = newValue
          }
        }
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("Optional may be written in words")
  func longForm() {
    expectExpansion(
      """
      struct State {
        @Presents var child: Optional<Child.State> = nil
      }
      """,
      """
      struct State {
        var child: Optional<Child.State> {
          @storageRestrictions(initializes: _child)
          init(initialValue) {
            _child = StoreActor::PresentationState<Child.State>(wrappedValue: initialValue)
          }
          get {
            _child.wrappedValue
          }
          set {
            _child.wrappedValue = newValue
          }
          _modify {
            yield &_child.wrappedValue
          }
        }

        private var _child = StoreActor::PresentationState<Child.State>(wrappedValue: nil)

        var $child: StoreActor::PresentationState<Child.State> {
          get {
            _child.projectedValue
          }
          set {
            _child.projectedValue = newValue
          }
        }
      }
      """,
      macros: stateMacros,
    )
  }

  @Test("What is presented must be an optional variable with a type")
  func wrongDeclarations() {
    expectExpansion(
      """
      struct State {
        @Presents let child: Child.State?
      }
      """,
      """
      struct State {
        let child: Child.State?
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Presents' cannot be applied to a 'let': a presentation begins and ends",
          line: 2,
          column: 13,
          fixIts: [FixItSpec(message: "Make it a 'var'")],
        )
      ],
      fixed: """
        struct State {
          @Presents var child: Child.State?
        }
        """,
    )
    expectExpansion(
      """
      struct State {
        @Presents var child: Child.State
      }
      """,
      """
      struct State {
        var child: Child.State
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Presents' needs 'child' to be optional: nil stands for no presentation",
          line: 2,
          column: 24,
          fixIts: [FixItSpec(message: "Make it optional")],
        )
      ],
      fixed: """
        struct State {
          @Presents var child: Child.State?
        }
        """,
    )
  }

  @Test("What is presented must be stored, and have a type")
  func notStored() {
    expectExpansion(
      """
      struct State {
        @Presents var child: Child.State? { nil }
        @Presents var other = Child.State()
      }
      """,
      """
      struct State {
        var child: Child.State? { nil }
        var other = Child.State()
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Presents' cannot be applied to 'child': it is not stored in the state",
          line: 2,
          column: 3,
        ),
        DiagnosticSpec(
          message: "'@Presents' needs the type of 'other' to be written: 'var other: Child.State?'",
          line: 3,
          column: 17,
        ),
      ],
    )
  }
}
