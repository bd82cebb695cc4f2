import DequeModule
import StoreState

/// A set of scopes that some sessions follow together, under one topic and one sequence.
@MainActor
final class View {
  let topic: Topic
  let topicBytes: [UInt8]
  /// Its scopes, in the bytewise order of the names by which its clients call them.
  let scopes: [FollowedScope]
  /// Tells views apart, in the order in which they came.
  let number: UInt64
  /// Whether not everybody may see it, so that it goes to each follower on the control socket.
  let isOwn: Bool
  /// How many sessions follow it, or are about to.
  var followers = 0
  /// The sessions that it goes to, where that is so.
  var sessions: [Session] = []
  /// Where each of its scopes has noted that it is shown here.
  var slots: [Int]
  /// For when its bookmark is queued; nil when it is not.
  var queuedFor: Instant?
  /// When a bookmark is due; nil when the last one says it all.
  private(set) var bookmarkDue: Instant?
  /// The sequence of the newest revision that changed the view.
  private(set) var sequence: UInt64 = 0

  /// How many bytes were published of it.
  private(set) var publishedBytes: UInt64 = 0
  /// The newest revision of which something was published.
  private var publishedRevision: UInt64 = 0
  /// How much had been published at some revisions, oldest first; the oldest are forgotten.
  private var marks: Deque<(revision: UInt64, bytes: UInt64)> = []
  private static let markInterval: UInt64 = 64 << 10
  private static let mostMarks = 1024

  private var sinceBookmark = 0
  /// When the first revision since the last bookmark was published.
  private var unmarkedSince: Instant?
  // What was not published yet: whole steps, and the parts of the step in progress.
  private var steps = CBOREncoder()
  private var stepCount = 0
  private var parts = CBOREncoder()
  private var partCount = 0
  /// What was put out since the last run.
  private var outputs = CBOREncoder()
  private var outputCount = 0
  private let start = CBOREncoder().mark

  init(topic: Topic, scopes: [FollowedScope], number: UInt64) {
    self.topic = topic
    isOwn = topic.kind == .ownView
    topicBytes = topic.bytes
    self.scopes = scopes
    self.number = number
    slots = Array(repeating: 0, count: scopes.count)
  }

  /// Whether the step in progress has a part already.
  var hasParts: Bool { partCount > 0 }

  /// Whether there is something to publish.
  var isDirty: Bool { stepCount > 0 || outputCount > 0 }

  /// Writes the step of a revision that is about to change the only scope of the view.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - encode: Writes the delta; false when there is none.
  /// - Returns: The delta's bytes; nil when there is none, and then there is no step.
  func addOnlyStep(revision: UInt64, _ encode: (inout CBOREncoder) -> Bool) -> Int? {
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
    return steps.bytes.count - start
  }

  /// Adds a scope's delta to the step in progress.
  func add(_ delta: ArraySlice<UInt8>, index: Int) {
    parts.encode(unsigned: UInt64(index))
    parts.append(raw: delta)
    partCount += 1
  }

  /// Closes the step in progress, which was the revision's.
  func closeStep(revision: UInt64) {
    precondition(partCount > 0, "A step without parts at revision \(revision)")
    steps.encode(unsigned: revision)
    steps.arrayHeader(2 * partCount)
    steps.append(raw: parts.bytes)
    parts.truncate(to: start)
    partCount = 0
    stepCount += 1
    sequence += 1
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
    let latest = (unmarkedSince ?? now).advanced(by: timing.busyBookmark)
    unmarkedSince = unmarkedSince ?? now
    // A bookmark has all scopes' digests: a delta must not pay for many of them.
    bookmarkDue =
      sinceBookmark >= max(limits.deltasPerBookmark, scopes.count)
      ? now : min(now.advanced(by: timing.bookmark), latest)
    steps.truncate(to: start)
    stepCount = 0
    return run
  }

  /// Takes note of what is published, which goes up to a revision.
  func published(_ bytes: Int, revision: UInt64) {
    publishedBytes += UInt64(bytes)
    publishedRevision = revision
    guard publishedBytes - (marks.last?.bytes ?? 0) >= Self.markInterval else { return }
    if marks.count == Self.mostMarks { marks.removeFirst() }
    marks.append((revision, publishedBytes))
  }

  /// How much was published up to a revision, to some 64 KiB; 0 when that is long ago.
  func publishedBytes(upTo revision: UInt64) -> UInt64 {
    if revision >= publishedRevision { return publishedBytes }
    return marks.last { $0.revision <= revision }?.bytes ?? 0
  }

  /// Adds an output, which goes behind all steps.
  func add(_ output: PublishedMessage.Output) {
    output.encode(to: &outputs)
    outputCount += 1
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

  /// Puts a bookmark off that is due.
  func delayBookmark(until instant: Instant) { bookmarkDue = instant }

  /// The bookmark of a revision that the view shows completely, with its scopes' digests.
  func takeBookmark(
    revision: UInt64,
    durableRevision: UInt64?,
    digests: [Digest],
  ) -> [UInt8] {
    precondition(stepCount == 0, "A bookmark before \(stepCount) pending steps")
    bookmarkDue = nil
    sinceBookmark = 0
    unmarkedSince = nil
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
