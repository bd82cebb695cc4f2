import DequeModule
import StoreProtocol
import StoreState

/// A set of scopes that some sessions follow together, under one topic and one sequence.
@MainActor
final class View {
  let topic: Topic
  let topicBytes: [UInt8]
  /// Its scopes, in the bytewise order of its clients' names for them.
  let scopes: [FollowedScope]
  /// Distinguishes views, in the order of their creation.
  let number: UInt64
  /// Whether some users may not see it, so that it is sent to each follower on the control socket.
  let isUnicast: Bool
  /// How many sessions follow it, or are joining it.
  var followers = 0
  /// The sessions that a unicast view is sent to.
  ///
  /// Bounded by ``Limits/sessions``.
  var sessions: [Session] = []
  /// The index of this view among the placements of each of its scopes.
  ///
  /// Bounded by ``scopes``.
  var slots: [Int]
  /// The instant for which its bookmark is queued; nil if it is not queued.
  var queuedFor: Instant?
  /// When a bookmark is due; nil if the view has not changed since the last one.
  private(set) var bookmarkDue: Instant?
  /// The sequence of the newest revision that changed the view.
  private(set) var sequence: UInt64 = 0
  /// The newest revision that changed the view.
  private(set) var changedAt: UInt64 = 0

  /// The number of bytes that were published for it.
  private(set) var publishedBytes: UInt64 = 0
  /// The newest revision that was published.
  private var publishedRevision: UInt64 = 0
  /// Intervals of publishing, oldest first, each with its newest revision, the bytes published
  /// until its end, and its beginning; the oldest are dropped.
  ///
  /// Bounded by ``mostMarks``.
  private var marks: Deque<(revision: UInt64, bytes: UInt64, since: Instant)> = []
  private static let markInterval: UInt64 = 64 << 10
  private static let markTime: Duration = .milliseconds(100)
  private static let mostMarks = 1024

  private var sinceBookmark = 0
  /// When the first revision since the last bookmark was published.
  private var unmarkedSince: Instant?
  private let counters: Counters
  /// The bytes of steps, or of outputs, that one message has room for.
  private let room: Int
  // Unpublished steps: full messages, the complete steps after them, and the parts of the step in
  // progress. All of them leave at the end of the turn. Bounded by the actions of a turn:
  // ``Limits/actionsPerFrame``, and ``Limits/messageBytes`` for each step.
  private var full: Deque<[UInt8]> = []
  @exclusivity(unchecked) private var steps = CBOREncoder()
  @exclusivity(unchecked) private var stepCount = 0
  private var parts = CBOREncoder()
  private var partCount = 0
  /// Outputs since the last run: full messages, and the outputs after them.
  ///
  /// Bounded by ``Limits/actionsPerFrame`` and ``Limits/messageBytes``, as the steps are.
  private var fullOutputs: Deque<(count: Int, bytes: [UInt8])> = []
  private var outputs = CBOREncoder()
  private var outputCount = 0

  init(topic: Topic, scopes: [FollowedScope], number: UInt64, room: Int, _ counters: Counters) {
    self.topic = topic
    self.room = room
    self.counters = counters
    isUnicast = topic.kind == .unicastView
    topicBytes = topic.bytes
    self.scopes = scopes
    self.number = number
    slots = Array(repeating: 0, count: scopes.count)
  }

  /// Whether the step in progress has a part already.
  var hasParts: Bool { partCount > 0 }

  /// Whether there are steps or outputs to publish.
  var isDirty: Bool { hasSteps || outputCount > 0 || !fullOutputs.isEmpty }

  /// Whether there are steps to publish.
  var hasSteps: Bool { stepCount > 0 || !full.isEmpty }

  /// Writes the step of a revision that may change the only scope of the view.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - encode: Writes the delta; returns false if there is no change.
  /// - Returns: The number of the delta's bytes; nil without a change, and then no step is added.
  func addOnlyStep(revision: UInt64, _ encode: (inout CBOREncoder) -> Bool) -> Int? {
    let (mark, place) = (steps.mark, steps.count)
    steps.encode(unsigned: revision)
    steps.arrayHeader(2)
    steps.encode(unsigned: 0)
    let start = steps.count
    guard encode(&steps) else {
      steps.truncate(to: mark)
      return nil
    }
    let bytes = steps.count - start
    count(stepFrom: mark, place, revision: revision)
    return bytes
  }

  /// Adds a scope's delta to the step in progress.
  func add(_ delta: UnsafeBufferPointer<UInt8>, index: Int) {
    parts.encode(unsigned: UInt64(index))
    parts.append(raw: delta)
    partCount += 1
  }

  /// Closes the step in progress under a revision.
  func closeStep(revision: UInt64) {
    precondition(partCount > 0, "A step without parts at revision \(revision)")
    let (mark, place) = (steps.mark, steps.count)
    steps.encode(unsigned: revision)
    steps.arrayHeader(2 * partCount)
    steps.append(parts)
    parts.truncate(to: .start)
    partCount = 0
    count(stepFrom: mark, place, revision: revision)
  }

