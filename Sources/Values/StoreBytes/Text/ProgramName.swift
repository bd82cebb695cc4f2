#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The name of the running program, as error messages and lock files show it.
package enum ProgramName {
  /// The most bytes of a name.
  package static let limit = 64

  /// The name of the executable file; "program" if the system does not provide it.
  package static let current: String = {
    let file = CommandLine.arguments.first?.split(separator: "/").last
    return checked(file.map(String.init) ?? "") ?? "program"
  }()

  /// A name as one word of a line; nil if no character is left.
  ///
  /// The name may come from a file that another program has written.
  package static func checked(_ name: String) -> String? {
    let words = name.split { $0.isWhitespace }
    var left = limit
    let text = Printable.text(words.joined(separator: "-")).prefix { character in
      left -= character.utf8.count
      return left >= 0
    }
    return text.isEmpty ? nil : String(text)
  }

  /// Prints a line on standard error that begins with the name of the program.
  package static func report(_ text: String, as name: String = current) {
    let line = Array("\(name): \(Printable.text(text))\n".utf8)
    // A failure to print the line cannot be reported; the exit status says enough.
    _ = write(STDERR_FILENO, line, line.count)
  }
}
