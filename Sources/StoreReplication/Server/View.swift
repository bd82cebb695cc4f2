import StoreActor
import StoreState

/// A scope that some session follows.
@MainActor
final class ActiveScope<Root: Sendable, RootAction> {
  let name: String
  let source: ScopeSource<Root, RootAction>
  /// The views that show it.
  var placements: [Placement] = [] {
    didSet {
      let view = placements.count == 1 ? placements[0].view : nil
      onlyView = view?.names.count == 1 ? view : nil
    }
  }
  /// The view that shows it and nothing else, where no other view shows it: the common case.
  @exclusivity(unchecked) private(set) var onlyView: View?
  /// The next one of those that someone follows.
  ///
  /// The server's table holds them; a chain that held itself would go by as deep a recursion.
  @exclusivity(unchecked) unowned var next: ActiveScope?
  /// What is being sent of it, for as long as it does not change.
  @exclusivity(unchecked) var captures = ScopeCaptures()
  /// Its digest, where that is known; nil since it changed.
  @exclusivity(unchecked) private(set) var digest: Digest?

  init(name: String, source: ScopeSource<Root, RootAction>) {
    self.name = name
    self.source = source
  }

  /// Forgets what was known of its last state.
  func changed() {
    digest = nil
    if !captures.isEmpty { captures.removeAll() }
  }

  /// Takes the digest of its state from whoever has computed it elsewhere.
  func know(_ digest: Digest) { self.digest = digest }

  /// The digest of its state, which is the one in `root`.
  func digest(of root: RootCore<Root, RootAction>) -> Digest {
    if let digest { return digest }
    let digest = root.withState(source.digest)
    self.digest = digest
    return digest
  }
}

/// Where a scope is shown.
struct Placement {
  let view: View
  let index: Int
}

/// A set of scopes that some sessions follow together, under one topic and one sequence.
final class View {
  let topic: Topic
  let topicBytes: [UInt8]
  /// Its scopes' names, in bytewise order.
  let names: [String]
  /// How many sessions follow it, or are about to.
  var followers = 0
  /// The sequence of the newest revision that changed the view.
  @exclusivity(unchecked) private(set) var sequence: UInt64 = 0
  /// When a bookmark is due; nil when the last one says it all.
  @exclusivity(unchecked) private(set) var bookmarkDue: Instant?

  private var sinceBookmark = 0
  // What was not published yet: whole steps, and the parts of the step in progress.
  @exclusivity(unchecked) private var steps = CBOREncoder()
  @exclusivity(unchecked) private var stepCount = 0
  private var parts = CBOREncoder()
  private var partCount = 0
  /// What was put out since the last run.
  private var outputs = CBOREncoder()
  @exclusivity(unchecked) private var outputCount = 0
  private let start = CBOREncoder().mark

  init(topic: Topic, names: [String]) {
    self.topic = topic
    topicBytes = topic.bytes
    self.names = names
  }

  /// Whether the step in progress has a part already.
  var hasParts: Bool { partCount > 0 }

  /// Writes the step of a revision that is about to change the only scope of the view.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - encode: Writes the delta; false when there is none.
  /// - Returns: The delta's size; nil when there is none, and then there is no step.
  func addOnlyStep(
    revision: UInt64,
    _ encode: (inout CBOREncoder) -> Bool,
  ) -> StepSize? {
    let mark = steps.mark
    steps.encode(unsigned: revision)
    steps.arrayHeader(2)
    steps.encode(unsigned: 0)
    let start = steps.bytes.count
    guard encode(&steps) else {
      steps.truncate(to: mark)
      return nil
    }
    stepCount += 1
    sequence += 1
    return StepSize(bytes: steps.bytes.count - start, unshared: steps.takeUnshared())
  }

  /// Whether exactly one step waits to be published.
  var hasOneStep: Bool { stepCount == 1 }

  /// Adds a scope's delta to the step in progress.
  func add(_ delta: ArraySlice<UInt8>, index: Int) {
    parts.encode(unsigned: UInt64(index))
    parts.append(raw: delta)
    partCount += 1
  }

  /// Closes the step in progress, which was the revision's.
  ///
  /// - Returns: Whether it is the first of the run.
  func closeStep(revision: UInt64) -> Bool {
    precondition(partCount > 0, "A step without parts at revision \(revision)")
    steps.encode(unsigned: revision)
    steps.arrayHeader(2 * partCount)
    steps.append(raw: parts.bytes)
    parts.truncate(to: start)
    partCount = 0
    stepCount += 1
    sequence += 1
    return stepCount == 1
  }

  /// The run of all closed steps, and when the bookmark after it is due.
  func takeRun(now: Instant, limits: Limits, timing: Timing) -> [UInt8]? {
    guard stepCount > 0 else { return nil }
    let run = PublishedMessage.encodedRun(
      sequence: sequence - UInt64(stepCount) + 1,
      count: stepCount,
      steps: steps.bytes,
    )
    sinceBookmark += stepCount
    bookmarkDue =
      sinceBookmark >= limits.deltasPerBookmark ? now : now.advanced(by: timing.bookmark)
    steps.truncate(to: start)
    stepCount = 0
    return run
  }

  /// Adds an output, which goes behind all steps.
  ///
  /// - Returns: Whether it is the first since the last run.
  func add(_ output: PublishedMessage.Output) -> Bool {
    output.encode(to: &outputs)
    outputCount += 1
    return outputCount == 1
  }

  /// The outputs since the last run; nil when there are none.
  func takeOutputs() -> [UInt8]? {
    guard outputCount > 0 else { return nil }
    precondition(stepCount == 0, "Outputs before \(stepCount) pending steps")
    defer {
      outputs.truncate(to: start)
      outputCount = 0
    }
    return PublishedMessage.encodedOutputs(
      sequence: sequence,
      count: outputCount,
      outputs: outputs.bytes,
    )
  }

  /// Sees to it that a bookmark comes no later than `instant`.
  func requestBookmark(at instant: Instant) {
    bookmarkDue = min(bookmarkDue ?? instant, instant)
  }

  /// The bookmark of a revision that the view shows completely, with its scopes' digests.
  func takeBookmark(
    revision: UInt64,
    durableRevision: UInt64?,
    digests: [Digest],
  ) -> [UInt8] {
    precondition(stepCount == 0, "A bookmark before \(stepCount) pending steps")
    bookmarkDue = nil
    sinceBookmark = 0
    return PublishedMessage.bookmark(
      PublishedMessage.Bookmark(
        revision: revision,
        sequence: sequence,
        durableRevision: durableRevision,
        digests: digests,
      )
    ).encoded()
  }
}
