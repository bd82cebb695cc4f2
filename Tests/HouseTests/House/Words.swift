/// A word or one sign of code, with its line.
struct Word: Equatable {
  var text: String
  /// The line, counted from one.
  var line: Int
  /// Whether the word is an identifier or a keyword, not a sign.
  var isName: Bool { text.utf8.first.map { $0.isWord } ?? false }
}

extension SourceFile {
  /// The code as words and single signs, in order.
  var words: [Word] {
    var words: [Word] = []
    for (index, line) in code.enumerated() {
      let bytes = Array(line.utf8)
      var start = 0
      while start < bytes.count {
        var end = start + 1
        if bytes[start].isWord {
          while end < bytes.count, bytes[end].isWord { end += 1 }
        }
        if bytes[start] != .space {
          let text = String(decoding: bytes[start..<end], as: UTF8.self)
          words.append(Word(text: text, line: index + 1))
        }
        start = end
      }
    }
    return words
  }
}
