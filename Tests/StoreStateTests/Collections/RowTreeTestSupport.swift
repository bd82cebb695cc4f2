import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Nodes so narrow that a few rows make a high tree.
let narrow = TreeWidths(leaf: 2, branch: 4)

extension IdentifiedArray where ID == Int, Element == Row {
  /// Rows with the given ids and default values, in narrow nodes.
  static func narrow(_ ids: some Sequence<Int>) -> Rows {
    var rows = Rows(widths: StoreStateTests.narrow)
    rows.fill(with: ids.map { Row($0) })
    return rows
  }
}

/// Checks a tree's nodes, and compares its rows with a plain array.
func expectSound(
  _ rows: Rows,
  _ plain: [Row],
  sourceLocation: SourceLocation = #_sourceLocation,
) {
  let faults = rows.tree.faults { $0.pointee._$digest.rawValue }
  #expect(faults.isEmpty, sourceLocation: sourceLocation)
  #expect(rows.elementsEqual(plain), sourceLocation: sourceLocation)
  #expect(rows.count == plain.count, sourceLocation: sourceLocation)
  #expect(rows._$digest == plain._$digest, sourceLocation: sourceLocation)
  let afterwards = rows.tree.faults { $0.pointee._$digest.rawValue }
  #expect(afterwards.isEmpty, sourceLocation: sourceLocation)
}

/// An operation on rows with few different ids, and the same operation on a plain array.
enum RowOperation: CaseIterable {
  case append, insertFirst, insertMiddle, remove, toggle, replace, assign
  case removeFirst, removeLast, moveFirstToEnd, moveLastToFront, swapEnds, reverse, sort, filter

  /// The operations that have an id.
  static let withID: [RowOperation] = [
    .append, .insertFirst, .insertMiddle, .remove, .toggle, .replace, .assign,
  ]
  static let withoutID: [RowOperation] = [
    .removeFirst, .removeLast, .moveFirstToEnd, .moveLastToFront, .swapEnds, .reverse, .sort,
    .filter,
  ]

  func apply(_ id: Int, to rows: inout Rows) {
    let last = rows.count - 1
    switch self {
    case .append: rows.append(Row(id))
    case .insertFirst: rows.insert(Row(id), at: 0)
    case .insertMiddle: rows.insert(Row(id), at: rows.count / 2)
    case .remove: rows.remove(id: id)
    case .toggle: rows[id: id]?.isCompleted.toggle()
    case .replace: rows.updateOrAppend(Row(id, "new"))
    case .assign: rows[id: id] = rows.contains(id: id) ? nil : Row(id, "set")
    case .removeFirst: if last >= 0 { rows.removeFirst() }
    case .removeLast: if last >= 0 { rows.removeLast() }
    case .moveFirstToEnd: if last >= 0 { rows.move(fromOffsets: [0], toOffset: rows.count) }
    case .moveLastToFront: if last >= 0 { rows.move(fromOffsets: [last], toOffset: 0) }
    case .swapEnds: if last >= 0 { rows.swapAt(0, last) }
    case .reverse: rows.reverse()
    case .sort: rows.sort { $0.id < $1.id }
    case .filter: rows.removeAll { $0.id % 3 == 1 }
    }
  }

  func apply(_ id: Int, to plain: inout [Row]) {
    let known = plain.firstIndex { $0.id == id }
    switch self {
    case .append: if known == nil { plain.append(Row(id)) }
    case .insertFirst: if known == nil { plain.insert(Row(id), at: 0) }
    case .insertMiddle: if known == nil { plain.insert(Row(id), at: plain.count / 2) }
    case .remove: if let known { plain.remove(at: known) }
    case .toggle: if let known { plain[known].isCompleted.toggle() }
    case .replace:
      if let known { plain[known] = Row(id, "new") } else { plain.append(Row(id, "new")) }
    case .assign: if let known { plain.remove(at: known) } else { plain.append(Row(id, "set")) }
    case .removeFirst: if !plain.isEmpty { plain.removeFirst() }
    case .removeLast: if !plain.isEmpty { plain.removeLast() }
    case .moveFirstToEnd: if !plain.isEmpty { plain.append(plain.removeFirst()) }
    case .moveLastToFront: if let last = plain.popLast() { plain.insert(last, at: 0) }
    case .swapEnds: if !plain.isEmpty { plain.swapAt(0, plain.count - 1) }
    case .reverse: plain.reverse()
    case .sort: plain.sort { $0.id < $1.id }
    case .filter: plain.removeAll { $0.id % 3 == 1 }
    }
  }
}

/// An id with a constant hash.
struct CollidingID: RawRepresentable, Hashable, ReplicatedState {
  var rawValue: Int

  func hash(into hasher: inout Hasher) {}
}

struct CollidingRow: ReplicatedRecord, Identifiable, Hashable {
  var id = CollidingID(rawValue: 0)
  var value = 0

  static let layout = RecordLayout<CollidingRow>(
    "CollidingRow",
    [.field("id", \.id), .field("value", \.value)],
  )

  init() {}

  init(_ id: Int, _ value: Int = 0) {
    self.id = CollidingID(rawValue: id)
    self.value = value
  }
}

extension RowTree {
  /// The number of nodes that an older version does not share.
  func nodeCount(notIn old: RowTree) -> Int {
    var known: Set<ObjectIdentifier> = []
    old.forEachNode {
      known.insert(ObjectIdentifier($0))
      return true
    }
    var found = 0
    forEachNode {
      if known.contains(ObjectIdentifier($0)) { return false }
      found += 1
      return true
    }
    return found
  }

  /// The number of rows that the next digest must hash.
  var unhashedCount: Int { unhashed(in: root, height) }

  private func unhashed(in node: AnyObject, _ height: Int) -> Int {
    guard height > 0 else {
      let leaf = unsafeDowncast(node, to: RowLeaf.self)
      return (0..<leaf.count).count { leaf.notes.pointee.pending >> UInt32($0) & 1 == 1 }
    }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    return (0..<branch.count).filter { branch.content(at: $0) == 0 }
      .map { unhashed(in: branch.entries[$0].child, height - 1) }
      .reduce(0, +)
  }

  /// Calls a closure with the root, and with the children of each node for which it returns true.
  private func forEachNode(_ goesOn: (AnyObject) -> Bool) {
    var nodes = count > 0 ? [(node: root, height: height)] : []
    while let (node, height) = nodes.popLast() {
      guard goesOn(node), height > 0 else { continue }
      let branch = unsafeDowncast(node, to: RowBranch.self)
      for slot in 0..<branch.count { nodes.append((branch.entries[slot].child, height - 1)) }
    }
  }
}
