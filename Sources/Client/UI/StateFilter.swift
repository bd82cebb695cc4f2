import Observation
import TerminalViews

/// Finds the parts of states in which a text stands.
///
/// To go through a large state takes long, so another thread does it. Until it has, the state that
/// it went through last stays to be seen, and all of what it has not gone through at all.
@MainActor
@Observable
final class StateFilter {
  /// Which of a scope's states it is.
  enum Version: Equatable {
    case live(news: Int)
    case past(revision: UInt64)
  }

  /// Goes through a state; nil while there is none to go through.
  @ObservationIgnored private(set) var searching: Task<Void, Never>?
  @ObservationIgnored private var found: FoundParts?
  /// Of which nodes the parts were asked for: what was shown and is not there now may come again,
  /// and is searched before it is shown.
  @ObservationIgnored private var asked: Set<[StateNode.Key]> = []
  /// How often something was found: what is drawn then is another state.
  private var finds = 0

  /// A state of which only those parts are shown in which a text stands.
  ///
  /// - Parameters:
  ///   - root: The state.
  ///   - text: The text; empty for all parts.
  ///   - version: Which state it is.
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
    // It begins when the drawing has ended, and has asked for what it shows.
    searching = Task { [weak self] in
      guard let paths = self?.asked.union([[]]) else { return }
      let found = await parts.searched(at: paths)
      self?.take(found)
    }
  }

  private func take(_ found: FoundParts) {
    (self.found, searching) = (found, nil)
    // What is shown is asked for again by the next drawing.
    if asked.count > Self.mostAsked { asked = [] }
    finds += 1
  }

  private static let mostAsked = 1_000

  /// The places of the parts that are shown; nil where it is not known yet.
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

/// The parts of a state in which a text stands.
private struct FoundParts: Sendable {
  let root: StateNode
  let version: StateFilter.Version
  let search: TextSearch
  /// Their places in the nodes that were searched.
  private(set) var places: [[StateNode.Key]: [Int]] = [:]

  init(root: StateNode, version: StateFilter.Version, search: TextSearch) {
    (self.root, self.version, self.search) = (root, version, search)
  }

  /// Itself, with what is found in more nodes.
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

/// A part of a state, of whose parts only those are shown in which a text stands.
struct FilteredNode: OutlineNode {
  let node: StateNode
  fileprivate let path: [StateNode.Key]
  /// Nil where all parts are shown.
  fileprivate let filter: StateFilter?

  private var shown: [Int]? { filter?.places(at: path) }

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
