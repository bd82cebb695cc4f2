import Foundation
import Testing

/// The repository on disk, read once for all rules.
struct Repository: Sendable {
  /// The folder with `Package.swift`.
  let root: URL
  /// The targets.
  let manifest: Manifest
  /// The text files that the rules check, ordered by path.
  let files: [SourceFile]

  /// The repository, or the error of reading it.
  static let current = Result { try Repository() }

  private static let skippedFolders: Set = ["DerivedData", "node_modules"]
  private static let kinds: Set = ["swift", "md", "h", "c"]

  private init(from path: String = #filePath) throws {
    let root = try Repository.root(above: path)
    func text(_ path: String) throws -> String {
      try String(decoding: Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
    }
    let manifest = Manifest(SourceFile.lines(of: try text(Manifest.path)))
    (self.root, self.manifest) = (root, manifest)
    files = try Repository.paths(below: root, prefix: "").sorted().map { path in
      SourceFile(path: path, text: try text(path), room: manifest.room(of: path))
    }
  }

  private init(_ other: Repository, files: [SourceFile]) {
    (root, manifest, self.files) = (other.root, other.manifest, files)
  }

  /// The repository with additional files, which replace those at the same paths.
  func planting(_ planted: [SourceFile]) -> Repository {
    let paths = Set(planted.map(\.path))
    return Repository(self, files: files.filter { !paths.contains($0.path) } + planted)
  }

  /// Whether a file or folder exists at a path relative to the root.
  func contains(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  var swift: [SourceFile] { files.filter(\.isSwift) }
  var markdown: [SourceFile] { files.filter { $0.path.hasSuffix(".md") } }

  /// The wings: the folders of `Sources`, including those without files.
  func wings() throws -> [String] {
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

/// The error if no folder above a test file contains a package.
struct NoRepository: Error, CustomStringConvertible {
  var path: String
  var description: String {
    "No folder above \(path) holds a Package.swift; the house rules run from a checkout."
  }
}

/// Records each breach as a separate issue, located in its file.
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
