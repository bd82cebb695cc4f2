import StoreState
import Testing

/// The text in a directory's lock about the program that holds it.
@Suite struct LockTextTests {
  private func text(_ text: String) -> LockText? { LockText(Array(text.utf8)) }

  @Test func `A lock names the process and its program, of earlier versions the process alone`() {
    let lock = text("4711 0123456789abcdef farmd\n")
    #expect(lock?.pid == 4711 && lock?.program == "farmd")
    let earlier = text("4711 0123456789abcdef\n")
    #expect(earlier?.pid == 4711 && earlier?.program == nil)
  }

  @Test(arguments: ["", "\n", "x", "-1 t n", "0 t n", "99999999999 t n", " ", "\u{1B}[2J"])
  func `A text without a process is no lock`(text: String) { #expect(self.text(text) == nil) }

  @Test func `A program's name is one short word that cannot control a terminal`() throws {
    #expect(ProgramName.checked("farmd") == "farmd")
    #expect(ProgramName.checked("print farm\td") == "print-farm-d")
    #expect(ProgramName.checked(" \n") == nil)
    let control = try #require(ProgramName.checked("a\u{1B}[2J"))
    #expect(!control.unicodeScalars.contains("\u{1B}"))
    let long = try #require(ProgramName.checked(String(repeating: "ä", count: 1_000)))
    #expect(long.utf8.count == ProgramName.limit)
    #expect(try #require(text("1 t \(long)x")?.program) == long)
  }
}
