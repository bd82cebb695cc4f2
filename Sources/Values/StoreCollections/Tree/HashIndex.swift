/// Finds the leaf of a row by the hash of the row's id.
///
/// A persistent trie of pairs of a hash and a label. It holds no ids, which keeps it small: a
/// caller that looks for an id searches the leaves whose labels are paired with its hash. A leaf
/// with several rows whose ids have the same hash has several pairs.
@usableFromInline
struct HashIndex {
  /// A bucket or a branch; nil without pairs.
  private var root: AnyObject?
  private var rootIsBranch = false

  /// A bucket with more pairs becomes a branch, unless all bits of the hashes are used.
  static let largestBucket = 64
  /// A branch with at most this many pairs becomes a bucket.
  static let smallestBranch = 32
  /// The number of a hash's bits that select the child of a branch.
  static let bits: UInt32 = 3
  /// The depth at which all bits of a hash are used.
  static let greatestDepth = 10

  init() {}

  /// The bits of a hash that are stored in leaves.
  ///
  /// They differ from the first bits that the index uses.
  @inlinable
  static func tag(of hash: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: hash) }

  static func pair(_ hash: UInt32, _ label: UInt32) -> UInt64 { UInt64(hash) << 32 | UInt64(label) }

  static func slot(of pair: UInt64, at depth: Int) -> Int {
    let hash = UInt32(pair >> 32)
    return Int((hash << (UInt32(depth) * bits)) >> (32 - bits))
  }

  /// The least label paired with a hash that is not less than `least`.
  @usableFromInline
  func label(of hash: UInt32, from least: UInt32) -> UInt32? {
    guard let root else { return nil }
    let pair = Self.pair(hash, least)
    var node = Unmanaged.passUnretained(root)
    var (isBranch, depth) = (rootIsBranch, 0)
    while isBranch {
      let slot = Self.slot(of: pair, at: depth)
      let child = node._withUnsafeGuaranteedRef { node in
        let branch = unsafeDowncast(node, to: HashBranch.self)
        isBranch = branch.isBranch(at: slot)
        return branch.child(at: slot)
      }
      guard let child else { return nil }
      node = child
      depth += 1
    }
    return node._withUnsafeGuaranteedRef { node in
      let bucket = unsafeDowncast(node, to: HashBucket.self)
      let place = bucket.place(of: pair, at: depth)
      guard place < bucket.count else { return nil }
      let found = bucket.pairs[place]
      return found >> 32 == pair >> 32 ? UInt32(truncatingIfNeeded: found) : nil
    }
  }

  mutating func insert(_ hash: UInt32, _ label: UInt32) {
    HashBranch.insert(Self.pair(hash, label), into: &root, &rootIsBranch, depth: 0)
  }

  /// Removes one occurrence of a pair, which must exist.
  mutating func remove(_ hash: UInt32, _ label: UInt32) {
    HashBranch.remove(Self.pair(hash, label), from: &root, &rootIsBranch, depth: 0)
  }

  mutating func replace(_ hash: UInt32, _ label: UInt32, by newLabel: UInt32) {
    remove(hash, label)
    insert(hash, newLabel)
  }

  /// All pairs in ascending order.
  var pairs: [UInt64] {
    var pairs: [UInt64] = []
    HashBranch.collect(root, rootIsBranch, into: &pairs)
    return pairs
  }
}

// MARK: - Nodes

struct HashBucketHeader {
  var count: UInt32
  let capacity: UInt32
}

/// Some pairs in ascending order.
final class HashBucket: ManagedBuffer<HashBucketHeader, UInt64> {
  static func make(capacity: Int) -> HashBucket {
    // The allocator provides memory in units of 16 bytes.
    let rounded = (capacity + 1) & ~1
    let bucket = HashBucket.create(minimumCapacity: rounded) { _ in
      HashBucketHeader(count: 0, capacity: UInt32(rounded))
    }
    return unsafeDowncast(bucket, to: HashBucket.self)
  }

  static func make(_ pairs: UnsafeBufferPointer<UInt64>) -> HashBucket {
    let bucket = make(capacity: pairs.count)
    if let first = pairs.baseAddress { bucket.pairs.initialize(from: first, count: pairs.count) }
    bucket.count = pairs.count
    return bucket
  }

  var count: Int {
    get { Int(notes.pointee.count) }
    set { notes.pointee.count = UInt32(newValue) }
  }

  /// The header without the runtime's exclusivity checks: a node that changes has one owner.
  var notes: UnsafeMutablePointer<HashBucketHeader> { withUnsafeMutablePointerToHeader { $0 } }