  /// Counts the step that was written last.
  ///
  /// - Parameters:
  ///   - mark: The encoder's mark at the step's beginning.
  ///   - place: The number of bytes before it.
  ///   - revision: Its revision.
  private func count(stepFrom mark: CBOREncoder.Mark, _ place: Int, revision: UInt64) {
    if steps.count <= room {
      stepCount += 1
    } else {
      makeRoom(from: mark, place, revision: revision)
    }
    sequence += 1
    changedAt = revision
    sinceBookmark += 1
  }

  /// Splits steps that do not fit one message: the last one begins another.
  ///
  /// A marker replaces a step that is too large for any message.
  private func makeRoom(from mark: CBOREncoder.Mark, _ place: Int, revision: UInt64) {
    let isTooLarge = steps.count - place > room
    let step = isTooLarge ? [] : Array(steps.bytes[place...])
    steps.truncate(to: mark)
    closeRun()
    if isTooLarge {
      // The memory of the large step is freed.
      steps = CBOREncoder()
      let marker = PublishedMessage.Marker(sequence: sequence + 1, revision: revision)
      full.append(PublishedMessage.marker(marker).encoded())
      counters.markers += 1
    } else {
      steps.append(raw: step)
      stepCount = 1
    }
  }

  /// Makes one message of the steps.
  private func closeRun() {
    guard stepCount > 0 else { return }
    let run = PublishedMessage.encodedRun(
      sequence: sequence - UInt64(stepCount) + 1,
      count: stepCount,
      steps: steps.bytes,
    )
    full.append(run)
    steps.truncate(to: .start)
    stepCount = 0
  }

  /// Takes the next message with closed steps; nil if there are no more.
  func nextSteps() -> [UInt8]? {
    closeRun()
    return full.popFirst()
  }

  /// Steps were published: a bookmark is due after them.
  func expectBookmark(now: Instant, limits: Limits, timing: Timing) {
    let latest = (unmarkedSince ?? now).advanced(by: timing.busyBookmark)
    unmarkedSince = unmarkedSince ?? now
    // A bookmark contains the digests of all scopes, so many of them for one delta cost too much.
    bookmarkDue =
      sinceBookmark >= max(limits.deltasPerBookmark, scopes.count)
      ? now : min(now.advanced(by: timing.bookmark), latest)
  }

  /// Records a published message, which contains changes up to a revision.
  func published(_ bytes: Int, revision: UInt64, now: Instant) {
    publishedBytes += UInt64(bytes)
    publishedRevision = revision
    let place = marks.count - 1
    let before = place > 0 ? marks[place - 1].bytes : 0
    if let last = marks.last, publishedBytes - before < Self.markInterval,
      now < last.since.advanced(by: Self.markTime)
    {
      (marks[place].revision, marks[place].bytes) = (revision, publishedBytes)
      return
    }
    if marks.count == Self.mostMarks { marks.removeFirst() }
    marks.append((revision, publishedBytes, now))
  }

  /// The bytes published up to a revision, accurate to some 64 KiB; 0 for a revision before the
  /// oldest interval.
  func publishedBytes(upTo revision: UInt64) -> UInt64 {
    if revision >= publishedRevision { return publishedBytes }
    let next = firstMark(behind: revision)
    return next > 0 ? marks[next - 1].bytes : 0
  }

  /// When the first message after a revision was published, accurate to some 100 ms; nil
  /// without one.
  func published(after revision: UInt64) -> Instant? {
    guard revision < publishedRevision else { return nil }
    let next = firstMark(behind: revision)
    return next < marks.count ? marks[next].since : nil
  }

  /// The index of the first mark of a later revision, by bisection in O(log n).
  private func firstMark(behind revision: UInt64) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].revision <= revision { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds an output, which is sent after all steps.
  func add(_ output: PublishedMessage.Output) {
    if outputs.count + output.encodedBytes > room { closeOutputs() }
    output.encode(to: &outputs)
    outputCount += 1
  }

  private func closeOutputs() {
    guard outputCount > 0 else { return }
    fullOutputs.append((outputCount, outputs.bytes))
    outputs.truncate(to: .start)
    outputCount = 0
  }

  /// Takes the next message with outputs since the last run; nil if there are no more.
  func nextOutputs() -> [UInt8]? {
    closeOutputs()
    guard let next = fullOutputs.popFirst() else { return nil }
    precondition(!hasSteps, "Outputs before \(stepCount) pending steps")
    return PublishedMessage.encodedOutputs(
      sequence: sequence,
      count: next.count,
      outputs: next.bytes,
    )
  }

  /// Schedules a bookmark no later than `instant`.
  func requestBookmark(at instant: Instant) {
    bookmarkDue = min(bookmarkDue ?? instant, instant)
  }

  /// Postpones a bookmark that is due.
  func delayBookmark(until instant: Instant) { bookmarkDue = instant }

  /// Takes the bookmark of a revision that the view shows completely, with its scopes' digests.
  func takeBookmark(
    revision: UInt64,
    durableRevision: UInt64?,
    digests: [Digest],
  ) -> [UInt8] {
    precondition(!hasSteps, "A bookmark before \(stepCount) pending steps")
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
