import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion

/// The macros of states, with the conformances that they declare.
let stateMacros: [String: MacroSpec] = [
  "ObservableState": MacroSpec(
    type: ObservableStateMacro.self,
    conformances: ["ObservableState"],
  ),
  "ObservationStateIgnored": MacroSpec(type: ObservationMarkerMacro.self),
  "ObservationStateTracked": MacroSpec(type: ObservationMarkerMacro.self),
  "Presents": MacroSpec(type: PresentsMacro.self),
  "Replicated": MacroSpec(type: StateMarkerMacro.self),
  "ReplicatedAsCodable": MacroSpec(type: StateMarkerMacro.self),
  "ReplicationIgnored": MacroSpec(type: StateMarkerMacro.self),
]

/// `@ObservableState` on a type that has written the conformance itself.
let conformingStateMacros = ["ObservableState": MacroSpec(type: ObservableStateMacro.self)]

/// The macros of dependency clients.
let dependencyClientMacros: [String: MacroSpec] = [
  "DependencyClient": MacroSpec(type: DependencyClientMacro.self),
  "DependencyEndpoint": MacroSpec(type: DependencyEndpointMacro.self),
  "DependencyEndpointIgnored": MacroSpec(type: DependencyEndpointIgnoredMacro.self),
  "DependencyEntry": MacroSpec(type: DependencyEntryMacro.self),
]
