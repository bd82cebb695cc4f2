import StoreProtocol
public import StoreState

/// The name and the schemas of an exposure: code that is compiled into features' modules makes
/// them, and knows no type of the protocol.
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
  ) {
    description = ScopeDescription(
      name: name,
      state: state,
      action: action,
      id: id,
      output: output,
    )
  }
}
