import Foundation
import StoreActor
import Testing

@Suite("A dependency")
struct DependencyTests {
  @Dependency(\.greeter) var greeter
  @Dependency(Greeter.self) var greeterByKey

  @Test("has its test value in a test")
  func testValue() {
    #expect(greeter.greet("you") == "test you")
    #expect(greeterByKey.greet("you") == "test you")
    @Dependency(\.context) var context
    #expect(context == .test)
  }

  @Test("has the value of an enclosing scope, only within the scope")
  func overridden() {
    withDependencies {
      $0.greeter = Greeter { "outer \($0)" }
    } operation: {
      #expect(greeter.greet("you") == "outer you")
      #expect(greeterByKey.greet("you") == "outer you")
      withDependencies {
        $0.greeter.greet = { "inner \($0)" }
      } operation: {
        #expect(greeter.greet("you") == "inner you")
      }
      #expect(greeter.greet("you") == "outer you")
    }
    #expect(greeter.greet("you") == "test you")
  }

  @Test("has the value of the scope that created its owner, also after that scope")
  func captured() {
    let model = withDependencies {
      $0.greeter = Greeter { "made with \($0)" }
    } operation: {
      Model()
    }
    #expect(model.greeting == "made with model")
    #expect(model.source == "test database")
  }

  @Test("has the value of the reader's scope, in preference to its owner's scope")
  func readersScope() {
    let model = withDependencies {
      $0.greeter = Greeter { "made with \($0)" }
      $0.database = "made"
    } operation: {
      Model()
    }
    withDependencies {
      $0.greeter = Greeter { "read with \($0)" }
    } operation: {
      #expect(model.greeting == "read with model")
      #expect(model.source == "made")
    }
  }

  @Test("has the default of the context in which it is read")
  func contexts() {
    func greeting(in context: DependencyContext) -> String {
      withDependencies {
        $0.context = context
      } operation: {
        greeter.greet("you")
      }
    }
    #expect(greeting(in: .live) == "live you")
    #expect(greeting(in: .preview) == "preview you")
    #expect(greeting(in: .test) == "test you")
    #expect(DependencyValues.live.greeter.greet("you") == "live you")
    #expect(DependencyValues.preview.greeter.greet("you") == "preview you")
    #expect(DependencyValues.test.greeter.greet("you") == "test you")
    #expect(DependencyValues.live.context == .live)
  }

  @Test("of all values has the current values")
  func allValues() {
    withDependencies {
      $0.database = "all"
    } operation: {
      @Dependency(\.self) var values
      #expect(values.database == "all")
    }
  }

  @Test("in another's default has the value of the reader's scope")
  func nestedDefaults() {
    enum NestedKey: DependencyKey {
      static var liveValue: String { "live" }
      static var testValue: String {
        @Dependency(\.database) var database
        return "on \(database)"
      }
    }
    withDependencies {
      $0.database = "nested"
    } operation: {
      @Dependency(NestedKey.self) var nested
      #expect(nested == "on nested")
    }
  }

  @Test("in another's default has the value of the scope that created the reader")
  func nestedDefaultsOfOwner() {
    enum NestedKey: DependencyKey {
      static var liveValue: String { "live" }
      static var testValue: String {
        @Dependency(\.database) var database
        return "on \(database)"
      }
    }
    struct Owner {
      @Dependency(NestedKey.self) var nested
    }
    let owner = withDependencies {
      $0.database = "the owner's"
    } operation: {
      Owner()
    }
    #expect(owner.nested == "on the owner's")
  }
}

@Suite("A dependency whose value is an optional")
struct OptionalDependencyTests {
  private enum TokenKey: DependencyKey {
    static let liveValue: String? = "live"
    static let testValue: String? = "test"
  }

  private enum AbsentKey: DependencyKey {
    static let liveValue: Int? = nil
    static let testValue: Int? = nil
  }

  @Dependency(TokenKey.self) private var token
  @Dependency(AbsentKey.self) private var absent

  @Test("has its default if it is not set")
  func defaults() {
    #expect(token == "test")
    #expect(absent == nil)
    #expect(DependencyValues.live[TokenKey.self] == "live")
  }

  @Test("can be set to a value and to nil")
  func overridden() {
    withDependencies {
      $0[TokenKey.self] = nil
      $0[AbsentKey.self] = 1
    } operation: {
      #expect(token == nil)
      #expect(absent == 1)
    }
    prepareDependencies { $0[AbsentKey.self] = 2 }
    #expect(absent == 2)
  }
}

