import HeapModule
import StoreExposures
import StoreProtocol
import StoreState

/// The followed scopes, the views that show them, and the messages of these views.
@MainActor
final class Subscriptions: RootObserver {
  private let root: any RootPort
  private let outbox: Outbox
  private let counters: Counters
  private let limits: Limits
  private let timing: Timing
  private let random: Randomness
  /// The followed scopes by number; nil for a free number.
  ///
  /// Bounded by ``ByteLedger``, which counts the name of each.
  @exclusivity(unchecked) private var followed: [FollowedScope?] = []
  /// Bounded by ``followed``.
  private var freeNumbers: [Int] = []
  private struct Key: Hashable {
    let scopes: [ObjectIdentifier]
    let isUnicast: Bool
  }

  /// Bounded by ``Limits/sessions`` and ``Limits/pendingJoins``.
  private var views: [Key: View] = [:]
  /// Bounded by ``views``.
  private var viewsByTopic: [Topic: View] = [:]
  /// The number of bytes that were published for all views.
  private(set) var publishedBytes: UInt64 = 0
  private var nextView: UInt64 = 1
  /// The views that the current step has changed.
  ///
  /// Bounded by ``views``.
  @exclusivity(unchecked) private var touched: [View] = []
  /// The views with steps or outputs to publish, in that order.
  ///
  /// Bounded by ``views``.
  @exclusivity(unchecked) private var dirty: [View] = []
  /// Bounded by ``views``, each once.
  private var bookmarks: Heap<DueBookmark> = []
  private var scratch = CBOREncoder()

  init(
    _ root: any RootPort,
    outbox: Outbox,
    counters: Counters,
    limits: Limits,
    timing: Timing,
    random: Randomness,
  ) {
    self.root = root
    self.outbox = outbox
    self.counters = counters
    self.limits = limits
    self.timing = timing
    self.random = random
    root.observer = self
  }

  // MARK: Following

  /// Returns the view of some scopes, in their order, and adds a follower to it.
  ///
  /// - Parameters:
  ///   - scopes: The scopes.
  ///   - isUnicast: Whether some users may not see all of them.
  /// - Returns: The view.
  func follow(_ scopes: [RootScope], isUnicast: Bool) -> View {
    let scopes = scopes.map { followedScope($0) }
    let key = Key(scopes: scopes.map { ObjectIdentifier($0) }, isUnicast: isUnicast)
    if let view = views[key] {
      view.followers += 1
      return view
    }
    let view = View(
      topic: Topic(isUnicast ? .unicastView : .view, random.identifier()),
      scopes: scopes,
      number: nextView,
      room: limits.roomInMessage,
      counters,
    )
    nextView += 1
    for (index, scope) in view.scopes.enumerated() { scope.show(in: view, at: index) }
    view.followers = 1
    views[key] = view
    if !isUnicast { viewsByTopic[view.topic] = view }
    return view
  }

  private func followedScope(_ scope: RootScope) -> FollowedScope {
    let scope = scope.followedTwin ?? scope
    if let number = scope.number, let known = followed[number] { return known }
    let new = FollowedScope(scope, revision: root.revision)
    let number = freeNumbers.popLast() ?? followed.count
    if number == followed.count { followed.append(new) } else { followed[number] = new }
    root.follow(scope, as: number)
    return new
  }

  /// Removes a follower.
  ///
  /// A view without followers is removed, with the scopes that only it shows.
  func release(_ view: View) {
    view.followers -= 1
    guard view.followers == 0 else { return }
    views[Key(scopes: view.scopes.map { ObjectIdentifier($0) }, isUnicast: view.isUnicast)] = nil
    viewsByTopic[view.topic] = nil
    if view.isDirty { dirty.removeAll { $0 === view } }
    for (index, scope) in view.scopes.enumerated() {
      scope.hide(from: view, at: index)
      guard scope.placements.isEmpty, let number = scope.root.number else { continue }
      root.unfollow(scope.root)
      scope.end()
      followed[number] = nil
      freeNumbers.append(number)
    }
  }

  // MARK: Steps

  func mayHaveChanged(_ scope: RootScope, at revision: UInt64) {
    guard let number = scope.number, let scope = followed[number] else {
      preconditionFailure("A scope without followers changed at \(revision)")
    }
    if let view = scope.onlyView {
      publish(scope, in: view, at: revision)
    } else {
      publish(scope, at: revision)
    }
  }

  /// Adds the delta of a scope to the only view that shows it.
  private func publish(_ scope: FollowedScope, in view: View, at revision: UInt64) {
    let wasDirty = view.isDirty
    let bytes = view.addOnlyStep(revision: revision) { encoder in
      root.encodeDelta(of: scope.root, into: &encoder)
    }
    guard let bytes else { return }
    scope.changed(at: revision)
    counters.deltas += 1
    counters.deltaBytes += UInt64(bytes)
    if !wasDirty { dirty.append(view) }
  }

  /// Adds the delta of a scope, encoded once, to each view that shows it.
  private func publish(_ scope: FollowedScope, at revision: UInt64) {
    let mark = scratch.mark
    guard root.encodeDelta(of: scope.root, into: &scratch) else { return }
    scope.changed(at: revision)
    counters.deltas += 1
    counters.deltaBytes += UInt64(scratch.count)
    for placement in scope.placements {
      if !placement.view.hasParts { touched.append(placement.view) }
      scratch.withBytes { placement.view.add($0, index: placement.index) }
    }
    scratch.truncate(to: mark)
  }

  func stepped(to revision: UInt64) {
    guard !touched.isEmpty else { return }
    for view in touched {
      if !view.isDirty { dirty.append(view) }
      view.closeStep(revision: revision)
    }
    touched.removeAll(keepingCapacity: true)
  }

