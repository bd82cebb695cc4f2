/// A fault in the views of a session, described for their developer.
enum ViewFault: CustomStringConvertible {
  /// A number of drawings caused one another.
  case endlessChain(of: Int)
  /// Views at some places have different ids in each drawing.
  case fleetingIDs(at: Set<ViewPath>)

  var description: String {
    switch self {
    case .endlessChain(let count):
      "\(count) drawings have led to one another: each has changed the contents of the next one. "
        + "The views are not drawn again until something else changes. Give each list of each "
        + "session a RowSelection of its own. In 'onAppear', in 'onDismiss' and while drawing, do "
        + "not change values that lead to the same change again."
    case .fleetingIDs(let places):
      "In each drawing, views in \(Self.names(of: places)) have other ids, without a change of "
        + "values. State, the focus, selections and 'onAppear' need ids that last; these "
        + "views are identified by their order from now on. Make an id once, with the value that "
        + "it belongs to, and keep it: 'Item(id: UUID())' in a body is another item in each "
        + "drawing."
    }
  }

  /// Returns the names of the innermost program types that contain some places.
  private static func names(of places: Set<ViewPath>) -> String {
    let names = places.map { place in
      let types = place.compactMap { component -> String? in
        guard case .body(let view) = component else { return nil }
        return String(reflecting: view.type).hasPrefix("TerminalViews.") ? nil : "'\(view.type)'"
      }
      return types.last ?? "the session's root view"
    }
    return Set(names).sorted().joined(separator: ", ")
  }
}
