import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Nearest names")
struct NearestNamesTests {
  private let actions = ["addButtonTapped", "clearCompletedButtonTapped", "filterPicked", "moved"]

  @Test("A typing mistake leads to the right name")
  func typingMistakes() {
    let nearest = NearestNames()
    for name in ["addButonTapped", "addButtonTaped", "AddButtonTapped", "adBduttonTapped"] {
      #expect(nearest.suggestions(for: name, among: actions) == ["addButtonTapped"])
    }
    #expect(nearest.suggestions(for: "move", among: actions) == ["moved"])
    #expect(nearest.suggestions(for: "Tapped", among: actions).first == "addButtonTapped")
    #expect(nearest.suggestions(for: "zzz", among: actions) == [])
    #expect(nearest.suggestions(for: "", among: actions) == [])
  }

  @Test("Suggestions are sorted by distance, then by name; at most three are given")
  func order() {
    let names = ["todos", "todo", "toads", "tod", "dots", "tados"]
    #expect(NearestNames().suggestions(for: "todoss", among: names) == ["todos", "tados", "todo"])
    #expect(NearestNames(limit: 1).suggestions(for: "todos", among: names) == ["todos"])
  }

  @Test("A remedy is a question, or a list of the known names")
  func remedies() {
    let nearest = NearestNames()
    #expect(nearest.remedy(for: "mved", among: actions) == #"; did you mean "moved"?"#)
    #expect(
      nearest.remedy(for: "cat", among: ["cap", "car"]) == #"; did you mean "cap" or "car"?"#
    )
    #expect(nearest.remedy(for: "x", among: ["one", "two"]) == #"; there are "one", "two""#)
    #expect(nearest.remedy(for: "x", among: ["one"]) == #"; there is "one""#)
    #expect(nearest.remedy(for: "x", among: []) == "; there are none")
    let many = (0..<20).map { "case number \($0)" }
    #expect(nearest.remedy(for: "x", among: many).hasSuffix("and 12 more"))
  }

  @Test("A very long name is processed quickly")
  func longNames() {
    let long = String(repeating: "a", count: 1_000_000)
    #expect(NearestNames().suggestions(for: long, among: ["b"]) == [])
  }
}
