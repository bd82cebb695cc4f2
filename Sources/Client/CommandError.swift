import ArgumentParser
import StoreClient
import StoreJournal
import StoreProtocol
import StoreState

/// Why a command could not do what it was asked.
struct CommandError: Error, Hashable, CustomStringConvertible {
  /// What the program exits with (sysexits.h).
  enum Status: Int32 {
    /// The command line makes no sense.
    case usage = 64
    /// An action or a scope is not what the daemon takes.
    case badData = 65
    /// There is no daemon, or no way to it, or it does not have what is asked for by its nature.
    case unavailable = 69
    /// What should be made is there already.
    case cannotCreate = 73
    /// The output or the input failed.
    case inputOutput = 74
    /// It may work at another time.
    case tryAgain = 75
    /// An answer makes no sense.
    case malformed = 76
    /// It is not allowed.
    case notAllowed = 77

    /// The one of two by which a program exits: what can never work before what may.
    func worse(than other: Self?) -> Self {
      if let other, other.rawValue < rawValue { other } else { self }
    }
  }

  var status: Status
  /// What was wrong, what was expected and what to do.
  var description: String

  init(_ status: Status, _ description: String) {
    self.status = status
    self.description = description
  }
}

/// What a command says besides its output: to people, on standard error.
enum Note {
  static func print(_ text: String) {
    let line = Array("storectl: \(Printable.text(text))\n".utf8)
    // Where a note cannot be said there is nobody to tell that.
    _ = StandardOutput.write(line, to: StandardOutput.errorDescriptor)
  }

  /// Says why a command failed.
  ///
  /// - Returns: What the program exits with.
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
          "The daemon's answer makes no sense: \(error). Use programs of the same release.",
        )
      )
    // The parser's own errors know how to say themselves.
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
