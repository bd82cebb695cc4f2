import GenericState
import StoreState
import Testing

/// Converts a client's JSON text to an action.
func action<Action: WireAction>(_ json: String, as type: Action.Type) throws -> Action {
  let document = SchemaRegistry.document(for: type)
  let value = try JSONProjection.value(fromJSON: json, in: document)
  return try Action(encoded: value.encoded())
}

/// Converts an action to JSON.
func json<Action: WireAction>(_ action: Action) throws -> String {
  let value = try GenericValue(encoded: action.encoded())
  return JSONProjection.json(value, in: SchemaRegistry.document(for: Action.self))
}

/// Converts a state to JSON.
func json<State: ReplicatedState>(state: State) throws -> String {
  let value = try GenericValue(encoded: state.encoded())
  return JSONProjection.json(value, in: SchemaRegistry.document(for: State.self))
}

/// Returns the names of the cases that a client may send.
func sendableCases<Action: WireAction>(of type: Action.Type) throws -> [String] {
  try caseNames(in: SchemaRegistry.document(for: type))
}

/// Returns the case names of a document whose root is a choice.
func caseNames(in document: SchemaDocument) throws -> [String] {
  guard case .choice(let cases)? = document.definition(of: document.root) else {
    Issue.record("\(document.root) is no choice")
    return []
  }
  return cases.map(\.name)
}

/// Expects an action to have this JSON form, and the form to decode to the action.
func expectRoundTrip<Action: WireAction & Equatable>(
  _ action: Action,
  _ text: String,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  #expect(try json(action) == text, sourceLocation: sourceLocation)
  let decoded = try WorkspaceTests.action(text, as: Action.self)
  #expect(decoded == action, sourceLocation: sourceLocation)
  #expect(try decoded.encoded() == action.encoded(), sourceLocation: sourceLocation)
}

/// Expects the delta between two states to turn the first into the second, byte for byte.
func expectDelta<State: ReplicatedState>(
  from old: State,
  to new: State,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  guard let delta = new.delta(from: old) else {
    #expect(old.encoded() == new.encoded(), sourceLocation: sourceLocation)
    return
  }
  #expect(old.encoded() != new.encoded(), sourceLocation: sourceLocation)
  let applied = try old.applying(delta: delta)
  #expect(applied.encoded() == new.encoded(), sourceLocation: sourceLocation)
  #expect(applied._$digest == new._$digest, sourceLocation: sourceLocation)
}

/// Expects decoding to restore an encoded state.
func expectRoundTrip<State: ReplicatedState & Equatable>(
  state: State,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  let decoded = try State(encoded: state.encoded())
  #expect(decoded == state, sourceLocation: sourceLocation)
}
