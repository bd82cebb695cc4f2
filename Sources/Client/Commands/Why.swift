import ArgumentParser
import GenericState
import StoreClient
import StoreHistory
import StoreProtocol
import StoreState

/// Shows the cause of a revision, and the revisions that it caused: `storectl why REVISION`.
struct Why: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Show the cause of a revision, and the revisions that it caused.",
    discussion: """
      Prints the revision that began the effect which made this one, this revision, and those that \
      effects of this one have made so far: one level each, as lines of log. Ask again with \
      another revision to go further. With --json, "relation" is "cause", "revision" or \
      "consequence".

      A client that may not see everything learns the causes of actions of scopes that it may see.

      Example:
        storectl why 15
      """,
  )

  @OptionGroup var options: ConnectionOptions
  @OptionGroup var history: HistoryOptions

  // With an empty completion: the script for fish counts only arguments that have completions.
  @Argument(help: "The revision.", completion: .list([]))
  var revision: UInt64

  func validate() throws {
    guard revision > 0 else {
      throw ValidationError("Revision 0 is the initial state, and has no cause.")
    }
  }

  func run() throws {
    let (revision, isJSON) = (revision, options.json || !isOutputTerminal)
    try history.run(options, name: "storectl why") { past in
      let entry = try await past.entry(of: revision)
      if case .unsigned(let cause)? = entry[field: "cause"] {
        do {
          try past.show(try await past.entry(of: cause), as: "cause", isJSON: isJSON)
        } catch let error as HistoryError where error.code == .gone {
          Note.print("the cause, revision \(cause), is not kept any more, or not for this client")
        }
      }
      try past.show(entry, as: "revision", isJSON: isJSON)
      try await past.forEachConsequence(of: revision) {
        try past.show($0, as: "consequence", isJSON: isJSON)
      }
    }
  }
}

extension Past {
  /// The log's entry of a revision.
  fileprivate func entry(of revision: UInt64) async throws -> GenericValue {
    // A damaged record may name any revision.
    let page = try await page(after: max(1, revision) - 1, count: 1)
    guard revision <= page.newest else {
      throw HistoryError.future(revision, newest: page.newest)
    }
    guard let entry = page.entries.first, entry[field: "revision"] == .unsigned(revision) else {
      throw HistoryError(
        .gone,
        "Revision \(revision) is not kept any more, or not for this client.",
      )
    }
    return entry
  }

  /// Calls a function with the entries that effects of a revision have caused, oldest first.
  fileprivate func forEachConsequence(
    of revision: UInt64,
    _ body: (GenericValue) throws -> Void,
  ) async throws {
    var pages = LogPages(after: revision, count: nil, isFollowed: false)
    let epoch = epoch
    var step = LogPages.Step.ask
    while step == .ask {
      let page = try await page(after: pages.next, count: pages.count)
      guard epoch == self.epoch else { throw LogPages.cut("A new epoch has begun.") }
      step = try pages.take(page)
      for entry in page.entries where entry[field: "cause"] == .unsigned(revision) {
        try body(entry)
      }
      // A daemon answers a limited number of queries a second.
      if step == .ask { try await daemon?.connection.pause(for: LogSession.breath) }
    }
  }

  fileprivate func show(_ entry: GenericValue, as relation: String, isJSON: Bool) throws {
    let line = LogLine(entry, action: action)
    guard isJSON else {
      return try StandardOutput.line("\(LogLine.padded(relation, 11))  \(line.text)")
    }
    guard case .object(let members) = line.tree else { throw Past.otherAnswer }
    try StandardOutput.line(
      JSONValue.object([.init("relation", .string(relation))] + members).text()
    )
  }
}
