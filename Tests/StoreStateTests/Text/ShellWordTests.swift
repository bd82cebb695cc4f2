import StoreState
import Testing

@Suite struct ShellWordTests {
  @Test(
    arguments: [
      ("/run/app-1/data", "/run/app-1/data"), ("", "''"), ("a b", "'a b'"),
      ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"), ("~", "'~'"), ("a;b", "'a;b'"),
    ] as [(String, String)]
  )
  func `A path is one word of a command`(_ path: String, _ word: String) {
    #expect(ShellWord.quoted(path) == word)
  }
}
