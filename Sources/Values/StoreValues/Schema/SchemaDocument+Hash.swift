public import StoreBytes

extension SchemaDocument {
  /// The digest of the document's meaning, independent of the names of its definitions.
  ///
  /// It is the digest of the encoding of the same document with its definitions renamed to `0`,
  /// `1`, … in the order of their first use: first in the root, then in the definition `0`, and
  /// so on.
  public var hash: Digest {
    var renaming = Renaming()
    let root = renaming.rename(self.root)
    var next = 0
    var renamed: [(name: String, definition: Definition)] = []
    while next < renaming.order.count {
      if let definition = definitions[renaming.order[next]] {
        renamed.append(("\(next)", renaming.rename(definition)))
      }
      next += 1
    }
    var encoder = CBOREncoder()
    encoder.arrayHeader(2)
    root.encode(to: &encoder)
    var entries = SortedItems()
    for (name, definition) in renamed {
      entries.add {
        $0.encode(text: name)
      } value: {
        definition.encode(to: &$0)
      }
    }
    entries.writeMap(to: &encoder)
    return Digest(ofTrusted: encoder.bytes)
  }

  /// Renames definitions in the order of their first use.
  private struct Renaming {
    private(set) var order: [String] = []
    private var names: [String: String] = [:]

    mutating func rename(_ schema: Schema) -> Schema {
      switch schema {
      case .optional(let part): .optional(rename(part))
      case .array(let part): .array(rename(part))
      case .set(let part): .set(rename(part))
      case .dictionary(let key, let value): dictionary(rename(key), rename(value))
      case .identified(let field, let id, let element):
        .identified(idField: field, id: rename(id), element: rename(element))
      case .named(let name): .named(rename(name))
      default: schema
      }
    }

    private func dictionary(_ key: Schema, _ value: Schema) -> Schema {
      .dictionary(key: key, value: value)
    }

    mutating func rename(_ definition: Definition) -> Definition {
      switch definition {
      case .record(let fields): .record(rename(fields))
      case .choice(let cases):
        .choice(cases.map { Definition.Case($0.name, rename($0.payload)) })
      }
    }

    private mutating func rename(_ fields: [Definition.Field]) -> [Definition.Field] {
      fields.map { Definition.Field($0.name, rename($0.schema)) }
    }

    private mutating func rename(_ name: String) -> String {
      if let known = names[name] { return known }
      let new = "\(order.count)"
      order.append(name)
      names[name] = new
      return new
    }
  }
}
