/// The names of a record's or payload's fields while generated code reads a value.
///
/// The names stand in the order of their encodings, so each is looked for where it must be; all
/// else is done only for what does not fit.
public struct _$FieldReader {
  /// What a reader wants to know once something does not fit.
  public struct Names {
    let fields: [String]
    let formerNames: [String: String]

    /// - Parameters:
    ///   - fields: The fields' names in the order of declaration.
    ///   - formerNames: What fields were called before, by their names.
    public init(_ fields: [String], formerly formerNames: [String: String] = [:]) {
      self.fields = fields
      self.formerNames = formerNames
    }
  }

  private var left: Int
  /// Where the values of fields with former names are that were passed by.
  private var passed: [String: CBORDecoder] = [:]
  /// Former names under which a value was found before the reader came by.
  private var used: Set<String> = []
  /// Where the value of the field is that was found last; empty when it stands next.
  private var elsewhere: [CBORDecoder] = []

  /// Reads the beginning of the record.
  public init(_ decoder: inout CBORDecoder) throws(CodecError) {
    left = try decoder.mapHeader()
  }

  /// Looks for a field.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - hasDefault: Whether the field may be missing.
  ///   - names: What is told of an entry that is no field.
  ///   - decoder: The decoder of the record.
  /// - Returns: False when the field is missing; else its value is read next.
  /// - Throws: A `CodecError` when a field is missing that has no default, or when something else
  ///   stands there.
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

  /// Stands for a value that the schema has refused at compile time.
  public mutating func value<Part>(
    of name: StaticString,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    try decoder._$value(of: name)
  }

  /// Passes by the value of the field that was found last, when it begins anew.
  ///
  /// - Parameter decoder: The decoder of the record.
  /// - Returns: Whether that was done.
  /// - Throws: A `CodecError` where no value stands there.
  public mutating func _$passEphemeral(_ decoder: inout CBORDecoder) throws(CodecError) -> Bool {
    guard decoder.beginsAnew else { return false }
    if isElsewhere { _ = takeElsewhere(decoder) } else { try decoder.skipItem() }
    return true
  }

  /// Looks for a part of a payload and reads its value.
  @inlinable
  public mutating func nextValue<Part: ReplicatedState>(
    of name: StaticString,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    _ = try find(name, names(), &decoder)
    return try decoder._$value(of: name)
  }

  /// Stands for a value that the schema has refused at compile time.
  public mutating func nextValue<Part>(
    of name: StaticString,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    try decoder._$value(of: name)
  }

  /// Refuses entries behind the last field.
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

  /// Goes by entries with former names.
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

  /// Looks for a former name among the entries that were passed by and those that follow.
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
      // One that belongs behind the missing field is looked at when that field has its turn.
      guard CBORDecoder.compare(found.encoded()[...], name.encoded()[...]) > 0 else {
        throw .unknownName(found, "field", among: names.fields, offset: decoder.offset)
      }
    }
    if hasDefault { return false }
    throw copy.error(.missingField, "the field \"\(name)\" is missing")
  }
}
