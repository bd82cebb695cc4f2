/// The beginning of a choice, or of an action, while generated code finds out which case it is.
public struct _$ChoiceReader {
  /// What a case is called in errors.
  private let what: String
  private let hasPayload: Bool
  private let start: Int

  /// Reads whether the case has a payload.
  ///
  /// - Parameters:
  ///   - decoder: The decoder of the choice.
  ///   - what: What a case is called in errors.
  /// - Throws: A `CodecError` when there is neither a name nor a map with one.
  public init(_ decoder: inout CBORDecoder, of what: String = "case") throws(CodecError) {
    self.what = what
    hasPayload = try decoder.beginChoice(what)
    start = decoder.offset
  }

  /// Reads a case's name when it stands next.
  ///
  /// - Parameters:
  ///   - name: The case's name.
  ///   - former: What the case was called before.
  ///   - hasPayload: Whether the case has a payload.
  ///   - decoder: The decoder of the choice.
  /// - Returns: Whether the value is of this case.
  /// - Throws: A `CodecError` when it is, but has no payload where one must be or the other way
  ///   round.
  public func finds(
    _ name: StaticString,
    formerly former: StaticString? = nil,
    hasPayload: Bool,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Bool {
    if try !decoder.readIfPresent(name: name) {
      guard let former, try decoder.readIfPresent(name: former) else { return false }
    }
    // A name may be a dictionary's key; cases are not asked for in the order of their names.
    decoder.forgetOrder()
    guard hasPayload == self.hasPayload else {
      throw decoder.payloadError("\(name)", what, isMissing: hasPayload, offset: start)
    }
    return true
  }

  /// The error for a name that no case has.
  ///
  /// - Parameters:
  ///   - names: The names of the cases that may stand here.
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
  /// Reads which case's payload changes inside.
  ///
  /// - Parameter count: The number of cases.
  /// - Returns: The case's place; nil when the choice is replaced.
  /// - Throws: A `CodecError` when it is neither.
  public mutating func _$changedCase(of count: Int) throws(CodecError) -> Int? {
    guard case .changed(let place) = try choiceDeltaForm(cases: count) else { return nil }
    return place
  }

  /// Refuses a change inside of another case than the value's.
  ///
  /// - Parameters:
  ///   - changed: The place of the case that changes.
  ///   - place: The place of the value's case.
  ///   - names: The names of all cases.
  /// - Throws: A `CodecError` when they differ.
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

  /// Reads the beginning of the changes.
  public init(_ decoder: inout CBORDecoder) throws(CodecError) {
    left = try decoder.mapHeader()
  }

  /// Reads which part of the payload changes next.
  ///
  /// - Parameters:
  ///   - count: The number of parts.
  ///   - decoder: The decoder of the changes.
  /// - Returns: The part's place; nil when there are no more changes.
  /// - Throws: A `CodecError` when there is no such part, or it has had its turn.
  public mutating func next(
    below count: Int,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Int? {
    guard left > 0 else { return nil }
    left -= 1
    let next = try decoder.place(below: count, "label")
    // The decoder itself would notice only with the next item, which nobody would read.
    guard last < next else {
      throw decoder.error(.notCanonical, "the label \(next) stands after a greater one")
    }
    last = next
    return next
  }
}

/// The parts of a payload whose labels' encodings stand in another order than the parts.
public struct _$ShuffledReader {
  private var decoders: [CBORDecoder]

  /// Finds the parts.
  ///
  /// - Parameters:
  ///   - labels: The labels in the order of the parts.
  ///   - order: The parts' places in the order of the labels' encodings.
  ///   - decoder: The decoder of the payload.
  /// - Throws: A `CodecError` when a label is missing, or when something else stands there.
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

  /// Stands for a value that the schema has refused at compile time.
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
