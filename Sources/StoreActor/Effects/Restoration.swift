import StoreState

/// The information that a daemon with a journal gives its reducers after a restart.
///
/// `StoreHost` receives the root's restoration; a feature receives its own with
/// ``Reducer/onRestored(_:)``.
public struct Restoration: Hashable, Sendable {
  /// Whether the previous daemon was stopped in order, and not killed or interrupted.
  public var wasStopped: Bool
  /// The named effects that were running when it ended, in the order in which they began.
  public var interrupted: [InterruptedEffect]
  /// Whether no earlier daemon has made a revision of this state that was kept.
  public var isFirst = false
  /// Whether there was an earlier daemon, so that ``Reducer/onRestored(_:)`` runs.
  package var isRestart = true
  /// Whether the reducer is not informed in this start, so that interrupted work stays ended.
  package var isHeldBack = false
  /// The schedules that are armed again, with paths as in ``interrupted``.
  package var timers: [RestoredTimer] = []
  /// Whether it only arms schedules, and the feature is not informed.
  private var isOnlyForSchedules = false
  /// The path from the root to the feature that receives this.
  var place: [String] = []

  /// Whether features are informed of the start.
  var informs: Bool { !isHeldBack && !isOnlyForSchedules }

  /// Creates a restoration, for tests.
  public init(wasStopped: Bool, interrupted: [InterruptedEffect] = []) {
    self.wasStopped = wasStopped
    self.interrupted = interrupted
  }

  /// Creates the restoration after the end of a daemon whose effects were running.
  ///
  /// - Parameters:
  ///   - wasStopped: Whether the daemon was stopped in order; otherwise it has crashed during each.
  ///   - effects: The effects by their numbers, which ascend in the order of their beginnings.
  package init(wasStopped: Bool, running effects: [some BinaryInteger: InterruptedEffect]) {
    let interrupted = effects.sorted { $0.key < $1.key }.map { _, effect in
      var effect = effect
      if !wasStopped { effect.crashes += 1 }
      return effect
    }
    self.init(wasStopped: wasStopped, interrupted: interrupted)
  }

  /// The start of a daemon without an earlier one.
  package static var first: Restoration {
    var start = Restoration(wasStopped: true)
    (start.isFirst, start.isRestart) = (true, false)
    return start
  }

  /// The same start, of which the reducer is not informed.
  ///
  /// It has no interrupted effects, so that its record leaves them to the next start.
  package var heldBack: Restoration {
    var start = self
    (start.isHeldBack, start.interrupted) = (true, [])
    return start
  }

  /// Whether the feature has a schedule with an id, which goes on by itself.
  ///
  /// ```swift
  /// .onStart { state, start in
  ///   start.hasSchedule("report")
  ///     ? .none : .schedule(id: "report", every: .seconds(3600), .reportDue)
  /// }
  /// ```
  public func hasSchedule(_ id: String) -> Bool {
    timers.contains { $0.timer.depth == 0 && $0.timer.id == id }
  }

  /// Whether an effect with a name was interrupted, in the feature or in one of its children.
  public func interrupted(_ name: String) -> Bool {
    interrupted.contains { $0.name == name }
  }
}

/// An effect that was running when its daemon ended.
public struct InterruptedEffect: Hashable, Sendable {
  /// The name from `Effect.run(name:)`.
  public var name: String
  /// The path from the receiving feature to the action that began the effect: the cases that lead
  /// to a child, an element's id in brackets, and the action's own case last.
  ///
  /// `["alert", "presented", "saveTapped"]`, `["rows", "element", "[7]", "fetchTapped"]`.
  public var path: [String]
  /// How many daemons ended while the effect ran, other than by an orderly stop.
  ///
  /// The count goes on if the feature begins the effect again in ``Reducer/onRestored(_:)`` or
  /// ``Reducer/onStart(_:)``, under the same name. A feature can use it to give the work up.
  public var crashes: Int

  /// Creates an effect, for tests.
  public init(name: String, path: [String], crashes: Int = 0) {
    self.name = name
    self.path = path
    self.crashes = crashes
  }

  /// Whether another effect continues this one: it has its name, and the same feature began it.
  package func isContinued(by other: InterruptedEffect) -> Bool {
    // The last element is the action, or stands for `onRestored`.
    name == other.name && path.dropLast() == other.path.dropLast()
  }

  /// The case of the action that began the effect.
  public var action: String { path.last ?? "" }
}

// MARK: - Children

extension Restoration {
  /// The restoration of a child; everything if the name of the child's case is unknown.
  func narrowed(to name: CasePathName) -> Restoration {
    var child = self
    guard let prefix = name.segments else {
      // The place of a schedule cannot be found.
      child.timers = []
      return child
    }
    child.place += prefix
    child.interrupted = interrupted.compactMap { effect in
      guard effect.path.starts(with: prefix) else { return nil }
      var narrowed = effect
      narrowed.path.removeFirst(prefix.count)
      return narrowed
    }
    child.timers = timers.compactMap { restored in
      guard restored.timer.path.starts(with: prefix) else { return nil }
      var narrowed = restored
      narrowed.timer.path.removeFirst(prefix.count)
      return narrowed
    }
    return child
  }

  /// The restoration of an element, without its effects and schedules.
  private func element(_ path: ArraySlice<String>) -> Restoration {
    var element = self
    element.place += path
    (element.interrupted, element.timers) = ([], [])
    return element
  }

  /// The restorations of elements with interrupted effects or schedules, by their ids as text.
  ///
  /// An element that has only schedules is not informed.
  var elements: [String: Restoration] {
    var elements: [String: Restoration] = [:]
    func add(_ path: [String], _ body: (inout Restoration) -> Void) {
      guard path.count > 1, path[0] == "element" else { return }
      let id = String(path[1].dropFirst().dropLast())
      body(&elements[id, default: element(path.prefix(2))])
    }
    for var effect in interrupted {
      add(effect.path) {
        effect.path.removeFirst(2)
        $0.interrupted.append(effect)
      }
    }
    for var restored in timers where restored.timer.depth > 0 {
      add(restored.timer.path) {
        restored.timer.path.removeFirst(2)
        $0.timers.append(restored)
      }
    }
    return elements.mapValues { element in
      var element = element
      if element.interrupted.isEmpty { element.isOnlyForSchedules = true }
      return element
    }
  }
}

extension Reduce {
  /// Passes a restoration to a child with an identity, and arms the child's schedules again.
  ///
  /// - Parameters:
  ///   - state: The child's state.
  ///   - restoration: The restoration, with paths that begin in the child.
  /// - Returns: The child's effects.
  @usableFromInline
  func restoreChild(_ state: inout State, _ restoration: Restoration) -> Effect<Action> {
    guard !restoration.timers.isEmpty else { return _restored(&state, restoration) }
    var inside = restoration
    inside.timers = restoration.timers.compactMap { restored in
      guard restored.timer.depth > 0 else { return nil }
      var inside = restored
      inside.timer.depth -= 1
      return inside
    }
    let own = inside.timers.filter { $0.timer.depth == 0 }.map {
      Effect<Action>(.rearm($0.number))
    }
    // First, so that the child may replace or cancel its schedules.
    return Effect.merge(own).merge(with: _restored(&state, inside))
  }
}

extension CasePathName {
  /// The cases in order; nil if the name of one is unknown.
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

/// The names of the nested cases of an action, down to the innermost action.
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

/// A result is a response, not an action: the path ends before it.
private protocol ResultValue {}
extension Result: ResultValue {}
