import OrderedCollections
import StoreActor
import StoreState

extension ReplicaServer {
  /// The root store reduced an action: notes what it changed in the scopes that someone follows.
  ///
  /// - Parameters:
  ///   - revision: The step's revision.
  ///   - old: Where the root is as it was before; it is moved out of there.
  ///   - new: Where the root is now.
  func committed(
    revision: UInt64,
    old: UnsafeMutablePointer<Root>,
    new: UnsafePointer<Root>,
  ) {
    var size = StepSize()
    var next = firstFollowed
    while let scope = next {
      next = scope.next
      if let view = scope.onlyView {
        size += publish(scope, in: view, revision: revision, from: old, to: new)
      } else {
        size += publish(scope, from: old, to: new)
      }
    }
    counters.deltaBytes += UInt64(size.bytes)
    var weight = size.weight
    if revision.isMultiple(of: Self.stepsPerWeighing) {
      weight += unfollowedWeight(from: old, to: new) * Int(Self.stepsPerWeighing)
    }
    versions.append(moving: old, revision: revision - 1, changed: weight)
    guard !touchedViews.isEmpty else { return }
    for view in touchedViews where view.closeStep(revision: revision) { dirtyViews.append(view) }
    touchedViews.removeAll(keepingCapacity: true)
  }

  /// Adds what changed in a scope to the only view that shows it.
  ///
  /// - Returns: The delta's size.
  private func publish(
    _ scope: ActiveScope<Root, RootAction>,
    in view: View,
    revision: UInt64,
    from old: UnsafePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> StepSize {
    let size = view.addOnlyStep(revision: revision) { encoder in
      scope.source.encodeDelta(old, new, &encoder)
    }
    guard let size else { return StepSize() }
    scope.changed()
    counters.deltas += 1
    if view.hasOneStep { dirtyViews.append(view) }
    return size
  }

  /// Adds what changed in a scope, encoded once, to each view that shows it.
  ///
  /// - Returns: The delta's size.
  private func publish(
    _ scope: ActiveScope<Root, RootAction>,
    from old: UnsafePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> StepSize {
    let mark = scratch.mark
    guard scope.source.encodeDelta(old, new, &scratch) else { return StepSize() }
    scope.changed()
    counters.deltas += 1
    let size = StepSize(bytes: scratch.bytes.count, unshared: scratch.takeUnshared())
    for placement in scope.placements {
      if !placement.view.hasParts { touchedViews.append(placement.view) }
      placement.view.add(scratch.bytes[...], index: placement.index)
    }
    scratch.truncate(to: mark)
    return size
  }

  /// One step in so many is weighed with what it changed in scopes that nobody follows.
  ///
  /// It stands for the others, for their deltas are of no other use. A prime, so that actions that
  /// take turns are all met.
  static var stepsPerWeighing: UInt64 { 61 }

  /// What a step changed in exposed scopes that nobody follows; rows are in their array.
  private func unfollowedWeight(
    from old: UnsafePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> Int {
    let mark = scratch.mark
    var weight = 0
    for exposure in exposures where activeScopes[exposure.name] == nil {
      guard let source = exposure.whole, source.encodeDelta(old, new, &scratch) else { continue }
      weight += StepSize(bytes: scratch.bytes.count, unshared: scratch.takeUnshared()).weight
      scratch.truncate(to: mark)
    }
    return weight
  }

  /// Publishes all closed steps, the outputs behind them, and the bookmarks that so many deltas
  /// make due.
  func flush() {
    guard !dirtyViews.isEmpty else { return }
    for view in dirtyViews {
      if let run = view.takeRun(now: now.instant, limits: limits, timing: timing) {
        outgoing.append(.publish(topic: view.topicBytes, run))
        if let due = view.bookmarkDue { wake(at: due) }
      }
      if let outputs = view.takeOutputs() {
        outgoing.append(.publish(topic: view.topicBytes, outputs))
      }
    }
    dirtyViews.removeAll(keepingCapacity: true)
  }

  func sendDueBookmarks() {
    for view in views.values {
      guard let due = view.bookmarkDue, due <= now.instant else { continue }
      let bookmark = view.takeBookmark(
        revision: root.revision,
        durableRevision: nil,
        digests: view.names.compactMap { activeScopes[$0]?.digest(of: root) },
      )
      outgoing.append(.publish(topic: view.topicBytes, bookmark))
    }
  }
}

/// How large a step is, which is the step's delta or all of them.
struct StepSize {
  /// The bytes of the deltas.
  var bytes = 0
  /// See ``CBOREncoder/unshared``.
  var unshared = 0

  /// How many bytes the version before the step holds on to because of it.
  var weight: Int { bytes + unshared }

  static func += (left: inout StepSize, right: StepSize) {
    left.bytes += right.bytes
    left.unshared += right.unshared
  }
}

extension CBOREncoder {
  /// What was noted as unshared since the last call.
  mutating func takeUnshared() -> Int {
    defer { unshared = 0 }
    return unshared
  }
}
