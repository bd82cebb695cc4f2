import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("JSON of deltas", .timeLimit(.minutes(1)))
struct JSONDeltaTests {
  private func json<State: ReplicatedState>(from old: State, to new: State) throws -> String {
    let document = SchemaRegistry.document(for: State.self)
    let delta = try #require(new.delta(from: old))
    let before = try GenericValue(encoded: old.encoded())
    return try JSONProjection.json(
      delta: delta[...],
      of: before,
      schema: document.root,
      in: document,
    )
  }

  @Test("Fields, cases and labels have their names")
  func names() throws {
    var old = AppState()
    old.todos = [Todo(title: "a")]
    old.destination = .edit(Todo(title: "b"))
    old.byName = ["x": Todo(), "y": Todo()]
    var new = old
    new.todos[0].isCompleted = true
    #expect(
      try json(from: old, to: new) == #"{"todos":{"at":0,"changed":{"isCompleted":true}}}"#
    )
    new = old
    new.destination = .edit(Todo(title: "c"))
    #expect(
      try json(from: old, to: new)
        == #"{"destination":{"changed":{"edit":{"_0":{"title":"c"}}}}}"#
    )
    new.destination = .home
    new.filter = .active
    #expect(
      try json(from: old, to: new) == #"{"destination":{"set":"home"},"filter":{"set":"active"}}"#
    )
    new = old
    new.byName["x"] = nil
    new.byName["y"]?.tags = ["t"]
    #expect(
      try json(from: old, to: new)
        == #"{"byName":{"removed":["x"],"changed":{"y":{"tags":"#
        + #"{"at":0,"removed":0,"inserted":["t"]}}}}}"#
    )
    new = old
    new.last = Todo(title: "z")
    #expect(try json(from: old, to: new).hasPrefix(#"{"last":{"set":{"title":"z","id":0"#))
    #expect(try json(from: new, to: old) == #"{"last":null}"#)
    old.selection = [RowID(rawValue: 1)]
    new = old
    new.selection = [RowID(rawValue: 2)]
    #expect(try json(from: old, to: new) == #"{"selection":{"removed":[1],"inserted":[2]}}"#)
  }

  @Test("Rows are identified by their ids")
  func rows() throws {
    let old: Rows = [Row(1, "a"), Row(2, "b"), Row(3, "c"), Row(4, "d")]
    var new = old
    new.remove(id: 1)
    new.move(fromOffsets: [2], toOffset: 0)
    new.append(Row(5, "e"))
    new[id: 3]?.isCompleted = true
    let expected =
      #"{"removed":[1],"moved":[{"id":4,"to":0}],"inserted":[{"at":3,"element":"#
      + #"{"id":5,"title":"e","isCompleted":false}}],"changed":[{"id":3,"changed":"#
      + #"{"isCompleted":true}}]}"#
    #expect(try json(from: old, to: new) == expected)
  }

  @Test("A delta can be shown without the previous value")
  func withoutValue() throws {
    let (old, new) = (Destination.move(from: 1, to: 2), Destination.move(from: 1, to: 3))
    let document = SchemaRegistry.document(for: Destination.self)
    let delta = try #require(new.delta(from: old))
    let text = try JSONProjection.json(delta: delta[...], schema: document.root, in: document)
    #expect(text == #"{"changed":{"move":{"to":3}}}"#)
  }

  @Test(
    "Every delta has a text, and damaged ones yield an error",
    arguments: 0..<30 as Range<UInt64>,
  )
  func anything(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let (old, new) = (AllKinds.random(&random), AllKinds.random(&random))
    guard let delta = new.delta(from: old) else { return }
    let text = try json(from: old, to: new)
    #expect(try JSONValue(parsing: text).text() == text)
    let before = try GenericValue(encoded: old.encoded())
    let (schema, document) = (AllKinds.document.root, AllKinds.document)
    for length in stride(from: 0, to: delta.count, by: 13) {
      #expect(throws: CodecError.self) {
        try JSONProjection.json(delta: delta[..<length], of: before, schema: schema, in: document)
      }
    }
  }
}
