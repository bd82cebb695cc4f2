import Foundation

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// One file of the golden corpus: bytes that every later build must read as this build wrote them.
///
/// Each line is a word, names, and hexadecimal digits or a text:
///
///     # what the file is about
///     schema <document>
///     hash <digest of the schema>
///     value NAME <encoding>
///     digest NAME <digest of the value>
///     json NAME <the value as people read it>
///     delta FROM TO <delta>
struct GoldenFile {
  var name: String
  var lines: [String]

  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../Fixtures/Golden", directoryHint: .isDirectory)
    .standardizedFileURL

  /// Whether the corpus is rewritten instead of compared.
  static var isRewriting: Bool {
    ProcessInfo.processInfo.environment["REWRITE_GOLDEN"] != nil
  }

  var url: URL { Self.folder.appending(path: "\(name).txt") }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// All committed files of the corpus.
  static func committed() throws -> [GoldenFile] {
    try FileManager.default
      .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map { url in
        let text = try String(contentsOf: url, encoding: .utf8)
        return GoldenFile(
          name: url.deletingPathExtension().lastPathComponent,
          lines: text.split(separator: "\n").map(String.init),
        )
      }
  }
}

extension GoldenFile {
  /// States of one type, and the deltas between consecutive ones.
  init<State: ReplicatedState>(
    _ name: String,
    _ description: String,
    _ states: KeyValuePairs<String, State>,
  ) throws {
    let document = SchemaRegistry.document(for: State.self)
    self.init(name: name, lines: ["# \(description)"])
    addSchema(document)
    for (name, state) in states {
      try add(name, state.encoded(), document)
      lines.append("digest \(name) \(state._$digest)")
    }
    for ((from, old), (to, new)) in zip(states, states.dropFirst()) {
      guard let delta = new.delta(from: old) else { continue }
      lines.append("delta \(from) \(to) \(hexText(delta))")
    }
  }

  /// Actions of one type.
  init<Action: WireAction>(
    _ name: String,
    _ description: String,
    actions: KeyValuePairs<String, Action>,
  ) throws {
    let document = SchemaRegistry.document(for: Action.self)
    self.init(name: name, lines: ["# \(description)"])
    addSchema(document)
    for (name, action) in actions {
      let bytes = try action.encoded()
      try add(name, bytes, document)
      lines.append("digest \(name) \(try Digest.of(canonical: bytes))")
    }
  }

  private mutating func addSchema(_ document: SchemaDocument) {
    lines.append("schema \(hexText(document.encoded()))")
    lines.append("hash \(document.hash)")
  }

  private mutating func add(
    _ name: String,
    _ bytes: [UInt8],
    _ document: SchemaDocument,
  ) throws {
    let value = try GenericValue(encoded: bytes)
    lines.append("value \(name) \(hexText(bytes))")
    let json = JSONProjection.json(value, schema: document.root, in: document)
    lines.append("json \(name) \(json)")
  }
}
