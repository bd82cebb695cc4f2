/// What tells a view from the others of the same parent.
enum ViewComponent: Hashable {
  /// A view's place in a view builder.
  case index(Int)
  /// The branch of an `if` or a `switch`.
  case branch(Bool)
  /// What the program identifies the view by: an element's id, for example.
  case element(ElementID)
  /// Any id, in the path of a place.
  case anyElement
  /// The view that a type of view is made of.
  case body(ViewType)
  /// One of several uses of the same kind at one place, in the order of drawing.
  case use(ViewUse, Int)
}

extension ViewComponent {
  /// The id of a view, which is so far from the first one of those that the parent shows.
  static func id(_ value: some Hashable, at offset: Int = 0) -> Self {
    .element(ElementID(value: AnyHashable(value), offset: offset))
  }
}

/// What the program identifies a view by.
struct ElementID: Hashable {
  let value: AnyHashable
  /// Where the view stands among the others, which identifies it where ids do not last.
  let offset: Int

  static func == (left: Self, right: Self) -> Bool { left.value == right.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// A type of view.
struct ViewType: Hashable {
  let type: any View.Type

  static func == (left: Self, right: Self) -> Bool { left.type == right.type }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// What a view registers with a drawing.
enum ViewUse: Hashable {
  case focus
  case keys
  case mouse
  case appearance
  case rows
  case cursor
  case overlay
  case dismissal
}

/// A view's identity: the way that leads to it from the session's root.
///
/// It stays the same from one drawing to the next, whatever is inserted or removed beside the view.
typealias ViewPath = [ViewComponent]

extension ViewPath {
  /// The path without its ids: it is the same for all elements that a view shows.
  var place: ViewPath {
    map { if case .element = $0 { .anyElement } else { $0 } }
  }
}

extension Dictionary where Key == ViewPath {
  /// The values by other paths; of those that get the same path any one is kept.
  func withPaths(_ renamed: (ViewPath) -> ViewPath) -> Self {
    Self(map { (renamed($0.key), $0.value) }) { first, _ in first }
  }
}

/// A property of a view whose value stays with the view's identity.
@MainActor
protocol ViewStateProperty {
  /// The object that has the value.
  var storage: AnyObject { get }

  /// Uses the object of an earlier drawing of the same view.
  func adopt(_ storage: AnyObject)
}
