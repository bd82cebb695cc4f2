import GenericState
public import StoreState

/// The wire form of a role is its name.
extension ButtonStateRole: ReplicatedChoice {
  /// The two roles.
  public static let layout = ChoiceLayout<ButtonStateRole>(
    "ButtonStateRole",
    [.case("cancel", .cancel), .case("destructive", .destructive)],
  )
}

/// The wire form of a button's action is the action that a client sends for the button, or null.
///
/// A client cannot send an action that is private to the process that owns the state; it is null
/// for the client, and the button only closes its alert or dialog.
extension ButtonStateAction: WirePayload, WireValue, ReplicatedState where Action: WirePayload {
  /// An action that may be absent.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    .optional(Action.schema(in: &registry))
  }

  /// True: a button without an action is null.
  public static var admitsNull: Bool { true }

  /// Writes null or the action.
  public func encode(to encoder: inout CBOREncoder) {
    guard let action, let item = Self.encoded(action) else { return encoder.encodeNull() }
    if Self.wrapsAction { encoder.arrayHeader(1) }
    encoder.append(raw: item)
  }

  /// Reads null or an action.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    guard !(try decoder.nullIfPresent()) else {
      self = .send(nil)
      return
    }
    if Self.wrapsAction { try decoder.expectArray(of: 1, "null or an action") }
    self = .send(try Action(from: &decoder))
  }

  /// Writes an added or removed action; a changed one is written as an added one.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    let item = action.flatMap { Self.encoded($0) }
    if item == old.action.flatMap({ Self.encoded($0) }) { return false }
    guard let item else {
      encoder.encodeNull()
      return true
    }
    encoder.arrayHeader(2)
    encoder.encode(unsigned: 0)
    encoder.append(raw: item)
    return true
  }

  /// Adds, removes or changes the action.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard !(try decoder.nullIfPresent()) else {
      self = .send(nil)
      return
    }
    guard try decoder.deltaForm() == .changed else {
      self = .send(try Action(from: &decoder))
      return
    }
    guard let item = action.flatMap({ Self.encoded($0) }) else {
      throw decoder.error(.deltaMismatch, "the delta changes an action that is absent")
    }
    // An action has no deltas of its own, but its schema is sufficient to apply one.
    let document = SchemaRegistry.document(for: Action.self)
    var value = try GenericValue(encoded: item)
    try value.apply(delta: &decoder, schema: document.root, in: document)
    var changed = CBORDecoder(value.encoded())
    self = .send(try Action(from: &changed))
    try changed.finish()
  }

  /// Whether the action may itself be written as null.
  private static var wrapsAction: Bool {
    (Action.self as? any WireValue.Type)?.admitsNull ?? false
  }

  /// The action's encoding; nil for an action that is private to this process.
  private static func encoded(_ action: Action) -> [UInt8]? {
    var encoder = CBOREncoder()
    do throws(CodecError) {
      try action.encode(to: &encoder)
      return encoder.bytes
    } catch {
      return nil
    }
  }
}

extension ButtonState: WirePayload, WireValue, ReplicatedState, ReplicatedRecord
where Action: WirePayload {
  /// The role, the action and the label.
  public static var layout: RecordLayout<Self> {
    GenericLayouts.layout {
      RecordLayout(
        "ButtonState",
        [.field("role", \.role), .field("action", \.action), .field("label", \.label)],
      )
    }
  }

  /// Creates an empty button, to be filled in.
  public init() {
    self.init { TextState("") }
  }
}
