import GenericState
import StoreState
import Testing

@testable import StoreProtocol

/// The first difference of two states, in the form that is shown to people.
@Suite struct FirstDifferenceTests {
  private func shown(_ ours: GenericValue, _ theirs: GenericValue) -> [String]? {
    ours.firstDifference(from: theirs).map { [$0.path, $0.ours, $0.theirs] }
  }

  private func map(_ entries: KeyValuePairs<String, GenericValue>) throws -> GenericValue {
    try #require(.map(sorting: entries.map { GenericValue.Entry(.text($0.key), $0.value) }))
  }

  @Test func `Lists differ at the first element that another lacks, or has otherwise`() {
    let (one, two, three) = (GenericValue.unsigned(1), GenericValue.unsigned(2), GenericValue.null)
    #expect(shown(.array([one, two]), .array([one, two])) == nil)
    #expect(shown(.array([one]), .array([one, two])) == ["$[1]", "nothing", "2"])
    #expect(shown(.array([one, two]), .array([one])) == ["$[1]", "2", "nothing"])
    #expect(shown(.array([three, one]), .array([two])) == ["$[0]", "null", "2"])
  }

  @Test func `Maps differ at a key that one of them lacks`() throws {
    let small = try map(["a": .unsigned(1)])
    let large = try map(["a": .unsigned(1), "b": .array([.unsigned(2)])])
    #expect(shown(small, large) == ["$.b", "nothing", "[2]"])
    #expect(shown(large, small) == ["$.b", "[2]", "nothing"])
    let other = try map(["a": .unsigned(1), "b": .array([.unsigned(3)])])
    #expect(shown(other, large) == ["$.b[0]", "3", "2"])
  }

  @Test func `Sets differ in an element that one of them lacks`() {
    let (small, large) = ([GenericValue.unsigned(1)], [GenericValue.unsigned(1), .unsigned(2)])
    #expect(shown(.set(small), .set(large)) == ["$", "nothing", "2"])
  }

  @Test func `Long texts are shown from shortly before they differ`() throws {
    let text = String(repeating: "long ", count: 100)
    let place = try #require(shown(.text(text + "tale"), .text(text + "story")))
    #expect(place[1] == "…long long long long tale\"")
    #expect(place[2] == "…long long long long story\"")
    let short = try #require(shown(.text("tale"), .text(text)))
    #expect(short[1] == "\"tale\"")
    #expect(short[2].count == 61)
  }
}
