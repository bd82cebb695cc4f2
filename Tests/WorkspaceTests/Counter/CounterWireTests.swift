import GenericState
import StoreActor
import StoreState
import StoredWorkspace
import Testing

@Suite struct CounterWireTests {
  @Test("Clients may send only the buttons")
  func listsTheButtons() throws {
    #expect(
      try sendableCases(of: Counter.Action.self) == [
        "decrementButtonTapped", "factAlertDismissed", "incrementButtonTapped",
        "numberFactButtonTapped",
      ]
    )
  }

  @Test("A button is written as a string")
  func buttonsAreStrings() throws {
    try expectRoundTrip(Counter.Action.incrementButtonTapped, #""incrementButtonTapped""#)
    try expectRoundTrip(Counter.Action.decrementButtonTapped, #""decrementButtonTapped""#)
    try expectRoundTrip(Counter.Action.numberFactButtonTapped, #""numberFactButtonTapped""#)
    try expectRoundTrip(Counter.Action.factAlertDismissed, #""factAlertDismissed""#)
  }

  @Test("A response cannot be encoded: it is private")
  func responsesCannotBeEncoded() {
    for result in [Result<String, NumberFactError>.success("lie"), .failure(.init("lie"))] {
      let error = #expect(throws: CodecError.self) {
        try Counter.Action.numberFactResponse(result).encoded()
      }
      #expect(error?.code == .privateAction)
      #expect(error?.message.contains("numberFactResponse") == true)
    }
  }

  @Test("A response cannot be decoded in any form")
  func responsesCannotBeDecoded() throws {
    let payloads: [GenericValue] = [
      .map([.init(.text("_0"), .text("lie"))]),
      .map([.init(.text("_0"), .map([.init(.text("success"), .text("lie"))]))]),
    ]
    let texts =
      [.text("numberFactResponse")]
      + payloads.map { GenericValue.map([.init(.text("numberFactResponse"), $0)]) }
    for text in texts {
      let error = #expect(throws: CodecError.self) {
        try Counter.Action(encoded: text.encoded())
      }
      #expect(error?.code == .unknownName)
    }
    #expect(throws: (any Error).self) {
      try action(#"{"numberFactResponse":{"_0":"lie"}}"#, as: Counter.Action.self)
    }
  }

  @Test("The state has the names that clients know")
  func stateNames() throws {
    #expect(try json(state: Counter.State()) == #"{"count":0,"numberFactAlert":null}"#)
    #expect(
      try json(state: Counter.State(count: -3, numberFactAlert: "Odd."))
        == #"{"count":-3,"numberFactAlert":"Odd."}"#
    )
  }

  @Test("Deltas lead from each state to each other state")
  func deltas() throws {
    let states = [0, 1, -1, .max, .min].flatMap { count in
      [nil, "", "One.", "e\u{301}", "\u{e9}"].map {
        Counter.State(count: count, numberFactAlert: $0)
      }
    }
    for old in states {
      try expectRoundTrip(state: old)
      for new in states { try expectDelta(from: old, to: new) }
    }
  }
}
