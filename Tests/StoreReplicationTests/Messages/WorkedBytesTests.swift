import Foundation
import GenericState
import StoreState
import Testing

@testable import StoreProtocol

/// Compares the bytes of docs/PROTOCOL.md §14 with those that the code encodes.
@Suite struct WorkedBytesTests {
  /// The blocks of bytes in the page's section, without their comments.
  static func blocks() throws -> [[UInt8]] {
    let section = try #require(text().components(separatedBy: "## 14. Worked bytes").last)
    var blocks: [[UInt8]] = []
    var isInside = false
    for line in section.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("    ") else {
        isInside = false
        continue
      }
      if !isInside { blocks.append([]) }
      isInside = true
      let digits = line.prefix { $0 != ";" }.filter { !$0.isWhitespace }
      for start in stride(from: 0, to: digits.count, by: 2) {
        let pair = digits.dropFirst(start).prefix(2)
        blocks[blocks.count - 1].append(try #require(UInt8(pair, radix: 16)))
      }
    }
    return blocks
  }

  @Test(
    "§14: a join, a fence, an action, a delta, an output and a state have the page's bytes"
  )
  func bytes() throws {
    let join = ClientMessage.join(
      nonce: 1,
      [
        ClientMessage.JoinRequest(
          scope: "counter",
          mode: .follow,
          stateHash: nil,
          actionHash: nil,
          position: nil,
        )
      ],
    )
    let eleven: UInt64 = 0x1111_1111_1111_1111
    let fence = Fence(token: Identifier(high: eleven, low: eleven), nonce: 1)
    let action = ClientMessage.actions(
      first: 1,
      [
        ClientMessage.ActionRequest(
          handle: 1,
          action: "incrementButtonTapped".encoded()[...],
          deadline: nil,
        )
      ],
    )
    let change = PublishedMessage.Change(index: 0, delta: [0x82, 0x01, 0xa1, 0x00, 0x01])
    let deltas = PublishedMessage.deltas(
      PublishedMessage.DeltaRun(
        sequence: 1,
        steps: [PublishedMessage.Step(revision: 2, changes: [change])],
      )
    )
    let outputs = PublishedMessage.outputs(
      PublishedMessage.Outputs(
        sequence: 1,
        outputs: [
          PublishedMessage.Output(
            revision: 2,
            index: 0,
            schema: SchemaRegistry.document(for: String.self).hash,
            value: "reached".encoded()[...],
          )
        ],
      )
    )
    let state = try #require(
      GenericValue.map(sorting: [
        .init(.text("count"), .unsigned(1)), .init(.text("numberFactAlert"), .null),
      ])
    )
    #expect(
      try Self.blocks() == [
        join.encoded(), fence.encoded(), action.encoded(), deltas.encoded(), outputs.encoded(),
        state.encoded(),
      ]
    )
    let page = "Its digest is `\(state._$digest)`."
    #expect(try Self.text().contains(page), "The page should say: \(page)")
  }

  private static func text() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "docs/PROTOCOL.md"), encoding: .utf8)
  }
}
