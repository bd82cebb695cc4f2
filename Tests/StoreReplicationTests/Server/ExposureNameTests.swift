import StoreActor
import Testing

@testable import StoreReplication

@MainActor
@Suite struct ExposureNameTests {
  @Test("Of several exposures the name that occurs twice is found")
  func repeated() {
    let exposures = Deck.exposures
    #expect(exposures.firstRepeatedName() == nil)
    let counter = Expose<Deck.State, Deck.Action>("cards", state: \.counter)
    #expect((exposures + [counter]).firstRepeatedName() == "cards")
  }
}
