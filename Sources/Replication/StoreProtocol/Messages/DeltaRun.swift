import StoreState

extension PublishedMessage {
  /// Consecutive revisions of one view.
  ///
  /// Deltas are stored as received: as numeric places in the frame. Lists of steps with their
  /// changes would be allocated, copied and released for each revision.
  package struct DeltaRun: Sendable {
    /// The place and the scope of one delta.
    package struct Part: Sendable {
      package var revision: UInt64
      /// The index of the scope; nil if the revision changed no scope.
      package var index: Int?
      /// The place of its bytes.
      var start = 0
      var end = 0
      /// Whether it is the last one of its revision.
      var isLast = true
    }

    /// The first revision's sequence.
    package var sequence: UInt64
    /// The number of revisions.
    package private(set) var count = 0
    /// All deltas, revision by revision.
    package private(set) var parts: [Part] = []
    private var bytes: ArraySlice<UInt8> = []

    /// The bytes of a delta.
    package func delta(_ part: Part) -> ArraySlice<UInt8> { bytes[part.start..<part.end] }

    /// The place of the first part after the first `known` revisions.
    package func place(after known: Int) -> Int {
      // Nearly always each revision has one part.
      guard parts.count > count else { return min(known, parts.count) }
      var (place, left) = (0, known)
      while left > 0, place < parts.count {
        if parts[place].isLast { left -= 1 }
        place += 1
      }
      return place
    }
  }

  /// The changes of one revision in a view.
  package struct Step: Hashable, Sendable {
    package var revision: UInt64
    package var changes: [Change]

    package init(revision: UInt64, changes: [Change]) {
      self.revision = revision
      self.changes = changes
    }
  }

  /// A delta of the optional state of the scope at `index`.
  package struct Change: Hashable, Sendable {
    package var index: Int
    package var delta: ArraySlice<UInt8>
  }
}

// MARK: - Steps

extension PublishedMessage.DeltaRun: Hashable {
  package init(sequence: UInt64, steps: [PublishedMessage.Step]) {
    self.sequence = sequence
    var all: [UInt8] = []
    for step in steps {
      for change in step.changes {
        let start = all.count
        all += change.delta
        let part = Part(
          revision: step.revision,
          index: change.index,
          start: start,
          end: all.count,
          isLast: false,
        )
        parts.append(part)
      }
      if step.changes.isEmpty { parts.append(Part(revision: step.revision, index: nil)) }
      parts[parts.count - 1].isLast = true
    }
    bytes = all[...]
    count = steps.count
  }

  /// The revisions, one by one.
  package var steps: [PublishedMessage.Step] {
    get {
      var steps: [PublishedMessage.Step] = []
      var changes: [PublishedMessage.Change] = []
      for part in parts {
        if let index = part.index {
          changes.append(PublishedMessage.Change(index: index, delta: delta(part)))
        }
        guard part.isLast else { continue }
        steps.append(PublishedMessage.Step(revision: part.revision, changes: changes))
        changes = []
      }
      return steps
    }
    set { self = PublishedMessage.DeltaRun(sequence: sequence, steps: newValue) }
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.sequence == right.sequence && left.steps == right.steps
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(sequence)
    hasher.combine(steps)
  }
}

// MARK: - Coding

extension PublishedMessage.DeltaRun {
  /// Reads the `rest` elements after the kind, of a frame.
  init(
    from decoder: inout CBORDecoder,
    _ rest: Int,
    of frame: ArraySlice<UInt8>,
  ) throws(MessageError) {
    guard rest >= 3, !rest.isMultiple(of: 2) else {
      throw decoder.error(.typeMismatch, "expected a sequence and pairs, found \(rest) elements")
    }
    sequence = try decoder.unsigned()
    bytes = frame
    count = rest / 2
    parts.reserveCapacity(count)
    for _ in 0..<count { try readStep(from: &decoder) }
  }

  private mutating func readStep(from decoder: inout CBORDecoder) throws(MessageError) {
    let revision = try decoder.unsigned()
    let items = try decoder.arrayHeader()
    guard items.isMultiple(of: 2) else {
      throw decoder.error(
        .typeMismatch,
        "expected pairs of index and delta, found \(items) elements",
      )
    }
    guard items > 0 else { return parts.append(Part(revision: revision, index: nil)) }
    for place in 1...(items / 2) {
      let index = try decoder.unsigned()
      guard let small = Int(exactly: index) else {
        throw decoder.error(.typeMismatch, "expected a scope's index, found \(index)")
      }
      let start = bytes.startIndex + decoder.offset
      try decoder.skipItem()
      let part = Part(
        revision: revision,
        index: small,
        start: start,
        end: bytes.startIndex + decoder.offset,
        isLast: place == items / 2,
      )
      parts.append(part)
    }
  }
}

extension PublishedMessage.Step {
  func encode(to encoder: inout CBOREncoder) {
    encoder.encode(unsigned: revision)
    encoder.arrayHeader(2 * changes.count)
    for change in changes {
      encoder.encode(unsigned: UInt64(change.index))
      encoder.append(raw: change.delta)
    }
  }
}