@Suite("A dependency without a value")
struct MissingDependencyTests {
  @Test("for tests is reported by name and has its preview value")
  func testValue() {
    @Dependency(\.downloader) var downloader
    withKnownIssue {
      #expect(downloader.download() == "from the network")
    } matching: { issue in
      let text = issue.comments.description
      return text.contains(#"@Dependency(\.downloader) has no test implementation"#)
        && text.contains("Downloader")
        && issue.sourceLocation?.fileID.hasSuffix("DependencyTests.swift") == true
    }
  }

  @Test("for tests is reported with its place, its key, its type and the remedy")
  func report() {
    @Dependency(\.downloader) var downloader
    let line = #line - 1
    withKnownIssue {
      _ = downloader
    } matching: { issue in
      let text = issue.description
      return issue.sourceLocation?.line == line
        && [
          #"@Dependency(\.downloader) has no test implementation, but was accessed from a test"#,
          "Location:", "StoreActorTests/DependencyTests.swift:\(line)",
          "Key:", "Downloader",
          "Value:",
          "To fix, set @Dependency(\\.downloader) for this test: in the trailing",
        ]
        .allSatisfy(text.contains)
    }
  }

  @Test("for tests is reported by its key if it has no name")
  func testValueByKey() {
    @Dependency(Downloader.self) var downloader
    withKnownIssue {
      _ = downloader.download()
    } matching: {
      $0.comments.description.contains("@Dependency(Downloader.self) has no test implementation")
    }
  }

  @Test("may be read in order to set a part of it")
  func setting() {
    withDependencies {
      $0.downloader.download = { "from the test" }
    } operation: {
      @Dependency(\.downloader) var downloader
      #expect(downloader.download() == "from the test")
    }
    @Dependency(\.downloader) var downloader
    withKnownIssue {
      _ = downloader.download()
    } matching: {
      $0.comments.description.contains("no test implementation")
    }
  }

  @Test("may report its own use, but not while a part of it is set")
  func ownReport() {
    withDependencies {
      $0[Printer.self].pages = 1
    } operation: {
      @Dependency(Printer.self) var printer
      #expect(printer.pages == 1 && printer.paper == "A4")
    }
    @Dependency(Printer.self) var printer
    withKnownIssue {
      #expect(printer.pages == 0)
    } matching: {
      $0.comments.description.contains("No printer is set")
    }
    // The report occurs once.
    #expect(printer.pages == 0)
  }

  @Test("may derive from another one, which reports the use of the first")
  func ownReportBehindAnother() {
    withDependencies {
      $0[Archive.self].title = "A"
      // The second time both values exist.
      $0[Archive.self].title = "B"
    } operation: {
      @Dependency(Archive.self) var archive
      #expect(archive.title == "B")
    }
    @Dependency(Archive.self) var archive
    withKnownIssue {
      #expect(archive.title.isEmpty)
    } matching: {
      $0.comments.description.contains("No printer is set")
    }
    #expect(archive.title.isEmpty)
  }

  @Test("is not reported when setting a part of it requires reading it")
  @MainActor func settingThroughKeyPath() async {
    let reducer = Reduce<[Date], Int> { dates, _ in
      @Dependency(\.date.now) var now
      dates.append(now)
      return .none
    }
    let epoch = Date(timeIntervalSince1970: 0)
    let store = TestStore(initialState: [Date]()) {
      reducer
        .dependency(\.date.now, epoch)
        .transformDependency(\.date) { $0.now += 1 }
    }
    await store.send(0) { $0 = [epoch] }
    let inner = TestStore(initialState: [Date]()) {
      reducer
    } withDependencies: {
      $0[keyPath: \.date.now] = epoch
    }
    await inner.send(0) { $0 = [epoch] }
  }

  @Test("for programs is reported and has its test value")
  func liveValue() {
    withKnownIssue {
      withDependencies {
        $0 = .live
      } operation: {
        @Dependency(\.database) var database
        #expect(database == "test database")
      }
    } matching: {
      $0.comments.description.contains(
        #"@Dependency(\.database) has no live implementation, but was accessed from a live context"#
      )
    }
  }
}

@Suite("A test's default values")
struct TestIsolationTests {
  @Test("are created once in a test")
  func once() {
    @Dependency(\.counter) var counter
    counter.withValue { $0 += 1 }
    #expect(counter.value == 1)
    #expect(DependencyValues._current.counter === counter)
  }

  @Test("are independent of another test, or its task", arguments: [()])
  func apart(_: Void) async {
    @Dependency(\.counter) var counter
    let seen = await Task {
      @Dependency(\.counter) var counter
      return counter.withValue { count in
        count += 1
        return count
      }
    }.value
    #expect(seen == 1)
    #expect(counter.value == 1)
  }

  @Test("are independent of another test")
  func apartAgain() {
    @Dependency(\.counter) var counter
    counter.withValue { $0 += 1 }
    #expect(counter.value == 1)
  }

  @Test("are separate for each set of values of a whole context")
  func fresh() {
    #expect(DependencyValues.test.counter !== DependencyValues.test.counter)
  }

  @Test("are separate for values without overrides")
  func unset() {
    @Dependency(\.counter) var counter
    counter.setValue(1)
    withDependencies {
      $0 = DependencyValues()
    } operation: {
      #expect(counter.value == 0)
      @Dependency(\.counter) var inner
      #expect(inner === counter)
      withDependencies {
        $0.database = "inner"
      } operation: {
        #expect(counter === inner)
      }
    }
    #expect(counter.value == 1)
    let values = DependencyValues()
    #expect(values.counter === values.counter)
  }

  @Test("with reference semantics keep their changes")
  func references() {
    withDependencies {
      $0.counter.setValue(7)
    } operation: {
      @Dependency(\.counter) var counter
      #expect(counter.value == 7)
    }
  }
}