  var pairs: UnsafeMutablePointer<UInt64> { withUnsafeMutablePointerToElements { $0 } }

  var content: UnsafeBufferPointer<UInt64> {
    UnsafeBufferPointer(start: pairs, count: count)
  }

  /// The index of the first pair that is not less than `pair`.
  ///
  /// Hashes are spread evenly, so the search begins at the hash's share of all hashes.
  ///
  /// - Parameters:
  ///   - pair: The pair to find.
  ///   - depth: The number of branches above the bucket; all its pairs share the bits of
  ///     these branches.
  /// - Returns: The index.
  func place(of pair: UInt64, at depth: Int) -> Int {
    let (pairs, count) = (pairs, count)
    let share = UInt64(UInt32(pair >> 32) << (UInt32(depth) * HashIndex.bits))
    var place = Int((share * UInt64(count)) >> 32)
    while place < count, pairs[place] < pair { place += 1 }
    while place > 0, pairs[place - 1] >= pair { place -= 1 }
    return place
  }
}

struct HashBranchHeader {
  /// The children that are branches, one bit each.
  var branches: UInt8
  /// The number of pairs below.
  var total: UInt32
}

/// Eight children, each with the pairs whose hashes share the same three bits.
final class HashBranch: ManagedBuffer<HashBranchHeader, AnyObject?> {
  static let width = 8

  static func make() -> HashBranch {
    let branch = HashBranch.create(minimumCapacity: width) { _ in
      HashBranchHeader(branches: 0, total: 0)
    }
    let result = unsafeDowncast(branch, to: HashBranch.self)
    result.children.initialize(repeating: nil, count: width)
    return result
  }

