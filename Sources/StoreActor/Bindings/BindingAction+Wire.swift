public import StoreState

/// The wire form of a setting is the choice of the property's name, with the value: `{"name":
/// {"_0": "Blob"}}`, in short `{"name": "Blob"}`.
///
/// The cases are the state's own properties that are replicated, writable and comparable; other
/// processes can set no others. See ``BindableFields`` for fewer.
extension BindingAction: WirePayload, WireAction, DurableAction, WireChoiceAction
where Root: ReplicatedState {
  /// A case for each property that may be set.
  public static var layout: ActionLayout<BindingAction<Root>> { fields.layout }

  /// Writes the property's name and the value.
  ///
  /// - Throws: A `CodecError` if the property cannot be set from another process. Nested properties
  ///   cannot: set the property that contains them.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    guard Self.fields.keyPaths.contains(keyPath) else {
      throw CodecError(
        .privateAction,
        """
        the property at \(keyPath) cannot be set from another process: a client sets the \
        properties of \(Root.self) itself, and of these only what is replicated; set the property \
        that holds this one
        """,
      )
    }
    try Self.layout.encode(self, to: &encoder)
  }

  private static var fields: BindableFieldTable<Root> {
    GenericLayouts.kept { BindableFieldTable<Root>() }
  }
}
