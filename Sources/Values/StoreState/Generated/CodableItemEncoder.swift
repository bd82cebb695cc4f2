/// Collects the output of a value's `encode(to:)`.
///
/// This is a class, because containers share it and write in any order.
final class ItemEncoder: Encoder {
  /// The content so far.
  private enum Content {
    case nothing
    case single(CodableItem)
    case array([ItemEncoder])
    case map([String: ItemEncoder])
  }

  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var content = Content.nothing

  init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .nothing = content { content = .map([:]) }
    return KeyedEncodingContainer(ItemKeyedEncoding<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .nothing = content { content = .array([]) }
    return ItemUnkeyedEncoding(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ItemSingleEncoding(encoder: self)
  }

  var item: CodableItem {
    switch content {
    case .nothing: .map([:])
    case .single(let item): item
    case .array(let children): .array(children.map(\.item))
    case .map(let children): .map(children.mapValues(\.item))
    }
  }

  var count: Int {
    guard case .array(let children) = content else { return 0 }
    return children.count
  }

  func set(_ item: CodableItem) { content = .single(item) }

  /// An encoder for the value of a key.
  func child(_ key: some CodingKey) -> ItemEncoder {
    let child = ItemEncoder(codingPath: codingPath + [key])
    var children: [String: ItemEncoder] = [:]
    if case .map(let known) = content { children = known }
    children[key.stringValue] = child
    content = .map(children)
    return child
  }

  /// An encoder for another element.
  func nextChild() -> ItemEncoder {
    var children: [ItemEncoder] = []
    if case .array(let known) = content { children = known }
    let child = ItemEncoder(codingPath: codingPath + [ItemKey(index: children.count)])
    children.append(child)
    content = .array(children)
    return child
  }
}

/// A text key, or the index of an element.
struct ItemKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }

  init(index: Int) { self.init(intValue: index) }

  /// The key under which a class encodes its superclass.
  static let `super` = ItemKey(stringValue: "super")
}

extension CodableItem {
  /// The item of a value.
  static func make(from value: some Encodable, path: [any CodingKey]) throws -> CodableItem {
    if let unordered = value as? any UnorderedEncodable {
      return try unordered.item(at: path)
    }
    let encoder = ItemEncoder(codingPath: path)
    try value.encode(to: encoder)
    return encoder.item
  }
}

/// A collection whose own order of items differs from process to process.
private protocol UnorderedEncodable {
  func item(at path: [any CodingKey]) throws -> CodableItem
}

extension Set: UnorderedEncodable where Element: Encodable {
  fileprivate func item(at path: [any CodingKey]) throws -> CodableItem {
    let items = try map { try CodableItem.make(from: $0, path: path) }
    return .array(items.sortedByEncoding { $0 })
  }
}

extension Dictionary: UnorderedEncodable where Key: Encodable, Value: Encodable {
  fileprivate func item(at path: [any CodingKey]) throws -> CodableItem {
    if let entries = try textEntries(at: path) { return .map(entries) }
    let pairs = try map { key, value in
      (
        try CodableItem.make(from: key, path: path),
        try CodableItem.make(from: value, path: path),
      )
    }
    return .array(pairs.sortedByEncoding { $0.0 }.flatMap { [$0.0, $0.1] })
  }

  /// The entries if the keys are texts; nil otherwise.
  private func textEntries(at path: [any CodingKey]) throws -> [String: CodableItem]? {
    var entries: [String: CodableItem] = [:]
    for (key, value) in self {
      let text: String
      switch key {
      case let key as String: text = key
      case let key as Int: text = "\(key)"
      case let key as any CodingKeyRepresentable: text = key.codingKey.stringValue
      default: return nil
      }
      let path = path + [ItemKey(stringValue: text)]
      entries[text] = try CodableItem.make(from: value, path: path)
    }
    return isEmpty && !Self.hasTextKeys ? nil : entries
  }

  /// Whether the keys' type is one of those that are written as texts.
  private static var hasTextKeys: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
  }
}

extension Array {
  fileprivate func sortedByEncoding(_ item: (Element) -> CodableItem) -> [Element] {
    map { (encoding: item($0).encoded, element: $0) }
      .sorted { CBORDecoder.compare($0.encoding[...], $1.encoding[...]) < 0 }
      .map(\.element)
  }
}
