import TerminalViews

/// Finds the parts of states in which a text stands.
///
/// Of a state nothing is kept: only which parts were found, until the state or the text is another.
@MainActor
final class StateFilter {
  private var search = TextSearch("")
  private var version = 0
  private var places: [[StateNode.Key]: [Int]] = [:]

  /// A state of which only those parts are shown in which a text stands.
  ///
  /// - Parameters:
  ///   - root: The state.
  ///   - text: The text; empty for all parts.
  ///   - version: Another number whenever the state is another one.
  /// - Returns: The state.
  func root(_ root: StateNode, for text: String, version: Int) -> FilteredNode {
    if search.text != text { (search, places) = (TextSearch(text), [:]) }
    if self.version != version { (self.version, places) = (version, [:]) }
    return FilteredNode(node: root, path: [], filter: text.isEmpty ? nil : self)
  }

  /// The places of the parts that are shown.
  fileprivate func places(of node: StateNode, at path: [StateNode.Key]) -> [Int] {
    if let known = places[path] { return known }
    let found = node.places(of: search)
    places[path] = found
    return found
  }

  fileprivate func isFound(in node: StateNode) -> Bool { search.isFound(in: node.label) }
}

/// A part of a state, of whose parts only those are shown in which a text stands.
struct FilteredNode: OutlineNode {
  let node: StateNode
  fileprivate let path: [StateNode.Key]
  /// Nil where all parts are shown.
  fileprivate let filter: StateFilter?

  private var shown: [Int]? { filter?.places(of: node, at: path) }

  var partCount: Int { shown?.count ?? node.partCount }

  func part(at offset: Int) -> FilteredNode {
    let place = shown?[offset] ?? offset
    let part = node.part(at: place)
    // Of what is called so all parts are shown.
    let isWhole = filter?.isFound(in: part) ?? true
    return FilteredNode(
      node: part,
      path: path + [node.key(at: place)],
      filter: isWhole ? nil : filter,
    )
  }

  func key(at offset: Int) -> StateNode.Key { node.key(at: shown?[offset] ?? offset) }

  func offset(of key: StateNode.Key) -> Int? {
    guard let place = node.offset(of: key) else { return nil }
    return shown.map { $0.firstIndex(of: place) } ?? place
  }
}

/// A text that is looked for, in whatever case.
struct TextSearch: Sendable {
  let text: String
  private let wanted: String
  /// The bytes that are looked for, where they are ASCII: most of what is searched is as well.
  private let bytes: [UInt8]?

  init(_ text: String) {
    self.text = text
    wanted = text.lowercased()
    bytes = wanted.utf8.allSatisfy { $0 < 0x80 } ? Array(wanted.utf8) : nil
  }

  /// Whether it stands in another text; an empty one does.
  func isFound(in other: String) -> Bool {
    guard let bytes else { return other.lowercased().contains(wanted) }
    var other = other
    return other.withUTF8 { text in
      guard text.count >= bytes.count else { return false }
      return (0...(text.count - bytes.count)).contains { start in
        bytes.indices.allSatisfy { Self.lowercased(text[start + $0]) == bytes[$0] }
      }
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
