public import StoreState

/// The wire form of a stack includes its ids: a record of its `elements`, each with its `id`, and
/// the `nextID`.
///
/// A client assigns the `nextID` to an element that it pushes, and a restored store continues with
/// the same ids.
extension StackState: WirePayload, WireValue, ReplicatedState, ReplicatedRecord
where Element: ReplicatedState {
  /// The elements with their ids, and the next id.
  public static var layout: RecordLayout<Self> {
    GenericLayouts.layout {
      RecordLayout("StackState", [.field("elements", \.rows), .field("nextID", \.counter)])
    }
  }
}
