import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Marks of replication in wrong places")
struct ReplicationMarkExpansionTests {
  @Test("What is ignored needs a default")
  func ignoredWithoutDefault() {
    expectExpansion(
      """
      struct State {
        @ReplicationIgnored var cache: [Int: String]
        @ReplicationIgnored var other: Int?
      }
      """,
      """
      struct State {
        var cache: [Int: String]
        var other: Int?
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message: """
            'cache' is '@ReplicationIgnored' and needs a default value: copies of the state in \
            other processes are made with it
            """,
          line: 2,
          column: 27,
          fixIts: [FixItSpec(message: "Give it a default")],
        )
      ],
      fixed: """
        struct State {
          @ReplicationIgnored var cache: [Int: String] = <#[Int: String]#>
          @ReplicationIgnored var other: Int?
        }
        """,
    )
  }

  @Test("A mark stands on what is stored")
  func wrongDeclarations() {
    expectExpansion(
      """
      struct State {
        @ReplicationIgnored var double: Int { 2 }
        @ReplicatedAsCodable func f() {}
        @Replicated(formerly: "") var name = ""
      }
      """,
      """
      struct State {
        var double: Int { 2 }
        func f() {}
        var name = ""
      }
      """,
      macros: stateMacros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@ReplicationIgnored' can only be applied to a stored property or a case",
          line: 2,
          column: 3,
        ),
        DiagnosticSpec(
          message: "'@ReplicatedAsCodable' can only be applied to a stored property",
          line: 3,
          column: 3,
        ),
        DiagnosticSpec(
          message: """
            '@Replicated' needs the former name as a literal: \
            '@Replicated(formerly: "oldName")'
            """,
          line: 4,
          column: 3,
        ),
      ],
    )
  }

  @Test("What cannot be replicated is said at its declaration")
  func fields() {
    let source = """
      @ObservableState
      struct State: ReplicatedState {
        var (a, b) = (1, 2)
        lazy var c = 3
        #if DEBUG
        var d = 4
        #endif
        @Replicated(formerly: "c") @ReplicationIgnored var e = 5
        @Replicated(formerly: "e") var f = 6
      }
      """
    expectProblems(
      source,
      [
        (3, "a replicated state's properties need declarations of their own, with a name each"),
        (
          4,
          "'c' is lazy, so reading it may change it; mark it '@ReplicationIgnored', or make it a "
            + "stored property",
        ),
        (
          6,
          "'d' stands in '#if', but both sides of a connection must agree on the fields; declare "
            + "it in every case, or mark it '@ReplicationIgnored'",
        ),
        (8, "'e' is marked both as replicated and '@ReplicationIgnored'; remove one of the marks"),
        (8, "'c' is taken: a former name must be unique in the type"),
        (9, "'e' is taken: a former name must be unique in the type"),
      ],
    )
  }

  @Test("A constant that is made anew cannot be the same in a copy")
  func constants() {
    let source = """
      @ObservableState
      struct State: ReplicatedState {
        let id = UUID()
        let limit = 5
        let names = [String](["a"])
        @ReplicationIgnored let cache = Cache()
        var date = Date()
      }
      """
    expectProblems(
      source,
      [
        (
          3,
          "'id' is a constant that each copy recreates; make it a 'var', or declare it without a "
            + "value and set it in an initializer, or mark it '@ReplicationIgnored' (copies have "
            + "their own)",
        )
      ],
    )
  }

  @Test("A property that has the name of a type is diagnosed where it stands")
  func typeName() {
    expectProblems(
      """
      @ObservableState
      struct State: ReplicatedState {
        var `Type` = 1
        var kind = 2
      }
      """,
      [
        (
          3,
          "no key path leads to a property that is called 'Type'; give it another name, and "
            + "'@Replicated(formerly: \"Type\")' where other builds call it that",
        )
      ],
    )
  }

  @Test("What keeps a choice from being replicated is said at its case")
  func cases() {
    let source = """
      @ObservableState
      enum State: ReplicatedState {
        case a(x: Int)
        case a(y: Int)
        #if DEBUG
        case b
        #endif
        @ReplicationIgnored case c
      }
      """
    expectProblems(
      source,
      [
        (
          4,
          "two cases are called 'a', but on the wire a case is known by its name alone; rename one",
        ),
        (6, "'b' stands in '#if', but both sides of a connection must agree on the cases"),
        (
          8,
          "a case of a replicated state cannot be '@ReplicationIgnored': a copy would have no "
            + "value for it; keep the private value in a property of its own",
        ),
      ],
    )
  }
}
