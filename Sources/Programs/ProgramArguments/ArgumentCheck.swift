package import ArgumentParser
import StoreBytes

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ParsableCommand {
  /// Runs the program after a check of its arguments.
  package static func runProgram() {
    StandardFiles.prepare()
    var arguments: [[UInt8]] = []
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard var byte = CommandLine.unsafeArgv[place] else { break }
      var bytes: [UInt8] = []
      while byte.pointee != 0 {
        bytes.append(UInt8(truncatingIfNeeded: byte.pointee))
        byte += 1
      }
      arguments.append(bytes)
    }
    do throws(ValidationError) {
      try ArgumentCheck.check(arguments, of: self)
    } catch {
      exit(withError: error)
    }
    do {
      var command = try parseAsRoot(nil)
      try command.run()
    } catch {
      exit(withError: ArgumentCheck.misnamedCommand(error, arguments, of: self) ?? error)
    }
  }
}

/// Finds mistakes that the parser misses or reports incorrectly.
private enum ArgumentCheck {
  static func check(
    _ arguments: [[UInt8]],
    of root: any ParsableCommand.Type,
  ) throws(ValidationError) {
    // A shell's request for completions is not a command yet, so its mistakes are not reported.
    if arguments.first?.starts(with: "---completion".utf8) == true { return }
    var texts: [String] = []
    for (place, bytes) in arguments.enumerated() {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        let shown = Printable.text(String(decoding: bytes, as: UTF8.self))
        throw ValidationError(
          "Argument \(place + 1) is not UTF-8: \"\(shown)\". Write it in UTF-8, as all arguments."
        )
      }
      texts.append(text)
    }
    try checkNumbers(texts)
    try checkHelp(texts, of: root)
  }

  /// The error for an unknown command, with similar names; nil if the parser's error is another.
  ///
  /// The parser only reports such a word as unexpected.
  static func misnamedCommand(
    _ error: any Error,
    _ arguments: [[UInt8]],
    of root: any ParsableCommand.Type,
  ) -> ValidationError? {
    let message = root.message(for: error)
    guard message.contains("nexpected argument") else { return nil }
    let names = root.configuration.subcommands.compactMap { $0.configuration.commandName }
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    // After a command's name, a word is unexpected for that command.
    let before = words.prefix { !names.contains($0) }
    guard let word = before.first(where: { message.contains("'\($0)'") }), !word.hasPrefix("-")
    else { return nil }
    let remedy = NearestNames().remedy(for: word, among: names)
    return ValidationError("There is no command \"\(Printable.text(word))\"\(remedy)")
  }

  /// Refuses negative numbers: no option accepts them, and the parser treats them as options.
  private static func checkNumbers(_ arguments: [String]) throws(ValidationError) {
    var before = ""
    for argument in arguments {
      if argument == "--" { return }
      let start = argument.utf8.prefix(2)
      if start.count == 2, start.first == UInt8(ascii: "-"), (0x30...0x39).contains(start.last ?? 0)
      {
        let isValue = before.count > 1 && before.hasPrefix("-") && !before.contains("=")
        throw ValidationError(
          isValue
            ? "\(before) takes no negative number, such as \(argument): write one from 0 on."
            : "\(argument) is negative: a number here is one from 0 on."
        )
      }
      before = argument
    }
  }

  /// Refuses help for an unknown command, for which the parser would show the program's help.
  private static func checkHelp(
    _ arguments: [String],
    of root: any ParsableCommand.Type,
  ) throws(ValidationError) {
    guard arguments.first == "help" else { return }
    var command = root
    for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
      let commands = command.configuration.subcommands
      guard let next = commands.first(where: { $0.configuration.commandName == name }) else {
        let names = commands.compactMap { $0.configuration.commandName }
        let remedy = NearestNames().remedy(for: name, among: names)
        throw ValidationError("There is no command \"\(name)\"\(remedy)")
      }
      command = next
    }
  }
}
