public import Foundation

/// The storage of `.fileStorage`: files, or memory that simulates files.
public struct FileStorage: Hashable, Sendable {
  private enum Kind: Hashable {
    case fileSystem
    case memory(ObjectIdentifier)
  }

  private let kind: Kind
  private let read: @Sendable (URL) throws -> Data?
  private let write: @Sendable (Data, URL) throws -> Void
  private let writes: FileWrites?

  /// The files of the file system.
  ///
  /// Each file is replaced as a whole. The first change in a second is written by its thread, and
  /// later ones on a separate thread. In reducers, and in a process with a daemon, no change waits
  /// for a disk: all are written on that thread. A program that exits waits for it.
  public static let fileSystem = Self(
    kind: .fileSystem,
    read: { url in
      do {
        return try Data(contentsOf: url)
      } catch CocoaError.fileReadNoSuchFile {
        return nil
      }
    },
    write: { data, url in
      let directory = url.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try data.write(to: url, options: .atomic)
    },
    writes: FileWrites.shared,
  )

  /// Files in memory, initially empty.
  public static var inMemory: Self { inMemory(files: LockIsolated([:])) }

  /// Files in memory that a test can inspect.
  ///
  /// - Parameter files: The files.
  /// - Returns: The storage; storages with the same files are equal.
  public static func inMemory(files: LockIsolated<[URL: Data]>) -> Self {
    Self(
      kind: .memory(ObjectIdentifier(files)),
      read: { url in files.withValue { $0[url] } },
      write: { data, url in files.withValue { $0[url] = data } },
      writes: nil,
    )
  }

  /// The canonical URL of a file.
  func file(_ url: URL) -> URL {
    let url = url.absoluteURL
    return kind == .fileSystem ? url.resolvingExistingLinks : url.standardized
  }

  func load(_ url: URL) throws -> Data? {
    if let unwritten = writes?[url] { return try unwritten() }
    return try read(url)
  }

  func save(
    _ url: URL,
    _ encode: @escaping FileWrites.Encode,
    _ finish: @escaping FileWrites.Finish,
  ) {
    if let writes {
      writes.add(url, encode, finish, write)
    } else {
      finish(Result { try write(try encode(), url) })
    }
  }

  /// Whether both are the same storage.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.kind == rhs.kind }

  /// Hashes the storage's identity.
  public func hash(into hasher: inout Hasher) { kind.hash(into: &hasher) }
}

extension FileStorage: DependencyKey {
  /// The files of the file system.
  public static var liveValue: FileStorage { .fileSystem }
  /// Files in memory.
  public static var previewValue: FileStorage { .inMemory }
  /// Files in memory, initially empty, for each test.
  public static var testValue: FileStorage { .inMemory }
}

extension DependencyValues {
  /// The storage of `.fileStorage`: files, and in a test memory.
  public var defaultFileStorage: FileStorage {
    get { self[FileStorage.self] }
    set { self[FileStorage.self] = newValue }
  }
}

extension URL {
  /// The file's URL with the links resolved in those of its folders that exist.
  fileprivate var resolvingExistingLinks: URL {
    guard isFileURL else { return self }
    var folder = path
    var rest: [String] = []
    while true {
      if let resolved = realpath(folder, nil) {
        defer { free(resolved) }
        let file = rest.reversed().reduce(URL(fileURLWithPath: String(cString: resolved))) {
          $0.appendingPathComponent($1)
        }
        return file.standardized
      }
      let next = NSString(string: folder).deletingLastPathComponent
      guard next != folder, !next.isEmpty else { return standardized }
      rest.append(NSString(string: folder).lastPathComponent)
      folder = next
    }
  }
}
