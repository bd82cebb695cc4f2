import StoreActor
import Testing

@testable import StoreExposures

@MainActor
@Suite struct ExposureNameTests {
  @Test("A name that occurs twice among exposures is found")
  func repeated() {
    let exposures = Deck.exposures
    #expect(exposures.firstRepeatedName() == nil)
    let counter = Expose<Deck.State, Deck.Action>("cards", state: \.counter)
    #expect((exposures + [counter]).firstRepeatedName() == "cards")
  }

  @Test("A name that cannot be typed is found, in any kind of exposure")
  func impossible() {
    func found(_ name: String) -> String? {
      (Deck.exposures + [Expose(name, state: \.counter)]).firstImpossibleName()
    }
    let possible = [
      "counter", "todos/items", "a.b-c_D/9", "7", String(repeating: "x", count: 128),
    ]
    for name in possible { #expect(found(name) == nil, "\(name)") }
    let impossible = [
      "", "my scope!", "/", "a/", "/a", "a//b", "a b", "a,b", "a*", "#a", "-a", "a/.b", "zähler",
      "a\n", "a\u{1b}[0m", "\"a\"", "$a", String(repeating: "x", count: 129),
    ]
    for name in impossible { #expect(found(name) == name, "\(name)") }
    let rows = Expose<Deck.State, Deck.Action>(each: "my rows", state: \.cards, action: \.cards)
    #expect((Deck.exposures + [rows]).firstImpossibleName() == "my rows")
  }
}
