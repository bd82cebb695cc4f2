import ArgumentParser
import StoreClient
import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The options of every command: the daemon's address, and the output's format.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The daemon's directory.",
      discussion: """
        Without it $STOREACTOR_DIR, else $XDG_RUNTIME_DIR/storeactor, else ~/.storeactor.
        """,
      valueName: "directory",
    ),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var dir: String?

  @Option(
    help: ArgumentHelp(
      "The daemon's address: ssh://HOST/DIRECTORY, tcp://HOST:PORT or ipc://DIRECTORY.",
      discussion: """
        Over ssh the daemon's sockets are forwarded, and you are the user that has logged in \
        there: ssh://[USER@]HOST[:PORT]/DIRECTORY. For tcp see enrol.
        """,
      valueName: "url",
    )
  )
  var connect: String?

  @Option(
    help: ArgumentHelp(
      "A user that may own the daemon, besides yourself and root.",
      valueName: "user",
    )
  )
  var owner: String?

  @Flag(help: "Print only JSON on standard output, one object per line.")
  var json = false

  func validate() throws {
    guard dir == nil || connect == nil else {
      throw ValidationError("--dir and --connect exclude each other: give one of them.")
    }
    _ = try place()
  }

  /// The address of a daemon.
  enum Place {
    case location(StoreLocation)
    /// A daemon on another machine.
    case remote(SecureShellAddress)
  }

  /// Returns the daemon's address.
  func place() throws -> Place {
    guard let connect, connect.hasPrefix(SecureShellAddress.prefix) else {
      return .location(try location())
    }
    guard let address = SecureShellAddress(connect) else {
      throw ValidationError(
        "\"\(connect)\" is no address of ssh. Expected ssh://[USER@]HOST[:PORT]/DIRECTORY, with "
          + "the daemon's directory, in which there is no colon."
      )
    }
    guard owner == nil else {
      throw ValidationError("--owner is for a directory of this machine: omit it.")
    }
    return .remote(address)
  }

  private func location() throws -> StoreLocation {
    var location = try named()
    if let owner {
      do throws(ConnectionError) {
        location.owner = try StoreLocation.user(owner)
      } catch {
        throw ValidationError("\(error)")
      }
    }
    return location
  }

  private func named() throws -> StoreLocation {
    guard let connect else { return StoreLocation(directory: try dir ?? Self.defaultDirectory()) }
    do throws(LocationError) {
      return try StoreLocation(address: connect)
    } catch {
      // Only this program supports ssh, so it adds the form to the error.
      throw ValidationError("\(error) Or ssh://[USER@]HOST[:PORT]/DIRECTORY, by ssh.")
    }
  }
}

extension ConnectionOptions {
  private static func defaultDirectory() throws -> String {
    do throws(HomeError) {
      return try StoreLocation.defaultDirectory(
        environment: Environment.variables("STOREACTOR_DIR", "XDG_RUNTIME_DIR", "HOME")
      )
    } catch {
      throw ValidationError("\(error) Or name the daemon's directory with --dir.")
    }
  }
}

/// The program's environment.
enum Environment {
  /// Returns the variables of these names that are set.
  static func variables(_ names: String...) -> [String: String] {
    var variables: [String: String] = [:]
    for name in names { variables[name] = getenv(name).map { String(cString: $0) } }
    return variables
  }
}
