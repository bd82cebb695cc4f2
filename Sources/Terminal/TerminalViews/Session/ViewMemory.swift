/// The values that a session keeps for its views between drawings, by the views' identities.
///
/// After each drawing, the session drops the values of views that the drawing did not contain.
@MainActor
final class ViewMemory {
  /// The values of one view.
  private struct Slot {
    var drawing: Int
    /// The bytes of UTF-8 before a field's cursor; nil at the end of the text.
    var cursor: Int?
    /// The values of the view's own properties.
    var storage: [AnyObject] = []
  }

  /// The memory of the session that lays out its views at the moment.
  private static var current: ViewMemory?
  /// The types of views that have no property of type ``ViewStateProperty``.
  private static var plainTypes: Set<ObjectIdentifier> = []

  /// The identity of the view that is measured or drawn at the moment.
  private(set) var path: ViewPath = []
  private var slots: [ViewPath: Slot] = [:]
  private var drawing = 0
  /// The focused view of each layer.
  var focus: [ViewPath: ViewPath] = [:]
  /// The views of the last drawing that can have the focus, by their layers.
  private var order: [ViewPath: [ViewPath]] = [:]
  /// The views of the last drawing whose `onAppear` was called.
  private var appeared: Set<ViewPath> = []
  /// The actions to perform when a sheet of the last drawing is gone.
  private var dismissals: [ViewPath: @MainActor () -> Void] = [:]
  /// Whether another row may replace a removed selected row: whether the drawing shows results of
  /// the user's own input.
  var acceptsReplacements = true
  /// Whether the drawing must not change values that other views may show, because too many
  /// drawings caused one another.
  var isSettled = false
  /// The target of input.
  let aim = InputAim()
  /// The identities of the last drawing.
  private var identities = ViewIdentities()
  /// The places whose ids do not last: the views there are identified by their order.
  private var orderedPlaces: Set<ViewPath> = []
  /// The number of times that lasting ids replaced all ids at a place.
  private var replacements: [ViewPath: Int] = [:]

  // MARK: - Identities

  /// Lays out views whose state this memory keeps.
  func layOut<Result>(_ body: () -> Result) -> Result {
    let (outer, outerPath) = (Self.current, path)
    (Self.current, path) = (self, [])
    drawing += 1
    defer { (Self.current, path) = (outer, outerPath) }
    return body()
  }

  /// Lays out a part of the views that has its own identity.
  static func within<Result>(_ component: ViewComponent, _ body: () -> Result) -> Result {
    guard let current else { return body() }
    current.path.append(current.resolved(component, at: current.path))
    defer { current.path.removeLast() }
    return body()
  }

  /// Lays out a view whose identity has several parts.
  static func within<Result>(_ components: ViewPath, _ body: () -> Result) -> Result {
    guard let current, !components.isEmpty else { return body() }
    for component in components {
      current.path.append(current.resolved(component, at: current.path))
    }
    defer { current.path.removeLast(components.count) }
    return body()
  }

  /// Lays out a view at another place of the tree, such as an overlay at its registration.
  func at<Result>(_ other: ViewPath, _ body: () -> Result) -> Result {
    let outer = path
    path = other
    defer { path = outer }
    return body()
  }

  /// Returns the component of a path: an id is replaced by its order if the ids there do not last.
  func resolved(_ component: ViewComponent, at path: ViewPath) -> ViewComponent {
    guard !orderedPlaces.isEmpty, case .element(let id) = component, isOrdered(path) else {
      return component
    }
    return .index(id.offset)
  }

  /// Returns whether the elements at a place are identified by their order, because their ids do
  /// not last.
  func isOrdered(_ path: ViewPath) -> Bool {
    !orderedPlaces.isEmpty && orderedPlaces.contains(path.place)
  }

  /// Returns the identities that a drawing uses.
  func identities(of frame: Frame) -> ViewIdentities {
    ViewIdentities(frame, state: slots.filter { $0.value.drawing == drawing }.keys)
  }

  /// Returns the places with different ids than in the last drawing, except places that have
  /// replaced their ids three times before.
  func replacedPlaces(in identities: ViewIdentities) -> Set<ViewPath> {
    identities.replacedPlaces(since: self.identities).filter {
      replacements[$0, default: 0] < 3 && !orderedPlaces.contains($0)
    }
  }

