import StoreClient
import StoreProtocol
import Testing

@Suite struct ConnectionErrorTests {
  @Test func `A client that is refused for lack of room gets the remedy once`() {
    for message in [
      "The daemon has 4096 sessions already. Try again later.",
      "Your user has 256 sessions already. End some first.",
    ] {
      let error = ConnectionError(JoinFailure(code: "overloaded", message: message, details: []))
      #expect(error.code == .tryAgain)
      #expect("\(error)" == message)
    }
  }
}
