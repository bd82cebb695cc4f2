import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion

/// The macros of reducers and case paths as the package declares them.
let reducerMacros: [String: MacroSpec] = [
  "CasePathable": MacroSpec(
    type: CasePathableMacro.self,
    conformances: ["CasePathable", "CasePathIterable"],
  ),
  "Reducer": MacroSpec(type: ReducerMacro.self, conformances: ["Reducer", "CaseReducer"]),
  "ReducerCaseEphemeral": MacroSpec(type: ReducerCaseMarkerMacro.self),
  "ReducerCaseIgnored": MacroSpec(type: ReducerCaseMarkerMacro.self),
]
