public import StoreState

/// A stack travels with its ids: a record of its `elements`, each with its `id`, and the `nextID`.
///
/// The latter is what a client gives to an element that it pushes, and what makes a store that was
/// restored go on as the old one would have.
extension StackState: WirePayload, WireValue, ReplicatedState, ReplicatedRecord
where Element: ReplicatedState {
  /// The elements with their ids, and the next id.
  public static var layout: RecordLayout<Self> {
    GenericLayouts.layout {
      RecordLayout("StackState", [.field("elements", \.rows), .field("nextID", \.counter)])
    }
  }
}
