import StoreState

/// What a daemon that keeps its state tells its reducers when it has started again.
///
/// The root's is given to `StoreHost`; a feature asks with ``Reducer/onRestored(_:)``.
public struct Restoration: Hashable, Sendable {
  /// Whether the daemon that ran before was told to stop, and not killed or cut off.
  public var wasStopped: Bool
  /// The effects with a name that were running when it ended, in the order in which they began.
  public var interrupted: [InterruptedEffect]
  /// The way from the root to the feature that is told.
  var place: [String] = []

  /// Creates a restoration, for tests.
  public init(wasStopped: Bool, interrupted: [InterruptedEffect] = []) {
    self.wasStopped = wasStopped
    self.interrupted = interrupted
  }

  /// Whether an effect of a name was interrupted, be it the feature's or one of its children's.
  public func interrupted(_ name: String) -> Bool {
    interrupted.contains { $0.name == name }
  }
}

/// An effect that was running when its daemon ended.
public struct InterruptedEffect: Hashable, Sendable {
  /// The name that its author gave it: `Effect.run(name:)`.
  public var name: String
  /// The way from the feature that is told to the action that the effect began with: the cases that
  /// lead to a child, an element's id in brackets, and the action's own case last.
  ///
  /// `["alert", "presented", "saveTapped"]`, `["rows", "element", "[7]", "fetchTapped"]`.
  public var path: [String]

  /// Creates an effect, for tests.
  public init(name: String, path: [String]) {
    self.name = name
    self.path = path
  }

  /// The case of the action that it began with.
  public var action: String { path.last ?? "" }
}

// MARK: - Children

extension Restoration {
  /// What a child is told; all, where nobody knows what the child's case is called.
  func narrowed(to name: CasePathName) -> Restoration {
    guard let prefix = name.segments else { return self }
    var child = self
    child.place += prefix
    child.interrupted = interrupted.compactMap { effect in
      guard effect.path.starts(with: prefix) else { return nil }
      return InterruptedEffect(name: effect.name, path: Array(effect.path.dropFirst(prefix.count)))
    }
    return child
  }

  /// The ids, as text, of the elements of which effects were interrupted.
  var elements: Set<String> {
    Set(
      interrupted.compactMap { effect in
        guard effect.path.count > 1, effect.path[0] == "element" else { return nil }
        return String(effect.path[1].dropFirst().dropLast())
      }
    )
  }
}

extension CasePathName {
  /// The cases one by one; nil when one of them is not known by name.
  fileprivate var segments: [String]? {
    switch self {
    case .unknown: nil
    case .root: []
    case .named(let name): [name]
    case .element(let id): ["element", "[\(id)]"]
    case .path(let root, let member):
      if let root = root.segments, let member = member.segments { root + member } else { nil }
    }
  }
}

/// The cases that lead to an action's innermost one, as far as they are cases of actions.
///
/// - Parameter action: An action of a root.
/// - Returns: Names as in ``InterruptedEffect/path``.
package func actionPath(of action: Any) -> [String] {
  var (path, next): ([String], Any?) = ([], action)
  while let value = next, value is any CasePathable || value is any WireAction,
    !(value is any ResultValue)
  {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { break }
    guard let payload = mirror.children.first, let label = payload.label else {
      path.append("\(value)")
      break
    }
    path.append(label)
    let parts = Mirror(reflecting: payload.value)
    guard parts.displayStyle == .tuple else {
      next = payload.value
      continue
    }
    next = parts.children.first { $0.label == "action" }?.value
    if next != nil, let id = parts.children.first(where: { $0.label == "id" })?.value {
      path.append("[\(id)]")
    }
  }
  return path
}

/// A result is an answer, and no action.
private protocol ResultValue {}
extension Result: ResultValue {}
