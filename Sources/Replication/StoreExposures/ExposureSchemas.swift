import StoreProtocol
public import StoreState

/// The name and the schemas of an exposure.
///
/// Code that is compiled into features' modules creates them without any type of the protocol.
@usableFromInline
struct ExposureSchemas: Sendable {
  let description: ScopeDescription

  @usableFromInline
  init<State: ReplicatedState, Action: WireAction>(
    _ name: String,
    _ state: State.Type,
    _ action: Action.Type,
    id: SchemaDocument? = nil,
    _ outputs: ScopeOutputs? = nil,
    _ replies: ScopeOutputs? = nil,
  ) {
    description = ScopeDescription(
      name: name,
      state: SchemaRegistry.document(for: state),
      action: SchemaRegistry.document(for: action),
      id: id,
      output: outputs?.document,
      replies: replies?.document,
    )
  }
}
