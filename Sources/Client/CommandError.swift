import ArgumentParser
import StoreClient
import StoreJournal
import StoreProtocol
import StoreState

/// The reason why a command failed.
struct CommandError: Error, Hashable, CustomStringConvertible {
  /// The program's exit status (sysexits.h).
  enum Status: Int32 {
    /// The command line is invalid.
    case usage = 64
    /// The daemon does not accept an action or a scope.
    case badData = 65
    /// There is no daemon, it is unreachable, or it lacks the requested facility by its nature.
    case unavailable = 69
    /// The object to create already exists.
    case cannotCreate = 73
    /// The output or the input failed.
    case inputOutput = 74
    /// The command may succeed at another time.
    case tryAgain = 75
    /// An answer is invalid.
    case malformed = 76
    /// The operation is not permitted.
    case notAllowed = 77

    /// The exit status for two failures: permanent failures take precedence over temporary ones.
    func worse(than other: Self?) -> Self {
      if let other, other.rawValue < rawValue { other } else { self }
    }
  }

  var status: Status
  /// The fault, the expectation and the remedy.
  var description: String

  init(_ status: Status, _ description: String) {
    self.status = status
    self.description = description
  }
}

/// Messages besides a command's output: for people, on standard error.
enum Note {
  static func print(_ text: String) {
    let line = Array("storectl: \(Printable.text(text))\n".utf8)
    // A failed write to standard error cannot be reported.
    _ = StandardOutput.write(line, to: StandardOutput.errorDescriptor)
  }

  /// Prints the reason why a command failed.
  ///
  /// - Returns: The error with which the program exits.
  static func failure(_ error: any Error) -> any Error {
    switch error {
    case let error as CommandError:
      print("\(error)")
      return ExitCode(error.status.rawValue)
    case let error as ConnectionError:
      print("\(error)")
      return ExitCode(error.code.exitStatus)
    case let error as HistoryError where error.code == .notKept:
      let remedy = "A daemon keeps one if it has a data directory."
      return failure(CommandError(.unavailable, "\(error) \(remedy)"))
    case let error as HistoryError:
      return failure(CommandError(status(of: error.code), error.message))
    case let error as JournalError:
      return failure(CommandError(status(of: error.code), error.message))
    case let error as CodecError:
      return failure(
        CommandError(
          .malformed,
          "The daemon's answer is invalid: \(error). Use programs of the same release.",
        )
      )
    // The parser prints its own errors.
    default: return error
    }
  }

  private static func status(of code: HistoryError.Code) -> CommandError.Status {
    switch code {
    case .unavailable: .tryAgain
    case .unauthorised: .notAllowed
    case .gone, .future, .unknownScope, .corrupt, .notKept, .tooLarge: .badData
    }
  }

  private static func status(of code: JournalError.Code) -> CommandError.Status {
    switch code {
    case .foreign, .newer, .older, .schema, .corrupt, .missing: .badData
    case .occupied: .cannotCreate
    case .full, .busy, .fenced, .unreadable: .tryAgain
    case .system: .inputOutput
    }
  }
}
