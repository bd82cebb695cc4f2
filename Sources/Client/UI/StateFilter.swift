import Observation
import TerminalViews

/// Finds the parts of states that contain a text.
///
/// A large state takes long to search, so another thread does it. Until it finishes, the last
/// searched state is shown; a node that was never searched shows all its parts.
@MainActor
@Observable
final class StateFilter {
  /// Identifies one of a scope's states.
  enum Version: Equatable {
    case live(news: Int)
    case past(revision: UInt64)
  }

  /// The running search; nil while no state is to be searched.
  @ObservationIgnored private(set) var searching: Task<Void, Never>?
  @ObservationIgnored private var found: FoundParts?
  /// The paths of nodes whose parts were requested.
  ///
  /// A node that is hidden now may be shown again, so it is searched beforehand.
  @ObservationIgnored private var asked: Set<[StateNode.Key]> = []
  /// The number of completed searches: each one changes the displayed state.
  private var finds = 0

  /// Returns a state that shows only the parts that contain a text.
  ///
  /// - Parameters:
  ///   - root: The state.
  ///   - text: The text; empty for all parts.
  ///   - version: The state's version.
  /// - Returns: The state, or an earlier one until it is searched.
  func root(_ root: StateNode, for text: String, version: Version) -> FilteredNode {
    _ = finds
    guard !text.isEmpty else {
      (found, asked) = (nil, [])
      return FilteredNode(node: root, path: [], filter: nil)
    }
    if found?.version != version || found?.search.text != text {
      search(FoundParts(root: root, version: version, search: TextSearch(text)))
    }
    return FilteredNode(node: found?.root ?? root, path: [], filter: self)
  }

  private func search(_ parts: FoundParts) {
    guard searching == nil else { return }
    // The task runs after the drawing, which has requested all nodes that it shows.
    searching = Task { [weak self] in
      guard let paths = self?.asked.union([[]]) else { return }
      let found = await parts.searched(at: paths)
      self?.take(found)
    }
  }

  private func take(_ found: FoundParts) {
    (self.found, searching) = (found, nil)
    // The next drawing requests the displayed nodes again.
    if asked.count > Self.mostAsked { asked = [] }
    finds += 1
  }

  private static let mostAsked = 1_000

  /// The offsets of the parts that are shown; nil while unknown.
  fileprivate func places(at path: [StateNode.Key]) -> [Int]? {
    asked.insert(path)
    guard let found else { return nil }
    if let places = found.places[path] { return places }
    search(found)
    return nil
  }

  fileprivate func isFound(in node: StateNode) -> Bool {
    found?.search.isFound(in: node.label) ?? false
  }
}

/// The parts of a state that contain a text.
private struct FoundParts: Sendable {
  let root: StateNode
  let version: StateFilter.Version
  let search: TextSearch
  /// Their offsets in the nodes that were searched.
  private(set) var places: [[StateNode.Key]: [Int]] = [:]

  init(root: StateNode, version: StateFilter.Version, search: TextSearch) {
    (self.root, self.version, self.search) = (root, version, search)
  }

  /// Returns a copy with the results of more nodes.
  @concurrent nonisolated func searched(at paths: Set<[StateNode.Key]>) async -> FoundParts {
    var parts = self
    for path in paths where places[path] == nil {
      var node: StateNode? = root
      for key in path { node = node.flatMap { node in node.offset(of: key).map(node.part) } }
      parts.places[path] = node?.places(of: search) ?? []
    }
    return parts
  }
}

/// A part of a state that shows only those of its parts that contain a text.
struct FilteredNode: OutlineNode {
  let node: StateNode
  fileprivate let path: [StateNode.Key]
  /// The filter; nil if all parts are shown.
  fileprivate let filter: StateFilter?

  private var shown: [Int]? { filter?.places(at: path) }

  var partCount: Int { shown?.count ?? node.partCount }

  func part(at offset: Int) -> FilteredNode {
    let place = shown?[offset] ?? offset
    let part = node.part(at: place)
    // A part whose label matches shows all its parts.
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

/// A case-insensitive search for a text.
struct TextSearch: Sendable {
  let text: String
  private let wanted: String
  /// The bytes to search for, if they are ASCII; most searched texts are ASCII, too.
  private let bytes: [UInt8]?

  init(_ text: String) {
    self.text = text
    wanted = text.lowercased()
    bytes = wanted.utf8.allSatisfy { $0 < 0x80 } ? Array(wanted.utf8) : nil
  }

  /// Whether another text contains it; an empty text is always found.
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
