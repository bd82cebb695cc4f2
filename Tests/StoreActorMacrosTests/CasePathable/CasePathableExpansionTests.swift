import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// What `@CasePathable` writes, as text.
@Suite("@CasePathable writes")
struct CasePathableExpansionTests {
  @Test("a case path for each case, with its values as a tuple")
  func cases() {
    expectExpansion(
      """
      @CasePathable
      enum Action {
        case plain
        case single(Int)
        case labelled(count: Int)
        case several(first: String, Int)
      }
      """,
      ExpectedCasePaths.cases,
      macros: reducerMacros,
    )
  }

  @Test("members as visible as the enum, and names that stand in backticks")
  func access() {
    expectExpansion(
      """
      @CasePathable
      public enum Action {
        case `default`(Int)
      }
      """,
      """
      public enum Action {
        case `default`(Int)

        public nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          public init() {
          }
          public subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            return \\.`default`
          }
          public var `default`: StoreActor::AnyCasePath<Action, Int> {
            StoreActor::AnyCasePath<Action, Int>(
              _$name: "default",
              embed: Action.`default`,
              extract: {
                guard case .`default`(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(1)
            list.append(\\.`default`)
            return list
          }
        }
      }

      extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
      }
      """,
      macros: reducerMacros,
    )
  }

  @Test("nothing as fileprivate, which members of a private enum are anyway")
  func privateAccess() {
    expectExpansion(
      """
      @CasePathable
      private enum Action {
        case only
      }
      """,
      """
      private enum Action {
        case only

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .only:
              return \\.only
            }
          }
          var only: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "only",
              embed: {
                Action.only
              },
              extract: {
                guard case .only = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(1)
            list.append(\\.only)
            return list
          }
        }
      }

      extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
      }
      """,
      macros: reducerMacros,
    )
  }

  @Test("the conditions around cases")
  func conditions() {
    expectExpansion(
      """
      @CasePathable
      enum Action {
        case always
        #if os(macOS)
          case here(Int)
        #else
          case elsewhere(String)
        #endif
      }
      """,
      ExpectedCasePaths.conditions,
      macros: reducerMacros,
    )
  }

  @Test("where a case is available, and that it is deprecated")
  func availability() {
    expectExpansion(
      """
      @available(macOS 20, *)
      @CasePathable
      enum Action {
        @available(*, deprecated) case old
        @available(macOS 99, *) case new
        case always
      }
      """,
      ExpectedCasePaths.availability,
      macros: reducerMacros,
    )
  }

  @Test("other names for the types whose names its own types have")
  func takenNames() {
    expectExpansion(
      """
      @CasePathable
      enum Tree<Element> {
        indirect case branch(Self, [Tree<Element>])
      }
      """,
      """
      enum Tree<Element> {
        indirect case branch(Self, [Tree<Element>])

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Tree) -> StoreActor::PartialCaseKeyPath<Tree> {
            return \\.branch
          }
          var branch: StoreActor::AnyCasePath<Tree, (Tree, [Tree<_$Element>])> {
            StoreActor::AnyCasePath<Tree, (Tree, [Tree<_$Element>])>(
              _$name: "branch",
              embed: {
                Tree.branch($0.0, $0.1)
              },
              extract: {
                guard case .branch(let v0, let v1) = $0 else {
                  return nil
                }
                return (v0, v1)
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Tree>] {
            var list: [StoreActor::PartialCaseKeyPath<Tree>] = []
            list.reserveCapacity(1)
            list.append(\\.branch)
            return list
          }
        }

        typealias _$Element = Element
      }

      extension Tree: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
      }
      """,
      macros: reducerMacros,
    )
  }

  @Test("an empty list for an enum without cases")
  func empty() {
    expectExpansion(
      """
      @CasePathable
      enum Action {}
      """,
      """
      enum Action {

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            \\.never
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            []
          }
        }
      }

      extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
      }
      """,
      macros: reducerMacros,
    )
  }

  @Test("no conformance that is written")
  func conformances() {
    expectExpansion(
      """
      @CasePathable
      enum Action: CasePathable, CasePathIterable {
      }
      """,
      """
      enum Action: CasePathable, CasePathIterable {

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            \\.never
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            []
          }
        }
      }
      """,
      macros: reducerMacros,
    )
  }

  @Test("the form on the disk where the declaration names DurableAction")
  func durableAction() {
    expectExpansion(
      """
      @CasePathable
      enum Action: DurableAction {
        case tapped
        @ReplicationIgnored case response(Int)
        @ReplicationIgnored case ended
        @ReplicationIgnored @DurableIgnored case secret(Key)
      }
      """,
      ExpectedCasePaths.durableAction,
      macros: reducerMacros,
    )
  }

  @Test("the form on the wire where the declaration names WireAction")
  func wireAction() {
    expectExpansion(
      """
      @CasePathable
      enum Action: WireAction {
        case tapped
        case moved(to: Int, by: String)
        @Replicated(formerly: "old") case renamed(Int)
        @ReplicationIgnored case response(Int)
      }
      """,
      ExpectedCasePaths.wireAction,
      macros: reducerMacros,
    )
  }
}

/// What `@CasePathable` says of mistakes.
@Suite("@CasePathable refuses")
struct CasePathableDiagnosticTests {
  @Test("what is no enum")
  func wrongDeclaration() {
    expectExpansion(
      """
      @CasePathable
      struct Action {
      }
      """,
      """
      struct Action {
      }
      """,
      macros: reducerMacros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@CasePathable' can only be applied to an enum: it makes key paths of cases",
          line: 2,
          column: 1,
        )
      ],
    )
  }

  @Test("two cases of one name, unless only one of them is ever compiled")
  func overloads() {
    expectExpansion(
      """
      @CasePathable
      enum Action: CasePathable, CasePathIterable {
        case moved(x: Int), moved(y: Int)
        #if os(macOS)
          case here(Int)
        #else
          case here(String)
        #endif
      }
      """,
      """
      enum Action: CasePathable, CasePathIterable {
        case moved(x: Int), moved(y: Int)
        #if os(macOS)
          case here(Int)
        #else
          case here(String)
        #endif
      }
      """,
      macros: reducerMacros,
      diagnostics: [
        DiagnosticSpec(
          message:
            "'@CasePathable' needs cases with names of their own, and there is another 'moved': "
            + "rename one of them",
          line: 3,
          column: 23,
        )
      ],
    )
  }
}
