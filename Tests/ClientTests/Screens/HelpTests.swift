import Foundation
import StoreActor
import StoreProtocol
import StoredWorkspace
import TerminalViews
import Testing

@testable import StorectlMain

/// The places that show the meaning of keys to a user.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct HelpTests {
  /// Returns a screen with all data for which it has keys.
  private func bench(
    _ screen: UIModel.Screen,
    width: Int = 40,
    height: Int = 8,
  ) async throws
    -> ScreenBench
  {
    let bench = ScreenBench(width: width, height: height, keepsPast: true)
    bench.send(.todos(.addButtonTapped(title: "Milk")))
    bench.send(.todos(.addButtonTapped(title: "Eggs")))
    bench.model.open(try #require(bench.model.daemon.scopes.find("todos")?.description))
    bench.model.chosen = screen
    await bench.idle()
    return bench
  }

  /// Returns all lines of a view, which is scrolled to its end.
  private func allLines(_ bench: ScreenBench) async -> Set<String> {
    var (all, last): (Set<String>, [String]) = ([], [])
    repeat {
      last = bench.terminal.lines
      all.formUnion(last)
      await bench.press(.pageDown)
    } while bench.terminal.lines != last
    return all
  }

  @Test(arguments: UIModel.Screen.allCases)
  func `However small the terminal is, help lists all keys of the screen that is shown`(
    screen: UIModel.Screen
  ) async throws {
    for isSpecial in [false, true] {
      let bench = try await bench(screen)
      // Modes with their own keys: edited results, the past, a filter.
      if isSpecial {
        await bench.press("r")
        await bench.press(",", "/")
        await bench.type("i")
        await bench.press(.enter)
        bench.model.daemon.say("Something is wrong.")
      }
      let commands = bench.model.screenCommands + bench.model.commonCommands
      await bench.press("?")
      let lines = await allLines(bench)
      for command in commands {
        let keys = command.keyNames.padding(toLength: 14, withPad: " ", startingAt: 0)
        #expect(
          lines.contains { $0.hasPrefix("│ \(keys) \(command.title) ") },
          "\(keys) \(command.title) in \(lines)",
        )
      }
      #expect(lines.contains { $0.hasPrefix("│ ctrl-z         stop for a while") })
      await bench.press("?")
      #expect(!bench.model.help.isShown)
    }
  }

  @Test(arguments: UIModel.Screen.allCases)
  func `Each key's effect can be found by its name`(screen: UIModel.Screen) async throws {
    let bench = try await bench(screen)
    for command in bench.model.screenCommands where command.isListed {
      let name = command.title
      #expect(
        bench.model.commands.contains { $0.id.lowercased() == name.lowercased() },
        "\(name)",
      )
    }
  }

  @Test(arguments: [UIModel.Screen.todos, .game, .overview, .sessions, .scopes, .log, .state])
  func `No list takes a key that the screen has another use for`(
    screen: UIModel.Screen
  )
    async throws
  {
    var taken: [Key] = [
      .up, .down, "k", "j", .pageUp, .pageDown, .home, "g", .end, "G", .tab, .backTab,
    ]
    if screen == .state { taken += [.left, .right, "h", "l", .enter, " "] }
    let bench = try await bench(screen)
    // The initial mode, edited results, and the past.
    for key: Key in [.escape, "r", ","] {
      await bench.press(key)
      for command in bench.model.screenCommands + bench.model.commonCommands
      where command.title != "newest" {
        #expect(command.keys.allSatisfy { !taken.contains($0) }, "\(command.title)")
      }
    }
  }

  @Test func `A command of the palette has the same effect as its key`() async throws {
    let bench = try await bench(.todos, width: 60, height: 16)
    await bench.press(":")
    await bench.shot("Commands of todos")
    await bench.type("move d")
    await bench.press(.enter)
    #expect(bench.model.todos?.items.map(\.title) == ["Eggs", "Milk"])
    await bench.press(":")
    await bench.type("add")
    await bench.press(.enter)
    await bench.type("Tea")
    await bench.press(.enter)
    #expect(bench.model.todos?.items.map(\.title) == ["Eggs", "Milk", "Tea"])
    await bench.press("?")
    await bench.shot("Keys of todos")
    await bench.press(.end)
    await bench.shot("The last keys")
    try bench.compare(with: "help")
  }

  @Test func `The keys of the watched scope are listed as well`() async throws {
    let bench = ScreenBench(width: 40, height: 8, watching: ["todos", "counter"])
    await bench.press("?")
    let lines = await allLines(bench)
    for line in ["?              help", "/              filter", "q              quit"] {
      #expect(lines.contains { $0.hasPrefix("│ \(line) ") }, "\(line) in \(lines)")
    }
    await bench.press(.escape)
    #expect(bench.terminal.lines[0].hasPrefix("todos"))
  }
}
