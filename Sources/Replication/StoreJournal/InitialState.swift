/// Checks whether a history without snapshots can begin with a program's initial state.
struct InitialState {
  let directory: String
  let segments: [LogSegment]

  /// Returns the reason for which history cannot begin with a state of this checksum; nil if
  /// it can.
  func refusal(of initial: UInt64) throws(JournalError) -> String? {
    guard segments.first?.first == 1 else {
      return "its records begin after revision 1, so they do not lead from the initial state"
    }
    guard let kept = try known else {
      return "its first segment does not identify its initial state, as in format 3"
    }
    guard kept == initial else {
      return "this program's initial state is another one than that it began with: it is of "
        + "another build, or has parts that are random or contain the time"
    }
    return nil
  }

  /// Returns a remedy if records lead from an initial state to the last one; otherwise nil.
  func remedy(through last: UInt64) throws(JournalError) -> String? {
    guard segments.first?.first == 1, try known != nil,
      JournalReader.endOfRecords(fromFirstIn: directory) >= last
    else { return nil }
    return "Restore a backup; or, as its records begin with the initial state, start the program "
      + "that began it with --from-initial-state (HostConfiguration.beginsWithInitialState), if "
      + "nothing in that state is random."
  }

  /// The checksum of the state with which the history began; nil if it is unknown.
  private var known: UInt64? {
    get throws(JournalError) {
      guard let first = segments.first else { return nil }
      let initial = try LogHeader(of: first, in: directory).initial
      return initial == 0 ? nil : initial
    }
  }
}
