import GenericState
import StoreActor
import StoreState
import StoredWorkspace
import Testing

@testable import StorectlMain

/// The reported differences between two states.
@Suite struct StateChangesTests {
  private struct Sample: ReplicatedRecord, Equatable {
    var title = ""
    var count: Int?
    var numbers: [Int] = []
    var names: [String: Int] = [:]
    var tags: Set<String> = []
    var rows: IdentifiedArrayOf<Todo.State> = []

    static let layout = RecordLayout<Self>(
      "Sample",
      [
        .field("title", \.title), .field("count", \.count), .field("numbers", \.numbers),
        .field("names", \.names), .field("tags", \.tags), .field("rows", \.rows),
      ],
    )
  }

  private func changes(_ change: (inout Sample) -> Void) throws -> [String] {
    var (before, after) = (Sample(), Sample())
    before.numbers = [1, 2, 3]
    before.names = ["a": 1, "b": 2]
    before.tags = ["x", "z"]
    before.rows = [row(1), row(2), row(3)]
    after = before
    change(&after)
    let document = SchemaRegistry.document(for: Sample.self)
    func node(_ sample: Sample) throws -> StateNode {
      var encoder = CBOREncoder()
      sample.encode(to: &encoder)
      return StateNode(
        "sample",
        try GenericValue(encoded: encoder.bytes),
        document.root,
        in: document,
      )
    }
    return StateChanges(from: try node(before), to: try node(after)).list.map {
      "\($0.names.joined(separator: ".")): \($0.text)"
    }
  }

  private func row(_ number: Int) -> Todo.State {
    Todo.State(id: UUID(number), title: "\(number)")
  }

  @Test func `Equal states have no difference`() throws {
    #expect(try changes { _ in } == [])
  }

  @Test func `Each difference is shown with its place and its old value`() throws {
    #expect(try changes { $0.title = "new" } == [#"title: "" → "new""#])
    #expect(try changes { $0.count = 7 } == ["count: null → 7"])
    #expect(try changes { $0.numbers[1] = 9 } == ["numbers.1: 2 → 9"])
    #expect(try changes { $0.numbers.insert(0, at: 0) } == ["numbers.0: + 0"])
    #expect(try changes { $0.numbers.removeLast(2) } == ["numbers.1: − 2", "numbers.2: − 3"])
    #expect(try changes { $0.names["a"] = nil } == ["names.a: − 1"])
    #expect(try changes { $0.names["c"] = 3 } == ["names.c: + 3"])
    #expect(try changes { $0.tags.insert("y") } == [#"tags.1: + "y""#])
    // A row's title is its first text, in its later version.
    #expect(try changes { $0.rows[1].title = "new" } == [#"rows.new.title: "2" → "new""#])
    #expect(try changes { $0.rows.remove(at: 1) } == ["rows.2: − isCompleted false"])
    #expect(try changes { $0.rows.swapAt(0, 2) } == ["rows: in another order"])
  }

  @Test func `Of very many changes the first ones are listed`() throws {
    let list = try changes { $0.numbers = Array(1...100_000) }
    #expect(list.count == StateChanges.most)
  }
}
