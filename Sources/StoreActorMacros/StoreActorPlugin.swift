import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// All macros of the package, as the compiler finds them.
@main
struct StoreActorPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = []
}
