/// Makes an optional property the state of a feature that is presented while it is not nil.
///
/// ```swift
/// @ObservableState
/// struct State: Equatable {
///   @Presents var destination: Destination.State?
/// }
/// ```
///
/// `destination` reads and writes the child's state; `$destination` is the `PresentationState` that
/// reducers' operators take: `.ifLet(\.$destination, action: \.destination) { Destination() }`.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`), prefixed(_))
public macro Presents() = #externalMacro(module: "StoreActorMacros", type: "PresentsMacro")
