import StoreActor
import Testing

@Suite("A failure of an action")
struct ActionFailureTests {
  @Test("It states the fault and the remedy")
  func description() {
    let failure = ActionFailure(
      code: .overloaded,
      message: "256 actions are waiting.",
      remedy: "Send it again in 50 ms.",
    )
    #expect("\(failure)" == "overloaded: 256 actions are waiting. Send it again in 50 ms.")
    #expect(failure.code != .rejected)
  }
}
