/// Why a client could not do what it was asked.
public struct ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure, which is also what a program exits with (sysexits.h).
  public struct Code: Hashable, Sendable {
    /// The failure's name.
    public let name: String
    /// The exit status.
    public let exitStatus: Int32

    /// A location that no daemon can have.
    public static let usage = Code(name: "usage", exitStatus: 64)
    /// Nobody answers at the location.
    public static let noDaemon = Code(name: "noDaemon", exitStatus: 69)
    /// Somebody takes connections at the location, but does not answer.
    public static let silent = Code(name: "silent", exitStatus: 70)
    /// The daemon exposes no such scope.
    public static let unknownScope = Code(name: "unknownScope", exitStatus: 65)
    /// The daemon's types for the scope are not this program's.
    public static let schemaMismatch = Code(name: "schemaMismatch", exitStatus: 65)
    /// The scope has no state now.
    public static let absent = Code(name: "absent", exitStatus: 65)
    /// The daemon does not serve this client.
    public static let refused = Code(name: "refused", exitStatus: 77)
    /// The daemon's directory is open to others, who could take its place.
    public static let notAllowed = Code(name: "notAllowed", exitStatus: 77)
    /// The daemon answered, but not in time, or it is too busy.
    public static let tryAgain = Code(name: "tryAgain", exitStatus: 75)
    /// The connection was closed.
    public static let closed = Code(name: "closed", exitStatus: 69)
    /// The task that waited was canceled.
    public static let canceled = Code(name: "canceled", exitStatus: 75)
    /// The daemon sent something that makes no sense.
    public static let malformed = Code(name: "malformed", exitStatus: 76)
    /// The system lacks something, or failed.
    public static let system = Code(name: "system", exitStatus: 71)
  }

  /// The kind of failure.
  public var code: Code
  /// What was wrong and what was expected.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// Creates an error.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// The message and the remedy.
  public var description: String { remedy.isEmpty ? message : "\(message) \(remedy)" }
}
