import Testing

@testable import StorectlMain

@Suite("Bytes into lines")
struct LineSplitterTests {
  /// Returns all lines of bytes that arrive in pieces of a size.
  private func lines(_ text: [UInt8], pieces size: Int, limit: Int = 16) -> [LineSplitter.Line] {
    var splitter = LineSplitter(limit: limit)
    var lines: [LineSplitter.Line] = []
    var start = 0
    while start < text.count {
      splitter.append(text[start..<min(start + size, text.count)])
      start += size
      while let line = splitter.next() { lines.append(line) }
    }
    if let last = splitter.last() { lines.append(last) }
    return lines
  }

  @Test("Lines do not depend on the sizes of the pieces", arguments: 1...12)
  func everyCut(size: Int) {
    let text = Array("one\n\ntwo\r\nthree".utf8)
    #expect(
      lines(text, pieces: size) == [.text("one"), .text(""), .text("two"), .text("three")]
    )
  }

  @Test("A byte-order mark is not part of the first line", arguments: 1...8)
  func byteOrderMark(size: Int) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(lines(mark + Array("one\ntwo".utf8), pieces: size) == [.text("one"), .text("two")])
    // Elsewhere the mark is a character.
    let second = Array("one\n".utf8) + mark + Array("two".utf8)
    #expect(lines(second, pieces: size) == [.text("one"), .text("\u{FEFF}two")])
    #expect(lines(mark, pieces: size) == [.text("")])
  }

  @Test("A line over the limit is reported once, and the next one is whole", arguments: 1...40)
  func tooLong(size: Int) {
    let text = Array((String(repeating: "x", count: 17) + "\nshort\n").utf8)
    #expect(lines(text, pieces: size) == [.tooLong(limit: 16), .text("short")])
  }

  @Test("A line of exactly the limit is whole")
  func atTheLimit() {
    let line = String(repeating: "x", count: 16)
    #expect(lines(Array("\(line)\n".utf8), pieces: 5) == [.text(line)])
  }

  @Test("A last line over the limit is reported, too", arguments: 1...40)
  func tooLongAtTheEnd(size: Int) {
    let text = Array(("short\n" + String(repeating: "x", count: 33)).utf8)
    #expect(lines(text, pieces: size) == [.text("short"), .tooLong(limit: 16)])
  }

  @Test("A line that is not UTF-8 is reported in its place")
  func notText() {
    #expect(
      lines([0x61, 0x0A, 0xFF, 0x0A, 0x62], pieces: 2) == [.text("a"), .notText, .text("b")]
    )
  }

  @Test("An end of line at the end begins no further line")
  func endOfLineAtTheEnd() {
    #expect(lines(Array("a\n".utf8), pieces: 1) == [.text("a")])
    #expect(lines([], pieces: 1).isEmpty)
  }

  @Test("Bytes over the limit are dropped")
  func nothingIsKept() {
    var splitter = LineSplitter(limit: 16)
    for _ in 0..<1_000 {
      splitter.append(Array(repeating: 0x78, count: 100))
      #expect(splitter.next() == nil)
    }
    #expect(splitter.byteCount <= 116)
    splitter.append([0x0A])
    #expect(splitter.next() == .tooLong(limit: 16))
  }
}
