import StoreClient
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The daemon that is installed with this program.
enum InstalledDaemon {
  /// The command that starts it in a directory; empty if it is not installed, or cannot use
  /// the directory.
  static func remedy(for directory: String) -> String {
    guard isInstalled, canBeDirectory(directory) else { return "" }
    return "Start one with: stored --dir \(ShellWord.quoted(directory))"
  }

  private static var isInstalled: Bool {
    var folders =
      Environment.variables("PATH")["PATH"]?.split(separator: ":").map(String.init) ?? []
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let own = String(decoding: path, as: UTF8.self)
    if let end = own.lastIndex(of: "/") { folders.append(String(own[..<end])) }
    return folders.contains { access("\($0)/stored", X_OK) == 0 }
  }

  private static func canBeDirectory(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == ENOENT }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}

extension ConnectionError {
  /// Adds the command that starts the installed daemon, if no daemon is present and no trace of an
  /// earlier one exists.
  func orStarting(in directory: String?) -> Self {
    guard code == .noDaemon, remedy.isEmpty, let directory else { return self }
    var error = self
    error.remedy = InstalledDaemon.remedy(for: directory)
    return error
  }
}
