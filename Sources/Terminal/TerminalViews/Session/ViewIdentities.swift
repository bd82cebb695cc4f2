/// The identities that a drawing uses: those of rows, and of views that can have the focus, appear
/// or have state.
@MainActor
struct ViewIdentities {
  private var focusables: [ViewPath: [ViewPath]] = [:]
  private var others: Set<ViewPath> = []
  private var rows: [ViewPath: any KnownRows] = [:]

  /// Creates an empty set of identities.
  init() {}

  /// Collects the identities of a drawing.
  ///
  /// - Parameters:
  ///   - frame: The drawing.
  ///   - state: The views that have state.
  init(_ frame: Frame, state: some Sequence<ViewPath>) {
    focusables = frame.order
    others = Set(state)
    others.formUnion(frame.appearances.map(\.path))
    others.formUnion(frame.dismissals.keys)
    rows = frame.rows
  }

  /// Returns the places where all ids differ from those in another drawing.
  func replacedPlaces(since old: Self) -> Set<ViewPath> {
    var places: Set<ViewPath> = []
    for (path, rows) in rows {
      if let before = old.rows[path], rows.areReplaced(since: before) { places.insert(path.place) }
    }
    guard focusables != old.focusables || others != old.others else { return places }
    let before = old.ids
    for (place, ids) in ids where before[place]?.isDisjoint(with: ids) == true {
      places.insert(place)
    }
    return places
  }

  /// The ids, by the places of their views.
  private var ids: [ViewPath: Set<AnyHashable>] {
    var ids: [ViewPath: Set<AnyHashable>] = [:]
    for path in others.union(focusables.values.joined()) {
      var place: ViewPath = []
      for component in path {
        if case .element(let id) = component {
          ids[place, default: []].insert(id.value)
          place.append(.anyElement)
        } else {
          place.append(component)
        }
      }
    }
    return ids
  }
}
