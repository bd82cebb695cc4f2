import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// All macros of the package, for the compiler.
@main
struct StoreActorPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    CasePathableMacro.self,
    DependencyClientMacro.self,
    DependencyEndpointIgnoredMacro.self,
    DependencyEndpointMacro.self,
    DependencyEntryMacro.self,
    ObservableStateMacro.self,
    ObservationMarkerMacro.self,
    PresentsMacro.self,
    ReducerCaseMarkerMacro.self,
    ReducerMacro.self,
    SimplexReducerMacro.self,
    StateMarkerMacro.self,
    ViewStateMacro.self,
  ]
}
