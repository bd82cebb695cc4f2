import GenericState
import StoreState
import Testing

@testable import StorectlMain

/// Searches of large states.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct StateFilterTests {
  private struct Lists: ReplicatedRecord, Equatable {
    var words: [String] = []
    var lists: [[String]] = []

    static let layout = RecordLayout<Self>(
      "Lists",
      [.field("words", \.words), .field("lists", \.lists)],
    )
  }

  private let filter = StateFilter()

  private func node(_ lists: Lists) throws -> StateNode {
    let document = SchemaRegistry.document(for: Lists.self)
    var encoder = CBOREncoder()
    lists.encode(to: &encoder)
    let value = try GenericValue(encoded: encoder.bytes)
    return StateNode("lists", value, document.root, in: document)
  }

  private func words(_ words: some Sequence<Int>) throws -> StateNode {
    try node(Lists(words: words.map { "word \($0)" })).part(at: 0)
  }

  @Test func `No drawing waits for a search; meanwhile the last result is shown`() async throws {
    let (first, second) = (try words(0..<20_000), try words(9_990..<10_000))
    var root = { [filter] in filter.root(first, for: "9999", version: .live(news: 1)) }
    #expect(root().partCount == 20_000)
    await filter.searching?.value
    #expect(root().partCount == 2 && filter.searching == nil)
    #expect(root().part(at: 1).node.summary.contains("word 19999"))

    root = { [filter] in filter.root(second, for: "9999", version: .live(news: 2)) }
    #expect(root().partCount == 2)
    #expect(root().part(at: 1).node.summary.contains("word 19999"))
    await filter.searching?.value
    #expect(root().partCount == 1)

    root = { [filter] in filter.root(second, for: "", version: .live(news: 2)) }
    #expect(root().partCount == 10)
  }

  @Test func `An opened part is shown in full until it is searched, and then with its state`()
    async throws
  {
    var state = Lists(lists: [["a", "b"], ["b", "c"], ["c"]])
    let first = try node(state).part(at: 1)
    state.lists[0].append("bb")
    let second = try node(state).part(at: 1)
    var root = { [filter] in filter.root(first, for: "b", version: .live(news: 1)) }
    _ = root()
    await filter.searching?.value
    #expect(root().partCount == 2)
    #expect(root().part(at: 0).partCount == 2)
    await filter.searching?.value
    #expect(root().part(at: 0).partCount == 1 && root().part(at: 0).key(at: 0) == .index(1))

    root = { [filter] in filter.root(second, for: "b", version: .live(news: 2)) }
    #expect(root().part(at: 0).partCount == 1)
    await filter.searching?.value
    #expect(root().part(at: 0).partCount == 2 && root().part(at: 0).key(at: 1) == .index(2))
    #expect(filter.searching == nil)
  }

  @Test func `A searched part that was hidden for a while is searched again before it is shown`()
    async throws
  {
    let (with, without) = (Lists(words: ["a", "b"]), Lists(words: ["a"]))
    for (news, state) in [with, without, with].enumerated() {
      let node = try node(state)
      let root = { [filter] in filter.root(node, for: "b", version: .live(news: news)) }
      // Requests the parts of expanded nodes, as a drawing does.
      func draw() -> [Int] { (0..<root().partCount).map { root().part(at: $0).partCount } }
      _ = draw()
      while let searching = filter.searching {
        await searching.value
        // Before the first search ends, all parts are shown.
        #expect(draw() == (state == with ? [1] : []) || news == 0)
      }
      #expect(draw() == (state == with ? [1] : []))
    }
  }
}
