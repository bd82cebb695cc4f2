/// What tells a view from the others of the same parent.
enum ViewComponent: Hashable {
  /// A view's place in a view builder.
  case index(Int)
  /// The branch of an `if` or a `switch`.
  case branch(Bool)
  /// What the program identifies the view by: an element's id, for example.
  case id(AnyHashable)
  /// The view that a type of view is made of.
  case body(ObjectIdentifier)
  /// One of several uses of the same kind at one place, in the order of drawing.
  case use(ViewUse, Int)
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

/// A property of a view whose value stays with the view's identity.
@MainActor
protocol ViewStateProperty {
  /// The object that has the value.
  var storage: AnyObject { get }

  /// Uses the object of an earlier drawing of the same view.
  func adopt(_ storage: AnyObject)
}
