/// A part of a view's identity, unique among the children of a parent.
enum ViewComponent: Hashable {
  /// A view's place in a view builder.
  case index(Int)
  /// The branch of an `if` or a `switch`.
  case branch(Bool)
  /// An id that the program has given to the view: an element's id, for example.
  case element(ElementID)
  /// Any id, in the path of a place.
  case anyElement
  /// The body of a type of view.
  case body(ViewType)
  /// One use of several of the same kind at one place, in the order of drawing.
  case use(ViewUse, Int)
}

extension ViewComponent {
  /// Returns a component for an id, with the view's offset from the parent's first child.
  static func id(_ value: some Hashable, at offset: Int = 0) -> Self {
    .element(ElementID(value: AnyHashable(value), offset: offset))
  }
}

/// An id that the program has given to a view.
struct ElementID: Hashable {
  let value: AnyHashable
  /// The view's place among its siblings, which identifies it if ids do not last.
  let offset: Int

  static func == (left: Self, right: Self) -> Bool { left.value == right.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// A type of view, compared by identity.
struct ViewType: Hashable {
  let type: any View.Type

  static func == (left: Self, right: Self) -> Bool { left.type == right.type }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// The kinds of items that a view registers with a drawing.
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

/// A view's identity: the path from the session's root to the view.
///
/// The path stays the same between drawings, even if views beside it are inserted or removed.
typealias ViewPath = [ViewComponent]

extension ViewPath {
  /// The path without its ids, which is equal for all elements of a view.
  var place: ViewPath {
    map { if case .element = $0 { .anyElement } else { $0 } }
  }
}

extension Dictionary where Key == ViewPath {
  /// Returns the values by other paths.
  ///
  /// If several values get the same path, one of them is kept.
  func withPaths(_ renamed: (ViewPath) -> ViewPath) -> Self {
    Self(map { (renamed($0.key), $0.value) }) { first, _ in first }
  }
}

/// A property whose value belongs to the view's identity.
@MainActor
protocol ViewStateProperty {
  /// The object that stores the value.
  var storage: AnyObject { get }

  /// Uses the object of an earlier drawing of the same view.
  func adopt(_ storage: AnyObject)
}
