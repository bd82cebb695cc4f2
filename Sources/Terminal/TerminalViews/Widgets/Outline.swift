/// A node with parts, which an ``Outline`` shows.
@MainActor
public protocol OutlineNode {
  /// The key of a part, unique among its siblings.
  associatedtype Key: Hashable

  /// The number of parts.
  var partCount: Int { get }

  /// Returns the part at a place.
  func part(at offset: Int) -> Self

  /// Returns the key of the part at a place.
  func key(at offset: Int) -> Key

  /// Returns the place of a part; nil if there is no such part.
  func offset(of key: Key) -> Int?
}

/// The nodes of an ``Outline`` that show their parts.
public struct OutlineExpansion<Key: Hashable>: Equatable {
  /// The expansions of the expanded parts.
  public private(set) var parts: [Key: OutlineExpansion] = [:]

  /// Creates an expansion in which only the root shows its parts.
  public init() {}

  /// Returns whether the node at a path shows its parts.
  public func contains(_ path: some Collection<Key>) -> Bool {
    guard let first = path.first else { return true }
    return parts[first]?.contains(path.dropFirst()) ?? false
  }

  /// Expands or collapses the node at a path.
  public mutating func set(_ path: some Collection<Key>, _ isExpanded: Bool) {
    guard let first = path.first else { return }
    if path.count == 1 {
      parts[first] = isExpanded ? parts[first] ?? OutlineExpansion() : nil
    } else {
      parts[first]?.set(path.dropFirst(), isExpanded)
    }
  }
}

/// A tree of any size, which creates only its visible rows.
///
/// The right and left arrows, and enter, expand and collapse the selected node. The program handles
/// enter on a node without parts.
///
/// The view does not keep nodes between two drawings, so a large value that contains them can be
/// changed in place meanwhile.
public struct Outline<Node: OutlineNode, Row: View>: PrimitiveView {
  private let root: @MainActor () -> Node
  private let expansion: Binding<OutlineExpansion<Node.Key>>
  private let selection: Binding<RowSelection<[Node.Key]>>
  private let onSubmit: (@MainActor (Node, _ path: [Node.Key]) -> Void)?
  private let row: @MainActor (Node, _ path: [Node.Key]) -> Row

  /// Creates a tree.
  ///
  /// - Parameters:
  ///   - root: The node whose parts are at the top; the tree does not show the node itself. Each
  ///     drawing and each key evaluates it.
  ///   - expansion: The nodes that show their parts.
  ///   - selection: The path of the selected row.
  ///   - onSubmit: The action of enter for a selected node without parts; nil for no action.
  ///   - row: The view of a node, one row high.
  public init(
    _ root: @autoclosure @escaping @MainActor () -> Node,
    expansion: Binding<OutlineExpansion<Node.Key>>,
    selection: Binding<RowSelection<[Node.Key]>>,
    onSubmit: (@MainActor (Node, _ path: [Node.Key]) -> Void)? = nil,
    @ViewBuilder row: @escaping @MainActor (Node, _ path: [Node.Key]) -> Row,
  ) {
    self.root = root
    self.expansion = expansion
    self.selection = selection
    self.onSubmit = onSubmit
    self.row = row
  }

  /// Both directions.
  public var flexibility: Axes { [.horizontal, .vertical] }

  /// Returns a row for each shown node.
  public func size(in proposal: Size) -> Size {
    let count = OutlineRows(root(), expansion.wrappedValue).count
    return Size(width: min(80, proposal.width), height: min(count, proposal.height))
  }

  /// Draws the visible rows.
  public func draw(in canvas: Canvas) {
    let rows = OutlineRows(root(), expansion.wrappedValue)
    let isEmpty = rows.count == 0
    canvas.onKey { [root, expansion, selection, aim = canvas.frame.memory?.aim] key in
      guard let path = selection.wrappedValue.id, !isEmpty else { return false }
      let isExpanded = expansion.wrappedValue.contains(path)
      let expands: Bool
      switch key {
      case .right, "l": expands = true
      case .left, "h":
        if !isExpanded, path.count > 1 {
          // Moves to the parent node.
          let rows = OutlineRows(root(), expansion.wrappedValue)
          let parent = Array(path.dropLast())
          let place = selection.wrappedValue.place(of: parent, rows.count) { rows[$0].path }
          guard let place else { return aim?.miss() ?? false }
          selection.wrappedValue.select(place, id: parent)
          return true
        }
        expands = false
      case .enter, " ": expands = !isExpanded
      default: return false
      }
      if selection.wrappedValue.isMissing { return aim?.miss() ?? false }
      expansion.wrappedValue.set(path, expands)
      return true
    }
    let window = RowWindow<[Node.Key]>(count: rows.count, selection: selection) {
      [root, expansion] offset in
      let rows = OutlineRows(root(), expansion.wrappedValue)
      // Some nodes may be removed since they were drawn.
      return rows.count == 0 ? [] : rows[min(offset, rows.count - 1)].path
    } onSubmit: { [root, expansion, onSubmit] offset in
      let rows = OutlineRows(root(), expansion.wrappedValue)
      guard let onSubmit, offset < rows.count else { return false }
      let (node, path) = rows[offset]
      guard node.partCount == 0 else { return false }
      onSubmit(node, path)
      return true
    }
    window.draw(in: canvas) {
      rows[$0].path
    } row: { line, offset in
      let (node, path) = rows[offset]
      let isExpanded = expansion.wrappedValue.contains(path)
      let indent = (path.count - 1) * 2
      line.write(node.partCount == 0 ? " " : isExpanded ? "▾" : "▸", x: indent)
      row(node, path).drawn(in: line.part(x: indent + 2))
    }
  }
}

/// The rows of an outline, found without visiting nodes that are not expanded.
@MainActor
struct OutlineRows<Node: OutlineNode> {
  /// A node that shows its parts, with the number of rows of each expanded part.
  @MainActor
  private final class Branch {
    let node: Node
    let path: [Node.Key]
    /// The expanded parts, in their order.
    let branches: [(offset: Int, branch: Branch)]
    let count: Int

    init(_ node: Node, _ path: [Node.Key], _ expansion: OutlineExpansion<Node.Key>) {
      self.node = node
      self.path = path
      branches = expansion.parts.compactMap { key, inner in
        node.offset(of: key).map { ($0, Branch(node.part(at: $0), path + [key], inner)) }
      }
      .sorted { $0.offset < $1.offset }
      count = branches.reduce(node.partCount) { $0 + $1.branch.count }
    }
  }

  private let root: Branch

  init(_ root: Node, _ expansion: OutlineExpansion<Node.Key>) {
    self.root = Branch(root, [], expansion)
  }

  var count: Int { root.count }

  subscript(row: Int) -> (node: Node, path: [Node.Key]) {
    var (branch, row) = (root, row)
    while true {
      var next: Branch?
      for (offset, inner) in branch.branches {
        if row <= offset { break }
        // The part itself takes a row before its own parts.
        if row <= offset + inner.count {
          next = inner
          row -= offset + 1
          break
        }
        row -= inner.count
      }
      guard let found = next else {
        return (branch.node.part(at: row), branch.path + [branch.node.key(at: row)])
      }
      branch = found
    }
  }
}
