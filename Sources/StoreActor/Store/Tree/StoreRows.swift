import StoreState

/// The nodes of a list's rows, held by the list's node.
///
/// When the list changes, its two trees are aligned once, and only rows that were changed, added or
/// removed are visited. A row that moved is the same row.
@MainActor
class StoreRows<List> {
  func listChanged(from old: UnsafePointer<List>, to new: UnsafePointer<List>) {}
}

/// The nodes of the rows of one type, by their ids.
private final class IdentifiedRowNodes<ID: Hashable, Row>: StoreRows<IdentifiedArray<ID, Row>> {
  var nodes: [ID: WeakNode] = [:]
  var limit = 64

  override func listChanged(
    from old: UnsafePointer<IdentifiedArray<ID, Row>>,
    to new: UnsafePointer<IdentifiedArray<ID, Row>>,
  ) {
    new.pointee.forEachChangedID(since: old.pointee) { id in
      guard let node = nodes[id]?.node, node.isWaiting else { return }
      node.parentChanged(from: old, to: new)
    }
  }

  func keep(_ node: AnyStoreNode, as id: ID) {
    nodes[id] = WeakNode(node: node)
    guard nodes.count > limit else { return }
    nodes = nodes.filter { $0.value.node != nil }
    limit = max(64, nodes.count * 2)
  }
}

extension StoreNode {
  /// The node of a row; nil if the row is absent from the list.
  final func row<ID: Hashable, Row>(
    _ id: ID
  ) -> StoreNode<Row>? where State == IdentifiedArray<ID, Row> {
    let rows = identifiedRows()
    if let known = rows.nodes[id]?.node as? StoreNode<Row>, known.end == nil { return known }
    guard let row = place.pointee[id: id] else { return nil }
    let node = CachedNode(tree: tree, parent: self, state: row, isRow: true) { list in
      list.assumingMemoryBound(to: State.self).pointee[id: id]
    }
    rows.keep(node, as: id)
    return node
  }

  private final func identifiedRows<ID: Hashable, Row>() -> IdentifiedRowNodes<ID, Row>
  where State == IdentifiedArray<ID, Row> {
    if let known = rows as? IdentifiedRowNodes<ID, Row> { return known }
    let rows = IdentifiedRowNodes<ID, Row>()
    self.rows = rows
    return rows
  }

  /// A node of a part that was present and is now absent.
  final func gone<Part>(_ part: Part) -> StoreNode<Part> {
    CachedNode(tree: tree, parent: self, state: part, end: .gone) { _ in nil }
  }
}

// MARK: - Rows by their key paths

/// The known lists of types of state.
///
/// They identify a key path to a row, `\.rows[id: id]`.
///
/// A key path does not state its components. But a known list and a row's id yield a key path for a
/// comparison. The known lists of a type are those that `@ObservableState` found, and those whose
/// stores were requested.
@MainActor
enum KnownLists {
  private static var lists: [ObjectIdentifier: [any KnownList]] = [:]
  /// The limit for one type: a key path may hold values, so their number is unbounded.
  private static let most = 16

  /// Notes a list of a type of state.
  static func note<State, ID: Hashable, Row>(_ path: KeyPath<State, IdentifiedArray<ID, Row>>) {
    let known = of(State.self)
    guard known.count < most, !known.contains(where: { $0.keyPath == path }) else { return }
    lists[ObjectIdentifier(State.self), default: []].append(TypedList(path: path))
  }

  private static func of<State>(_ type: State.Type) -> [any KnownList] {
    if let known = lists[ObjectIdentifier(type)] { return known }
    let declared = (type as? any ObservableState.Type)?.declaredLists ?? []
    let known = declared.compactMap { path in
      (Swift.type(of: path).valueType as? any RowList.Type)?.known(path, in: type)
    }
    lists[ObjectIdentifier(type)] = known
    return known
  }

  /// The node of a present row; nil if the key path is not known to lead to a row.
  ///
  /// - Parameters:
  ///   - path: The key path.
  ///   - row: The row's present value.
  ///   - node: The node at which the key path starts.
  ///   - holder: Receives the list's node.
  /// - Returns: The row's node.
  static func row<State, Row>(
    at path: KeyPath<State, Row?>,
    _ row: Row,
    in node: StoreNode<State>,
    _ holder: inout AnyStoreNode?,
  ) -> StoreNode<Row>? {
    for list in of(State.self) {
      if let found = list.row(at: path, row, in: node, &holder) as? StoreNode<Row> { return found }
    }
    return nil
  }
}

/// A list of a type of state.
@MainActor
private protocol KnownList {
  var keyPath: AnyKeyPath { get }
  func row<Whole, Part>(
    at path: KeyPath<Whole, Part?>,
    _ part: Part,
    in node: StoreNode<Whole>,
    _ holder: inout AnyStoreNode?,
  ) -> AnyStoreNode?
}

private struct TypedList<State, ID: Hashable, Row>: KnownList {
  let path: KeyPath<State, IdentifiedArray<ID, Row>>

  var keyPath: AnyKeyPath { path }

  func row<Whole, Part>(
    at other: KeyPath<Whole, Part?>,
    _ part: Part,
    in node: StoreNode<Whole>,
    _ holder: inout AnyStoreNode?,
  ) -> AnyStoreNode? {
    guard let node = node as? StoreNode<State>, let row = part as? Row else { return nil }
    let id = row[keyPath: node.state[keyPath: path].id]
    guard path.appending(path: \.[id: id]) == other else { return nil }
    let list = node.part(path)
    holder = list
    return list.row(id)
  }
}

/// A list with rows of any type.
@MainActor
private protocol RowList {
  static func known<State>(_ path: AnyKeyPath, in _: State.Type) -> (any KnownList)?
}

extension IdentifiedArray: RowList {
  fileprivate static func known<State>(
    _ path: AnyKeyPath,
    in _: State.Type,
  ) -> (any KnownList)? {
    (path as? KeyPath<State, Self>).map { TypedList(path: $0) }
  }
}

extension ObservableState {
  fileprivate static var declaredLists: [AnyKeyPath] { _$lists }
}
