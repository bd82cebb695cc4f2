/// Makes a struct or an enum a state whose parts stores observe separately.
///
/// ```swift
/// @ObservableState
/// struct State: Equatable {
///   var count = 0
///   @Presents var alert: AlertState<Action.Alert>?
/// }
/// ```
///
/// It declares the conformance to ``ObservableState`` and adds no storage to the state: memberwise
/// initializers and synthesized conformances are unchanged.
///
/// If the declaration itself names `ReplicatedState`, its members are generated too, so that other
/// processes can hold copies:
///
/// ```swift
/// @ObservableState
/// struct State: Equatable, ReplicatedState {
///   var count = 0
///   @ReplicationIgnored var cache: [Int: String] = [:]
/// }
/// ```
// The formatter would add a comma after the last name, which the compiler rejects here.
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

/// Marks a property whose changes do not notify its readers.
@attached(peer)
public macro ObservationStateIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "ObservationMarkerMacro")

/// Marks a property as observed, which is the default in an observed state.
@attached(peer)
public macro ObservationStateTracked() =
  #externalMacro(module: "StoreActorMacros", type: "ObservationMarkerMacro")
