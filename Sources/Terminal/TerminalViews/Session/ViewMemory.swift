/// What a session keeps of its views from one drawing to the next, by their identities.
///
/// What belongs to a view that a drawing did not contain is dropped after it.
@MainActor
final class ViewMemory {
  /// What is kept for one view.
  private struct Slot {
    var drawing: Int
    /// The bytes of UTF-8 before a field's cursor; nil at the end of the text.
    var cursor: Int?
    /// The values of the view's own properties.
    var storage: [AnyObject] = []
  }

  /// The memory of the session that lays out its views at the moment.
  private static var current: ViewMemory?
  /// The types of views without properties that have to be linked.
  private static var plainTypes: Set<ObjectIdentifier> = []

  /// The identity of the view that is measured or drawn at the moment.
  private(set) var path: ViewPath = []
  private var slots: [ViewPath: Slot] = [:]
  private var drawing = 0
  /// Which view has the focus, by the layer that it is in.
  var focus: [ViewPath: ViewPath] = [:]
  /// The views of the last drawing that can have the focus, by their layers.
  private var order: [ViewPath: [ViewPath]] = [:]
  /// The views of the last drawing whose `onAppear` was called.
  private var appeared: Set<ViewPath> = []
  /// What is done when a sheet of the last drawing has gone.
  private var dismissals: [ViewPath: @MainActor () -> Void] = [:]
  /// Whether a row may take the place of a selected one that has gone: whether the drawing shows
  /// what the user's own input has led to.
  var acceptsReplacements = true
  /// Whether the drawing must not change anything that others may show: too many drawings have led
  /// to one another.
  var isSettled = false
  /// What input is meant for.
  let aim = InputAim()
  /// The identities of the last drawing.
  private var identities = ViewIdentities()
  /// The places whose ids do not last: the views there are identified by their order.
  private var orderedPlaces: Set<ViewPath> = []
  /// How often all ids at a place were replaced by others that lasted.
  private var replacements: [ViewPath: Int] = [:]

  // MARK: - Identities

  /// Lays out views whose state is kept here.
  func layOut<Result>(_ body: () -> Result) -> Result {
    let (outer, outerPath) = (Self.current, path)
    (Self.current, path) = (self, [])
    drawing += 1
    defer { (Self.current, path) = (outer, outerPath) }
    return body()
  }

  /// Lays out a part of the views that has an identity of its own.
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

  /// Lays out a view at another place of the tree than the one where it was found.
  func at<Result>(_ other: ViewPath, _ body: () -> Result) -> Result {
    let outer = path
    path = other
    defer { path = outer }
    return body()
  }

  /// The component of a path: an id only where ids last.
  func resolved(_ component: ViewComponent, at path: ViewPath) -> ViewComponent {
    guard !orderedPlaces.isEmpty, case .element(let id) = component, isOrdered(path) else {
      return component
    }
    return .index(id.offset)
  }

  /// Whether the elements at a place are identified by their order, since their ids do not last.
  func isOrdered(_ path: ViewPath) -> Bool {
    !orderedPlaces.isEmpty && orderedPlaces.contains(path.place)
  }

  /// The identities that a drawing uses.
  func identities(of frame: Frame) -> ViewIdentities {
    ViewIdentities(frame, state: slots.filter { $0.value.drawing == drawing }.keys)
  }

  /// The places at which a drawing has other ids than the last one, as far as that is no habit.
  func replacedPlaces(in identities: ViewIdentities) -> Set<ViewPath> {
    identities.replacedPlaces(since: self.identities).filter {
      replacements[$0, default: 0] < 3 && !orderedPlaces.contains($0)
    }
  }

  /// Notes that other ids at places have come from a change, not from drawing.
  func trust(_ places: Set<ViewPath>) {
    for place in places { replacements[place, default: 0] += 1 }
  }

  /// Identifies the views at places by their order from now on, also those of the last drawing.
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

  /// The cursor of a field that is drawn.
  func cursor(at path: ViewPath) -> Int? {
    slots[path, default: Slot(drawing: drawing)].drawing = drawing
    return slots[path]?.cursor
  }

  func setCursor(_ cursor: Int?, at path: ViewPath) {
    slots[path, default: Slot(drawing: drawing)].cursor = cursor
  }

  // MARK: - Drawings

  /// Gives the focus of views that have gone to those beside them.
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

  /// The view that is next to one that has gone, in the order in which the tabulator went.
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

  /// Drops what belongs to no view of a drawing, and tells views that they have appeared or gone.
  ///
  /// - Returns: Whether something was done because a sheet has gone.
  func finish(_ frame: Frame) -> Bool {
    slots = slots.filter { $0.value.drawing == drawing }
    focus = focus.filter { frame.order[$0.key] != nil }
    order = frame.order
    identities = identities(of: frame)
    if isSettled {
      // What is to be done comes with the next drawing that others have led to.
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
