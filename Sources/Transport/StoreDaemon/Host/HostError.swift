import StoreJournal

/// The reason why a daemon could not start, or had to stop.
public struct HostError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure, with the exit status of a program that ends because of it (sysexits.h).
  public struct Code: Hashable, Sendable {
    /// The failure's name.
    public let name: String
    /// The exit status.
    public let exitStatus: Int32

    /// Another daemon is running in the same directory.
    public static let alreadyRunning = Code(name: "alreadyRunning", exitStatus: 73)
    /// A directory, file or socket cannot be created or used.
    public static let cannotCreate = Code(name: "cannotCreate", exitStatus: 73)
    /// Something would expose the store to other users.
    public static let notAllowed = Code(name: "notAllowed", exitStatus: 77)
    /// A setting is invalid.
    public static let usage = Code(name: "usage", exitStatus: 64)
    /// A file of the configuration cannot be read.
    public static let unreadable = Code(name: "unreadable", exitStatus: 66)
    /// A file of the configuration is invalid.
    public static let configuration = Code(name: "configuration", exitStatus: 78)
    /// The history on disk is missing or cannot be read.
    public static let badData = Code(name: "badData", exitStatus: 65)
    /// The operation may succeed at another time.
    public static let tryAgain = Code(name: "tryAgain", exitStatus: 75)
    /// An operating system call failed, or a resource is missing.
    public static let system = Code(name: "system", exitStatus: 71)
  }

  /// The kind of failure.
  public var code: Code
  /// The fault and the expectation.
  public var message: String
  /// An instruction to the operator; may be empty.
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

extension HostError {
  /// Describes why a history cannot be used; the code separates temporary failures from
  /// lasting ones.
  init(_ error: JournalError) {
    let code: Code =
      switch error.code {
      case .full, .busy, .fenced: .tryAgain
      case .system, .unreadable: .system
      case .foreign, .newer, .older, .missing, .occupied, .schema, .corrupt: .cannotCreate
      }
    self.init(code, "\(error)", remedy: "")
  }
}
