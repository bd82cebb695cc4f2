/// The reason for which a client could not connect, get a store, or continue.
public struct ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure, with the exit status of a program that ends because of it (sysexits.h).
  public struct Code: Hashable, Sendable {
    /// The failure's name.
    public let name: String
    /// The exit status.
    public let exitStatus: Int32

    /// The location is not valid for a daemon.
    public static let usage = Code(name: "usage", exitStatus: 64)
    /// No daemon answers at the location.
    public static let noDaemon = Code(name: "noDaemon", exitStatus: 69)
    /// A process accepts connections at the location, but does not answer.
    public static let silent = Code(name: "silent", exitStatus: 70)
    /// The daemon exposes no such scope.
    public static let unknownScope = Code(name: "unknownScope", exitStatus: 65)
    /// The daemon's types for the scope differ from this program's, and cannot be translated.
    public static let schemaMismatch = Code(name: "schemaMismatch", exitStatus: 65)
    /// The scope has no state at the moment, such as a removed row.
    public static let absent = Code(name: "absent", exitStatus: 65)
    /// The daemon refuses this client or its request.
    public static let refused = Code(name: "refused", exitStatus: 77)
    /// Other users can change the daemon's directory, and so could replace the daemon.
    public static let notAllowed = Code(name: "notAllowed", exitStatus: 77)
    /// A key for the daemon already exists.
    public static let occupied = Code(name: "occupied", exitStatus: 73)
    /// The daemon is too busy, or its answer arrived too late.
    public static let tryAgain = Code(name: "tryAgain", exitStatus: 75)
    /// The connection was closed.
    public static let closed = Code(name: "closed", exitStatus: 69)
    /// The waiting task was canceled.
    public static let canceled = Code(name: "canceled", exitStatus: 75)
    /// The daemon sent an invalid message.
    public static let malformed = Code(name: "malformed", exitStatus: 76)
    /// An operating system call failed, or a resource is missing.
    public static let system = Code(name: "system", exitStatus: 71)
  }

  /// The kind of failure.
  public var code: Code
  /// The fault and the expectation.
  public var message: String
  /// The remedy; empty if there is no remedy.
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
