import Foundation

/// The compiler that built the tests.
enum Compiler {
  /// The version whose sentences are written down: others have other words.
  static let knownVersion = "6.3"

  /// Whether there is a compiler, and its sentences are known.
  static let isKnown: Bool = {
    guard let version = try? run(["--version"]) else { return false }
    return version.contains("Swift version \(knownVersion)")
  }()

  /// What is said of some files, by their paths: a line for each error, warning and note.
  ///
  /// A compiler that has found mistakes does not look for those that it would find later on. So
  /// files of which nothing was said are compiled once more, for as long as there is news: there
  /// are three such steps.
  static func said(of paths: [String]) throws -> [String: String] {
    var said: [String: String] = [:]
    var silent = paths
    while !silent.isEmpty {
      let news = Sayings(try compile(silent), of: silent).texts
      if news.isEmpty { break }
      said.merge(news) { $1 }
      silent.removeAll { news[$0] != nil }
    }
    return said
  }

  /// Compiles some files as one module, with settings as a user's package has them.
  private static func compile(_ paths: [String]) throws -> String {
    let build = try buildFolder()
    return try run(
      [
        "-emit-sil", "-o", "/dev/null", "-wmo", "-parse-as-library", "-module-name", "Slips",
        "-swift-version", "6", "-diagnostic-style", "llvm", "-I", "\(build)/Modules",
        "-load-plugin-executable", "\(build)/StoreActorMacros-tool#StoreActorMacros",
      ] + paths
    )
  }

  /// The folder that the tests were built in: the nearest one above them that has the modules.
  static func buildFolder() throws -> String {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    var folder = program.resolvingSymlinksInPath().deletingLastPathComponent()
    while folder.path != "/" {
      let modules = folder.appendingPathComponent("Modules/StoreActor.swiftmodule").path
      if FileManager.default.fileExists(atPath: modules) { return folder.path }
      folder.deleteLastPathComponent()
    }
    throw NoModules(program: program.path)
  }

  /// What the compiler prints, of both kinds.
  static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swiftc"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}

/// No folder above the tests holds the modules that they were built with.
struct NoModules: Error, CustomStringConvertible {
  let program: String
  var description: String {
    "No folder above \(program) holds Modules/StoreActor.swiftmodule; the slips are compiled with "
      + "what `swift build --build-tests` leaves there."
  }
}
