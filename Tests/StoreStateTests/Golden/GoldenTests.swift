import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// The bytes of earlier builds keep their meaning.
///
/// `REWRITE_GOLDEN=1 swift test --filter GoldenTests` rewrites the corpus; a changed line is a
/// changed protocol.
@Suite(.timeLimit(.minutes(1)), .serialized) struct GoldenTests {
  @Test("This build writes the committed bytes")
  func writes() throws {
    let files = try GoldenCorpus.files()
    guard !GoldenFile.isRewriting else {
      try FileManager.default.createDirectory(
        at: GoldenFile.folder,
        withIntermediateDirectories: true,
      )
      for file in files { try file.text.write(to: file.url, atomically: true, encoding: .utf8) }
      return
    }
    for file in files {
      let committed = try String(contentsOf: file.url, encoding: .utf8)
      let changed = zip(file.lines, committed.split(separator: "\n")).first { $0 != String($1) }
      #expect(changed == nil, "\(file.name) has another line")
      #expect(committed == file.text, "\(file.name) has other lines")
    }
  }

  @Test("Every committed file is read with its recorded values")
  func reads() throws {
    let files = try GoldenFile.committed()
    #expect(files.count >= 30)
    for file in files { try read(file) }
  }

  private func read(_ file: GoldenFile) throws {
    var document: SchemaDocument?
    var values: [String: GenericValue] = [:]
    for line in file.lines {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      let place = "\(file.name): \(words.prefix(3).joined(separator: " "))"
      switch words[0] {
      case "#": continue
      case "schema":
        document = try SchemaDocument(encoded: hex(words[1]))
        #expect(document?.encoded() == hex(words[1]), "\(place)")
      case "hash": #expect(document?.hash.description == words[1], "\(place)")
      case "value":
        let value = try GenericValue(encoded: hex(words[2]))
        try value.validate(against: try #require(document))
        #expect(value.encoded() == hex(words[2]), "\(place)")
        values[words[1]] = value
      case "digest":
        #expect(values[words[1]]?._$digest.description == words[2], "\(place)")
      case "json":
        let document = try #require(document)
        let text = words.dropFirst(2).joined(separator: " ")
        let value = try #require(values[words[1]])
        #expect(
          JSONProjection.json(value, schema: document.root, in: document) == text,
          "\(place)",
        )
        guard file.name != "any" else { continue }
        let read = try JSONProjection.value(fromJSON: text, schema: document.root, in: document)
        #expect(read == value, "\(place)")
      case "delta":
        let document = try #require(document)
        let old = try #require(values[words[1]])
        let new = try #require(values[words[2]])
        #expect(try old.applying(delta: hex(words[3]), in: document) == new, "\(place)")
        #expect(try new.delta(from: old, in: document) == hex(words[3]), "\(place)")
      default: Issue.record("\(place) is no line of the corpus")
      }
    }
  }
}