  deinit {
    _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: HashBranch.width) }
  }

  var notes: UnsafeMutablePointer<HashBranchHeader> { withUnsafeMutablePointerToHeader { $0 } }

  var children: UnsafeMutablePointer<AnyObject?> { withUnsafeMutablePointerToElements { $0 } }

  /// A child, unretained; valid as long as the caller holds the branch.
  func child(at slot: Int) -> Unmanaged<AnyObject>? {
    UnsafeRawPointer(children + slot).load(as: Unmanaged<AnyObject>?.self)
  }

  func isBranch(at slot: Int) -> Bool { notes.pointee.branches >> UInt8(slot) & 1 == 1 }

  func setBranch(_ isBranch: Bool, at slot: Int) {
    let bit: UInt8 = 1 << UInt8(slot)
    notes.pointee.branches = isBranch ? notes.pointee.branches | bit : notes.pointee.branches & ~bit
  }

  func copy() -> HashBranch {
    let copy = HashBranch.make()
    copy.notes.pointee = notes.pointee
    copy.children.update(from: children, count: Self.width)
    return copy
  }

  static func insert(
    _ pair: UInt64,
    into node: inout AnyObject?,
    _ isBranch: inout Bool,
    depth: Int,
  ) {
    guard isBranch else {
      insert(pair, intoBucket: &node, depth: depth)
      if let bucket = node.map({ unsafeDowncast($0, to: HashBucket.self) }),
        bucket.count > HashIndex.largestBucket, depth < HashIndex.greatestDepth
      {
        node = make(bucket.content, depth: depth)
        isBranch = true
      }
      return
    }
    let branch = makeUnique(&node)
    let slot = HashIndex.slot(of: pair, at: depth)
    var childIsBranch = branch.isBranch(at: slot)
    insert(pair, into: &branch.children[slot], &childIsBranch, depth: depth + 1)
    branch.setBranch(childIsBranch, at: slot)
    branch.notes.pointee.total += 1
  }

  static func remove(
    _ pair: UInt64,
    from node: inout AnyObject?,
    _ isBranch: inout Bool,
    depth: Int,
  ) {
    guard isBranch else { return remove(pair, fromBucket: &node, depth: depth) }
    let branch = makeUnique(&node)
    let slot = HashIndex.slot(of: pair, at: depth)
    var childIsBranch = branch.isBranch(at: slot)
    remove(pair, from: &branch.children[slot], &childIsBranch, depth: depth + 1)
    branch.setBranch(childIsBranch, at: slot)
    branch.notes.pointee.total -= 1
    guard branch.notes.pointee.total <= HashIndex.smallestBranch else { return }
    var pairs: [UInt64] = []
    collect(branch, true, into: &pairs)
    node = pairs.withUnsafeBufferPointer { HashBucket.make($0) }
    isBranch = false
  }

  /// A branch of pairs in ascending order.
  static func make(_ pairs: UnsafeBufferPointer<UInt64>, depth: Int) -> HashBranch {
    let branch = make()
    branch.notes.pointee.total = UInt32(pairs.count)
    var start = 0
    for slot in 0..<width where start < pairs.count {
      let end = self.end(of: slot, in: pairs, from: start, depth)
      guard end > start else { continue }
      let part = UnsafeBufferPointer(rebasing: pairs[start..<end])
      let isBranch = part.count > HashIndex.largestBucket && depth + 1 < HashIndex.greatestDepth
      branch.children[slot] = isBranch ? make(part, depth: depth + 1) : HashBucket.make(part)
      branch.setBranch(isBranch, at: slot)
      start = end
    }
    return branch
  }

  /// The end of the pairs that belong to a slot.
  private static func end(
    of slot: Int,
    in pairs: UnsafeBufferPointer<UInt64>,
    from start: Int,
    _ depth: Int,
  ) -> Int {
    var (low, high) = (start, pairs.count)
    while low < high {
      let middle = (low + high) / 2
      if HashIndex.slot(of: pairs[middle], at: depth) <= slot {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  static func collect(_ node: AnyObject?, _ isBranch: Bool, into pairs: inout [UInt64]) {
    guard let node else { return }
    guard isBranch else {
      return pairs.append(contentsOf: unsafeDowncast(node, to: HashBucket.self).content)
    }
    let branch = unsafeDowncast(node, to: HashBranch.self)
    for slot in 0..<width {
      collect(branch.children[slot], branch.isBranch(at: slot), into: &pairs)
    }
  }

  private static func makeUnique(_ node: inout AnyObject?) -> HashBranch {
    let isOwned = isUnique(&node)
    guard let object = node else { preconditionFailure("A branch of an index is missing.") }
    let branch = unsafeDowncast(object, to: HashBranch.self)
    guard !isOwned else { return branch }
    let copy = branch.copy()
    node = copy
    return copy
  }

  private static func insert(_ pair: UInt64, intoBucket node: inout AnyObject?, depth: Int) {
    let isOwned = isUnique(&node)
    guard let object = node else {
      let bucket = HashBucket.make(capacity: 4)
      bucket.pairs.initialize(to: pair)
      bucket.count = 1
      node = bucket
      return
    }
    let bucket = unsafeDowncast(object, to: HashBucket.self)
    let (place, count) = (bucket.place(of: pair, at: depth), bucket.count)
    if isOwned, count < Int(bucket.notes.pointee.capacity) {
      (bucket.pairs + place + 1).update(from: bucket.pairs + place, count: count - place)
      bucket.pairs[place] = pair
      bucket.count += 1
    } else {
      let larger = HashBucket.make(capacity: count + 3)
      larger.pairs.initialize(from: bucket.pairs, count: place)
      (larger.pairs + place).initialize(to: pair)
      (larger.pairs + place + 1).initialize(from: bucket.pairs + place, count: count - place)
      larger.count = count + 1
      node = larger
    }
  }

  private static func remove(_ pair: UInt64, fromBucket node: inout AnyObject?, depth: Int) {
    let isOwned = isUnique(&node)
    guard let object = node else { preconditionFailure("\(pair) is not in an empty index.") }
    let bucket = unsafeDowncast(object, to: HashBucket.self)
    let (place, count) = (bucket.place(of: pair, at: depth), bucket.count)
    precondition(
      place < count && bucket.pairs[place] == pair,
      "A pair of an index is not among the \(count) of its bucket; did an id's hash change?",
    )
    guard count > 1 else {
      node = nil
      return
    }
    if isOwned {
      (bucket.pairs + place).update(from: bucket.pairs + place + 1, count: count - place - 1)
      bucket.count -= 1
    } else {
      let smaller = HashBucket.make(capacity: count - 1)
      smaller.pairs.initialize(from: bucket.pairs, count: place)
      (smaller.pairs + place).initialize(from: bucket.pairs + place + 1, count: count - place - 1)
      smaller.count = count - 1
      node = smaller
    }
  }
}

// MARK: - Building

extension HashIndex {
  /// An index of pairs in ascending order.
  init(sorted pairs: UnsafeBufferPointer<UInt64>) {
    guard !pairs.isEmpty else { return }
    rootIsBranch = pairs.count > Self.largestBucket
    root = rootIsBranch ? HashBranch.make(pairs, depth: 0) : HashBucket.make(pairs)
  }
}
