import Testing

@testable import StoreDaemon

@Suite("Return of memory to the system")
struct MemoryReturnTests {
  private typealias Step = (milliseconds: Int64, bytes: Int, isDue: Bool)

  /// Checks at these moments; each return takes the same time.
  private func check(_ steps: [Step], taking milliseconds: Int64 = 0) {
    var memory = MemoryReturn()
    for step in steps {
      let now = step.milliseconds * 1_000_000
      let isDue = memory.isDue(at: step.bytes, now: now)
      #expect(isDue == step.isDue, "\(step)")
      if isDue { memory.returned(from: now - milliseconds * 1_000_000, to: now) }
    }
  }

  private static let much = MemoryReturn.growth

  @Test func `Memory of a flood is given back at once, repeatedly, but not all the time`() {
    let base = 50 << 20
    check([
      (0, base, false), (50, base + Self.much, true),
      // The remaining size is the new base.
      (100, base + 10, false), (149, base + 10 + Self.much, false),
      (150, base + 10 + Self.much, true),
    ])
  }

  @Test func `The longer it takes, the longer it is until the next time`() {
    check(
      [
        (0, 0, false), (50, Self.much, true), (100, 0, false), (199, Self.much, false),
        (200, Self.much, true),
      ],
      taking: 50,
    )
  }

  @Test func `Memory that went by itself is no measure any more`() {
    check([
      (0, 100 << 20, false), (50, 10 << 20, false), (100, (10 << 20) + Self.much - 1, false),
      (150, (10 << 20) + Self.much, true),
    ])
  }

  @Test func `Memory that becomes free after a return is given back a few times later`() {
    var memory = MemoryReturn()
    #expect(!memory.isDue(at: 0, now: 0) && !memory.isPending)
    var (returns, now): ([Int64], Int64) = ([], 0)
    let moment: Int64 = 1_000_000
    repeat {
      now += moment
      if memory.isDue(at: Self.much, now: now) {
        #expect(memory.isPending)
        memory.returned(from: now, to: now)
        returns.append(now / moment - 1)
      }
    } while memory.isPending
    #expect(returns == [0, 500, 1500, 3500, 7500, 15_500])
  }

  @Test func `A large process grows by more before memory is given back at once`() {
    let base = 100 * Self.much
    let much = base / MemoryReturn.largeParts
    check([(0, base, false), (50, base + much - 1, false), (100, base + much, true)])
  }
}
