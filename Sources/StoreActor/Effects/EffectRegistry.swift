import Synchronization

/// Something that runs and can be told to stop, from any isolation.
package protocol EffectCancellable: AnyObject, Sendable {
  func cancel()
}

/// What one store has running: everything, and by cancellation id.
///
/// - `state` is guarded by its mutex, and `childCount` follows it, as ids may be cancelled from any
///   isolation (`Task.cancel(id:)` in an effect). Nothing is called while the mutex is held.
/// - `throttles` belongs to the main actor, where effects are interpreted.
@usableFromInline
package final class EffectRegistry: Sendable {
  /// The registry of the store that is reducing, or whose effect is running; else the process's
  /// own.
  package static var current: EffectRegistry { EffectScope.current.registry }

  fileprivate typealias Entries = [ObjectIdentifier: any EffectCancellable]

  fileprivate struct State {
    var all: Entries = [:]
    var byID: [CancelID: Entries] = [:]
    var children: [NavigationIDPath.Scope: Set<CancelID>] = [:]
  }

  private let state = Mutex(State())
  /// How many children have anything running: for asking without the mutex, at every action.
  private let childCount = Atomic(0)
  @MainActor var throttles: [CancelID: any Sendable] = [:]
  private let absenceCell = Atomic(Absence.fault)

  package init() {}

  /// What it means when a child is absent that the action in progress is for.
  var absence: Absence {
    get { absenceCell.load(ordering: .relaxed) }
    set { absenceCell.store(newValue, ordering: .relaxed) }
  }

  func insert(_ entry: any EffectCancellable, for ids: [CancelID]) {
    state.withLock { state in
      state.all[ObjectIdentifier(entry)] = entry
      for id in ids {
        state.byID[id, default: [:]][ObjectIdentifier(entry)] = entry
        if let scope = id.childScope { state.children[scope, default: []].insert(id) }
      }
      childCount.store(state.children.count, ordering: .relaxed)
    }
  }

  func remove(_ entry: any EffectCancellable, for ids: [CancelID]) {
    state.withLock { state in
      state.all[ObjectIdentifier(entry)] = nil
      for id in ids { state.remove(entry, for: id) }
      childCount.store(state.children.count, ordering: .relaxed)
    }
  }

  /// Cancels what runs under an id.
  func cancel(_ id: CancelID) {
    let entries = state.withLock { $0.byID[id] }
    guard let entries else { return }
    for entry in entries.values { entry.cancel() }
  }

  /// Cancels what the children at a place have running that are there no more.
  ///
  /// The cost follows the number of children with running effects, not the number of children.
  func cancelChildren<ID: Hashable>(
    at scope: NavigationIDPath.Scope,
    unless isPresent: (ID) -> Bool,
  ) {
    let children = state.withLock { $0.children[scope] } ?? []
    for child in children {
      guard let path = child.path as? ChildPath<ID>, !isPresent(path.id) else { continue }
      cancel(child)
    }
  }

  /// Whether any child at a place in the feature that is being reduced has anything running.
  @usableFromInline
  static func hasChildren(at keyPath: AnyKeyPath) -> Bool {
    let registry = current
    if registry.childCount.load(ordering: .relaxed) == 0 { return false }
    let scope = NavigationIDPath.Scope(keyPath)
    return registry.state.withLock { $0.children[scope] != nil }
  }

  /// Whether anything runs under an id.
  package func isRunning(_ id: CancelID) -> Bool {
    state.withLock { $0.byID[id] != nil }
  }

  /// Cancels everything.
  package func cancelAll() {
    let entries = state.withLock { $0.all }
    for entry in entries.values { entry.cancel() }
  }

  /// How many pieces of work are under way.
  package var count: Int {
    state.withLock { $0.all.count }
  }
}

extension EffectRegistry.State {
  fileprivate mutating func remove(_ entry: any EffectCancellable, for id: CancelID) {
    guard var entries = byID[id] else { return }
    entries[ObjectIdentifier(entry)] = nil
    byID[id] = entries.isEmpty ? nil : entries
    guard entries.isEmpty, let scope = id.childScope else { return }
    children[scope]?.remove(id)
    if children[scope]?.isEmpty == true { children[scope] = nil }
  }
}
