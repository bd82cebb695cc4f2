/// The cases of an action that a client may send.
///
///     static let layout = ActionLayout<Todos.Action>("Todos.Action", [
///       .case("clearCompletedButtonTapped", .clearCompletedButtonTapped),
///       .case("addButtonTapped", "title", embed: Action.addButtonTapped(title:)) {
///         if case .addButtonTapped(let title) = $0 { title } else { nil }
///       },
///       .case("settings", embed: Action.settings) {
///         if case .settings(let action) = $0 { action } else { nil }
///       },
///     ])
///
/// Other cases are private to the process that owns the state: they cannot be encoded or decoded. A
/// ``DurableAction`` lists them with ``Case/notSent()``.
public struct ActionLayout<Value: Sendable>: Sendable {
  /// One case.
  public struct Case: Sendable {
    let name: String
    let hasPayload: Bool
    let schema: @Sendable (inout SchemaRegistry) -> [Definition.Field]
    /// Writes the payload if the value is of this case; otherwise returns false.
    let encode: @Sendable (Value, [UInt8], inout CBOREncoder) throws(CodecError) -> Bool
    let decode: @Sendable (inout CBORDecoder) throws(CodecError) -> Value
    /// Whether the case is stored, and never sent.
    fileprivate(set) var isOnlyStored = false
  }

  let name: String
  /// All cases, for durable forms.
  private let cases: [Case]
  private let names: CaseNames
  /// The cases that a client may send.
  private let sentCases: [Case]
  private let sentNames: CaseNames

  /// Creates the layout of an action.
  ///
  /// - Parameters:
  ///   - name: The type's name in schemas.
  ///   - cases: The cases that clients may send or daemons store, in the order of declaration.
  public init(_ name: String, _ cases: [Case]) {
    self.name = name
    self.cases = cases
    names = CaseNames(cases.map { ($0.name, $0.hasPayload) }, of: name)
    sentCases = cases.filter { !$0.isOnlyStored }
    sentNames = CaseNames(sentCases.map { ($0.name, $0.hasPayload) }, of: name)
  }
}

extension ActionLayout.Case where Value: DurableAction {
  /// The same case, which a daemon stores, and which no client can send.
  public func notSent() -> Self {
    var stored = self
    stored.isOnlyStored = true
    return stored
  }
}

extension ActionLayout.Case {
  /// A case without payload.
  ///
  /// - Parameters:
  ///   - name: The case's name in schemas, messages and JSON.
  ///   - value: The case.
  ///   - matches: Whether an action is this case.
  /// - Returns: The case.
  public static func `case`(
    _ name: String,
    _ value: Value,
    matches: @escaping @Sendable (Value) -> Bool,
  ) -> Self {
    precondition(matches(value), "The case \"\(name)\" does not match its own value.")
    return Self(
      name: name,
      hasPayload: false,
      schema: { _ in [] },
      encode: { (action, encodedName, encoder) throws(CodecError) in
        guard matches(action) else { return false }
        encoder.append(raw: encodedName)
        return true
      },
      decode: { (_) throws(CodecError) in value },
    )
  }

  /// A case without payload.
  ///
  /// - Parameters:
  ///   - name: The case's name in schemas, messages and JSON.
  ///   - value: The case.
  /// - Returns: The case.
  public static func `case`(_ name: String, _ value: Value) -> Self where Value: Equatable {
    .case(name, value) { $0 == value }
  }

  /// A case with a payload: values, or actions of a child feature.
  ///
  /// - Parameters:
  ///   - name: The case's name in schemas, messages and JSON.
  ///   - labels: The labels of all parts, or no labels; then they are `_0`, `_1`, ….
  ///   - embed: Creates the case from its payload: `Action.titleChanged(title:)`.
  ///   - extract: Returns the payload if an action is this case.
  /// - Returns: The case.
  public static func `case`<each Part: WirePayload>(
    _ name: String,
    _ labels: String...,
    embed: @escaping @Sendable (repeat each Part) -> Value,
    extract: @escaping @Sendable (Value) -> (repeat each Part)?,
  ) -> Self {
    let payload = PayloadLayout<repeat each Part>(labels: labels, of: "The case \"\(name)\"")
    precondition(!payload.order.names.isEmpty, "The case \"\(name)\" has no payload to embed.")
    return Self(
      name: name,
      hasPayload: true,
      schema: { payload.schema(in: &$0) },
      encode: { (action, encodedName, encoder) throws(CodecError) in
        guard let parts = extract(action) else { return false }
        encoder.mapHeader(1)
        encoder.append(raw: encodedName)
        try payload.encode(repeat each parts, to: &encoder)
        return true
      },
      decode: { (decoder) throws(CodecError) in
        let parts = try payload.decode(from: &decoder)
        return embed(repeat each parts)
      },
    )
  }
}

extension ActionLayout {
  func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Value.self, name: name) { registry in
      if registry._$isDurable {
        for stored in cases where stored.isOnlyStored { _ = stored.schema(&registry) }
      }
      return .choice(sentCases.map { Definition.Case($0.name, $0.schema(&registry)) })
    }
  }

  package func encode(_ value: Value, to encoder: inout CBOREncoder) throws(CodecError) {
    let (cases, names) = encoder._$isDurable ? (cases, names) : (sentCases, sentNames)
    for (index, `case`) in cases.enumerated() {
      do throws(CodecError) {
        if try `case`.encode(value, names.encodedNames[index], &encoder) { return }
      } catch {
        throw error.inside(.name(`case`.name))
      }
    }
    throw CodecError(
      .privateAction,
      "\"\(caseName(of: value))\" of \(name) is private to the process that owns the state; "
        + "a client cannot send it",
    )
  }

  func decode(from decoder: inout CBORDecoder) throws(CodecError) -> Value {
    let (cases, names) = decoder._$isDurable ? (cases, names) : (sentCases, sentNames)
    let index = try decoder.caseIndex(names, what: "action")
    do throws(CodecError) {
      return try cases[index].decode(&decoder)
    } catch {
      throw error.inside(.name(names.names[index]))
    }
  }
}
