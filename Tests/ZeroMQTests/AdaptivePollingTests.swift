import Testing

@testable import ZeroMQ

/// The decision of a loop to poll before it sleeps.
@Suite struct AdaptivePollingTests {
  @Test("It does not poll before the first message")
  func first() {
    #expect(!AdaptivePolling.messages.isWorthwhile)
    #expect(!AdaptivePolling.answers.isWorthwhile)
  }

  @Test("It polls after a short wait, and stops after a long one")
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

  @Test("Messages that arrive once per millisecond end the polling")
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

  @Test("Polling does not pause at first, nor after the turns of other threads")
  func noPause() {
    var pause = PollingPause()
    #expect(pause.isOver(at: 0))
    for now in stride(from: Int64(0), to: 100_000_000, by: 100_000) {
      let begins = pause.begins(after: 100_000, at: now)
      #expect(!begins)
      #expect(pause.isOver(at: now))
    }
  }

  @Test("Beside a program that takes every slice, polling costs at most a fiftieth of the time")
  func pauseBesideBusyProgram() {
    var pause = PollingPause()
    let slice: Int64 = 3_000_000
    var now: Int64 = 0
    var lost: Int64 = 0
    while now < 10_000_000_000 {
      if pause.isOver(at: now) {
        now += slice
        lost += slice
        let begins = pause.begins(after: slice, at: now)
        #expect(begins)
      } else {
        now += 100_000
      }
    }
    #expect(lost > 0)
    #expect(lost <= now / 50)
  }
}
