/// The definition of a name in a schema document.
public enum Definition: Hashable, Sendable {
  /// A record: every value has all fields.
  case record([Field])
  /// A choice: every value is one of the cases.
  case choice([Case])

  /// A field of a record, or a part of a case's payload.
  public struct Field: Hashable, Sendable {
    /// The field's name, or the payload's label.
    public var name: String
    /// The schema of the value.
    public var schema: Schema

    /// Creates a field.
    public init(_ name: String, _ schema: Schema) {
      self.name = name
      self.schema = schema
    }
  }

  /// A case of a choice.
  public struct Case: Hashable, Sendable {
    /// The case's name.
    public var name: String
    /// The payload's parts; empty for a case without a payload.
    public var payload: [Field]

    /// Creates a case.
    public init(_ name: String, _ payload: [Field] = []) {
      self.name = name
      self.payload = payload
    }

    /// Creates a case with a payload of the given types; the registry gets their schemas.
    package init<each Part: WirePayload>(
      _ name: String,
      _ labels: [String],
      of parts: repeat (each Part).Type,
      in registry: inout SchemaRegistry,
    ) {
      self.init(name)
      var schemas: [Schema] = []
      for part in repeat each parts { schemas.append(part.schema(in: &registry)) }
      payload = zip(labels, schemas).map { Field($0, $1) }
    }
  }
}
