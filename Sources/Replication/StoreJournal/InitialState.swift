/// Whether a history can begin with a program's initial state, where it has lost its snapshots.
struct InitialState {
  let directory: String
  let segments: [LogSegment]

  /// Why the state with a checksum is none to begin with; nil where it is.
  func refusal(of initial: UInt64) throws(JournalError) -> String? {
    guard segments.first?.first == 1 else {
      return "its records begin behind revision 1, so they do not lead from the initial state"
    }
    guard let kept = try known else {
      return "its first segment does not say what state it began with, as in format 3"
    }
    guard kept == initial else {
      return "this program's initial state is another one than that it began with: it is of "
        + "another build, or has parts that are random or tell the time"
    }
    return nil
  }

  /// What helps, where records lead from an initial state to the last one; nil where they do not.
  func remedy(through last: UInt64) throws(JournalError) -> String? {
    guard segments.first?.first == 1, try known != nil,
      JournalReader.endOfRecords(fromFirstIn: directory) >= last
    else { return nil }
    return "Restore a backup; or, as its records begin with the initial state, start the program "
      + "that began it with --from-initial-state (HostConfiguration.beginsWithInitialState), if "
      + "nothing in that state is random."
  }

  /// The checksum of the state that it began with; nil where that is not known.
  private var known: UInt64? {
    get throws(JournalError) {
      guard let first = segments.first else { return nil }
      let initial = try LogHeader(of: first, in: directory).initial
      return initial == 0 ? nil : initial
    }
  }
}
