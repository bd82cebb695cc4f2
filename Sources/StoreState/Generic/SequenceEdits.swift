/// What became of a sequence whose content nobody knows: which items stay, go, come, and change.
///
/// Pieces stand in the order of the sequence, and behind the last one everything stays. Edits name
/// places in the sequence as the edits before them left it.
struct SequenceEdits<Item: Sendable, Change: Sendable>: Sendable {
  enum Piece: Sendable {
    /// Items of the old sequence that stay as they are.
    case kept(Int)
    /// Items of the old sequence that go.
    case dropped(Int)
    /// Items that come.
    case inserted([Item])
    /// One item of the old sequence that changes inside.
    case changed(Change)
  }

  /// No sequence has as many items, so that sums of places stay within 64 bits.
  static var mostItems: Int { 1 << 36 }

  private(set) var pieces: [Piece] = []
  /// How many items of the new sequence the pieces stand for.
  private var count = 0

  init() {}

  /// Whether nothing changes.
  var isEmpty: Bool {
    pieces.allSatisfy { if case .kept = $0 { true } else { false } }
  }

  /// Lets a run of items make way for others.
  mutating func replace(
    _ start: Int,
    removing removed: Int,
    with items: [Item],
  ) {
    let place = split(at: start)
    let end = removed > 0 ? split(at: start + removed) : place
    var dropped = 0
    for piece in pieces[place..<end] {
      switch piece {
      case .kept(let count), .dropped(let count): dropped += count
      case .changed: dropped += 1
      case .inserted: break
      }
    }
    var replacement: [Piece] = []
    if dropped > 0 { replacement.append(.dropped(dropped)) }
    if !items.isEmpty { replacement.append(.inserted(items)) }
    pieces.replaceSubrange(place..<end, with: replacement)
    count += items.count - removed
  }

  /// Changes an item inside: one that was inserted by `apply`, one of the old sequence by
  /// `compose`.
  mutating func change(
    _ index: Int,
    compose: (Change?) throws(CodecError) -> Change?,
    apply: (inout Item) throws(CodecError) -> Void,
  ) throws(CodecError) {
    let place = split(at: index)
    _ = split(at: index + 1)
    // Dropped items have no place in the new sequence.
    guard let place = pieces[place...].firstIndex(where: { $0.count > 0 }) else {
      preconditionFailure("No piece begins at \(index) of \(count) items.")
    }
    switch pieces[place] {
    case .inserted(var items):
      pieces[place] = .dropped(0)
      try apply(&items[0])
      pieces[place] = .inserted(items)
    case .changed(let change):
      pieces[place] = (try compose(change)).map { .changed($0) } ?? .kept(1)
    case .kept, .dropped:
      pieces[place] = (try compose(nil)).map { .changed($0) } ?? .kept(1)
    }
  }

  /// Cuts the pieces so that one begins at a place of the new sequence, and returns its index.
  private mutating func split(at place: Int) -> Int {
    if place >= count {
      // Behind all that changed: most edits come in the order of their places.
      if place > count { pieces.append(.kept(place - count)) }
      count = place
      return pieces.count
    }
    var (index, start) = (0, 0)
    while index < pieces.count, start + pieces[index].count <= place {
      start += pieces[index].count
      index += 1
    }
    guard start < place else { return index }
    switch pieces[index] {
    case .kept(let count):
      pieces.replaceSubrange(
        index...index,
        with: [.kept(place - start), .kept(count - (place - start))],
      )
    case .inserted(let items):
      let parts = (items[..<(place - start)], items[(place - start)...])
      pieces.replaceSubrange(
        index...index,
        with: [.inserted(Array(parts.0)), .inserted(Array(parts.1))],
      )
    case .changed, .dropped:
      preconditionFailure("A piece of one item cannot be cut at \(place - start).")
    }
    return index + 1
  }
}

extension SequenceEdits.Piece {
  /// How many items of the new sequence the piece stands for.
  fileprivate var count: Int {
    switch self {
    case .kept(let count): count
    case .dropped: 0
    case .inserted(let items): items.count
    case .changed: 1
    }
  }
}

// MARK: - Edits

extension SequenceEdits {
  /// An edit that names a place in the sequence as the edits before it left it.
  enum Edit {
    case replace(start: Int, removed: Int, inserted: [Item])
    case change(index: Int, Change)
  }

  /// The fewest edits that say the same, in the order of their places.
  var edits: [Edit] {
    var edits: [Edit] = []
    var (place, removed) = (0, 0)
    var inserted: [Item] = []
    func flush() {
      guard removed > 0 || !inserted.isEmpty else { return }
      edits.append(.replace(start: place, removed: removed, inserted: inserted))
      place += inserted.count
      (removed, inserted) = (0, [])
    }
    for piece in pieces {
      switch piece {
      case .dropped(let count): removed += count
      case .inserted(let items): inserted += items
      case .kept(0): break
      case .kept(let count):
        flush()
        place += count
      case .changed(let change):
        flush()
        edits.append(.change(index: place, change))
        place += 1
      }
    }
    flush()
    return edits
  }

  /// Writes one edit as it is, several as an array of them.
  func encode(
    to encoder: inout CBOREncoder,
    inserted: ([Item], inout CBOREncoder) -> Void,
    changed: (Change, inout CBOREncoder) -> Void,
  ) {
    let edits = edits
    if edits.count != 1 { encoder.arrayHeader(edits.count) }
    for edit in edits {
      switch edit {
      case .replace(let start, let removed, let items):
        encoder.arrayHeader(3)
        encoder.encode(unsigned: UInt64(start))
        encoder.encode(unsigned: UInt64(removed))
        inserted(items, &encoder)
      case .change(let index, let change):
        encoder.arrayHeader(2)
        encoder.encode(unsigned: UInt64(index))
        changed(change, &encoder)
      }
    }
  }
}
