import GenericState
import StoreState
import Testing

/// The action that a client means by a JSON text.
func action<Action: WireAction>(_ json: String, as type: Action.Type) throws -> Action {
  let document = SchemaRegistry.document(for: type)
  let value = try JSONProjection.value(fromJSON: json, in: document)
  return try Action(encoded: value.encoded())
}

/// An action as JSON.
func json<Action: WireAction>(_ action: Action) throws -> String {
  let value = try GenericValue(encoded: action.encoded())
  return JSONProjection.json(value, in: SchemaRegistry.document(for: Action.self))
}

/// A state as JSON.
func json<State: ReplicatedState>(state: State) throws -> String {
  let value = try GenericValue(encoded: state.encoded())
  return JSONProjection.json(value, in: SchemaRegistry.document(for: State.self))
}

/// The names of the cases that a client may send.
func sendableCases<Action: WireAction>(of type: Action.Type) throws -> [String] {
  try caseNames(in: SchemaRegistry.document(for: type))
}

/// The names of the cases of a document's root, which is a choice.
func caseNames(in document: SchemaDocument) throws -> [String] {
  guard case .choice(let cases)? = document.definition(of: document.root) else {
    Issue.record("\(document.root) is no choice")
    return []
  }
  return cases.map(\.name)
}

/// Expects an action to have one JSON form, and that form to mean the action.
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

/// Expects the delta between two states to lead from the one to the other, byte for byte.
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

/// Expects a state to come out of its encoding as it went in.
func expectRoundTrip<State: ReplicatedState & Equatable>(
  state: State,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  let decoded = try State(encoded: state.encoded())
  #expect(decoded == state, sourceLocation: sourceLocation)
}
