/// Makes a struct or an enum a state that stores observe part by part.
///
/// ```swift
/// @ObservableState
/// struct State: Equatable {
///   var count = 0
///   @Presents var alert: AlertState<Action.Alert>?
/// }
/// ```
///
/// It declares the conformance to ``ObservableState`` and stores nothing in the state: memberwise
/// initializers and synthesized conformances stay as they are.
///
/// Where the declaration itself names `ReplicatedState`, its members are generated too, so that
/// other processes can hold copies:
///
/// ```swift
/// @ObservableState
/// struct State: Equatable, ReplicatedState {
///   var count = 0
///   @ReplicationIgnored var cache: [Int: String] = [:]
/// }
/// ```
// The formatter would put a comma behind the last name, which the compiler refuses here.
// swift-format-ignore
@attached(
  extension,
  conformances: ObservableState,
  names: named(_$id), named(_$ignoredKeyPaths), named(_$lists), named(_$caseNames),
  named(_$fieldNames), named(schema), named(encode), named(init), named(encodeDelta),
  named(applyDelta), named(_$isSame), named(_$digest), named(_$isPlain)
)
@attached(member, names: named(_$noteHints))
public macro ObservableState() =
  #externalMacro(module: "StoreActorMacros", type: "ObservableStateMacro")

/// Marks a property whose changes wake nobody who has read it through a store.
@attached(peer)
public macro ObservationStateIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "ObservationMarkerMacro")

/// Marks a property as observed, which all properties of an observed state are anyway.
@attached(peer)
public macro ObservationStateTracked() =
  #externalMacro(module: "StoreActorMacros", type: "ObservationMarkerMacro")
