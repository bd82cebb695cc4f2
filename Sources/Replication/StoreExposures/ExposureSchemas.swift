import StoreProtocol
public import StoreState

/// The name and the schemas of an exposure.
///
/// Code that is compiled into features' modules creates them without any type of the protocol.
@usableFromInline
struct ExposureSchemas: Sendable {
  let description: ScopeDescription

  @usableFromInline
  init(
    name: String,
    state: SchemaDocument,
    action: SchemaDocument,
    id: SchemaDocument?,
    output: SchemaDocument? = nil,
    replies: SchemaDocument? = nil,
  ) {
    description = ScopeDescription(
      name: name,
      state: state,
      action: action,
      id: id,
      output: output,
      replies: replies,
    )
  }
}
