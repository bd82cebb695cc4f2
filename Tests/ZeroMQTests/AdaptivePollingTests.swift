import Testing

@testable import ZeroMQ

/// When a loop looks for messages before it sleeps.
@Suite struct AdaptivePollingTests {
  @Test("It does not look before anything has come")
  func first() {
    #expect(!AdaptivePolling.messages.isWorthwhile)
    #expect(!AdaptivePolling.answers.isWorthwhile)
  }

  @Test("It looks after a wait that was short, and no more after one that was long")
  func waits() {
    for kind in [AdaptivePolling.messages, .answers] {
      var polling = kind
      polling.waited(polling.shortWait)
      #expect(polling.isWorthwhile)
      polling.waited(polling.shortWait + 1)
      #expect(!polling.isWorthwhile)
      polling.waited(0)
      #expect(polling.isWorthwhile)
    }
  }

  @Test("What comes once a millisecond, looked for in vain, is not looked for again")
  func slowMessages() {
    for kind in [AdaptivePolling.messages, .answers] {
      var polling = kind
      polling.waited(0)
      var looked = 0
      for _ in 0..<1000 {
        if polling.isWorthwhile { looked += 1 }
        polling.waited(1_000_000)
      }
      #expect(looked == 1)
      #expect(polling.limit < polling.shortWait)
    }
  }
}
