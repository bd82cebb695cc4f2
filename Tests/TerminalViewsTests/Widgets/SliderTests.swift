import TerminalViews
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct SliderTests {
  /// Returns the numbers that the mouse selects: at the left end, at the right end, and with
  /// the wheel.
  private func numbers(_ value: UInt64, in range: ClosedRange<UInt64>) async -> [UInt64] {
    var numbers: [UInt64] = []
    let terminal = MemoryTerminal(width: 9, height: 1)
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) {
      Slider(value, in: range) { numbers.append($0) }
    }
    session.start()
    await session.idle()
    terminal.use(.press, x: 0, y: 0)
    terminal.use(.press, x: 8, y: 0)
    terminal.use(.wheelUp, x: 0, y: 0)
    terminal.use(.wheelDown, x: 0, y: 0)
    session.end()
    return numbers
  }

  @Test func `The mouse goes to both ends, and to the next number`() async {
    #expect(await numbers(5, in: 1...9) == [1, 9, 4, 6])
  }

  @Test func `No range leads to a number out of it`() async {
    #expect(await numbers(0, in: 0...0) == [0, 0, 0, 0])
    #expect(await numbers(.max, in: .max ... .max) == [.max, .max, .max, .max])
    #expect(await numbers(.max, in: 0 ... .max) == [0, .max, .max - 1, .max])
    #expect(await numbers(9, in: 1 ... .max - 1) == [1, .max - 1, 8, 10])
  }
}
