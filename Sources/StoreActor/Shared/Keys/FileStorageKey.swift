public import Foundation

extension SharedReaderKey {
  /// A value in a file, by default as JSON.
  ///
  /// It is read when it is shared for the first time, and written after each change: at once, or
  /// soon if changes are frequent, in reducers, and in a daemon. `save()` waits for it, and so does
  /// the program's exit. External changes of the file are not noticed: `load()` reads it again.
  ///
  /// A change does not replace an unreadable file: changes stay in memory, with a `saveError`,
  /// until `load()` succeeds or `save()` is called.
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

  /// A value in a file, in a custom format.
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

/// A key of a value in a file: ``SharedReaderKey/fileStorage(_:decoder:encoder:)``.
public struct FileStorageKey<Value: Sendable>: SharedKey, UnreadKeepingKey {
  private let url: URL
  /// The canonical URL of the file; nil if the disk must not be accessed at creation.
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

  /// The file and its storage.
  public var id: FileStorageKeyID {
    FileStorageKeyID(url: file ?? storage.file(url), storage: storage)
  }

  /// Reads the file; a file that is absent or empty yields the initial value.
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

  /// The URL at which the file is read and written.
  private var place: URL { storage == .fileSystem ? file ?? storage.file(url) : url }

  /// Subscribes to no changes: external changes of a file are not noticed.
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
  /// The expression that creates the key.
  public var description: String { ".fileStorage(\(String(reflecting: url)))" }
}

/// The identity of a key for a file.
public struct FileStorageKeyID: Hashable, Sendable {
  let url: URL
  let storage: FileStorage
}
