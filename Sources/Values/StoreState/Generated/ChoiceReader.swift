/// The beginning of a choice or an action, while generated code determines its case.
public struct _$ChoiceReader {
  /// The term for a case in errors.
  private let what: String
  private let hasPayload: Bool
  private let start: Int

  /// Reads whether the case has a payload.
  ///
  /// - Parameters:
  ///   - decoder: The decoder of the choice.
  ///   - what: The term for a case in errors.
  /// - Throws: A `CodecError` if the bytes end, or for a map without exactly one entry.
  public init(_ decoder: inout CBORDecoder, of what: String = "case") throws(CodecError) {
    self.what = what
    hasPayload = try decoder.beginChoice(what)
    start = decoder.offset
  }

  /// Reads a case's name if it is the next item.
  ///
  /// - Parameters:
  ///   - name: The case's name.
  ///   - former: The case's former name.
  ///   - hasPayload: Whether the case has a payload.
  ///   - decoder: The decoder of the choice.
  /// - Returns: Whether the value is of this case.
  /// - Throws: A `CodecError` if it is, but lacks a required payload or has an unexpected one.
  public func finds(
    _ name: StaticString,
    formerly former: StaticString? = nil,
    hasPayload: Bool,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Bool {
    if try !decoder.readIfPresent(name: name) {
      guard let former, try decoder.readIfPresent(name: former) else { return false }
    }
    // A name may be a map's key; cases are not tried in the order of their names.
    decoder.forgetOrder()
    guard hasPayload == self.hasPayload else {
      throw decoder.payloadError("\(name)", what, isMissing: hasPayload, offset: start)
    }
    return true
  }

  /// The error for an unknown case.
  ///
  /// - Parameters:
  ///   - names: The names of the known cases.
  ///   - decoder: The decoder of the choice.
  /// - Returns: The error.
  public func unknown(_ names: [String], _ decoder: inout CBORDecoder) -> CodecError {
    do throws(CodecError) {
      return try decoder.unknownCase(what, among: names)
    } catch {
      return error
    }
  }
}

extension CBORDecoder {
  /// Reads the index of the case whose payload changes inside.
  ///
  /// - Parameter count: The number of cases.
  /// - Returns: The index of the case; nil if the choice is replaced.
  /// - Throws: A `CodecError` if the delta has another form.
  public mutating func _$changedCase(of count: Int) throws(CodecError) -> Int? {
    guard case .changed(let place) = try choiceDeltaForm(cases: count) else { return nil }
    return place
  }

  /// Rejects a change inside of a case other than the value's.
  ///
  /// - Parameters:
  ///   - changed: The index of the case that changes.
  ///   - place: The index of the value's case.
  ///   - names: The names of all cases.
  /// - Throws: A `CodecError` if the indices differ.
  public func _$expect(
    _ changed: Int,
    toBe place: Int,
    _ names: @autoclosure () -> [String],
  ) throws(CodecError) {
    guard changed != place else { return }
    let names = names()
    throw error(
      .deltaMismatch,
      "the delta changes the case \(names[changed]), the value is \(names[place])",
    )
  }
}

/// The changes inside of a payload while generated code applies them.
public struct _$PayloadChanges {
  private var left: Int
  private var last = -1

  /// Reads the header of the changes.
  public init(_ decoder: inout CBORDecoder) throws(CodecError) {
    left = try decoder.mapHeader()
  }

  /// Reads the index of the next part of the payload that changes.
  ///
  /// - Parameters:
  ///   - count: The number of parts.
  ///   - decoder: The decoder of the changes.
  /// - Returns: The part's index; nil after the last change.
  /// - Throws: A `CodecError` if the index is out of range or does not ascend.
  public mutating func next(
    below count: Int,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Int? {
    guard left > 0 else { return nil }
    left -= 1
    let next = try decoder.place(below: count, "label")
    // The decoder itself would detect this only at the next item, which may not be read.
    guard last < next else {
      throw decoder.error(.notCanonical, "the label \(next) stands after a greater one")
    }
    last = next
    return next
  }
}

/// The parts of a payload whose labels' encodings have another order than the parts.
public struct _$ShuffledReader {
  private var decoders: [CBORDecoder]

  /// Finds the parts.
  ///
  /// - Parameters:
  ///   - labels: The labels in the order of the parts.
  ///   - order: The parts' indices in the order of the labels' encodings.
  ///   - decoder: The decoder of the payload.
  /// - Throws: A `CodecError` if a label is missing or unknown.
  public init(
    _ labels: [StaticString],
    order: [Int],
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) {
    var fields = try _$FieldReader(&decoder)
    let names = { _$FieldReader.Names(labels.map { "\($0)" }) }
    decoders = Array(repeating: decoder, count: labels.count)
    for place in order {
      _ = try fields.find(labels[place], names(), &decoder)
      decoders[place] = decoder
      do throws(CodecError) {
        try decoder.skipItem()
      } catch {
        throw error.inside(.name("\(labels[place])"))
      }
    }
    try fields.finish(names(), &decoder)
  }

  /// Reads a part.
  @inlinable
  public mutating func value<Part: ReplicatedState>(
    _ place: Int,
    of label: StaticString,
  ) throws(CodecError) -> Part {
    var decoder = decoder(at: place)
    return try decoder._$value(of: label)
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func value<Part>(
    _ place: Int,
    of label: StaticString,
  ) throws(CodecError) -> Part {
    var decoder = decoder(at: place)
    return try decoder._$value(of: label)
  }

  @usableFromInline
  func decoder(at place: Int) -> CBORDecoder { decoders[place] }
}
