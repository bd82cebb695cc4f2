/// Reads the names of a record's or payload's fields for generated code.
///
/// The names are in the order of their encodings, so the reader expects each at its place. Only
/// unexpected entries need further work.
public struct _$FieldReader {
  /// Names that a reader needs after an unexpected entry.
  public struct Names {
    let fields: [String]
    let formerNames: [String: String]

    /// - Parameters:
    ///   - fields: The fields' names in the order of declaration.
    ///   - formerNames: The fields' former names, by their current names.
    public init(_ fields: [String], formerly formerNames: [String: String] = [:]) {
      self.fields = fields
      self.formerNames = formerNames
    }
  }

  private var left: Int
  /// The skipped values with former names, as decoders at their places.
  private var passed: [String: CBORDecoder] = [:]
  /// Former names whose values were used before the reader reached them.
  private var used: Set<String> = []
  /// The place of the current field's value; empty if the value is the next item.
  private var elsewhere: [CBORDecoder] = []

  /// Reads the header of the record.
  public init(_ decoder: inout CBORDecoder) throws(CodecError) {
    left = try decoder.mapHeader()
  }

  /// Finds a field.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - hasDefault: Whether the field may be missing.
  ///   - names: The known names, for the error about an unknown entry.
  ///   - decoder: The decoder of the record.
  /// - Returns: False if the field is missing; otherwise the caller reads its value next.
  /// - Throws: A `CodecError` if a field without a default is missing, or an entry is unknown.
  public mutating func find(
    _ name: StaticString,
    hasDefault: Bool = false,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Bool {
    if left > 0, try decoder.readIfPresent(name: name) {
      left -= 1
      return true
    }
    return try search("\(name)", hasDefault: hasDefault, names(), &decoder)
  }

  /// Reads the value of the field that was found last.
  @inlinable
  public mutating func value<Part: ReplicatedState>(
    of name: StaticString,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    guard isElsewhere else { return try decoder._$value(of: name) }
    var decoder = takeElsewhere(decoder)
    return try decoder._$value(of: name)
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func value<Part>(
    of name: StaticString,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    try decoder._$value(of: name)
  }

  /// Skips the value of the current field, if the decoder resets such fields.
  ///
  /// - Parameter decoder: The decoder of the record.
  /// - Returns: Whether the value was skipped.
  /// - Throws: A `CodecError` if the value is malformed.
  public mutating func _$passEphemeral(_ decoder: inout CBORDecoder) throws(CodecError) -> Bool {
    guard decoder.beginsAnew else { return false }
    if isElsewhere { _ = takeElsewhere(decoder) } else { try decoder.skipItem() }
    return true
  }

  /// Finds a part of a payload and reads its value.
  @inlinable
  public mutating func nextValue<Part: ReplicatedState>(
    of name: StaticString,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    _ = try find(name, names(), &decoder)
    return try decoder._$value(of: name)
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func nextValue<Part>(
    of name: StaticString,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    try decoder._$value(of: name)
  }

  /// Rejects entries after the last field.
  public mutating func finish(
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    guard left > 0 || !passed.isEmpty else { return }
    let names = names()
    try pass(names, &decoder)
    if left > 0 {
      let start = decoder.offset
      throw .unknownName(try decoder.text(), "field", among: names.fields, offset: start)
    }
    if let name = passed.keys.min() {
      throw decoder.error(.unknownName, "the field \"\(name)\" is there under its new name too")
    }
  }

  @usableFromInline var isElsewhere: Bool { !elsewhere.isEmpty }

  @usableFromInline
  mutating func takeElsewhere(_ decoder: CBORDecoder) -> CBORDecoder {
    elsewhere.popLast() ?? decoder
  }
}

// MARK: - What does not fit

extension _$FieldReader {
  private mutating func search(
    _ name: String,
    hasDefault: Bool,
    _ names: Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Bool {
    try pass(names, &decoder)
    if left > 0, try decoder.readIfPresent(name.encoded()) {
      left -= 1
      return true
    }
    if let former = names.formerNames[name], let place = try find(former: former, decoder) {
      elsewhere = [place]
      return true
    }
    return try miss(name, hasDefault: hasDefault, names, decoder)
  }

  /// Skips entries with former names.
  private mutating func pass(_ names: Names, _ decoder: inout CBORDecoder) throws(CodecError) {
    guard !names.formerNames.isEmpty else { return }
    while left > 0 {
      var copy = decoder
      guard try copy.peekKind() == .text else { return }
      let found = try copy.text()
      guard names.formerNames.values.contains(found) else { return }
      if used.remove(found) == nil { passed[found] = copy }
      try copy.skipItem()
      decoder = copy
      left -= 1
    }
  }

  /// Finds a former name among the skipped entries and the following ones.
  private mutating func find(
    former: String,
    _ decoder: CBORDecoder,
  ) throws(CodecError) -> CBORDecoder? {
    if let place = passed.removeValue(forKey: former) { return place }
    var copy = decoder
    for _ in 0..<left {
      guard try copy.peekKind() == .text else { return nil }
      if try copy.text() == former {
        used.insert(former)
        return copy
      }
      try copy.skipItem()
    }
    return nil
  }

  private func miss(
    _ name: String,
    hasDefault: Bool,
    _ names: Names,
    _ decoder: CBORDecoder,
  ) throws(CodecError) -> Bool {
    var copy = decoder
    if left > 0 {
      let found = try copy.text()
      // An entry that belongs after the missing field is checked when the reader reaches that
      // field.
      guard CBORDecoder.compare(found.encoded()[...], name.encoded()[...]) > 0 else {
        throw .unknownName(found, "field", among: names.fields, offset: decoder.offset)
      }
    }
    if hasDefault { return false }
    throw copy.error(.missingField, "the field \"\(name)\" is missing")
  }
}
