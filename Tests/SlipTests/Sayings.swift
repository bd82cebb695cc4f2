/// What the compiler has printed, by the files that it is about.
struct Sayings {
  /// A line for each sentence, by the path of the file.
  let texts: [String: String]

  /// - Parameters:
  ///   - output: What the compiler has printed.
  ///   - paths: The files that it was about.
  init(_ output: String, of paths: [String]) {
    let paths = Set(paths)
    var remarks: [Remark] = []
    // What is said in code that a macro has written is about the place that the macro stands at,
    // which is told behind it.
    var inExpansion: Sentence?
    for line in output.split(separator: "\n") {
      guard let sentence = Sentence(line) else { continue }
      if paths.contains(sentence.path) {
        if let inner = inExpansion, sentence.text.hasPrefix("note: in expansion of macro ") {
          remarks.append(Remark(sentence, text: "what the macro wrote: \(inner.text)"))
        } else if sentence.isNote, let last = remarks.indices.last {
          remarks[last].notes.append(sentence)
        } else {
          remarks.append(Remark(sentence, text: sentence.text))
        }
        inExpansion = nil
      } else if !sentence.isNote {
        inExpansion = sentence
      }
    }
    texts = Dictionary(grouping: remarks, by: \.path).mapValues { remarks in
      remarks.sorted { $0.place < $1.place }.map(\.lines).joined()
    }
  }
}

/// A sentence with the notes behind it.
private struct Remark {
  let path: String
  let place: (line: Int, column: Int)
  let text: String
  var notes: [Sentence] = []

  init(_ sentence: Sentence, text: String) {
    path = sentence.path
    place = (sentence.line, sentence.column)
    self.text = text
  }

  var lines: String {
    let notes = notes.filter { $0.path == path }
      .map { "  \($0.line):\($0.column): \($0.text)\n" }
    return "\(place.line):\(place.column): \(text)\n" + notes.joined()
  }
}

/// `path:line:column: error: text`.
private struct Sentence {
  let path: String
  let line: Int
  let column: Int
  let text: String

  var isNote: Bool { text.hasPrefix("note: ") }

  init?(_ printed: Substring) {
    let parts = printed.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let line = Int(parts[1]), let column = Int(parts[2]) else { return nil }
    let text = parts[3].dropFirst()
    guard ["error: ", "warning: ", "note: "].contains(where: text.hasPrefix) else { return nil }
    path = String(parts[0])
    self.line = line
    self.column = column
    self.text = String(text)
  }
}
