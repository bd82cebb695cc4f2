import StoreActor
public import StoreProtocol
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

#if os(Linux)
extension StoreConnection {
  /// Connects to a daemon and runs `body` like ``run(to:name:isListed:_:)``, as a program's `main`.
  ///
  /// ```swift
  /// @main
  /// struct Main {
  ///   @MainActor static func main() {
  ///     StoreConnection.main(to: StoreLocation(directory: "/run/app"), name: "menu bar") { … }
  ///   }
  /// }
  /// ```
  ///
  /// If an error is thrown, prints `PROGRAM: REASON` on standard error and exits: with the
  /// ``ConnectionError/Code/exitStatus`` of a ``ConnectionError``; for an `ActionFailure` with 65
  /// if the action can never be applied, 77 if this client may not send it, and 75 if it may be
  /// applied later; with 1 for any other error.
  public static func main(
    to location: StoreLocation,
    name: String,
    isListed: Bool = true,
    _ body: @escaping @MainActor (StoreConnection) async throws -> Void,
  ) {
    do {
      try run(to: location, name: name, isListed: isListed, body)
    } catch {
      // The program's buffered output is written before the error.
      fflush(nil)
      ProgramName.report("\(error)")
      exit(exitStatus(of: error))
    }
  }

  static func exitStatus(of error: any Error) -> Int32 {
    switch error {
    case let error as ConnectionError: error.code.exitStatus
    case let failure as ActionFailure:
      switch failure.code {
      case .rejected, .absent, .crashed: 65
      case .unauthorized: 77
      default: 75
      }
    default: EXIT_FAILURE
    }
  }
}
#endif
