import StoreJournal
import StoreProtocol

/// The version of the package, which its programs say.
package enum ProgramVersion {
  /// The only place where it stands.
  private static let number = "0.1.0"

  /// What a program says of itself, with what others have to understand of it.
  package static func text(of program: String) -> String {
    "\(program) \(number) (protocol \(protocolVersion), journal format \(JournalDirectory.format))"
  }
}
