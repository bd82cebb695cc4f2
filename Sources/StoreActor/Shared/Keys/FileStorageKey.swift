public import Foundation

extension SharedReaderKey {
  /// A value that is kept in a file, as JSON unless told.
  ///
  /// It is read when it is shared for the first time, and written after each change: at once, or
  /// soon where changes follow each other, in reducers, and in a daemon. `save()` waits for it, and
  /// so does the end of the program. Changes that others make in the file are not noticed: `load()`
  /// reads it again.
  ///
  /// A file that cannot be read is not replaced by a change: changes stay in memory, with a
  /// `saveError`, until `load()` succeeds, or `save()` is called.
  public static func fileStorage<Value: Codable>(
    _ url: URL,
    decoder: JSONDecoder? = nil,
    encoder: JSONEncoder? = nil,
  ) -> Self where Self == FileStorageKey<Value> {
    let (decoder, encoder) = (decoder ?? JSONDecoder(), encoder ?? .forFiles)
    return FileStorageKey(
      url,
      decode: { try decoder.decode(Value.self, from: $0) },
      encode: { try encoder.encode($0) },
    )
  }

  /// A value that is kept in a file, in a form of one's own.
  public static func fileStorage<Value>(
    _ url: URL,
    decode: @escaping @Sendable (Data) throws -> Value,
    encode: @escaping @Sendable (Value) throws -> Data,
  ) -> Self where Self == FileStorageKey<Value> {
    FileStorageKey(url, decode: decode, encode: encode)
  }
}

extension JSONEncoder {
  fileprivate static var forFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return encoder
  }
}

/// A key of a value that is kept in a file: ``SharedReaderKey/fileStorage(_:decoder:encoder:)``.
public struct FileStorageKey<Value: Sendable>: SharedKey, UnreadKeepingKey {
  private let url: URL
  /// The file, however its URL is written; nil where the disk was not to be looked at.
  private let file: URL?
  private let storage: FileStorage
  private let decode: @Sendable (Data) throws -> Value
  private let encode: @Sendable (Value) throws -> Data

  init(
    _ url: URL,
    decode: @escaping @Sendable (Data) throws -> Value,
    encode: @escaping @Sendable (Value) throws -> Data,
  ) {
    self.url = url
    self.decode = decode
    self.encode = encode
    storage = DependencyValues._current.defaultFileStorage
    file = ReadingScope.isCurrent ? nil : storage.file(url)
  }

  /// The file, and where it is.
  public var id: FileStorageKeyID {
    FileStorageKeyID(url: file ?? storage.file(url), storage: storage)
  }

  /// Reads the file; one that is not there, or empty, has the initial value.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    do {
      guard let data = try storage.load(place), !data.isEmpty else {
        return continuation.resumeReturningInitialValue()
      }
      continuation.resume(returning: try decode(data))
    } catch {
      continuation.resume(throwing: error)
    }
  }

  /// Where the file is read and written.
  private var place: URL { storage == .fileSystem ? file ?? storage.file(url) : url }

  /// Says nothing: others' changes of a file are not noticed.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  /// Writes the file.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    storage.save(place, { [encode] in try encode(value) }, { continuation.resume(with: $0) })
  }
}

extension FileStorageKey: CustomStringConvertible {
  /// How the key is written.
  public var description: String { ".fileStorage(\(String(reflecting: url)))" }
}

/// What keys of values in files are told apart by.
public struct FileStorageKeyID: Hashable, Sendable {
  let url: URL
  let storage: FileStorage
}