  func put(_ output: any Sendable, of scope: RootScope, at revision: UInt64) {
    guard let outputs = scope.exposed.outputs, let number = scope.number,
      let scope = followed[number]
    else { return }
    let mark = scratch.mark
    let start = scratch.count
    guard outputs.encode(output, into: &scratch) else { return }
    guard scratch.count - start <= limits.outputBytes else {
      counters.outputsTooLarge += 1
      return scratch.truncate(to: mark)
    }
    counters.outputs += 1
    let value = scratch.bytes[start...]
    for placement in scope.placements {
      let output = PublishedMessage.Output(
        revision: revision,
        index: placement.index,
        schema: outputs.schema,
        value: value,
      )
      if !placement.view.isDirty { dirty.append(placement.view) }
      placement.view.add(output)
    }
    scratch.truncate(to: mark)
  }

  // MARK: Publishing

  /// Whether a view waits to be published.
  var isDirty: Bool { !dirty.isEmpty }

  /// Publishes all closed steps, and then their outputs.
  func flush(now: Instant) {
    guard !dirty.isEmpty else { return }
    for view in dirty {
      if view.hasSteps {
        while let message = view.nextSteps() { publish(message, of: view, now: now) }
        view.expectBookmark(now: now, limits: limits, timing: timing)
        schedule(view)
      }
      while let message = view.nextOutputs() { publish(message, of: view, now: now) }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  private func publish(_ body: [UInt8], of view: View, now: Instant) {
    if view.isUnicast {
      for session in view.sessions { outbox.send(body, to: session.peer) }
    } else {
      outbox.publish(view.topicBytes, body)
    }
    view.published(body.count, revision: root.revision, now: now)
    publishedBytes += UInt64(body.count)
  }

  /// The number of bytes that were published on a topic; nil if no view has the topic.
  func published(on topic: Topic) -> UInt64? { viewsByTopic[topic]?.publishedBytes }

  // MARK: Bookmarks

  /// Schedules a view's bookmark with the same delay as after a delta.
  func requestBookmark(_ view: View, now: Instant) {
    view.requestBookmark(at: now.advanced(by: timing.bookmark))
    schedule(view)
  }

  /// Queues a view once, for the earliest time of its bookmark; later deltas postpone it.
  private func schedule(_ view: View) {
    guard let due = view.bookmarkDue else { return }
    if let queued = view.queuedFor, queued <= due { return }
    view.queuedFor = due
    bookmarks.insert(DueBookmark(instant: due, view: view))
  }

  /// Publishes the bookmarks that are due; there must be nothing to flush.
  func sendDueBookmarks(now: Instant) {
    while let next = bookmarks.min, next.instant <= now {
      bookmarks.removeMin()
      let view = next.view
      guard isQueued(next) else { continue }
      view.queuedFor = nil
      if let due = view.bookmarkDue, due <= now { sendBookmark(of: view, now: now) }
      schedule(view)
    }
  }

  private func sendBookmark(of view: View, now: Instant) {
    // The first digest of a large scope takes as long as its capture, which is under way.
    if view.scopes.contains(where: \.awaitsDigest) {
      return view.delayBookmark(until: now.advanced(by: timing.bookmark))
    }
    let bookmark = view.takeBookmark(
      revision: root.revision,
      durableRevision: root.isDurable ? root.revision : nil,
      digests: view.scopes.map { digest(of: $0) },
    )
    publish(bookmark, of: view, now: now)
  }

  private func digest(of scope: FollowedScope) -> Digest {
    if let digest = scope.digest { return digest }
    let digest = root.digest(of: scope.root)
    scope.know(digest, isNewest: true)
    return digest
  }

  /// When a bookmark may be due.
  var nextDeadline: Instant {
    // Entries of removed views, and of views that were queued again, are obsolete.
    while let next = bookmarks.min, !isQueued(next) { bookmarks.removeMin() }
    return bookmarks.min?.instant ?? .distantFuture
  }

  private func isQueued(_ bookmark: DueBookmark) -> Bool {
    bookmark.view.followers > 0 && bookmark.view.queuedFor == bookmark.instant
  }

  private struct DueBookmark: Comparable {
    let instant: Instant
    let view: View

    static func == (left: Self, right: Self) -> Bool {
      left.instant == right.instant && left.view === right.view
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.instant, left.view.number) < (right.instant, right.view.number)
    }
  }

  // MARK: Invariants

  func checkInvariants() {
    let scopes = followed.compactMap(\.self)
    precondition(
      scopes.count + freeNumbers.count == followed.count,
      "\(scopes.count) scopes and \(freeNumbers.count) free numbers of \(followed.count)",
    )
    for scope in scopes {
      precondition(!scope.placements.isEmpty, "A scope is followed that no view shows")
      for (slot, placement) in scope.placements.enumerated() {
        precondition(
          placement.view.slots[placement.index] == slot
            && placement.view.scopes[placement.index] === scope,
          "View \(placement.view.number) has another scope at \(placement.index)",
        )
      }
    }
    for view in views.values {
      precondition(view.followers > 0, "View \(view.number) has \(view.followers) followers")
      precondition(!view.hasParts, "View \(view.number) has a step that was not closed")
      precondition(
        view.isDirty == dirty.contains { $0 === view },
        "View \(view.number) is\(view.isDirty ? "" : " not") to be published",
      )
      precondition(
        view.bookmarkDue.map { due in view.queuedFor.map { $0 <= due } ?? false } ?? true,
        "The bookmark of view \(view.number) is due and not queued",
      )
    }
    precondition(touched.isEmpty, "\(touched.count) views are in a step")
  }
}
