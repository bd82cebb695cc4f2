import Dispatch
public import Foundation

/// Where `.fileStorage` keeps values: in files, or in memory as if there were files.
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
  /// They are written on a thread of their own, in order, and replaced as a whole.
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
    writes: FileWrites(),
  )

  /// Files in memory, none at first.
  public static var inMemory: Self { inMemory(files: LockIsolated([:])) }

  /// Files in memory, to be looked at.
  ///
  /// - Parameter files: The files.
  /// - Returns: The storage; those with the same files are one.
  public static func inMemory(files: LockIsolated<[URL: Data]>) -> Self {
    Self(
      kind: .memory(ObjectIdentifier(files)),
      read: { url in files.withValue { $0[url] } },
      write: { data, url in files.withValue { $0[url] = data } },
      writes: nil,
    )
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

  /// Whether both are one.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.kind == rhs.kind }

  /// Hashes which one it is.
  public func hash(into hasher: inout Hasher) { kind.hash(into: &hasher) }
}

extension FileStorage: DependencyKey {
  /// The files of the file system.
  public static var liveValue: FileStorage { .fileSystem }
  /// Files in memory.
  public static var previewValue: FileStorage { .inMemory }
  /// Files in memory, none at first, for each test.
  public static var testValue: FileStorage { .inMemory }
}

extension DependencyValues {
  /// Where `.fileStorage` keeps values: in files, and in a test in memory.
  public var defaultFileStorage: FileStorage {
    get { self[FileStorage.self] }
    set { self[FileStorage.self] = newValue }
  }
}

/// What is to be written into files, on a thread of its own; of each file only the newest.
///
/// Sendable because `waiting` and `current` are only touched while `lock` is held.
final class FileWrites: @unchecked Sendable {
  typealias Encode = @Sendable () throws -> Data
  typealias Finish = @Sendable (Result<Void, any Error>) -> Void

  private let lock = NSLock()
  private let queue = DispatchQueue(label: "shared values in files")
  private var waiting: [URL: (encode: Encode, finish: [Finish])] = [:]
  private var current: (url: URL, encode: Encode)?

  /// What a file is to have, and has not yet.
  subscript(url: URL) -> Encode? {
    lock.withLock { waiting[url]?.encode ?? (current?.url == url ? current?.encode : nil) }
  }

  func add(
    _ url: URL,
    _ encode: @escaping Encode,
    _ finish: @escaping Finish,
    _ write: @escaping @Sendable (Data, URL) throws -> Void,
  ) {
    let isFirst = lock.withLock {
      let others = waiting[url]?.finish
      waiting[url] = (encode, (others ?? []) + [finish])
      return others == nil
    }
    if isFirst { queue.async { self.perform(url, write) } }
  }

  private func perform(_ url: URL, _ write: (Data, URL) throws -> Void) {
    let next = lock.withLock {
      let next = waiting.removeValue(forKey: url)
      current = next.map { (url, $0.encode) }
      return next
    }
    guard let next else { return }
    let result = Result { try write(try next.encode(), url) }
    lock.withLock { current = nil }
    for finish in next.finish { finish(result) }
  }
}
