public import StoreState

/// The setting of a property travels as the choice of the property's name, with the value:
/// `{"name": {"_0": "Blob"}}`, in short `{"name": "Blob"}`.
///
/// The state's own properties are the cases, those that are replicated, can be written to and can
/// be compared; nothing else can be set from another process. See ``BindableFields`` for less.
extension BindingAction: WirePayload, WireAction, WireChoiceAction where Root: ReplicatedState {
  /// A case for each property that may be set.
  public static var layout: ActionLayout<BindingAction<Root>> { fields.layout }

  /// Writes the property's name and the value.
  ///
  /// - Throws: A `CodecError` when the property cannot be set from another process. Properties of
  ///   properties cannot: set the one that holds them.
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
