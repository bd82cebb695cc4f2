import StoreState

extension JSONValueReader {
  func named(_ json: JSONValue, _ name: String) throws(JSONProjectionError) -> GenericValue {
    switch document.definitions[name] {
    case .record(let fields): return try record(json, fields, what: "field", of: name)
    case .choice(let cases): return try choice(json, cases, name)
    case nil: throw JSONProjectionError("the schema does not define \"\(name)\"")
    }
  }

  private func record(
    _ json: JSONValue,
    _ fields: [Definition.Field],
    what: String,
    of name: String,
  ) throws(JSONProjectionError) -> GenericValue {
    guard case .object(let members) = json else {
      throw JSONProjectionError("expected \(name) as an object, found \(json.foundText)")
    }
    var values: [GenericValue?] = Array(repeating: nil, count: fields.count)
    for member in members {
      guard let place = fields.firstIndex(where: { $0.name._$isSame(as: member.name) }) else {
        let remedy = NearestNames().remedy(for: member.name, among: fields.map(\.name))
        throw JSONProjectionError("\(name) has no \(what) \"\(member.name)\"\(remedy)")
      }
      guard values[place] == nil else {
        throw JSONProjectionError("expected each name once, found \"\(member.name)\" twice")
      }
      values[place] = try read(member.value, fields[place].schema, at: .name(member.name))
    }
    return .map(try entries(fields, values))
  }

  private func entries(
    _ fields: [Definition.Field],
    _ values: [GenericValue?],
  ) throws(JSONProjectionError) -> [GenericValue.Entry] {
    var entries: [GenericValue.Entry] = []
    for (field, value) in zip(fields, values) {
      if let value {
        entries.append(.init(.text(field.name), value))
      } else if case .optional = field.schema {
        entries.append(.init(.text(field.name), .null))
      } else {
        throw JSONProjectionError("expected \(expectation(field.schema)), found nothing")
          .inside(.name(field.name))
      }
    }
    // Shorter texts have lesser encodings; for equal lengths, the bytes decide.
    return entries.sorted { one, other in
      CBORDecoder.compare(one.key.encoded()[...], other.key.encoded()[...]) < 0
    }
  }

  private func choice(
    _ json: JSONValue,
    _ cases: [Definition.Case],
    _ type: String,
  ) throws(JSONProjectionError) -> GenericValue {
    let name: String
    let content: JSONValue?
    switch json {
    case .string(let text): (name, content) = (text, nil)
    case .object(let members) where members.count == 1:
      (name, content) = (members[0].name, members[0].value)
    default:
      throw JSONProjectionError(
        "expected \(type) as a case's name or an object with it, found \(json.foundText)"
      )
    }
    guard let `case` = cases.first(where: { $0.name._$isSame(as: name) }) else {
      let remedy = NearestNames().remedy(for: name, among: cases.map(\.name))
      throw JSONProjectionError("\(type) has no case \"\(name)\"\(remedy)")
    }
    do throws(JSONProjectionError) {
      return try payload(content, of: `case`)
    } catch {
      throw error.inside(.name(name))
    }
  }

  private func payload(
    _ content: JSONValue?,
    of case: Definition.Case,
  ) throws(JSONProjectionError) -> GenericValue {
    if `case`.payload.isEmpty {
      guard content == nil || content == .object([]) else {
        throw JSONProjectionError("expected no payload; write the case as \"\(`case`.name)\"")
      }
      return .text(`case`.name)
    }
    let labels = `case`.payload.map { "\"\($0.name)\": …" }.joined(separator: ", ")
    guard let content else {
      throw JSONProjectionError(
        "expected a payload; write the case as {\"\(`case`.name)\": {\(labels)}}"
      )
    }
    return .map([.init(.text(`case`.name), try labelled(content, `case`))])
  }

  private func labelled(
    _ content: JSONValue,
    _ case: Definition.Case,
  ) throws(JSONProjectionError) -> GenericValue {
    let labels = `case`.payload
    if labels.count == 1, labels[0].name == "_0" {
      if case .object(let members) = content, members.count == 1, members[0].name == "_0" {
        return .map([
          .init(.text("_0"), try read(members[0].value, labels[0].schema, at: .name("_0")))
        ])
      }
      return .map([.init(.text("_0"), try read(content, labels[0].schema))])
    }
    return try record(content, labels, what: "label", of: `case`.name)
  }
}