  /// Notes that a change replaced the ids at some places, not the drawing itself.
  func trust(_ places: Set<ViewPath>) {
    for place in places { replacements[place, default: 0] += 1 }
  }

  /// Identifies the views at some places by their order from now on, including those of the
  /// last drawing.
  func useOrder(at places: Set<ViewPath>) {
    orderedPlaces.formUnion(places)
    func renamed(_ path: ViewPath) -> ViewPath {
      path.reduce(into: []) { $0.append(resolved($1, at: $0)) }
    }
    slots = slots.withPaths(renamed)
    focus = focus.withPaths(renamed).mapValues { renamed($0) }
    order = order.withPaths(renamed).mapValues { $0.map(renamed) }
    appeared = Set(appeared.map(renamed))
    dismissals = dismissals.withPaths(renamed)
    aim.rename(renamed)
  }

  // MARK: - Slots

  /// Gives a view's own properties the values that they had in the last drawing.
  static func link(_ view: some View) {
    guard let current else { return }
    let type = ObjectIdentifier(type(of: view))
    guard !plainTypes.contains(type) else { return }
    let properties = Mirror(reflecting: view).children.compactMap {
      $0.value as? any ViewStateProperty
    }
    guard !properties.isEmpty else {
      plainTypes.insert(type)
      return
    }
    current.link(properties)
  }

  private func link(_ properties: [any ViewStateProperty]) {
    var slot = slots[path] ?? Slot(drawing: drawing)
    slot.drawing = drawing
    for (place, property) in properties.enumerated() {
      if slot.storage.indices.contains(place) {
        property.adopt(slot.storage[place])
      } else {
        slot.storage.append(property.storage)
      }
    }
    slots[path] = slot
  }

  /// Returns the cursor of a field that is drawn, and keeps its slot.
  func cursor(at path: ViewPath) -> Int? {
    slots[path, default: Slot(drawing: drawing)].drawing = drawing
    return slots[path]?.cursor
  }

  func setCursor(_ cursor: Int?, at path: ViewPath) {
    slots[path, default: Slot(drawing: drawing)].cursor = cursor
  }

  // MARK: - Drawings

  /// Moves the focus from removed views to their neighbors.
  ///
  /// - Returns: Whether another view has the focus now.
  func repairFocus(in frame: Frame) -> Bool {
    var isChanged = false
    for (layer, views) in frame.order {
      guard let focused = focus[layer], !views.contains(focused) else { continue }
      focus[layer] = neighbor(of: focused, in: layer, among: views)
      isChanged = isChanged || focus[layer] != nil
    }
    return isChanged
  }

  /// Returns the neighbor of a removed view, in the last drawing's tabulator order.
  private func neighbor(
    of gone: ViewPath,
    in layer: ViewPath,
    among views: [ViewPath],
  ) -> ViewPath? {
    let (old, present) = (order[layer] ?? [], Set(views))
    guard let place = old.firstIndex(of: gone) else { return views.first }
    return old[place...].first(where: present.contains)
      ?? old[..<place].last(where: present.contains) ?? views.first
  }

  /// Drops the values of absent views, and performs the actions of views that have appeared
  /// or disappeared.
  ///
  /// - Returns: Whether a sheet has disappeared.
  func finish(_ frame: Frame) -> Bool {
    slots = slots.filter { $0.value.drawing == drawing }
    focus = focus.filter { frame.order[$0.key] != nil }
    order = frame.order
    identities = identities(of: frame)
    if isSettled {
      // The actions are performed after the next drawing that has another cause.
      appeared.formIntersection(frame.appearances.map(\.path))
      dismissals.merge(frame.dismissals) { $1 }
      return false
    }
    let new = frame.appearances.filter { !appeared.contains($0.path) }
    appeared = Set(frame.appearances.map(\.path))
    let gone = dismissals.filter { frame.dismissals[$0.key] == nil }
    dismissals = frame.dismissals
    for appearance in new { appearance.action() }
    for dismiss in gone.values { dismiss() }
    return !gone.isEmpty
  }
}
