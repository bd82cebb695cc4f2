import StoreState

extension JSONValueReader {
  func optional(
    _ json: JSONValue,
    _ wrapped: Schema,
  ) throws(JSONProjectionError) -> GenericValue {
    if json == .null { return .null }
    guard wrapped.admitsNull else { return try read(json, wrapped) }
    guard case .array(let items) = json, items.count == 1 else {
      throw JSONProjectionError("expected null or an array of one, found \(json.foundText)")
    }
    return .array([try read(items[0], wrapped)])
  }

  func items(
    _ json: JSONValue,
    _ element: Schema,
    _ schema: Schema,
  ) throws(JSONProjectionError) -> [GenericValue] {
    guard case .array(let items) = json else { throw mismatch(json, schema) }
    var values: [GenericValue] = []
    values.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      values.append(try read(item, element, at: .index(index)))
    }
    return values
  }

  func rows(
    _ json: JSONValue,
    _ field: String,
    _ element: Schema,
    _ schema: Schema,
  ) throws(JSONProjectionError) -> [GenericValue] {
    let rows = try items(json, element, schema)
    var seen: Set<GenericValue> = []
    for (index, row) in rows.enumerated() {
      guard let id = row[field: field], !seen.insert(id).inserted else { continue }
      throw JSONProjectionError("expected a new id, found one that stands there before")
        .inside(.name(field)).inside(.index(index))
    }
    return rows
  }

  func dictionary(
    _ json: JSONValue,
    _ key: Schema,
    _ content: Schema,
    _ schema: Schema,
  ) throws(JSONProjectionError) -> GenericValue {
    var entries: [GenericValue.Entry] = []
    if key.isNameable(in: document) {
      guard case .object(let members) = json else { throw mismatch(json, schema) }
      for member in members {
        let path = CodecError.PathElement.key(member.name)
        let name = try read(keyTree(member.name, key), key, at: path)
        entries.append(.init(name, try read(member.value, content, at: path)))
      }
    } else {
      guard case .array(let pairs) = json else { throw mismatch(json, schema) }
      for (index, pair) in pairs.enumerated() {
        entries.append(try entry(pair, key, content, index))
      }
    }
    guard let map = GenericValue.map(sorting: entries) else {
      throw JSONProjectionError("expected each key once, found one twice")
    }
    return map
  }

  private func keyTree(_ text: String, _ key: Schema) -> JSONValue {
    let isNumber = key.integerLimits != nil && JSONValue.isInteger(text) && text != "-0"
    return isNumber ? .number(text) : .string(text)
  }

  private func entry(
    _ json: JSONValue,
    _ key: Schema,
    _ content: Schema,
    _ index: Int,
  ) throws(JSONProjectionError) -> GenericValue.Entry {
    guard case .array(let parts) = json, parts.count == 2 else {
      throw JSONProjectionError("expected an array of a key and a value, found \(json.foundText)")
        .inside(.index(index))
    }
    do throws(JSONProjectionError) {
      return .init(
        try read(parts[0], key, at: .index(0)),
        try read(parts[1], content, at: .index(1)),
      )
    } catch {
      throw error.inside(.index(index))
    }
  }
}
