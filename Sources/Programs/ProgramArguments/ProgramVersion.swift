import StoreJournal
import StoreProtocol

/// The version of the package, which its programs print.
package enum ProgramVersion {
  /// The only definition of the version number.
  private static let number = "0.1.0"

  /// A program's version line, with its protocol's and journal's versions.
  package static func text(of program: String) -> String {
    "\(program) \(number) (protocol \(protocolVersion), journal format \(JournalDirectory.format))"
  }
}
