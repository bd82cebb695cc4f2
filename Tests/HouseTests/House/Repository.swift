import Foundation
import Testing

/// The repository on disk, read once for all rules.
struct Repository {
  /// The folder that holds `Package.swift`.
  let root: URL
  /// The text files that the rules look at, ordered by path.
  let files: [SourceFile]

  /// What went wrong when the repository could not be read, or the repository.
  static let current = Result { try Repository() }

  private static let skippedFolders: Set = ["DerivedData", "node_modules"]
  private static let kinds: Set = ["swift", "md", "h", "c"]

  private init(from path: String = #filePath) throws {
    root = try Repository.root(above: path)
    files = try Repository.paths(below: root, prefix: "").sorted().map { [root] path in
      let data = try Data(contentsOf: root.appendingPathComponent(path))
      return SourceFile(path: path, text: String(decoding: data, as: UTF8.self))
    }
  }

  /// Whether a file or folder stands at a path relative to the root.
  func contains(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  var swift: [SourceFile] { files.filter(\.isSwift) }
  var markdown: [SourceFile] { files.filter { $0.path.hasSuffix(".md") } }

  /// The rooms: the folders below `Sources`, also those without a file yet.
  func rooms() throws -> [String] {
    let sources = root.appendingPathComponent("Sources").path
    return try FileManager.default.contentsOfDirectory(atPath: sources)
      .filter { !$0.hasPrefix(".") }
      .sorted()
  }

  private static func root(above path: String) throws -> URL {
    var folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
    while folder.path != "/" {
      let manifest = folder.appendingPathComponent("Package.swift").path
      if FileManager.default.fileExists(atPath: manifest) { return folder }
      folder.deleteLastPathComponent()
    }
    throw NoRepository(path: path)
  }

  private static func paths(below folder: URL, prefix: String) throws -> [String] {
    let keys: [URLResourceKey] = [.isDirectoryKey]
    let entries = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: keys,
    )
    return try entries.flatMap { entry -> [String] in
      let name = entry.lastPathComponent
      guard !name.hasPrefix("."), !skippedFolders.contains(name) else { return [] }
      if try entry.resourceValues(forKeys: Set(keys)).isDirectory == true {
        return try paths(below: entry, prefix: prefix + name + "/")
      }
      return kinds.contains(entry.pathExtension) ? [prefix + name] : []
    }
  }
}

/// No folder above a test file holds a package.
struct NoRepository: Error, CustomStringConvertible {
  var path: String
  var description: String {
    "No folder above \(path) holds a Package.swift; the house rules run from a checkout."
  }
}

/// Records each breach as an issue of its own, located in the file it is about.
func report(_ breaches: [Breach], in repository: Repository) {
  for breach in breaches {
    let location = SourceLocation(
      fileID: "HouseTests/\(breach.path)",
      filePath: repository.root.appendingPathComponent(breach.path).path,
      line: max(breach.line, 1),
      column: 1,
    )
    Issue.record("\(breach.description)", sourceLocation: location)
  }
}
