// Calls of the generated code of a `WireAction`.

extension CBOREncoder {
  /// Writes a label and a part of a payload: a value, or a child's action.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - label: Its label.
  ///   - name: The name of the case, for the path of an error.
  /// - Throws: A `CodecError` if the part is an action that no client may send.
  @inlinable
  public mutating func _$part<Part: WirePayload>(
    _ part: Part,
    _ label: StaticString,
    of name: StaticString,
  ) throws(CodecError) {
    encode(name: label)
    do throws(CodecError) {
      try part.encode(to: &self)
    } catch {
      throw error.inside(.name("\(label)")).inside(.name("\(name)"))
    }
  }

  /// A placeholder for a part that the schema rejects at compile time.
  public mutating func _$part<Part>(
    _ part: Part,
    _ label: StaticString,
    of name: StaticString,
  ) throws(CodecError) {}
}

extension _$FieldReader {
  /// Finds a part of a payload and reads it: a value, or a child's action.
  ///
  /// - Parameters:
  ///   - label: The part's label.
  ///   - names: The known names, for the error about an unknown entry.
  ///   - decoder: The decoder of the payload.
  /// - Returns: The part.
  /// - Throws: A `CodecError` if the entry is missing or has another form.
  @inlinable
  public mutating func _$part<Part: WirePayload>(
    _ label: StaticString,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    _ = try find(label, names(), &decoder)
    do throws(CodecError) {
      return try Part(from: &decoder)
    } catch {
      throw error.inside(.name("\(label)"))
    }
  }

  /// A placeholder for a part that the schema rejects at compile time.
  public mutating func _$part<Part>(
    _ label: StaticString,
    _ names: @autoclosure () -> Names,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Part {
    preconditionFailure("The part \"\(label)\" has no wire form, yet its type was compiled.")
  }
}

extension _$FieldReader {
  /// Reads the only part of a payload and creates the case from it.
  ///
  /// - Parameters:
  ///   - label: The part's label.
  ///   - decoder: The decoder of the payload.
  ///   - make: Creates the case.
  /// - Returns: The case.
  /// - Throws: A `CodecError` if the payload has another form.
  @inlinable
  public mutating func _$only<Part: WirePayload, Value>(
    _ label: StaticString,
    _ decoder: inout CBORDecoder,
    _ make: (Part) -> Value,
  ) throws(CodecError) -> Value {
    let part: Part = try _$part(label, Names(["\(label)"]), &decoder)
    try finish(Names(["\(label)"]), &decoder)
    return make(part)
  }

  /// A placeholder for a part that the schema rejects at compile time.
  public mutating func _$only<Part, Value>(
    _ label: StaticString,
    _ decoder: inout CBORDecoder,
    _ make: (Part) -> Value,
  ) throws(CodecError) -> Value {
    preconditionFailure("The part \"\(label)\" has no wire form, yet its type was compiled.")
  }
}

extension _$ShuffledReader {
  /// Reads a part that was found: a value, or a child's action.
  ///
  /// - Parameters:
  ///   - place: The part's index in the declaration.
  ///   - label: Its label.
  /// - Returns: The part.
  /// - Throws: A `CodecError` if the part has another form.
  @inlinable
  public mutating func _$part<Part: WirePayload>(
    _ place: Int,
    of label: StaticString,
  ) throws(CodecError) -> Part {
    var decoder = decoder(at: place)
    do throws(CodecError) {
      return try Part(from: &decoder)
    } catch {
      throw error.inside(.name("\(label)"))
    }
  }

  /// A placeholder for a part that the schema rejects at compile time.
  public mutating func _$part<Part>(
    _ place: Int,
    of label: StaticString,
  ) throws(CodecError) -> Part {
    preconditionFailure("The part \"\(label)\" has no wire form, yet its type was compiled.")
  }
}

extension CodecError {
  /// The error of a case that no client may send.
  ///
  /// - Parameters:
  ///   - name: The case.
  ///   - type: The action's name in schemas.
  /// - Returns: The error.
  public static func _$privateAction(_ name: String, of type: String) -> CodecError {
    CodecError(
      .privateAction,
      "\"\(name)\" of \(type) is private to the process that owns the state; a client cannot send "
        + "it",
    )
  }
}

/// The cases of an action that may be sent, while generated code lists them.
public struct _$ActionSchema {
  /// The cases so far.
  public private(set) var cases: [Definition.Case] = []

  /// Creates an empty list.
  public init() {}

  /// Adds a case without payload.
  public mutating func add(_ name: String) {
    cases.append(Definition.Case(name))
  }

  /// Adds a case with a payload, whose types follow from the case's constructor.
  public mutating func add<each Part: WirePayload, Value>(
    _ name: String,
    _ labels: [String],
    _: (repeat each Part) -> Value,
    in registry: inout SchemaRegistry,
  ) {
    cases.append(Definition.Case(name, labels, of: repeat (each Part).self, in: &registry))
  }

  /// Produces a compiler error with the reason why the case cannot be sent, and the remedy.
  @available(
    *,
    unavailable,
    message: """
      this case has a payload that cannot travel: declare 'ReplicatedState' (a value) or \
      'WireAction' (a child's action) for its type, or mark the case '@ReplicationIgnored' (no \
      client can send it)
      """
  )
  public mutating func add<each Part, Value>(
    _ name: String,
    _ labels: [String],
    _: (repeat each Part) -> Value,
    in registry: inout SchemaRegistry,
  ) {}

  /// Visits the types of a case that is stored and not sent.
  public static func keep<each Part: WirePayload, Value>(
    _: (repeat each Part) -> Value,
    in registry: inout SchemaRegistry,
  ) {
    guard registry._$isDurable else { return }
    for type in repeat (each Part).self { _ = type.schema(in: &registry) }
  }

  /// Produces a compiler error with the reason why the case cannot be stored, and the remedy.
  @available(
    *,
    unavailable,
    message: """
      this case has a payload that a 'DurableAction' cannot keep: declare 'ReplicatedState' (a \
      value or an error) or 'DurableAction' (a child's action) for its type, or mark the case \
      '@DurableIgnored' (its actions are not stored)
      """
  )
  public static func keep<each Part, Value>(
    _: (repeat each Part) -> Value,
    in registry: inout SchemaRegistry,
  ) {}
}
